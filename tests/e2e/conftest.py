"""A real browser for the tests of this folder: the system's Chromium, driven by Playwright."""

import os
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, sync_playwright

from tests.running_site import RunningSite
from tests.throwaway.programs import CHROMIUM, locate


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """One Chromium for the tests of a file. Root's has no sandbox: Chromium refuses to start otherwise."""
    arguments = ["--no-sandbox"] if os.geteuid() == 0 else []
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=str(locate(CHROMIUM)), args=arguments)
        yield chromium
        chromium.close()


@pytest.fixture
def browser_context(browser: Browser, site: RunningSite) -> Iterator[BrowserContext]:
    """A browser without a past, at the site's address."""
    context = browser.new_context(base_url=site.url, locale="en-US")
    yield context
    context.close()


@pytest.fixture
def page(browser_context: BrowserContext) -> Page:
    """A page nobody is logged in on; one that logs the browser in is `admin_page`."""
    return browser_context.new_page()


@pytest.fixture
def admin_page(page: Page, site: RunningSite) -> Page:
    """A page on which the operator `admin` is logged in."""
    page.goto("/admin/")
    page.get_by_label("Username").fill("admin")
    page.get_by_label("Password").fill(site.password)
    page.get_by_role("button", name="Log in").click()
    page.wait_for_url(f"{site.url}/admin/")
    return page
