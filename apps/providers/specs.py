"""From rows to what the runtime knows of a model."""

from agents.models.inference import ModelSpec
from apps.providers.models import LanguageModel, ModelProvider
from apps.providers.prices import unit_prices


def model_spec(model: LanguageModel) -> ModelSpec:
    """The spec of a model that was read with its provider; reads its price, one statement."""
    provider = model.provider
    return ModelSpec(
        kind=provider.kind,
        name=model.name,
        label=f"{provider.name}/{model.name}",
        base_url=provider.base_url,
        secret=provider.secret.strip(),
        extra_headers=provider.extra_headers,
        connect_timeout=provider.connect_timeout,
        first_token_timeout=provider.first_token_timeout,
        idle_timeout=provider.idle_timeout,
        tool_call=model.tool_call,
        agent_thought=model.agent_thought,
        image_input=model.image_input,
        reasoning=model.reasoning,
        parallel_tool_calls=model.parallel_tool_calls,
        context_window=model.context_window,
        max_output_tokens=model.max_output_tokens,
        parameters=model.default_parameters,
        quirks=model.quirks,
        prices=unit_prices(model),
        row_id=model.pk,
    )


def provider_spec(provider: ModelProvider) -> ModelSpec:
    """The spec of a provider alone, for calls that name no model."""
    return ModelSpec(
        kind=provider.kind,
        name="",
        label=provider.name,
        base_url=provider.base_url,
        secret=provider.secret.strip(),
        extra_headers=provider.extra_headers,
        connect_timeout=provider.connect_timeout,
        first_token_timeout=provider.first_token_timeout,
    )
