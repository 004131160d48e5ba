"""Turns the loop's records into rows and into the events of the log, in this order where a row exists.

Deltas go to readers at once, coalesced when they come fast; everything that has a row is written first
(`commit`) and shown after. Sequence numbers are given in the order of emission. Per token nothing but a list
is touched.
"""

import asyncio
import time
from dataclasses import dataclass, field
from typing import Any

from django.db import transaction

from agents.event_log import EventLog
from agents.events import AgentThought, QueueEvent
from agents.outcome import Outcome
from agents.projection import thought_of
from agents.records import (
    AnswerDelta,
    CallFailed,
    CallFinished,
    PresetAnswer,
    Record,
    RunStarted,
    ToolFinished,
    ToolStarted,
)
from apps.conversations.models import Message, MessageAgentThought, PromptText
from apps.runs.database import in_database
from apps.runs.ending import end_event, end_row
from apps.runs.rows import call_row, digest_of, ledger_row, step_row, sum_costs, tool_changes
from apps.usage.models import ModelCall

COALESCE = 0.04


@dataclass
class Batch:
    """Rows that wait for the next commit."""

    steps: list[MessageAgentThought] = field(default_factory=list)
    tool_ends: list[tuple[str, dict[str, Any]]] = field(default_factory=list)
    calls: list[ModelCall] = field(default_factory=list)
    prompts: dict[str, str] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return bool(self.steps or self.tool_ends or self.calls)


@dataclass(frozen=True, kw_only=True)
class Checkpoint:
    """The text of an unfinished answer after event number `seq`."""

    message_id: Any
    answer: str
    reasoning: str
    seq: int


class RunRecorder:
    """Records one run. All methods belong to the run's event loop."""

    def __init__(self, message: Message, log: EventLog, known_prompts: set[str]) -> None:
        self.message = message
        self.task_id = str(message.task_id)
        self._log = log
        self._seq = 0
        self._published = 0
        self._position = 0
        self._known_prompts = known_prompts
        self._batch = Batch()
        self._held: list[AgentThought] = []
        self._delta: AgentThought | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._last_append = 0.0
        self._step = ""
        self._answer: list[str] = []
        self._reasoning: list[str] = []
        self._final_answer = ""
        self._final_reasoning = ""
        self._calls: list[ModelCall] = []
        self._open_tools: set[str] = set()
        self._started = time.monotonic()
        self._first_text: float | None = None
        self.iterations = 0

    def emit(self, record: Record) -> None:
        """See `agents.ports.Recorder`."""
        if isinstance(record, AnswerDelta):
            self._take_delta(record)
            return
        self._flush_delta()
        thought = self._number(thought_of(record, self.task_id))
        if isinstance(record, RunStarted):
            self._publish(thought)
            return
        self._add_rows(record, thought)
        self._held.append(thought)

    async def commit(self) -> None:
        """See `agents.ports.Recorder`."""
        batch, self._batch = self._batch, Batch()
        held, self._held = self._held, []
        if batch:
            await in_database(write_batch, self.message, batch)
            self._known_prompts.update(batch.prompts)
        if held:
            self._append(held)

    async def end(self, outcome: Outcome) -> bool:
        """Write what is left and the end in one transaction, then show both. False: somebody else ended it."""
        self._flush_delta()
        self._keep_partial_answer(outcome)
        totals = self._totals()
        terminal = end_event(self.task_id, outcome, seq=self._seq + 1, **self._event_totals(totals))
        batch, self._batch = self._batch, Batch()
        for call_id in self._open_tools:
            batch.tool_ends.append((call_id, {"tool_status": "cancelled", "effect": "unknown"}))
        ended = await in_database(
            write_end, self.message, batch, outcome, {**totals, "last_seq": terminal.seq}
        )
        if ended:
            self._known_prompts.update(batch.prompts)
            self._append([*self._held, terminal])
        return ended

    def checkpoint(self) -> Checkpoint | None:
        """The answer so far, if one is being written and readers have seen all of it."""
        if not self._answer or self._held:
            return None
        self._flush_delta()
        return Checkpoint(
            message_id=self.message.pk,
            answer="".join(self._answer),
            reasoning="".join(self._reasoning),
            seq=self._published,
        )

    # How deltas go to readers.

    def _take_delta(self, record: AnswerDelta) -> None:
        if record.step != self._step:
            self._step, self._answer, self._reasoning = record.step, [], []
        if record.text:
            self._answer.append(record.text)
            self._first_text = self._first_text or time.monotonic()
        if record.reasoning:
            self._reasoning.append(record.reasoning)
        if self._delta is not None:
            self._join(self._delta, record)
            return
        self._delta = thought_of(record, self.task_id)
        wait = self._last_append + COALESCE - time.monotonic()
        if wait <= 0:
            self._flush_delta()
        else:
            self._timer = asyncio.get_running_loop().call_later(wait, self._flush_delta)

    def _join(self, delta: AgentThought, record: AnswerDelta) -> None:
        if record.text:
            delta.answer = (delta.answer or "") + record.text
        if record.reasoning:
            delta.reasoning = (delta.reasoning or "") + record.reasoning

    def _flush_delta(self) -> None:
        if self._timer:
            self._timer.cancel()
            self._timer = None
        if self._delta is None:
            return
        delta, self._delta = self._number(self._delta), None
        if self._held:
            self._held.append(delta)
        else:
            self._publish(delta)

    def _publish(self, thought: AgentThought) -> None:
        self._append([thought])
        self._last_append = time.monotonic()

    def _append(self, thoughts: list[AgentThought]) -> None:
        self._log.append(self.task_id, thoughts)
        self._published = thoughts[-1].seq

    def _number(self, thought: AgentThought) -> AgentThought:
        self._seq += 1
        thought.seq = self._seq
        return thought

    # What becomes rows.

    def _add_rows(self, record: Record, thought: AgentThought) -> None:
        if isinstance(record, ToolFinished):
            self._open_tools.discard(record.call_id)
            self._batch.tool_ends.append((record.call_id, tool_changes(thought, record)))
            return
        self._position += 1
        if isinstance(record, CallFinished):
            self._finish_call(record, thought)
            return
        self._batch.steps.append(step_row(self.message, self._position, thought))
        if isinstance(record, ToolStarted):
            self._open_tools.add(record.call_id)
        elif isinstance(record, PresetAnswer):
            self._final_answer = record.text
        elif isinstance(record, CallFailed):
            self._add_call(record)

    def _finish_call(self, record: CallFinished, thought: AgentThought) -> None:
        row = call_row(self.message, self._position, thought, record)
        self._batch.steps.append(row)
        if (digest := digest_of(record.system_prompt)) not in self._known_prompts:
            self._batch.prompts[digest] = record.system_prompt
        self._add_call(record)
        self.iterations += 1
        self._step, self._answer, self._reasoning = "", [], []
        if record.is_answer:
            self._final_answer, self._final_reasoning = record.text, record.inference.reasoning

    def _add_call(self, record: CallFinished | CallFailed) -> None:
        call = ledger_row(self.message, record)
        self._batch.calls.append(call)
        self._calls.append(call)

    def _keep_partial_answer(self, outcome: Outcome) -> None:
        """The text of a call that did not finish is kept as a step of its own."""
        text, reasoning = "".join(self._answer), "".join(self._reasoning)
        if not (text or reasoning):
            return
        self._position += 1
        partial = AgentThought(
            id=self._step,
            task_id=self.task_id,
            event=QueueEvent.AGENT_MESSAGE,
            seq=self._seq,
            code=outcome.status,
            answer=text,
            reasoning=reasoning,
        )
        self._batch.steps.append(step_row(self.message, self._position, partial))
        self._final_answer, self._final_reasoning = text, reasoning

    def _totals(self) -> dict[str, Any]:
        """Columns of the Message: sums over its answer calls (dify#6687), times from a monotonic clock."""
        known = [call for call in self._calls if call.input_tokens is not None]
        currencies = {call.currency for call in known if call.currency}
        return {
            "config_hash": self.message.config_hash,
            "answer": self._final_answer,
            "reasoning": self._final_reasoning,
            "iteration_count": self.iterations,
            "input_tokens": sum(call.input_tokens or 0 for call in known) if known else None,
            "output_tokens": sum(call.output_tokens or 0 for call in known) if known else None,
            "price": sum_costs([call.cost for call in known]),
            "currency": currencies.pop() if currencies else "",
            "confidence": max((call.confidence for call in known), default=""),
            "latency": round(time.monotonic() - self._started, 3),
            "first_token_latency": round(self._first_text - self._started, 3)
            if self._first_text
            else None,
        }

    def _event_totals(self, totals: dict[str, Any]) -> dict[str, Any]:
        tokens = (totals["input_tokens"], totals["output_tokens"])
        return {
            "total_token_count": None if None in tokens else sum(tokens),
            "input_tokens": tokens[0],
            "output_tokens": tokens[1],
            "total_price": totals["price"],
            "currency": totals["currency"] or None,
            "confidence": totals["confidence"] or None,
            "latency": totals["latency"],
        }


def write_batch(message: Message, batch: Batch) -> None:
    """All rows of a batch in one transaction; of a deleted message, none."""
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


def write_end(message: Message, batch: Batch, outcome: Outcome, totals: dict[str, Any]) -> bool:
    """The rest of the rows and the end of the run; nothing at all when it was already ended."""
    with transaction.atomic():
        if not end_row(message, outcome, **totals):
            return False
        if batch:
            write_batch(message, batch)
    return True
