"""What every model call cost."""

from django.db import models
from django.utils.translation import gettext_lazy as _

from agents.models.inference import Confidence
from apps.accounts.models import Caller
from apps.conversations.models import Conversation, Message
from apps.providers.models import LanguageModel
from apps.studio.models import App, AppConfig


class ModelCall(models.Model):
    """One call to a model, for any purpose, also a failed one. Unknown costs are null, never zero."""

    class Purpose(models.TextChoices):
        ANSWER = "answer", _("answer")
        SUMMARY = "summary", _("summary")
        TITLE = "title", _("title")
        TEST = "test", _("connection test")

    purpose = models.CharField(_("purpose"), max_length=16, choices=Purpose)
    app = models.ForeignKey(App, on_delete=models.SET_NULL, null=True, verbose_name=_("App"))
    app_config = models.ForeignKey(
        AppConfig, on_delete=models.SET_NULL, null=True, related_name="+"
    )
    conversation = models.ForeignKey(
        Conversation, on_delete=models.SET_NULL, null=True, related_name="model_calls"
    )
    message = models.ForeignKey(
        Message, on_delete=models.SET_NULL, null=True, related_name="model_calls"
    )
    caller = models.ForeignKey(
        Caller, on_delete=models.SET_NULL, null=True, verbose_name=_("caller")
    )
    model = models.ForeignKey(
        LanguageModel, on_delete=models.SET_NULL, null=True, verbose_name=_("model")
    )
    model_name = models.CharField(_("model name"), max_length=300)
    input_tokens = models.PositiveIntegerField(_("input tokens"), null=True)
    cached_tokens = models.PositiveIntegerField(_("cached tokens"), null=True)
    output_tokens = models.PositiveIntegerField(_("output tokens"), null=True)
    reasoning_tokens = models.PositiveIntegerField(_("reasoning tokens"), null=True)
    confidence = models.CharField(
        _("confidence"), max_length=12, choices=[(c.value, c.value) for c in Confidence]
    )
    input_price = models.DecimalField(max_digits=14, decimal_places=6, null=True)
    cached_input_price = models.DecimalField(max_digits=14, decimal_places=6, null=True)
    output_price = models.DecimalField(max_digits=14, decimal_places=6, null=True)
    cost = models.DecimalField(_("cost"), max_digits=16, decimal_places=8, null=True)
    currency = models.CharField(_("currency"), max_length=3)
    latency = models.FloatField(_("latency (s)"))
    first_token_latency = models.FloatField(_("first token after (s)"), null=True)
    status = models.CharField(_("status"), max_length=32)
    created_at = models.DateTimeField(_("created at"), auto_now_add=True)

    class Meta:
        verbose_name = _("model call")
        verbose_name_plural = _("model calls")
        ordering = ["-created_at", "-id"]
        indexes = [models.Index(name="model_calls_by_day", fields=["created_at", "purpose"])]

    def __str__(self) -> str:
        return f"{self.purpose} {self.model_name}"
