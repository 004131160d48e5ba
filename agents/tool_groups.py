"""Pairs tool calls with their results: each call one result, right after the call (H2, H3, H4)."""

import json
from collections.abc import Iterable, Iterator, Sequence

from langchain_core.messages import AIMessage, BaseMessage, ToolCall, ToolMessage

from agents.message_repair import replace_calls
from agents.react import mint_call_id

INTERRUPTED = json.dumps(
    {
        "error": {
            "code": "interrupted",
            "message": "This call was interrupted; its effect is unknown.",
        }
    }
)


class ToolGroups:
    """Rewrites the groups of one message list; remembers the ids and results that it has seen.

    An id that comes again with the same call is a replay: without a result of its own it gets the earlier
    one. With another call, or as a second call of its own, it gets a suffix.
    """

    def __init__(self, repairs: list[str]) -> None:
        self._repairs = repairs
        self._used: set[str] = set()
        self._results: dict[tuple[str, str], ToolMessage] = {}

    def pair(self, messages: Sequence[BaseMessage]) -> list[BaseMessage]:
        """The messages with whole groups only."""
        paired: list[BaseMessage] = []
        at = 0
        while at < len(messages):
            message = messages[at]
            results = _results_after(messages, at)
            at += 1
            if isinstance(message, AIMessage) and message.tool_calls:
                paired.extend(self._rewrite(message, results))
                at += len(results)
            elif isinstance(message, ToolMessage):
                self._repairs.append(f"The result {message.tool_call_id!r} had no call; dropped.")
            else:
                paired.append(message)
        return paired

    def _rewrite(self, message: AIMessage, results: Sequence[ToolMessage]) -> Iterator[BaseMessage]:
        waiting = list(results)
        calls: list[ToolCall] = []
        answers: list[ToolMessage] = []
        once = list(_without_doubles(message.tool_calls))
        if len(once) < len(message.tool_calls):
            self._repairs.append("A call that stood twice in one message was dropped.")
        for call in once:
            own = next((one for one in waiting if one.tool_call_id == (call["id"] or "")), None)
            if own:
                waiting.remove(own)
            named = self._name(call)
            calls.append(named)
            answers.append(self._answer(call, named, own))
        for stray in waiting:
            self._repairs.append(f"The result {stray.tool_call_id!r} had no call; dropped.")
        yield message if calls == message.tool_calls else replace_calls(message, calls)
        yield from answers

    def _name(self, call: ToolCall) -> ToolCall:
        """The call under an id that no other call has."""
        wanted = call["id"] or mint_call_id(call["name"], _written(call), len(self._used))
        unique, count = wanted, 1
        while unique in self._used:
            count += 1
            unique = f"{wanted}_{count}"
        self._used.add(unique)
        if unique == call["id"]:
            return call
        self._repairs.append(f"The call {call['id']!r} got the id {unique!r}.")
        return ToolCall(name=call["name"], args=call["args"], id=unique, type="tool_call")

    def _answer(self, call: ToolCall, named: ToolCall, own: ToolMessage | None) -> ToolMessage:
        key = (call["id"] or "", _written(call))
        call_id = named["id"] or ""
        answer = own or (self._results.get(key) if call["id"] else None)
        if answer is None:
            self._repairs.append(f"The call {call_id!r} had no result; marked as interrupted.")
            return ToolMessage(INTERRUPTED, tool_call_id=call_id, name=call["name"], status="error")
        if own is None:
            self._repairs.append(f"The call {call_id!r} was a replay; it got the earlier result.")
        self._results.setdefault(key, answer)
        if answer.tool_call_id == call_id:
            return answer
        return answer.model_copy(update={"tool_call_id": call_id})


def _results_after(messages: Sequence[BaseMessage], at: int) -> list[ToolMessage]:
    results: list[ToolMessage] = []
    for message in messages[at + 1 :]:
        if not isinstance(message, ToolMessage):
            break
        results.append(message)
    return results


def _without_doubles(calls: Iterable[ToolCall]) -> Iterator[ToolCall]:
    """Inside one message, the same id with the same call is one call."""
    seen: set[tuple[str, str]] = set()
    for call in calls:
        key = (call["id"] or "", _written(call))
        if call["id"] and key in seen:
            continue
        seen.add(key)
        yield call


def _written(call: ToolCall) -> str:
    return json.dumps([call["name"], call["args"]], sort_keys=True, default=str)
