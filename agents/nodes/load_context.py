"""Second node: history, summary and question become the message stack."""

from collections.abc import Iterator
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage
from langgraph.runtime import Runtime

from agents.config import AgentConfig, HistoryMode
from agents.context import RunContext
from agents.failure import RunFailed
from agents.prompts import build_system_prompt, with_context
from agents.records import Recalled
from agents.state import AgentState
from memory.token_buffer import Turn, fit_turns
from memory.token_estimate import estimate_tokens

HISTORY_SHARE = 0.25
HISTORY_LIMIT = 8_000


async def load_context(state: AgentState, runtime: Runtime[RunContext]) -> dict[str, Any]:
    """The stack: one system message, the turns that fit, the question with date and recall behind it."""
    context = runtime.context
    config, request = context.config, context.request
    for tool in config.dropped_tools:
        context.note("tool_dropped", f"The tool {tool.name!r} was left out: {tool.reason}.")
    summary = request.summary if config.long_term_memory else ""
    if summary:
        context.recorder.emit(Recalled(step=context.next_step("recall"), text=summary))
    system = build_system_prompt(config, summary=summary)
    question = with_context(request.query, now=request.now)
    _check_window(config, system, question)
    turns = fit_turns(
        request.history,
        rounds=config.dialog_round,
        budget=history_budget(config.model.context_window),
    )
    history = [message for turn in turns for message in turn_messages(turn, config.history_mode)]
    context.take_call_ids(history)
    return {"messages": [SystemMessage(system), *history, HumanMessage(question)]}


def history_budget(context_window: int) -> int:
    """Tokens that earlier turns may take: a quarter of the window, at most 8,000."""
    return int(min(context_window * HISTORY_SHARE, HISTORY_LIMIT))


def turn_messages(turn: Turn, mode: HistoryMode) -> Iterator[BaseMessage]:
    yield HumanMessage(turn.query)
    if mode is HistoryMode.FULL:
        yield from turn.groups
    yield AIMessage(f"{turn.answer}\n\n{turn.mark}" if turn.mark else turn.answer)


def _check_window(config: AgentConfig, system: str, question: str) -> None:
    needed = estimate_tokens(system) + estimate_tokens(question)
    window = config.model.context_window
    if needed >= window:
        raise RunFailed(
            "context_too_long",
            f"The prompt and the question need about {needed} tokens, but {config.model.label!r} takes {window}. "
            "Shorten the question or choose a model with a larger window.",
        )
