"""Rows → `AgentConfig`: the one place where configuration is read for a run."""

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from django.conf import settings
from django.utils import timezone

from agents.config import AgentConfig, HistoryMode, Limits, Review, RunRequest, mode_of
from agents.failure import RunFailed
from agents.review import fold_keyword
from apps.conversations.history import load_turns
from apps.conversations.models import Message
from apps.providers.models import LanguageModel
from apps.providers.specs import model_spec
from apps.studio.models import AppConfig, ConfigSnapshot, ReviewKeyword
from apps.studio.schema import content_hash, dump_config
from tools.definition import AgentContext, RegisteredTool, ToolDefinition, ToolExecutionContext
from tools.registry import builtin_tools

CACHED_CONFIGS = 256


@dataclass(frozen=True, kw_only=True)
class Assembled:
    """All that a run needs: constants, the question with its history, the code of its tools."""

    config: AgentConfig
    request: RunRequest
    tools: Sequence[RegisteredTool]


def assemble(message: Message) -> Assembled:
    """Read what the run of a claimed Message needs; raises RunFailed when it cannot run."""
    row = message.app_config
    if row is None:
        raise RunFailed("config_missing", "The configuration of this run was deleted.")
    config = _constant_config(row)
    tools = _usable_tools(row) if config.tools else ()
    config = replace(
        config,
        tools=tuple(tool.definition for tool in tools),
        mode=mode_of(config.model, has_tools=bool(tools)),
    )
    return Assembled(config=config, request=_request(message, config), tools=tools)


_cache: OrderedDict[tuple[Any, ...], AgentConfig] = OrderedDict()


def _constant_config(row: AppConfig) -> AgentConfig:
    """The configuration of a row, kept in this process under everything that could change it."""
    model = _usable_model(row)
    key = (row.pk, row.revision, row.updated_at, model.updated_at, model.provider.updated_at)
    if key not in _cache:
        _cache[key] = _read_config(row, model)
        if len(_cache) > CACHED_CONFIGS:
            _cache.popitem(last=False)
    return _cache[key]


def _usable_model(row: AppConfig) -> LanguageModel:
    model = row.model
    if model is None:
        raise RunFailed("model_missing", f"The configuration {row} names no model.")
    if not (model.is_enabled and model.provider.is_enabled):
        raise RunFailed(
            "model_disabled",
            f"The model {str(model)!r} is disabled. Enable it or choose another one.",
        )
    return model


def _read_config(row: AppConfig, model: LanguageModel) -> AgentConfig:
    keywords = list(row.review_keywords.all())
    return AgentConfig(
        app_name=row.app.name,
        config_hash=row.content_hash or _snapshot(row),
        mode=mode_of(model_spec(model), has_tools=False),
        model=model_spec(model),
        parameters=_parameters(row),
        preset_prompt=row.preset_prompt,
        tools=tuple(tool.definition for tool in _usable_tools(row)),
        dialog_round=row.dialog_round,
        history_mode=HistoryMode(row.history_mode),
        long_term_memory=row.long_term_memory,
        review=Review(
            input_keywords=_folded(keywords, ReviewKeyword.Direction.INPUT),
            output_keywords=_folded(keywords, ReviewKeyword.Direction.OUTPUT),
            input_response=row.review_input_response,
            output_response=row.review_output_response,
        ),
        limits=Limits(
            max_iterations=row.max_iterations,
            max_tool_calls=row.max_tool_calls,
            turn_timeout=row.turn_timeout,
        ),
    )


def _snapshot(row: AppConfig) -> str:
    """Keep the draft as it is now, by its hash."""
    content = dump_config(row)
    digest = content_hash(content)
    ConfigSnapshot.objects.get_or_create(digest=digest, defaults={"content": content})
    return digest


def _parameters(row: AppConfig) -> dict[str, Any]:
    named = {"temperature": row.temperature, "top_p": row.top_p, "max_tokens": row.max_tokens}
    return {**row.parameters, **{name: value for name, value in named.items() if value is not None}}


def _folded(
    keywords: Sequence[ReviewKeyword], direction: ReviewKeyword.Direction
) -> tuple[str, ...]:
    return tuple(fold_keyword(word.keyword) for word in keywords if word.direction == direction)


def _usable_tools(row: AppConfig) -> list[RegisteredTool]:
    """The chosen tools that are enabled now, as the catalogue describes them, sorted by name."""
    code = {tool.definition.name: tool for tool in builtin_tools()}
    chosen = row.tool_choices.select_related("tool").filter(
        tool__is_enabled=True, tool__is_missing=False, tool__name__in=code
    )
    usable = []
    for choice in sorted(chosen, key=lambda choice: choice.tool.name):
        known = code[choice.tool.name]
        definition: ToolDefinition = replace(
            known.definition, is_managed=choice.tool.is_managed, timeout=choice.tool.timeout
        )
        usable.append(replace(known, definition=definition))
    return usable


def _request(message: Message, config: AgentConfig) -> RunRequest:
    now = timezone.localtime()
    return RunRequest(
        task_id=str(message.task_id),
        query=message.query,
        history=load_turns(
            message.parent_id,
            rounds=config.dialog_round,
            with_groups=config.history_mode is HistoryMode.FULL,
        ),
        summary=message.conversation.summary,
        now=now.isoformat(timespec="minutes"),
        tool_context=ToolExecutionContext(
            task_id=str(message.task_id),
            caller_id=str(message.caller_id),
            agent_context=AgentContext(message.agent_context),
            time_zone=settings.TIME_ZONE,
        ),
    )
