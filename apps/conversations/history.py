"""The earlier turns of a conversation, read along the line of parents in one bounded statement."""

from collections.abc import Iterable, Sequence
from typing import Any
from uuid import UUID

from django.db import connection
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolMessage

from agents.events import QueueEvent
from agents.outcome import FinishReason, RunStatus
from agents.react import react_result
from agents.tool_groups import INTERRUPTED
from apps.conversations.models import Message, MessageAgentThought
from memory.token_buffer import Turn
from tools.definition import ToolStatus

# A turn that did not end normally is sent with this mark, so that "continue" makes sense (ragflow#13128).
MARKS = {
    RunStatus.STOPPED: "[This answer was stopped before it was complete.]",
    RunStatus.TIMEOUT: "[This answer ran into a time limit before it was complete.]",
    RunStatus.INTERRUPTED: "[This answer was interrupted before it was complete.]",
    RunStatus.BUDGET_EXCEEDED: "[This answer was cut off by a budget.]",
}
UNANSWERED = frozenset({ToolStatus.PENDING, ToolStatus.CANCELLED})
WHOLE = frozenset({RunStatus.NORMAL, RunStatus.ITERATION_LIMIT})
# Turns that are never sent (errors, blocked ones) may stand between those that are.
SPARE_TURNS = 10

_ANCESTORS = """
WITH RECURSIVE ancestors AS (
    SELECT id, parent_id, query, answer, status, finish_reason, is_deleted, 1 AS distance
    FROM conversations_message WHERE id = %s
    UNION ALL
    SELECT m.id, m.parent_id, m.query, m.answer, m.status, m.finish_reason, m.is_deleted, a.distance + 1
    FROM conversations_message m JOIN ancestors a ON m.id = a.parent_id
    WHERE a.distance < %s
)
SELECT * FROM ancestors ORDER BY distance DESC
"""


def load_turns(parent_id: UUID | None, *, rounds: int, with_groups: bool = False) -> list[Turn]:
    """The last `rounds` turns that may be sent, oldest first; siblings of an ancestor are never among them."""
    if parent_id is None or rounds == 0:
        return []
    first = Message._meta.pk.get_db_prep_value(parent_id, connection)
    ancestors = Message.objects.raw(_ANCESTORS, [first, rounds + SPARE_TURNS])
    messages = [message for message in ancestors if is_sent(message)][-rounds:]
    groups = _load_groups(messages) if with_groups else {}
    return [
        Turn(
            query=message.query,
            answer=message.answer,
            mark=MARKS.get(RunStatus(message.status), ""),
            groups=groups.get(message.pk, ()),
        )
        for message in messages
    ]


def is_sent(message: Message) -> bool:
    """Whether a turn belongs to the history that models see (FastGPT#3555)."""
    status = RunStatus(message.status)
    if message.is_deleted or message.finish_reason == FinishReason.CONTENT_FILTER:
        return False
    return status in WHOLE or (status in MARKS and bool(message.answer))


def _load_groups(messages: Sequence[Message]) -> dict[UUID, list[BaseMessage]]:
    steps = MessageAgentThought.objects.filter(
        message__in=messages, event__in=[QueueEvent.AGENT_THOUGHT, QueueEvent.AGENT_ACTION]
    ).order_by("message_id", "position")
    groups: dict[UUID, list[BaseMessage]] = {}
    for message_id, group in _messages_of(steps):
        groups.setdefault(message_id, []).append(group)
    return groups


def _messages_of(steps: Iterable[MessageAgentThought]) -> Iterable[tuple[UUID, BaseMessage]]:
    """The messages of the tool rounds as they were sent: results of calls in the text are text too (ReAct)."""
    is_native = True
    for step in steps:
        if step.event == QueueEvent.AGENT_ACTION:
            yield step.message_id, _native_result(step) if is_native else _written_result(step)
        elif step.assistant_message:
            is_native = bool(step.assistant_message["tool_calls"])
            yield step.message_id, _assistant(step.assistant_message)


def _assistant(stored: dict[str, Any]) -> AIMessage:
    return AIMessage(
        stored["content"],
        tool_calls=stored["tool_calls"],
        additional_kwargs=stored.get("additional_kwargs", {}),
    )


def _native_result(step: MessageAgentThought) -> ToolMessage:
    return ToolMessage(_result_of(step), tool_call_id=step.tool_call_id or "", name=step.tool)


def _written_result(step: MessageAgentThought) -> HumanMessage:
    return HumanMessage(react_result(step.tool, _result_of(step)))


def _result_of(step: MessageAgentThought) -> str:
    return INTERRUPTED if step.tool_status in UNANSWERED else step.observation
