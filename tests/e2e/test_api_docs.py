"""The API's own page in a real browser: everything from the site, nothing against its policy."""

from playwright.sync_api import Page

from tests.running_site import RunningSite


def test_the_api_is_read_offline_and_within_the_content_security_policy(
    page: Page, site: RunningSite
) -> None:
    complaints: list[str] = []
    foreign: list[str] = []
    page.on("console", lambda message: complaints.append(message.text))
    page.on(
        "request", lambda sent: None if sent.url.startswith(site.url) else foreign.append(sent.url)
    )
    page.goto("/api/docs/")
    operation = page.locator("#operations-apps-v1_apps_chat_create")
    operation.locator(".opblock-summary-control").click()
    operation.get_by_text("client_request_id").first.wait_for()
    assert complaints == []
    assert [url for url in foreign if not url.startswith("data:")] == []
