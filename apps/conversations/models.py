"""What was asked and answered, step by step."""

import uuid
from enum import StrEnum

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from agents.events import QueueEvent
from agents.outcome import RunStatus
from apps.accounts.models import Caller
from apps.studio.models import App, AppConfig
from tools.definition import AgentContext, ToolEffect, ToolStatus


def _choices(kind: type[StrEnum]) -> list[tuple[str, str]]:
    return [(member.value, member.value.replace("_", " ")) for member in kind]


class Entry(models.TextChoices):
    """Where a question comes from."""

    DEBUGGER = "debugger", _("debugger")
    WEB = "web", _("web")
    API = "api", _("API")


class Conversation(models.Model):
    """A thread of turns between one caller and one App."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    app = models.ForeignKey(
        App, on_delete=models.PROTECT, related_name="conversations", verbose_name=_("App")
    )
    caller = models.ForeignKey(
        Caller, on_delete=models.CASCADE, related_name="conversations", verbose_name=_("caller")
    )
    entry = models.CharField(_("entry"), max_length=16, choices=Entry)
    title = models.CharField(_("title"), max_length=60, blank=True)
    summary = models.TextField(_("summary"), blank=True)
    summary_covers = models.ForeignKey(
        "Message",
        on_delete=models.SET_NULL,
        null=True,
        blank=True,
        related_name="+",
        verbose_name=_("summary covers up to"),
    )
    failed_duties = models.PositiveSmallIntegerField(
        default=0,
        editable=False,
        help_text=_("Failures of title and summary since the last success."),
    )
    created_at = models.DateTimeField(_("created at"), auto_now_add=True)
    updated_at = models.DateTimeField(_("updated at"), auto_now_add=True)
    is_deleted = models.BooleanField(_("deleted"), default=False)

    class Meta:
        verbose_name = _("conversation")
        verbose_name_plural = _("conversations")
        ordering = ["-updated_at"]
        indexes = [
            models.Index(
                name="conversations_of_a_caller",
                fields=["caller", "app", "-updated_at"],
                condition=Q(is_deleted=False),
            )
        ]

    def __str__(self) -> str:
        return self.title or str(self.id)


class Message(models.Model):
    """One turn: question, answer, status, totals. It is also the row of its run."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    conversation = models.ForeignKey(
        Conversation,
        on_delete=models.CASCADE,
        related_name="messages",
        verbose_name=_("conversation"),
    )
    parent = models.ForeignKey(
        "self", on_delete=models.SET_NULL, null=True, blank=True, related_name="children"
    )
    app_config = models.ForeignKey(
        AppConfig,
        on_delete=models.SET_NULL,
        null=True,
        related_name="messages",
        verbose_name=_("configuration"),
    )
    config_hash = models.CharField(_("configuration hash"), max_length=64, blank=True)
    entry = models.CharField(_("entry"), max_length=16, choices=Entry)
    caller = models.ForeignKey(
        Caller, on_delete=models.CASCADE, related_name="messages", verbose_name=_("caller")
    )
    agent_context = models.CharField(
        _("context"),
        max_length=16,
        choices=_choices(AgentContext),
        default=AgentContext.PRIMARY.value,
    )
    task_id = models.UUIDField(_("task"), unique=True, default=uuid.uuid4, editable=False)
    client_request_id = models.CharField(max_length=100, null=True, editable=False)  # noqa: DJ001 -- null is outside the unique constraint
    request_hash = models.CharField(max_length=64, blank=True, editable=False)

    query = models.TextField(_("question"))
    answer = models.TextField(_("answer"), blank=True)
    reasoning = models.TextField(_("reasoning"), blank=True)
    status = models.CharField(
        _("status"), max_length=20, choices=_choices(RunStatus), default=RunStatus.QUEUED.value
    )
    error = models.JSONField(_("error"), null=True, blank=True)
    finish_reason = models.CharField(_("finish reason"), max_length=20, blank=True)
    iteration_count = models.PositiveIntegerField(_("model calls"), default=0)
    last_seq = models.PositiveIntegerField(default=0)

    input_tokens = models.PositiveIntegerField(_("input tokens"), null=True)
    output_tokens = models.PositiveIntegerField(_("output tokens"), null=True)
    price = models.DecimalField(_("price"), max_digits=16, decimal_places=8, null=True)
    currency = models.CharField(_("currency"), max_length=3, blank=True)
    confidence = models.CharField(_("confidence"), max_length=12, blank=True)
    latency = models.FloatField(_("latency (s)"), null=True)
    first_token_latency = models.FloatField(_("first token after (s)"), null=True)

    heartbeat_at = models.DateTimeField(null=True)
    stop_requested_at = models.DateTimeField(null=True)
    created_at = models.DateTimeField(_("asked at"), auto_now_add=True)
    started_at = models.DateTimeField(null=True)
    ended_at = models.DateTimeField(_("ended at"), null=True)
    is_deleted = models.BooleanField(_("deleted"), default=False)

    class Meta:
        verbose_name = _("message")
        verbose_name_plural = _("messages")
        ordering = ["created_at", "id"]
        constraints = [
            models.UniqueConstraint(
                name="one_running_turn_per_conversation",
                fields=["conversation"],
                condition=Q(status__in=["running", "waiting_permit"]),
            ),
            models.UniqueConstraint(
                name="client_request_once_per_caller", fields=["caller", "client_request_id"]
            ),
        ]
        indexes = [
            models.Index(name="messages_of_a_conversation", fields=["conversation", "created_at"]),
            models.Index(
                name="unfinished_messages",
                fields=["heartbeat_at"],
                condition=Q(status__in=["queued", "running", "waiting_permit"]),
            ),
        ]

    def __str__(self) -> str:
        return self.query[:60]


class PromptText(models.Model):
    """A system prompt as it was sent, by its hash: steps name it instead of copying it."""

    digest = models.CharField(primary_key=True, max_length=64)
    text = models.TextField()
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        verbose_name = _("system prompt")
        verbose_name_plural = _("system prompts")
        ordering = ["-created_at"]

    def __str__(self) -> str:
        return self.text[:60]


class MessageAgentThought(models.Model):
    """One stored step of a run; for an action it is also the record of the tool call."""

    message = models.ForeignKey(
        Message, on_delete=models.CASCADE, related_name="thoughts", verbose_name=_("message")
    )
    position = models.PositiveIntegerField(_("position"))
    event = models.CharField(_("event"), max_length=32, choices=_choices(QueueEvent))
    event_id = models.CharField(max_length=64)
    last_seq = models.PositiveIntegerField(default=0)
    code = models.CharField(_("code"), max_length=64, blank=True)
    thought = models.TextField(_("thought"), blank=True)
    reasoning = models.TextField(_("reasoning"), blank=True)
    answer = models.TextField(_("answer"), blank=True)
    observation = models.TextField(_("observation"), blank=True)
    tool = models.CharField(_("tool"), max_length=64, blank=True)
    tool_source = models.CharField(_("tool source"), max_length=16, blank=True)
    tool_call_id = models.CharField(max_length=128, null=True)  # noqa: DJ001 -- null is outside the unique constraint
    tool_input = models.TextField(_("tool input"), blank=True)
    tool_status = models.CharField(
        _("tool status"), max_length=16, blank=True, choices=_choices(ToolStatus)
    )
    effect = models.CharField(_("effect"), max_length=16, blank=True, choices=_choices(ToolEffect))
    system_prompt = models.ForeignKey(
        PromptText, on_delete=models.PROTECT, null=True, related_name="+", db_constraint=False
    )
    new_messages = models.JSONField(_("messages new in this step"), null=True)
    assistant_message = models.JSONField(_("assistant message"), null=True)
    input_tokens = models.PositiveIntegerField(null=True)
    output_tokens = models.PositiveIntegerField(null=True)
    input_price = models.DecimalField(max_digits=14, decimal_places=6, null=True)
    output_price = models.DecimalField(max_digits=14, decimal_places=6, null=True)
    price = models.DecimalField(_("price"), max_digits=16, decimal_places=8, null=True)
    latency = models.FloatField(_("latency (s)"), null=True)
    created_at = models.DateTimeField(_("created at"), auto_now_add=True)

    class Meta:
        verbose_name = _("step")
        verbose_name_plural = _("steps")
        ordering = ["message", "position"]
        constraints = [
            models.UniqueConstraint(name="step_position_once", fields=["message", "position"]),
            models.UniqueConstraint(
                name="tool_call_once_per_message", fields=["message", "tool_call_id"]
            ),
        ]

    def __str__(self) -> str:
        return f"{self.position} {self.event} {self.tool}".strip()
