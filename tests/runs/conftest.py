"""A run's life in this process: a published App on the scripted model service, a home on the test's loop."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any

import pytest

from agents.events import AgentThought, Audience
from agents.models.sessions import close_sessions
from agents.outcome import UNFINISHED
from apps.accounts.callers import caller_for_user
from apps.accounts.models import Caller, User
from apps.conversations.models import Conversation, Entry, Message, MessageAgentThought
from apps.providers.models import LanguageModel, ModelProvider
from apps.runs.database import in_database
from apps.runs.execution import execute
from apps.runs.home import RunHome, install_home
from apps.runs.reading import follow_run
from apps.runs.start import Question, start_run
from apps.studio.drafts import change_draft, create_app, draft_of
from apps.studio.models import App
from apps.studio.publishing import publish
from tests.fakes.upstream import UpstreamServer


@dataclass
class Bench:
    """One App, one person, and short words for what tests do with them."""

    home: RunHome
    app: App
    caller: Caller
    upstream: UpstreamServer

    async def ask(
        self, query: str, conversation: Conversation | None = None, **rest: Any
    ) -> Message:
        question = Question(
            caller=self.caller,
            app=self.app,
            query=query,
            entry=Entry.WEB,
            conversation=conversation,
            **rest,
        )
        return await in_database(start_run, question)

    async def ended(self, message: Message) -> Message:
        """The row after its end, however many runs stand before it; fails after 20 s."""
        async with asyncio.timeout(20):
            while True:
                await self.home.finished(str(message.task_id))
                row = await self.row(message)
                if row.status not in UNFINISHED:
                    return row
                await asyncio.sleep(0.01)

    async def answer(
        self, query: str, conversation: Conversation | None = None, **rest: Any
    ) -> Message:
        return await self.ended(await self.ask(query, conversation, **rest))

    async def row(self, message: Message) -> Message:
        return await in_database(
            Message.objects.select_related("conversation", "app_config").get, pk=message.pk
        )

    async def steps(self, message: Message) -> list[MessageAgentThought]:
        return await in_database(lambda: list(message.thoughts.order_by("position")))

    async def events(
        self, message: Message, *, after: int = 0, audience: Audience = Audience.BUILDER
    ) -> list[AgentThought]:
        """Everything that a reader sees from `after` to the end."""
        async with asyncio.timeout(20):
            reader = follow_run(str(message.task_id), after=after, audience=audience)
            return [thought async for thought in reader]

    async def configure(self, **changes: Any) -> None:
        """Change the draft, publish it, and go on with the new version."""
        await in_database(self._configure, changes)

    def _configure(self, changes: dict[str, Any]) -> None:
        draft = change_draft(self.app, revision=draft_of(self.app).revision, changes=changes)
        publish(self.app, revision=draft.revision, user=self.app.owner)
        self.app = App.objects.select_related("published_config").get(pk=self.app.pk)


def make_app(upstream: UpstreamServer, owner: User, **changes: Any) -> App:
    """A published App on a model of the scripted service."""
    provider, _ = ModelProvider.objects.get_or_create(
        name="scripted", defaults={"base_url": upstream.url, "secret": "sk-canary-secret"}
    )
    for name, native in (("native", True), ("react", False)):
        LanguageModel.objects.get_or_create(
            provider=provider, name=name, defaults={"tool_call": native}
        )
    app = create_app(owner=owner, slug="helper", name="Helper")
    content = {"model": "scripted/native", "tools": ["calculator", "current_time"], **changes}
    draft = change_draft(app, revision=1, changes=content)
    publish(app, revision=draft.revision, user=owner)
    return App.objects.select_related("published_config").get(pk=app.pk)


@pytest.fixture
def seeded(transactional_db: None, upstream: UpstreamServer) -> tuple[App, Caller]:
    owner = User.objects.create_user("ada", password="a-long-password")
    return make_app(upstream, owner), caller_for_user(owner)


@pytest.fixture
async def bench(seeded: tuple[App, Caller], upstream: UpstreamServer) -> AsyncIterator[Bench]:
    home = RunHome(execute)
    install_home(home)
    home.bind(asyncio.get_running_loop())
    yield Bench(home=home, app=seeded[0], caller=seeded[1], upstream=upstream)
    await home.drain(0)
    await close_sessions()


def joined(thoughts: list[AgentThought]) -> str:
    """The answer as a reader adds it up: the deltas of the last AGENT_MESSAGE id."""
    messages = [thought for thought in thoughts if thought.event == "agent_message"]
    last = messages[-1].id
    return "".join(thought.answer or "" for thought in messages if thought.id == last)


def error_of(message: Message) -> dict[str, str]:
    """The error of a run that has one."""
    assert message.error is not None
    error: dict[str, str] = message.error
    return error
