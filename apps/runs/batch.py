"""Rows of a run that wait for the next commit, and the transactions that write them."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from django.db import transaction

from agents.outcome import Outcome
from apps.conversations.models import Message, MessageAgentThought, PromptText
from apps.runs.ending import end_row
from apps.usage.models import ModelCall


@dataclass
class Batch:
    """New steps, ends of tool calls (call id → columns), ledger rows, system prompts by hash.

    `takes_text_back`: text that a checkpoint kept as the answer has turned out to be thought.
    """

    steps: list[MessageAgentThought] = field(default_factory=list)
    tool_ends: list[tuple[str, dict[str, Any]]] = field(default_factory=list)
    calls: list[ModelCall] = field(default_factory=list)
    prompts: dict[str, str] = field(default_factory=dict)
    takes_text_back: bool = False

    def __bool__(self) -> bool:
        return bool(self.steps or self.tool_ends or self.calls)


def write_batch(message: Message, batch: Batch) -> None:
    """All rows of a batch, in one transaction."""
    with transaction.atomic():
        if batch.prompts:
            PromptText.objects.bulk_create(
                [PromptText(digest=digest, text=text) for digest, text in batch.prompts.items()],
                ignore_conflicts=True,
            )
        if batch.steps:
            MessageAgentThought.objects.bulk_create(batch.steps)
        for call_id, changes in batch.tool_ends:
            MessageAgentThought.objects.filter(message=message, tool_call_id=call_id).update(
                **changes
            )
        if batch.calls:
            ModelCall.objects.bulk_create(batch.calls)
        if batch.takes_text_back:
            Message.objects.filter(pk=message.pk).update(answer="", reasoning="")


def write_ledger(message: Message, calls: Sequence[ModelCall]) -> None:
    """What was paid for is booked, whatever became of its run; of a deleted one without its rows."""
    is_deleted = not Message.objects.filter(pk=message.pk).exists()
    for call in calls if is_deleted else ():
        call.message = call.conversation = None
    ModelCall.objects.bulk_create(calls)


def write_end(message: Message, batch: Batch, outcome: Outcome, columns: dict[str, Any]) -> bool:
    """The rest of the rows and the end of the run; nothing at all when somebody else ended it.

    A second call after a commit whose answer was lost finds its own end, and is content.
    """
    with transaction.atomic():
        if not end_row(message, outcome, **columns):
            own = {"status": outcome.status, "last_seq": columns["last_seq"]}
            return Message.objects.filter(pk=message.pk, **own).exists()
        if batch:
            write_batch(message, batch)
    return True
