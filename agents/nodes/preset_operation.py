"""First node: may this question be asked at all?"""

from typing import Any

from langgraph.runtime import Runtime

from agents.context import RunContext
from agents.outcome import FinishReason, Outcome, RunStatus
from agents.records import PresetAnswer
from agents.review import find_keyword
from agents.state import AgentState


async def preset_operation(state: AgentState, runtime: Runtime[RunContext]) -> dict[str, Any]:
    """Answers a question that holds a review keyword with the preset response and ends the run."""
    context = runtime.context
    review = context.config.review
    if find_keyword(context.request.query, review.input_keywords) is None:
        return {}
    context.recorder.emit(
        PresetAnswer(
            step=context.next_step("message"), text=review.input_response, code="input_blocked"
        )
    )
    return {"outcome": Outcome(status=RunStatus.NORMAL, finish_reason=FinishReason.CONTENT_FILTER)}
