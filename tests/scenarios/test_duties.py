"""What the background does after an answer, with the real workers."""

from tests.fakes.upstream import UpstreamServer, purpose, text
from tests.running_site import RunningSite
from tests.scenarios.conversing import ask
from tests.scenarios.test_lifecycle import wait_until
from tests.site_apps import make_app, request


def test_title_and_summary_appear_and_the_summary_is_in_the_next_request(
    site: RunningSite, upstream: UpstreamServer
) -> None:
    slug = make_app(site, upstream.url, long_term_memory=True)
    upstream.script(text("The user's cat is called Schnurri."), when=purpose("summary"))
    first = ask(site, slug, "My cat is called Schnurri, and she likes to sleep in the sun.")
    conversation = f"conversations/{first['conversation_id']}"
    wait_until(lambda: request(site, "GET", conversation)["title"] == "A short title", 20)
    wait_until(lambda: bool(request(site, "GET", conversation)["summary"]), 20)
    second = ask(site, slug, "Her name?", conversation_id=first["conversation_id"])
    sent = upstream.of_purpose("answer")[-1].messages
    assert "The user's cat is called Schnurri." in sent[0]["content"]
    assert second["steps"][0]["event"] == "long_term_memory_recall"
