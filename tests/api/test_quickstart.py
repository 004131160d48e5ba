"""The way from nothing to an answer for somebody who has only an API key, as the README shows it."""

import json
from typing import Any
from urllib.request import Request, urlopen

import pytest

from tests.fakes.upstream import UpstreamServer, call, calls, text
from tests.running_site import RunningSite

pytestmark = pytest.mark.stores


def test_a_script_with_only_an_api_key_gets_an_answer(
    site: RunningSite, upstream: UpstreamServer
) -> None:
    upstream.script(calls(call("calculator", expression="6*7")), text("It is 42.", chunks=3))

    def api(method: str, path: str, **body: Any) -> Any:
        request = Request(
            f"{site.url}/api/v1/{path}",
            method=method,
            data=json.dumps(body).encode() if body else None,
            headers={
                "Authorization": f"Bearer {site.api_key}",
                "Content-Type": "application/json",
            },
        )
        with urlopen(request, timeout=30) as answer:
            return json.load(answer)

    api("POST", "model-providers", name="mine", base_url=upstream.url, secret="sk-…")
    api("POST", "language-models", provider="mine", name="fake-model", context_window=32_768)
    api("POST", "apps", slug="helper", name="Helper")
    draft = api("GET", "apps/helper/draft")
    draft = api(
        "PATCH",
        "apps/helper/draft",
        revision=draft["revision"],
        model="mine/fake-model",
        preset_prompt="You are brief.",
        tools=["calculator"],
    )
    version = api("POST", "apps/helper/publish", revision=draft["revision"])
    said = api("POST", "apps/helper/chat", query="How much is six times seven?")

    assert version["version"] == 1
    assert (said["status"], said["answer"]) == ("normal", "It is 42.")
    assert [step["event"] for step in said["steps"]][-2:] == ["agent_action", "agent_message"]
    assert upstream.requests[0].headers["Authorization"] == "Bearer sk-…"
