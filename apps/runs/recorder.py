"""Turns the loop's records into rows and into the events of the log, in this order where a row exists.

Deltas and notices go to readers at once; a finished step is written first (`commit`) and shown after. Sequence
numbers are given in the order of emission.
"""

import asyncio
import time
from collections.abc import Iterable
from typing import Any

from django.db import Error as DatabaseError

from agents.event_log import EventLog
from agents.events import AgentThought, QueueEvent
from agents.models.inference import Confidence
from agents.outcome import Outcome
from agents.projection import thought_of
from agents.records import (
    AnswerDelta,
    CallFailed,
    CallFinished,
    Notice,
    PresetAnswer,
    Recalled,
    Record,
    RunStarted,
    ToolFinished,
    ToolStarted,
)
from apps.conversations.models import Message
from apps.runs.batch import Batch, write_batch, write_end, write_ledger
from apps.runs.database import persist
from apps.runs.delta_stream import DeltaStream
from apps.runs.ending import end_event
from apps.runs.home import Checkpoint
from apps.runs.rows import call_row, digest_of, ledger_row, step_row, sum_costs, tool_changes
from apps.usage.models import ModelCall
from tools.definition import ToolEffect, ToolStatus


class RunRecorder:
    """Records one run. All methods belong to the run's event loop."""

    def __init__(self, message: Message, log: EventLog, known_prompts: set[str]) -> None:
        self.message = message
        self.task_id = str(message.task_id)
        self._log = log
        self._known_prompts = known_prompts
        self._deltas = DeltaStream(self.task_id, self._show)
        self._seq = 0
        self._shown_seq = 0
        self._position = 0
        self._batch = Batch()
        self._held: list[AgentThought] = []
        self._calls: list[ModelCall] = []
        self._open_tools: set[str] = set()
        self._has_checkpoint = False
        self._answer = ""
        self._reasoning = ""
        self._started_at = time.monotonic()

    def emit(self, record: Record) -> None:
        """See `agents.ports.Recorder`."""
        if isinstance(record, AnswerDelta):
            self._deltas.take(record)
            return
        self._deltas.flush()
        thought = thought_of(record, self.task_id)
        if isinstance(record, RunStarted | Recalled | Notice):
            self._show(thought)
        else:
            self._hold(thought)
        self._add_rows(record, thought)

    async def commit(self) -> None:
        """See `agents.ports.Recorder`."""
        batch, self._batch = self._batch, Batch()
        held, self._held = self._held, []
        try:
            if batch:
                await persist(write_batch, self.message, batch)
        except DatabaseError:
            self._batch, self._held = batch, held
            raise
        except asyncio.CancelledError:
            self._committed(batch, held)
            raise
        self._committed(batch, held)

    async def end(self, outcome: Outcome) -> bool:
        """Write what is left and the end in one transaction, then show both. False: somebody else ended it."""
        self._deltas.flush()
        self._keep_partial_answer(outcome)
        self._cancel_open_tools()
        columns = self._totals()
        terminal = end_event(self.task_id, outcome, seq=self._seq + 1, **_event_totals(columns))
        columns["last_seq"] = terminal.seq
        batch, self._batch = self._batch, Batch()
        ended = await persist(write_end, self.message, batch, outcome, columns)
        if ended:
            self._known_prompts.update(batch.prompts)
            self._append([*self._held, terminal])
        else:
            await persist(write_ledger, self.message, batch.calls)
            self._log.discard(self.task_id)
        return ended

    def checkpoint(self) -> Checkpoint | None:
        """The answer so far, if one is being written and readers have seen all of it."""
        if not self._deltas.step or self._held:
            return None
        self._deltas.flush()
        self._has_checkpoint = True
        return Checkpoint(
            message_id=self.message.pk,
            answer=self._deltas.answer,
            reasoning=self._deltas.reasoning,
            seq=self._shown_seq,
        )

    def _committed(self, batch: Batch, held: list[AgentThought]) -> None:
        self._known_prompts.update(batch.prompts)
        if held:
            self._append(held)

    def _show(self, thought: AgentThought) -> None:
        """To readers now, or behind what is held back."""
        if self._held:
            self._hold(thought)
        else:
            self._number(thought)
            self._append([thought])

    def _hold(self, thought: AgentThought) -> None:
        self._number(thought)
        self._held.append(thought)

    def _number(self, thought: AgentThought) -> None:
        self._seq += 1
        thought.seq = self._seq

    def _append(self, thoughts: list[AgentThought]) -> None:
        self._log.append(self.task_id, thoughts)
        self._shown_seq = thoughts[-1].seq

    def _add_rows(self, record: Record, thought: AgentThought) -> None:
        if isinstance(record, RunStarted):
            return
        if isinstance(record, ToolFinished):
            self._open_tools.discard(record.call_id)
            self._batch.tool_ends.append((record.call_id, tool_changes(thought, record)))
            return
        self._position += 1
        if isinstance(record, CallFinished):
            self._finish_call(record, thought)
            return
        row = step_row(self.message, self._position, thought)
        self._batch.steps.append(row)
        if isinstance(record, ToolStarted):
            row.tool_input = record.arguments
            self._open_tools.add(record.call_id)
        elif isinstance(record, PresetAnswer):
            self._answer = record.text
        elif isinstance(record, CallFailed):
            self._add_call(record)

    def _finish_call(self, record: CallFinished, thought: AgentThought) -> None:
        self._batch.steps.append(call_row(self.message, self._position, thought, record))
        if (digest := digest_of(record.system_prompt)) not in self._known_prompts:
            self._batch.prompts[digest] = record.system_prompt
        self._add_call(record)
        self._deltas.end_step()
        if record.is_answer:
            self._answer, self._reasoning = record.text, record.inference.reasoning
        else:
            self._batch.takes_text_back = self._has_checkpoint
            self._has_checkpoint = False

    def _add_call(self, record: CallFinished | CallFailed) -> None:
        call = ledger_row(self.message, record)
        self._batch.calls.append(call)
        self._calls.append(call)

    def _keep_partial_answer(self, outcome: Outcome) -> None:
        """The text of a call that did not finish becomes a step of its own."""
        if not self._deltas.step:
            return
        self._answer, self._reasoning = self._deltas.answer, self._deltas.reasoning
        self._position += 1
        partial = AgentThought(
            id=self._deltas.step,
            task_id=self.task_id,
            event=QueueEvent.AGENT_MESSAGE,
            seq=self._seq,
            code=outcome.status,
            answer=self._answer,
            reasoning=self._reasoning,
        )
        self._batch.steps.append(step_row(self.message, self._position, partial))

    def _cancel_open_tools(self) -> None:
        """What a tool did that was cut off, nobody knows."""
        cut_off = {"tool_status": ToolStatus.CANCELLED, "effect": ToolEffect.UNKNOWN}
        self._batch.tool_ends += [(call_id, dict(cut_off)) for call_id in self._open_tools]

    def _totals(self) -> dict[str, Any]:
        """Columns of the Message: sums over its answer calls (dify#6687), times from a monotonic clock."""
        counted = [call for call in self._calls if call.input_tokens is not None]
        first_text_at = self._deltas.first_text_at
        return {
            "config_hash": self.message.config_hash,
            "answer": self._answer,
            "reasoning": self._reasoning,
            "iteration_count": len(counted),
            "input_tokens": _sum_tokens([call.input_tokens for call in counted]),
            "output_tokens": _sum_tokens([call.output_tokens for call in counted]),
            "price": sum_costs([call.cost for call in counted]),
            "currency": next((call.currency for call in counted if call.currency), ""),
            "confidence": _weakest(call.confidence for call in counted),
            "latency": round(time.monotonic() - self._started_at, 3),
            "first_token_latency": round(first_text_at - self._started_at, 3)
            if first_text_at
            else None,
        }


def _weakest(confidences: Iterable[str]) -> str:
    """A sum is known as well as its least known part; "" for no part."""
    known = set(confidences)
    order = (Confidence.UNKNOWN, Confidence.ESTIMATED, Confidence.EXACT)
    return next((confidence for confidence in order if confidence in known), "")


def _sum_tokens(tokens: list[int | None]) -> int | None:
    return sum(count or 0 for count in tokens) if tokens else None


def _event_totals(columns: dict[str, Any]) -> dict[str, Any]:
    """The totals as the terminal event tells them."""
    tokens = (columns["input_tokens"], columns["output_tokens"])
    return {
        "total_token_count": None if None in tokens else sum(tokens),
        "input_tokens": tokens[0],
        "output_tokens": tokens[1],
        "total_price": columns["price"],
        "currency": columns["currency"] or None,
        "confidence": columns["confidence"] or None,
        "latency": columns["latency"],
    }
