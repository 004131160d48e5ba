"""A run's events as text/event-stream."""

import json
from collections.abc import AsyncGenerator
from contextlib import aclosing

from django.http import StreamingHttpResponse

from agents.events import AgentThought, QueueEvent
from apps.conversations.models import Message

HEADERS = {"Cache-Control": "no-cache", "X-Accel-Buffering": "no"}


def answer_with_events(
    message: Message, thoughts: AsyncGenerator[AgentThought, None]
) -> StreamingHttpResponse:
    """The response that sends `thoughts` as they come; a reader that leaves ends nothing but itself."""
    return StreamingHttpResponse(
        render_events(message, thoughts), content_type="text/event-stream", headers=HEADERS
    )


async def render_events(
    message: Message, thoughts: AsyncGenerator[AgentThought, None]
) -> AsyncGenerator[str, None]:
    """One frame an event; pings are comments, so that they never move `Last-Event-ID`."""
    ids = {"conversation_id": str(message.conversation_id), "message_id": str(message.pk)}
    tail = f",{json.dumps(ids, separators=(',', ':'))[1:]}"
    async with aclosing(thoughts) as events:
        async for thought in events:
            yield _frame(thought, tail)


def _frame(thought: AgentThought, tail: str) -> str:
    if thought.event is QueueEvent.PING:
        return ": ping\n\n"
    line = thought.as_json()
    if thought.message_id is None:
        line = line[:-1] + tail
    return f"id: {thought.seq}\nevent: {thought.event}\ndata: {line}\n\n"
