"""Model calls beside the conversation (summary, title), with their rows in the ledger."""

import asyncio
from collections.abc import Coroutine
from contextlib import aclosing
from dataclasses import dataclass, field
from typing import Any, TypeVar

from django.db import connections
from langchain_core.messages import HumanMessage, SystemMessage

from agents.models.inference import (
    Confidence,
    Inference,
    InferenceRequest,
    ModelCallError,
    ModelSpec,
)
from agents.models.loading import load_client
from agents.models.retry import stream_with_retries
from agents.models.sessions import close_sessions
from apps.conversations.models import Conversation, Message
from apps.providers.models import LanguageModel
from apps.runs.rows import add_usage
from apps.usage.models import ModelCall

T = TypeVar("T")


def auxiliary_model(message: Message) -> LanguageModel | None:
    """The model for work beside the conversation, if it can be used."""
    config = message.app_config
    model = (config.auxiliary_model or config.model) if config else None
    return model if model and model.is_enabled and model.provider.is_enabled else None


@dataclass(kw_only=True)
class AuxiliaryCall:
    """Asks `model` for texts on behalf of a conversation; the calls are booked under `purpose`."""

    model: ModelSpec
    conversation: Conversation
    purpose: ModelCall.Purpose
    max_tokens: int
    calls: list[ModelCall] = field(default_factory=list)

    async def complete(self, system: str, user: str) -> str:
        """The model's text; raises ModelCallError."""
        call = self._new_call()
        self.calls.append(call)
        try:
            inference = await self._ask(system, user)
        except ModelCallError as error:
            call.status = error.code
            raise
        call.status, call.latency = inference.finish_reason, inference.latency
        call.first_token_latency = inference.first_token_latency
        add_usage(call, inference.usage, self.model)
        return inference.text

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        """Run `work`, which calls `complete`, from a synchronous task, and book its calls, failed ones too.

        No database connection is held meanwhile, so the caller must be in no transaction.
        """
        connections.close_all()
        try:
            return asyncio.run(_then_close(work))
        finally:
            ModelCall.objects.bulk_create(self.calls)

    async def _ask(self, system: str, user: str) -> Inference:
        request = InferenceRequest(
            messages=[SystemMessage(system), HumanMessage(user)],
            parameters={"max_tokens": self.max_tokens},
        )
        stream = stream_with_retries(
            load_client(self.model), request, on_retry=lambda _error, _attempt: None
        )
        async with aclosing(stream) as deltas:
            async for delta in deltas:
                if isinstance(delta, Inference):
                    return delta
        raise ModelCallError(
            "malformed_stream", "The model client ended without a final inference."
        )

    def _new_call(self) -> ModelCall:
        return ModelCall(
            purpose=self.purpose,
            app_id=self.conversation.app_id,
            conversation=self.conversation,
            caller_id=self.conversation.caller_id,
            model_id=self.model.row_id,
            model_name=self.model.label,
            confidence=Confidence.UNKNOWN,
            currency="",
            latency=0.0,
        )


async def _then_close(work: Coroutine[Any, Any, T]) -> T:
    try:
        return await work
    finally:
        await close_sessions()
