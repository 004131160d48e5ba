"""One model call as readers see it: what the ReAct protocol, the fence or the review hold back stays back here."""

import time
from contextlib import aclosing
from dataclasses import dataclass, replace

from agents.config import AgentMode
from agents.context import RunContext
from agents.models.inference import (
    Confidence,
    Inference,
    InferenceRequest,
    ModelCallError,
    ReasoningDelta,
    TextDelta,
    ToolCallRequest,
    Usage,
)
from agents.models.retry import stream_with_retries
from agents.outcome import FinishReason
from agents.react import ReactStream
from agents.records import AnswerDelta, CallFailed
from agents.review import OutputReview
from memory.fence import StreamScrubber, scrub
from memory.token_estimate import estimate_tokens


@dataclass(frozen=True, kw_only=True)
class Reply:
    """What one model call gave. `text` is what readers were shown, `inference` what the model said."""

    inference: Inference
    text: str
    calls: tuple[ToolCallRequest, ...] = ()
    is_blocked: bool = False

    @property
    def code(self) -> str:
        return "output_blocked" if self.is_blocked else ""


class AnswerStream:
    """Runs one request and emits the deltas that may be shown under the id `step`.

    `position` is how many tool calls the run has made; ids of calls that are written as text count on from it.
    """

    def __init__(self, context: RunContext, step: str, *, may_call: bool, position: int) -> None:
        self._context = context
        self._step = step
        is_react = may_call and context.config.mode is AgentMode.REACT
        names = [tool.name for tool in context.config.tools]
        self._react = ReactStream(names, position=position) if is_react else None
        self._scrubber, self._reasoning_scrubber = StreamScrubber(), StreamScrubber()
        keywords = context.config.review.output_keywords
        self._review = OutputReview(keywords) if keywords else None
        self._shown: list[str] = []
        self._said: list[str] = []
        self._is_blocked = False

    async def run(self, request: InferenceRequest) -> Reply:
        """Raises ModelCallError after the retries; the failed call is recorded."""
        started = time.monotonic()
        try:
            inference = await self._consume(request)
        except ModelCallError as error:
            self._show_rest()
            self._context.recorder.emit(
                CallFailed(
                    step=self._context.next_step("notice"),
                    model=self._context.client.spec,
                    code=error.code,
                    message=error.message,
                    latency=time.monotonic() - started,
                )
            )
            raise
        if inference is None:
            inference = self._cut_inference(request, time.monotonic() - started)
        return self._reply(inference)

    async def _consume(self, request: InferenceRequest) -> Inference | None:
        """The final inference; None when the review cut the answer off before it came."""
        stream = stream_with_retries(self._context.client, request, on_retry=self._note_retry)
        async with aclosing(stream) as deltas:
            async for delta in deltas:
                match delta:
                    case TextDelta(text):
                        self._said.append(text)
                        self._show(self._react.feed(text) if self._react else text)
                    case ReasoningDelta(text):
                        self._emit_reasoning(self._reasoning_scrubber.feed(text))
                    case Inference():
                        return delta
                if self._is_blocked:
                    break
        return None

    def _show(self, text: str) -> None:
        self._review_and_emit(self._scrubber.feed(text))

    def _review_and_emit(self, text: str) -> None:
        if self._review and text:
            text, hit = self._review.feed(text)
            self._is_blocked = self._is_blocked or hit
        self._emit(text)

    def _emit(self, text: str) -> None:
        if text:
            self._shown.append(text)
            self._context.recorder.emit(AnswerDelta(step=self._step, text=text))

    def _emit_reasoning(self, text: str) -> None:
        if text:
            self._context.recorder.emit(AnswerDelta(step=self._step, reasoning=text))

    def _show_rest(self) -> None:
        """What a call that failed has left to show; half a tool call is not for reading (dify#9032)."""
        if self._react:
            outcome = self._react.finish()
            self._show("" if outcome.parse_failed else outcome.text)
        self._flush()

    def _flush(self) -> None:
        """Let go of what is still held back and may be shown."""
        self._emit_reasoning(self._reasoning_scrubber.flush())
        self._review_and_emit(self._scrubber.flush())
        if self._review and not self._is_blocked:
            text, hit = self._review.flush()
            self._is_blocked = hit
            self._emit(text)

    def _reply(self, inference: Inference) -> Reply:
        calls = self._written_calls(self._react) if self._react else inference.tool_calls
        self._flush()
        if self._is_blocked:
            calls = ()
            self._emit(self._context.config.review.output_response)
        return Reply(
            inference=replace(
                inference, text=scrub(inference.text), reasoning=scrub(inference.reasoning)
            ),
            text="".join(self._shown),
            calls=calls,
            is_blocked=self._is_blocked,
        )

    def _written_calls(self, react: ReactStream) -> tuple[ToolCallRequest, ...]:
        """The call that the text was, if it was one; what only looked like a call is shown."""
        outcome = react.finish()
        self._show(outcome.text)
        if outcome.parse_failed:
            self._context.note(
                "react_parse_failed",
                "The model wrote a tool call that is not valid JSON; it is shown as text.",
            )
        return (outcome.call,) if outcome.call else ()

    def _cut_inference(self, request: InferenceRequest, latency: float) -> Inference:
        text = "".join(self._said)
        prompt = "".join(str(message.content) for message in request.messages)
        usage = Usage(
            input_tokens=estimate_tokens(prompt),
            output_tokens=estimate_tokens(text),
            confidence=Confidence.ESTIMATED,
        )
        return Inference(
            text=text,
            reasoning="",
            tool_calls=(),
            finish_reason=FinishReason.CONTENT_FILTER,
            usage=usage,
            latency=latency,
            first_token_latency=None,
        )

    def _note_retry(self, error: ModelCallError, attempt: int) -> None:
        self._context.note(
            "model_retry",
            f"Attempt {attempt} failed ({error.code}: {error.message}); trying again.",
        )
