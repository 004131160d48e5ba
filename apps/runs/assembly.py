"""Rows → `AgentConfig`: the one place where configuration is read for a run."""

import logging
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from django.conf import settings
from django.utils import timezone

from agents.config import AgentConfig, DroppedTool, HistoryMode, Limits, Review, RunRequest, mode_of
from agents.failure import RunFailed
from agents.review import fold_keyword
from apps.conversations.history import load_turns
from apps.conversations.models import Message
from apps.providers.models import LanguageModel
from apps.providers.specs import model_spec
from apps.runs.last_used import LastUsed
from apps.studio.models import App, AppConfig, ConfigSnapshot, ReviewKeyword
from apps.studio.schema import content_hash, dump_config
from apps.toolbox.models import Tool
from tools.definition import AgentContext, RegisteredTool, ToolExecutionContext
from tools.definition_check import fault_of
from tools.registry import builtin_tools

CACHED_CONFIGS = 256

logger = logging.getLogger(__name__)


@dataclass(frozen=True, kw_only=True)
class Assembled:
    """All that a run needs: constants, the question with its history, the code of its tools."""

    config: AgentConfig
    request: RunRequest
    tools: Sequence[RegisteredTool]


@dataclass(frozen=True, kw_only=True)
class Constants:
    """What a configuration says as long as nobody changes it; its tools are looked up for every run."""

    config: AgentConfig
    has_tool_choices: bool


@dataclass(frozen=True, kw_only=True)
class ToolSelection:
    """The chosen tools that can be offered, and those that cannot."""

    usable: tuple[RegisteredTool, ...] = ()
    dropped: tuple[DroppedTool, ...] = ()


def assemble(message: Message) -> Assembled:
    """Read what the run of a claimed Message needs; raises RunFailed when it cannot run."""
    row = message.app_config
    if row is None:
        raise RunFailed("config_missing", "The configuration of this run was deleted.")
    constants = _constants(row, message.conversation.app)
    tools = _select_tools(row) if constants.has_tool_choices else ToolSelection()
    config = replace(
        constants.config,
        tools=tuple(tool.definition for tool in tools.usable),
        dropped_tools=tools.dropped,
        mode=mode_of(constants.config.model, has_tools=bool(tools.usable)),
    )
    return Assembled(config=config, request=_request(message, config), tools=tools.usable)


_known: LastUsed[tuple[Any, ...], Constants] = LastUsed(most=CACHED_CONFIGS)


def _constants(row: AppConfig, app: App) -> Constants:
    """The constants of a row, kept in this process under everything that could change them."""
    model = _usable_model(row)
    changed_at = (row.updated_at, model.updated_at, model.provider.updated_at)
    key = (row.pk, row.revision, app.name, *changed_at)
    constants = _known.get(key)
    if constants is None:
        constants = Constants(
            config=_read_config(row, app, model), has_tool_choices=row.tool_choices.exists()
        )
        _known.put(key, constants)
    return constants


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


def _read_config(row: AppConfig, app: App, model: LanguageModel) -> AgentConfig:
    keywords = list(row.review_keywords.all())
    return AgentConfig(
        app_name=app.name,
        config_hash=row.content_hash or _snapshot(row),
        mode=mode_of(model_spec(model), has_tools=False),
        model=model_spec(model),
        parameters=_parameters(row),
        preset_prompt=row.preset_prompt,
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


def _select_tools(row: AppConfig) -> ToolSelection:
    """The chosen tools that are enabled now, as the catalogue describes them, sorted by name.

    One that a model service would refuse is left out, for the sake of the others.
    """
    code = {tool.definition.name: tool for tool in builtin_tools()}
    chosen = row.tool_choices.select_related("tool").filter(
        tool__is_enabled=True, tool__is_missing=False, tool__name__in=code
    )
    usable, dropped = [], []
    for choice in sorted(chosen, key=lambda choice: choice.tool.name):
        known = code[choice.tool.name]
        if fault := fault_of(known.definition):
            logger.warning("%s: the tool %r was left out: %s", row, choice.tool.name, fault)
            dropped.append(DroppedTool(name=choice.tool.name, reason=fault))
        else:
            usable.append(_as_configured(known, choice.tool))
    return ToolSelection(usable=tuple(usable), dropped=tuple(dropped))


def _as_configured(known: RegisteredTool, tool: Tool) -> RegisteredTool:
    """The tool with what operators chose for it."""
    definition = replace(known.definition, is_managed=tool.is_managed, timeout=tool.timeout)
    return replace(known, definition=definition)


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
