"""One run from claim to end. Every run ends exactly once, whatever happened in it."""

import asyncio
import logging

from agents.context import RunContext
from agents.failure import RunFailed
from agents.graph import run_agent
from agents.models.inference import ModelCallError
from agents.models.loading import load_client
from agents.outcome import FinishReason, Outcome, RunError, RunStatus
from agents.records import RunStarted
from apps.conversations.models import Message
from apps.runs.assembly import Assembled, assemble
from apps.runs.claim import claim_message, next_in_line
from apps.runs.database import in_database, persist
from apps.runs.home import RunHome
from apps.runs.recorder import RunRecorder
from apps.runs.waking import wake_duties
from tools.execution import ToolGate
from tools.registry import builtin_tools

logger = logging.getLogger(__name__)

TOOL_NAMES = frozenset(tool.definition.name for tool in builtin_tools())


async def execute(task_id: str, home: RunHome) -> None:
    """Claim and run a queued Message, record its end, then wake whoever waits behind it.

    A stop cancels the work only: claim and end always come to their end.
    """
    message = await persist(claim_message, task_id)
    if message is None:
        home.log.discard(task_id)
        return
    recorder = RunRecorder(message, home.log, home.known_prompts)
    home.recorders[task_id] = recorder
    try:
        outcome = await _outcome_of(home.begin_work(task_id, _work(message, recorder)), home)
        await recorder.end(outcome)
    finally:
        del home.recorders[task_id]
    wake_duties(message)
    if following := await in_database(next_in_line, message.conversation_id):
        home.submit(following)


async def _work(message: Message, recorder: RunRecorder) -> Outcome:
    recorder.emit(
        RunStarted(message_id=str(message.pk), conversation_id=str(message.conversation_id))
    )
    assembled = await in_database(assemble, message)
    async with asyncio.timeout(assembled.config.limits.turn_timeout):
        return await run_agent(_context(message, assembled, recorder))


async def _outcome_of(work: asyncio.Task[Outcome], home: RunHome) -> Outcome:
    """How the work ended. This is the run's edge: every fault becomes an outcome here."""
    try:
        return await work
    except asyncio.CancelledError:
        return _cancelled(home.reason_of(work))
    except TimeoutError:
        return _failed(
            RunStatus.TIMEOUT, "turn_timeout", "The answer took longer than the App allows."
        )
    except ModelCallError as error:
        status = RunStatus.TIMEOUT if error.code == "model_timeout" else RunStatus.ERROR
        return _failed(status, error.code, error.message, is_retryable=error.is_retryable)
    except RunFailed as error:
        return _failed(RunStatus.ERROR, error.code, error.message, is_retryable=error.is_retryable)
    except Exception:
        logger.exception("%s failed", work.get_name())
        text = f"Something went wrong on the server. Its log names it as: {work.get_name()}."
        return _failed(RunStatus.ERROR, "internal_error", text)


def _context(message: Message, assembled: Assembled, recorder: RunRecorder) -> RunContext:
    message.config_hash = assembled.config.config_hash
    return RunContext(
        config=assembled.config,
        request=assembled.request,
        client=load_client(assembled.config.model),
        gate=ToolGate(assembled.tools, catalogue=TOOL_NAMES),
        recorder=recorder,
    )


def _cancelled(reason: RunStatus) -> Outcome:
    if reason is RunStatus.STOPPED:
        return Outcome(status=RunStatus.STOPPED, finish_reason=FinishReason.STOP)
    return _failed(
        RunStatus.INTERRUPTED,
        "interrupted",
        "The server was stopped while this answer was written. Ask again to continue.",
        is_retryable=True,
    )


def _failed(status: RunStatus, code: str, message: str, *, is_retryable: bool = False) -> Outcome:
    return Outcome(
        status=status,
        finish_reason=FinishReason.ERROR,
        error=RunError(code=code, message=message, is_retryable=is_retryable),
    )
