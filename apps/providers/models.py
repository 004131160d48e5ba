"""Accounts at model services, the models reached through them, and what those cost."""

from django.core.validators import MinValueValidator
from django.db import models
from django.utils.translation import gettext_lazy as _

from apps.accounts.encryption import EncryptedTextField
from apps.providers.json_objects import EncryptedJSONObjectField, JSONObjectField
from apps.providers.validators import (
    validate_base_url,
    validate_headers,
    validate_model_parameters,
    validate_provider_name,
    validate_quirks,
)


class ModelProvider(models.Model):
    """An account and endpoint by which models are reached. Only operators set it; it may be private."""

    class Kind(models.TextChoices):
        OPENAI_COMPATIBLE = "openai_compatible", _("OpenAI-compatible")
        OPENAI = "openai", "OpenAI"
        DEEPSEEK = "deepseek", "DeepSeek"
        OLLAMA = "ollama", "Ollama"
        DEMO = "demo", _("Demo (no key needed)")

    name = models.CharField(
        _("name"), max_length=100, unique=True, validators=[validate_provider_name]
    )
    kind = models.CharField(_("kind"), max_length=32, choices=Kind, default=Kind.OPENAI_COMPATIBLE)
    base_url = models.CharField(
        _("base URL"),
        blank=True,
        max_length=500,
        validators=[validate_base_url],
        help_text=_("Up to and including /v1."),
    )
    secret = EncryptedTextField(_("API key"), blank=True, default="")
    extra_headers = EncryptedJSONObjectField(
        _("extra headers"), default=dict, blank=True, validators=[validate_headers]
    )
    connect_timeout = models.FloatField(
        _("connect timeout (s)"), default=10, validators=[MinValueValidator(0.1)]
    )
    first_token_timeout = models.FloatField(
        _("first token timeout (s)"), default=120, validators=[MinValueValidator(0.1)]
    )
    idle_timeout = models.FloatField(
        _("timeout between chunks (s)"), default=60, validators=[MinValueValidator(0.1)]
    )
    is_enabled = models.BooleanField(_("enabled"), default=True)
    created_at = models.DateTimeField(_("created at"), auto_now_add=True)
    updated_at = models.DateTimeField(_("updated at"), auto_now=True)

    class Meta:
        verbose_name = _("model provider")
        verbose_name_plural = _("model providers")
        ordering = ["name"]

    def __str__(self) -> str:
        return self.name


class LanguageModel(models.Model):
    """One model at one provider: what it can do, how much it takes, how it deviates."""

    class Kind(models.TextChoices):
        CHAT = "chat", _("chat")
        EMBEDDING = "embedding", _("embedding")

    provider = models.ForeignKey(
        ModelProvider, on_delete=models.PROTECT, related_name="models", verbose_name=_("provider")
    )
    name = models.CharField(_("name"), max_length=200, help_text=_("As the provider spells it."))
    display_name = models.CharField(_("display name"), max_length=200, blank=True)
    kind = models.CharField(_("kind"), max_length=16, choices=Kind, default=Kind.CHAT)
    tool_call = models.BooleanField(_("native tool calls"), default=True)
    agent_thought = models.BooleanField(
        _("follows the ReAct protocol"),
        default=True,
        help_text=_("Used when native tool calls are off."),
    )
    image_input = models.BooleanField(_("image input"), default=False)
    reasoning = models.BooleanField(_("reasoning"), default=False)
    json_mode = models.BooleanField(_("JSON mode"), default=False)
    parallel_tool_calls = models.BooleanField(_("parallel tool calls"), default=True)
    context_window = models.PositiveIntegerField(
        _("context window (tokens)"), default=32_768, validators=[MinValueValidator(512)]
    )
    max_output_tokens = models.PositiveIntegerField(
        _("longest answer (tokens)"), null=True, blank=True
    )
    default_parameters = JSONObjectField(
        _("default parameters"), default=dict, blank=True, validators=[validate_model_parameters]
    )
    quirks = JSONObjectField(_("quirks"), default=dict, blank=True, validators=[validate_quirks])
    is_enabled = models.BooleanField(_("enabled"), default=True)
    created_at = models.DateTimeField(_("created at"), auto_now_add=True)
    updated_at = models.DateTimeField(_("updated at"), auto_now=True)

    class Meta:
        verbose_name = _("language model")
        verbose_name_plural = _("language models")
        ordering = ["provider__name", "name"]
        constraints = [
            models.UniqueConstraint(
                name="model_named_once_per_provider", fields=["provider", "name"]
            )
        ]

    def __str__(self) -> str:
        return self.display_name or f"{self.provider.name}/{self.name}"


class ModelPrice(models.Model):
    """What a million tokens cost from a moment on; written once, never changed."""

    model = models.ForeignKey(
        LanguageModel, on_delete=models.CASCADE, related_name="prices", verbose_name=_("model")
    )
    input_price = models.DecimalField(
        _("input per million"), max_digits=14, decimal_places=6, validators=[MinValueValidator(0)]
    )
    cached_input_price = models.DecimalField(
        _("cached input per million"),
        max_digits=14,
        decimal_places=6,
        null=True,
        blank=True,
        validators=[MinValueValidator(0)],
    )
    output_price = models.DecimalField(
        _("output per million"), max_digits=14, decimal_places=6, validators=[MinValueValidator(0)]
    )
    created_at = models.DateTimeField(_("valid from"), auto_now_add=True)

    class Meta:
        verbose_name = _("price")
        verbose_name_plural = _("prices")
        ordering = ["-created_at", "-id"]
        constraints = [
            models.CheckConstraint(
                name="prices_are_not_negative",
                condition=models.Q(input_price__gte=0, output_price__gte=0)
                & (models.Q(cached_input_price=None) | models.Q(cached_input_price__gte=0)),
            )
        ]

    def __str__(self) -> str:
        return f"{self.input_price} / {self.output_price}"
