"""The chat page in a real browser, on a running site with a scripted model."""

import re
from collections.abc import Iterator

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Locator, Page, expect

from tests.conftest import StartSite
from tests.conversations.xss_corpus import PAYLOADS
from tests.fakes.upstream import (
    Answer,
    GatedAnswer,
    UpstreamServer,
    call,
    calls,
    failure,
    gate,
    text,
)
from tests.running_site import RunningSite
from tests.site_apps import make_app

LONG = "".join(f"Paragraph {n} says **something** about `it`.\n\n" for n in range(30))


class Chat:
    """A chat page with words for what people do on it."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.faults: list[str] = []
        self.requests: list[str] = []
        page.on("console", lambda message: self._note(message.type, message.text))
        page.on("pageerror", lambda error: self.faults.append(str(error)))
        page.on("dialog", lambda dialog: self.faults.append(f"dialog {dialog.message}"))
        page.on("request", lambda request: self.requests.append(request.url))

    def _note(self, kind: str, words: str) -> None:
        if kind in {"error", "warning"}:
            self.faults.append(words)

    def open(self, slug: str) -> None:
        self.page.goto(f"/apps/{slug}/")

    def ask(self, query: str) -> None:
        self.page.get_by_label("Your question to").fill(query)
        self.page.keyboard.press("Enter")

    @property
    def turns(self) -> Locator:
        return self.page.locator("[data-turns] .turn")

    @property
    def answer(self) -> Locator:
        """The newest answer."""
        return self.turns.last.locator("[data-answer]")

    @property
    def working(self) -> Locator:
        return self.turns.last.locator("[data-working]")

    @property
    def stop_button(self) -> Locator:
        return self.page.get_by_role("button", name="Stop the answer")

    def expect_finished(self) -> None:
        expect(self.turns.last.locator("[data-foot]")).to_be_visible(timeout=15_000)
        expect(self.working).to_be_hidden()
        expect(self.stop_button).to_be_hidden()


def sign_in(page: Page, site: RunningSite) -> None:
    page.goto("/accounts/login/")
    page.get_by_label("User name").fill("admin")
    page.get_by_label("Password").fill(site.password)
    page.get_by_role("button", name="Sign in").click()
    expect(page).to_have_url(f"{site.url}/")


@pytest.fixture
def chat(page: Page, site: RunningSite) -> Iterator[Chat]:
    """The chat page of a signed-in person; in the end nothing may have gone wrong in the browser."""
    sign_in(page, site)
    chat = Chat(page)
    yield chat
    assert chat.faults == []


@pytest.fixture
def slug(site: RunningSite, upstream: UpstreamServer) -> str:
    return make_app(site, upstream.url, tools=["calculator", "current_time"])


def start_gated(chat: Chat, upstream: UpstreamServer, answer: Answer, *, after: int) -> GatedAnswer:
    """Ask; returns when the answer stands still after some of its parts."""
    gated = gate(answer, after=after)
    upstream.script(gated)
    chat.ask("A question")
    gated.wait_reached()
    return gated


def test_a_first_question_is_answered(chat: Chat, slug: str, upstream: UpstreamServer) -> None:
    upstream.script(text("# Hello\n\nThis is **bold** and `code`.", chunks=6))
    chat.open(slug)
    chat.ask("Say hello")
    chat.expect_finished()
    expect(chat.answer.locator("h3")).to_have_text("Hello")
    expect(chat.answer.locator("strong")).to_have_text("bold")
    expect(chat.page).to_have_url(re.compile(rf"/apps/{slug}/c/[0-9a-f-]+/$"))
    expect(chat.turns.last.locator(".figures")).to_contain_text("tokens")
    expect(chat.page.locator("[data-live]")).to_contain_text("This is bold and code.")


def test_a_new_conversation_gets_its_name_without_a_reload(
    chat: Chat, slug: str, upstream: UpstreamServer
) -> None:
    chat.open(slug)
    answer = start_gated(chat, upstream, text("Hello.", chunks=2), after=1)
    thread = chat.page.locator("[data-threads] a")
    expect(thread).to_have_text("A question")
    answer.release()
    expect(thread).to_have_text("A short title", timeout=10_000)
    expect(chat.page.locator(".chat-title")).to_have_text("A short title")


def test_a_page_loaded_in_the_middle_of_the_first_answer_learns_the_title(
    chat: Chat, slug: str, upstream: UpstreamServer
) -> None:
    chat.open(slug)
    answer = start_gated(chat, upstream, text("Hello.", chunks=2), after=1)
    thread = chat.page.locator("[data-threads] a")
    expect(thread).to_have_text("A question")
    chat.page.reload()
    expect(thread).to_have_text("A question")
    expect(chat.page).to_have_title(re.compile("^A question · "))
    answer.release()
    expect(thread).to_have_text("A short title", timeout=10_000)
    expect(chat.page.locator(".chat-title")).to_have_text("A short title")
    expect(chat.page).to_have_title(re.compile("^A short title · "))


@pytest.mark.parametrize(
    ("question", "complaint"),
    [
        pytest.param("x" * 100_001, "100001 characters; 100000 are allowed", id="characters"),
        pytest.param("长" * 90_000, "too long to be sent", id="bytes"),
    ],
)
def test_a_question_that_is_too_long_is_refused_whole_and_kept(
    chat: Chat, slug: str, question: str, complaint: str
) -> None:
    chat.open(slug)
    chat.ask(question)
    expect(chat.page.locator("[data-banner]")).to_contain_text(complaint)
    expect(chat.page.get_by_label("Your question to")).to_have_value(question)
    expect(chat.turns).to_have_count(0)


def test_steps_are_one_line_while_working_and_an_accordion_after(
    chat: Chat, slug: str, upstream: UpstreamServer
) -> None:
    upstream.script(calls(call("calculator", expression="6*7")))
    chat.open(slug)
    answer = start_gated(chat, upstream, text("It is 42.", chunks=3), after=1)
    expect(chat.working).to_be_visible()
    expect(chat.turns.last.locator(".steps")).to_have_count(0)
    answer.release()
    chat.expect_finished()
    chat.turns.last.get_by_text("Used calculator").click()
    step = chat.turns.last.locator(".step-action")
    expect(step).to_contain_text("calculator")
    step.locator("summary").click()
    expect(step).to_contain_text("6*7")
    expect(step).to_contain_text("42")


def test_stop_ends_the_answer_and_keeps_its_text(
    chat: Chat, slug: str, upstream: UpstreamServer
) -> None:
    chat.open(slug)
    start_gated(chat, upstream, text("one two three four", chunks=4), after=3)
    expect(chat.answer).to_contain_text("one")
    chat.stop_button.click()
    chat.expect_finished()
    expect(chat.turns.last).to_contain_text("You stopped this answer.")
    expect(chat.answer).to_contain_text("one")
    chat.ask("And now?")
    expect(chat.answer).to_have_text("The default answer.")


def test_a_question_during_an_answer_waits_in_line(
    chat: Chat, slug: str, upstream: UpstreamServer
) -> None:
    chat.open(slug)
    answer = start_gated(chat, upstream, text("one two", chunks=2), after=2)
    chat.ask("The next question")
    expect(chat.working).to_contain_text("Waiting for the answer before")
    answer.release()
    expect(chat.answer).to_have_text("The default answer.")
    chat.expect_finished()
    expect(chat.turns.first.locator("[data-answer]")).to_have_text("one two")
    chat.page.reload()
    expect(chat.turns.locator("[data-answer]")).to_have_text(["one two", "The default answer."])


def test_a_reload_in_mid_answer_loses_and_doubles_nothing(
    chat: Chat, slug: str, upstream: UpstreamServer
) -> None:
    chat.open(slug)
    answer = start_gated(chat, upstream, text(LONG, chunks=40), after=20)
    expect(chat.answer).to_contain_text("Paragraph 10")
    chat.page.reload()
    expect(chat.answer).to_contain_text("Paragraph 10")
    expect(chat.stop_button).to_be_visible()
    answer.release()
    chat.expect_finished()
    assert_is_long_text(chat)
    chat.page.reload()
    assert_is_long_text(chat)
    expect(chat.turns).to_have_count(1)


def assert_is_long_text(chat: Chat) -> None:
    wanted = [f"Paragraph {n} says something about it." for n in range(30)]
    expect(chat.answer.locator("p")).to_have_text(wanted)


def test_a_lost_connection_is_caught_up(chat: Chat, slug: str, upstream: UpstreamServer) -> None:
    chat.open(slug)
    answer = start_gated(chat, upstream, text(LONG, chunks=40), after=20)
    expect(chat.answer).to_contain_text("Paragraph 10")
    chat.page.context.set_offline(True)
    answer.release()
    upstream.of_purpose("answer")[-1].wait_ended()
    chat.page.context.set_offline(False)
    chat.expect_finished()
    assert_is_long_text(chat)
    chat.faults.clear()  # the browser logs the requests that found no network


def test_two_tabs_show_the_same_run(chat: Chat, slug: str, upstream: UpstreamServer) -> None:
    chat.open(slug)
    chat.ask("First")
    chat.expect_finished()
    other = Chat(chat.page.context.new_page())
    other.page.goto(chat.page.url)
    expect(other.turns).to_have_count(1)
    answer = start_gated(chat, upstream, text("seen in both", chunks=3), after=2)
    expect(other.turns).to_have_count(2)
    expect(other.answer).to_contain_text("seen")
    answer.release()
    for page in (chat, other):
        page.expect_finished()
        expect(page.answer).to_have_text("seen in both")
        expect(page.turns).to_have_count(2)
    assert other.faults == []


def test_answering_again_replaces_the_answer(
    chat: Chat, slug: str, upstream: UpstreamServer
) -> None:
    upstream.script(text("the first try"), text("the second try"))
    chat.open(slug)
    chat.ask("Try")
    expect(chat.answer).to_have_text("the first try")
    chat.expect_finished()
    chat.page.get_by_role("button", name="Answer again").click()
    expect(chat.answer).to_have_text("the second try")
    chat.expect_finished()
    expect(chat.turns).to_have_count(1)
    chat.page.reload()
    expect(chat.answer).to_have_text("the second try")
    expect(chat.turns).to_have_count(1)


def test_a_failure_is_told_with_what_to_do(chat: Chat, slug: str, upstream: UpstreamServer) -> None:
    upstream.script(failure(401, {"error": {"message": "bad key"}}), text("better now"))
    chat.open(slug)
    chat.ask("Hi")
    chat.expect_finished()
    expect(chat.turns.last.locator("[data-note]")).to_be_visible()
    chat.page.get_by_role("button", name="Try again").click()
    expect(chat.answer).to_have_text("better now")


def test_a_long_answer_scrolls_in_its_place_and_not_with_the_page(
    chat: Chat, slug: str, upstream: UpstreamServer
) -> None:
    upstream.script(text(LONG, chunks=6))
    chat.open(slug)
    chat.ask("Tell me much")
    chat.expect_finished()
    heights = "[document.documentElement.scrollHeight, innerHeight]"
    page_height, window_height = chat.page.evaluate(heights)
    assert page_height == window_height


def test_a_failure_below_a_long_answer_is_in_sight_even_while_a_long_question_is_typed(
    chat: Chat, slug: str, upstream: UpstreamServer
) -> None:
    upstream.script(text(LONG, chunks=6))
    chat.open(slug)
    chat.ask("Tell me much")
    chat.expect_finished()
    for _ in range(3):
        upstream.script(failure(503, {"error": {"message": "busy"}}))
    chat.ask("And more")
    expect(chat.turns).to_have_count(2)
    chat.expect_finished()
    expect(chat.turns.last.get_by_role("button", name="Try again")).to_be_in_viewport()
    chat.page.get_by_label("Your question to").fill("a line\n" * 12)
    expect(chat.turns.last.get_by_role("button", name="Try again")).to_be_in_viewport(ratio=1)
    chat.page.wait_for_function(
        "s => s.scrollHeight - s.scrollTop - s.clientHeight < 2",
        arg=chat.page.locator("[data-scroller]").element_handle(),
    )


def test_enter_sends_but_not_while_an_input_method_composes(chat: Chat, slug: str) -> None:
    chat.open(slug)
    field = chat.page.get_by_label("Your question to")
    field.fill("ni")
    field.dispatch_event("keydown", {"key": "Enter", "keyCode": 229})
    field.dispatch_event("keydown", {"key": "Enter", "isComposing": True})
    expect(chat.turns).to_have_count(0)
    field.press("Shift+Enter")
    field.press_sequentially("hao")
    expect(field).to_have_value("ni\nhao")
    field.press("Enter")
    expect(chat.turns).to_have_count(1)
    chat.expect_finished()


def test_the_page_follows_only_a_reader_near_the_end(
    chat: Chat, slug: str, upstream: UpstreamServer
) -> None:
    chat.page.set_viewport_size({"width": 800, "height": 500})
    chat.open(slug)
    answer = start_gated(chat, upstream, text(LONG, chunks=40), after=30)
    expect(chat.answer).to_contain_text("Paragraph 18")
    expect(chat.answer.locator("p").last).to_be_in_viewport()
    chat.page.locator("[data-scroller]").evaluate("element => element.scrollTo(0, 0)")
    expect(chat.page.get_by_role("button", name="Go to the end")).to_be_visible()
    answer.release()
    chat.expect_finished()
    expect(chat.answer.locator("p").first).to_be_in_viewport()
    chat.page.get_by_role("button", name="Go to the end").click()
    expect(chat.answer.locator("p").last).to_be_in_viewport()


def test_conversations_are_renamed_and_deleted(chat: Chat, slug: str) -> None:
    chat.open(slug)
    chat.ask("Hi")
    chat.expect_finished()
    chat.page.locator("[data-thread]").first.click()
    chat.page.get_by_label("Title").fill("A better name")
    chat.page.get_by_role("button", name="Rename", exact=True).click()
    expect(chat.page.locator("[data-threads] a")).to_have_text("A better name")
    chat.page.locator("[data-thread]").first.click()
    chat.page.get_by_role("button", name="Delete this conversation").click()
    expect(chat.page.locator("[data-threads] a")).to_have_count(0)
    expect(chat.page).to_have_url(re.compile(rf"/apps/{slug}/$"))


def test_code_and_answers_can_be_copied(chat: Chat, slug: str, upstream: UpstreamServer) -> None:
    chat.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    upstream.script(text("See:\n\n```python\nx = 1\n```\n"))
    chat.open(slug)
    chat.ask("Code")
    chat.expect_finished()
    chat.page.get_by_role("button", name="Copy code").click()
    expect(chat.page.locator("[data-live]")).to_have_text("Copied")
    assert chat.page.evaluate("() => navigator.clipboard.readText()") == "x = 1\n"


def test_the_debugger_asks_the_draft_and_shows_the_exact_prompt(
    chat: Chat, slug: str, site: RunningSite, upstream: UpstreamServer
) -> None:
    chat.page.goto(f"/studio/apps/{slug}/debug/")
    upstream.script(text("from the draft"))
    chat.ask("Hi draft")
    chat.expect_finished()
    chat.turns.last.get_by_text("1 step").click()
    chat.turns.last.locator(".step-answer summary").click()
    expect(chat.turns.last.locator(".step-body")).to_contain_text("System prompt")
    expect(chat.turns.last.locator(".step-body")).to_contain_text("Hi draft")
    expect(chat.page).to_have_url(re.compile(rf"/studio/apps/{slug}/debug/c/"))


def test_hostile_answers_are_inert_streaming_and_stored(
    chat: Chat, slug: str, site: RunningSite, upstream: UpstreamServer
) -> None:
    corpus = "\n\n".join(
        payload.replace("\x00", "").encode(errors="ignore").decode() for payload in PAYLOADS
    )
    upstream.script(text(corpus, chunks=60))
    chat.open(slug)
    chat.ask(PAYLOADS[1])
    chat.expect_finished()
    streamed = chat.answer.inner_html()
    chat.page.reload()
    chat.expect_finished()
    assert chat.answer.inner_html() == streamed
    expect(
        chat.page.locator(".answer :is(img, script, iframe, svg:not(.copy-code svg))")
    ).to_have_count(0)
    foreign = [url for url in chat.requests if not url.startswith((site.url, "data:"))]
    assert foreign == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_nothing_serious_stands_in_the_way_of_assistive_technology(
    chat: Chat, slug: str, upstream: UpstreamServer, scheme: str
) -> None:
    chat.page.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
    upstream.script(
        calls(call("calculator", expression="1+1")),
        text(
            "# Two\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n```python\nx = 1\n```\n\n$x^2$ [l](https://e.org)"
        ),
    )
    chat.open(slug)
    assert_accessible(chat.page)
    chat.ask("1+1?")
    chat.expect_finished()
    chat.turns.last.get_by_text("Used calculator").click()
    expect(chat.turns.last.locator(".step-action")).to_be_visible()
    assert_accessible(chat.page)
    chat.page.goto("/")
    assert_accessible(chat.page)


def test_the_door_is_accessible(page: Page) -> None:
    page.goto("/accounts/login/")
    assert_accessible(page)


def assert_accessible(page: Page) -> None:
    found = Axe().run(page).response["violations"]
    serious = [one for one in found if one["impact"] in {"serious", "critical"}]
    assert [(one["id"], one["nodes"][0]["html"]) for one in serious] == []


def test_a_page_outlives_a_restart_of_the_server(
    browser: Browser, start_site: StartSite, upstream: UpstreamServer
) -> None:
    site = start_site(RUN_DRAIN="1")
    slug = make_app(site, upstream.url)
    page = browser.new_page(base_url=site.url, locale="en-US")
    sign_in(page, site)
    chat = Chat(page)
    chat.open(slug)
    start_gated(chat, upstream, text(LONG, chunks=40), after=20)
    expect(chat.answer).to_contain_text("Paragraph 10")
    site.restart()
    chat.expect_finished()
    expect(chat.answer).to_contain_text("Paragraph 10")
    expect(chat.turns.last.locator("[data-note]")).to_be_visible()
    chat.ask("Are you back?")
    expect(chat.answer).to_have_text("The default answer.")
    page.close()


def test_everything_fits_a_phone(
    browser: Browser, site: RunningSite, slug: str, upstream: UpstreamServer
) -> None:
    upstream.script(
        text(
            "| a | b | c | d |\n|---|---|---|---|\n"
            + "| word | word | word | word |\n" * 3
            + "\n```\n"
            + "x" * 300
            + "\n```\n"
        )
    )
    context = browser.new_context(
        base_url=site.url, viewport={"width": 390, "height": 844}, has_touch=True, locale="en-US"
    )
    page = context.new_page()
    sign_in(page, site)
    chat = Chat(page)
    chat.open(slug)
    chat.ask("Show a table")
    chat.expect_finished()
    width = page.evaluate("() => document.documentElement.scrollWidth")
    assert width == 390
    page.get_by_role("button", name="Conversations").click()
    expect(page.get_by_role("link", name="New conversation")).to_be_in_viewport()
    page.keyboard.press("Escape")
    expect(page.get_by_role("link", name="New conversation")).not_to_be_in_viewport()
    context.close()
