"""Apps and their configuration: one draft, any number of published versions."""

from typing import Any

from django.core.validators import MaxValueValidator, MinLengthValidator, MinValueValidator
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from apps.accounts.models import ApiKey, User
from apps.providers.models import LanguageModel
from apps.providers.validators import validate_model_parameters
from apps.studio.validators import validate_finite
from apps.studio.visibility import AppQuerySet
from apps.toolbox.models import Tool


class App(models.Model):
    """A configured agent that people talk to."""

    class Status(models.TextChoices):
        DRAFT = "draft", _("draft")
        PUBLISHED = "published", _("published")
        DISABLED = "disabled", _("disabled")

    class Visibility(models.TextChoices):
        PRIVATE = "private", _("owner and editors")
        SITE = "site", _("everyone on this site")

    slug = models.SlugField(_("slug"), max_length=64, unique=True)
    name = models.CharField(_("name"), max_length=100)
    icon = models.CharField(_("icon"), max_length=8, blank=True, help_text=_("One emoji."))
    description = models.CharField(_("description"), max_length=500, blank=True)
    owner = models.ForeignKey(
        User, on_delete=models.PROTECT, related_name="owned_apps", verbose_name=_("owner")
    )
    editors = models.ManyToManyField(
        User, related_name="edited_apps", blank=True, verbose_name=_("editors")
    )
    api_keys = models.ManyToManyField(
        ApiKey,
        related_name="apps",
        blank=True,
        verbose_name=_("API keys"),
        help_text=_("Keys that are limited to named Apps and may use this one."),
    )
    status = models.CharField(_("status"), max_length=16, choices=Status, default=Status.DRAFT)
    visibility = models.CharField(
        _("visible to"), max_length=16, choices=Visibility, default=Visibility.PRIVATE
    )
    published_config = models.ForeignKey(
        "AppConfig",
        on_delete=models.RESTRICT,
        null=True,
        blank=True,
        related_name="+",
        editable=False,
        verbose_name=_("published version"),
    )
    created_at = models.DateTimeField(_("created at"), auto_now_add=True)
    updated_at = models.DateTimeField(_("updated at"), auto_now=True)

    objects = AppQuerySet.as_manager()

    class Meta:
        verbose_name = _("App")
        verbose_name_plural = _("Apps")
        ordering = ["name"]

    def __str__(self) -> str:
        return self.name


class VersionIsImmutable(Exception):
    """Somebody tried to write or delete a published version, or one of its rows."""

    def __init__(self, config: "AppConfig") -> None:
        super().__init__(
            f"{config} is published and never changes. Change the draft and publish it."
        )


class AppConfig(models.Model):
    """One configuration of an App: the draft, or an immutable numbered version.

    Which fields make up the configuration is declared once, in `schema.py`.
    """

    class State(models.TextChoices):
        DRAFT = "draft", _("draft")
        PUBLISHED = "published", _("published")

    class HistoryMode(models.TextChoices):
        PAIRS = "pairs", _("questions and answers")
        FULL = "full", _("with tool calls")

    class OnBusy(models.TextChoices):
        ENQUEUE = "enqueue", _("wait in line")
        REJECT = "reject", _("refuse")
        INTERRUPT = "interrupt", _("stop the running answer")

    class ShowSteps(models.TextChoices):
        FULL = "full", _("everything")
        NAMES = "names", _("names only")
        OFF = "off", _("nothing")

    app = models.ForeignKey(
        App, on_delete=models.CASCADE, related_name="configs", verbose_name=_("App")
    )
    state = models.CharField(_("state"), max_length=16, choices=State, default=State.DRAFT)
    revision = models.PositiveIntegerField(_("revision"), default=1, editable=False)
    version = models.PositiveIntegerField(_("version"), null=True, editable=False)
    note = models.CharField(_("note"), max_length=500, blank=True)
    content_hash = models.CharField(_("content hash"), max_length=64, blank=True, editable=False)
    published_by = models.ForeignKey(
        User, on_delete=models.PROTECT, null=True, editable=False, related_name="+"
    )
    published_at = models.DateTimeField(_("published at"), null=True, editable=False)

    model = models.ForeignKey(
        LanguageModel,
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="configs",
        verbose_name=_("model"),
    )
    auxiliary_model = models.ForeignKey(
        LanguageModel,
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="auxiliary_configs",
        verbose_name=_("auxiliary model"),
        help_text=_("Writes titles and summaries; empty: the model itself."),
    )
    temperature = models.FloatField(
        _("temperature"),
        null=True,
        blank=True,
        validators=[validate_finite, MinValueValidator(0), MaxValueValidator(2)],
    )
    top_p = models.FloatField(
        _("top p"),
        null=True,
        blank=True,
        validators=[validate_finite, MinValueValidator(0), MaxValueValidator(1)],
    )
    max_tokens = models.PositiveIntegerField(
        _("longest answer (tokens)"), null=True, blank=True, validators=[MinValueValidator(1)]
    )
    parameters = models.JSONField(
        _("further model parameters"),
        default=dict,
        blank=True,
        validators=[validate_model_parameters],
        help_text=_("A JSON object, sent to the model as it is."),
    )
    preset_prompt = models.TextField(_("preset prompt"), blank=True, max_length=50_000)
    dialog_round = models.PositiveSmallIntegerField(
        _("remembered turns"), default=10, validators=[MaxValueValidator(100)]
    )
    history_mode = models.CharField(
        _("history"), max_length=16, choices=HistoryMode, default=HistoryMode.PAIRS
    )
    long_term_memory = models.BooleanField(
        _("long-term memory"),
        default=False,
        help_text=_("Older turns live on as a summary in the prompt."),
    )
    opening_statement = models.TextField(_("opening statement"), blank=True, max_length=4000)
    review_input_response = models.TextField(
        _("answer to a blocked question"), blank=True, max_length=2000
    )
    review_output_response = models.TextField(
        _("replacement for a blocked answer"), blank=True, max_length=2000
    )
    max_iterations = models.PositiveSmallIntegerField(
        _("model calls per turn"),
        default=25,
        validators=[MinValueValidator(1), MaxValueValidator(100)],
    )
    max_tool_calls = models.PositiveSmallIntegerField(
        _("tool calls per turn"), default=50, validators=[MaxValueValidator(500)]
    )
    turn_timeout = models.PositiveIntegerField(
        _("turn timeout (s)"),
        default=600,
        validators=[MinValueValidator(1), MaxValueValidator(86_400)],
    )
    on_busy = models.CharField(
        _("question during an answer"), max_length=16, choices=OnBusy, default=OnBusy.ENQUEUE
    )
    show_steps = models.CharField(
        _("steps shown to askers"), max_length=16, choices=ShowSteps, default=ShowSteps.FULL
    )
    created_at = models.DateTimeField(_("created at"), auto_now_add=True)
    updated_at = models.DateTimeField(_("updated at"), auto_now=True)

    class Meta:
        verbose_name = _("configuration")
        verbose_name_plural = _("configurations")
        ordering = ["app", "-version"]
        constraints = [
            models.UniqueConstraint(
                name="one_draft_per_app", fields=["app"], condition=Q(state="draft")
            ),
            models.UniqueConstraint(name="version_once_per_app", fields=["app", "version"]),
            models.CheckConstraint(
                name="published_configs_are_numbered",
                condition=Q(state="draft", version=None)
                | Q(state="published", version__isnull=False),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.app.slug}@{self.version or 'draft'}"

    def save(self, *args: Any, **kwargs: Any) -> None:
        if not self._state.adding:
            refuse_published(self)
        super().save(*args, **kwargs)

    def delete(self, *args: Any, **kwargs: Any) -> tuple[int, dict[str, int]]:
        refuse_published(self)
        return super().delete(*args, **kwargs)


def refuse_published(config: AppConfig) -> None:
    if config.version is not None:
        raise VersionIsImmutable(config)


class ConfigRow(models.Model):
    """A row that belongs to one configuration and is as immutable as that."""

    config: Any

    class Meta:
        abstract = True

    def save(self, *args: Any, **kwargs: Any) -> None:
        refuse_published(self.config)
        super().save(*args, **kwargs)

    def delete(self, *args: Any, **kwargs: Any) -> tuple[int, dict[str, int]]:
        refuse_published(self.config)
        return super().delete(*args, **kwargs)


class AppConfigTool(ConfigRow):
    """A tool given to the model, in the order in which people want to see it."""

    config = models.ForeignKey(AppConfig, on_delete=models.CASCADE, related_name="tool_choices")
    tool = models.ForeignKey(
        Tool, on_delete=models.PROTECT, related_name="choices", verbose_name=_("tool")
    )
    position = models.PositiveSmallIntegerField(_("position"), default=0, db_index=True)

    class Meta:
        verbose_name = _("tool")
        verbose_name_plural = _("tools")
        ordering = ["position", "id"]
        constraints = [
            models.UniqueConstraint(name="tool_once_per_config", fields=["config", "tool"])
        ]

    def __str__(self) -> str:
        return f"{self.config}: {self.tool.name}"


class OpeningQuestion(ConfigRow):
    """A question offered to somebody who opens an empty conversation."""

    config = models.ForeignKey(
        AppConfig, on_delete=models.CASCADE, related_name="opening_questions"
    )
    text = models.CharField(_("question"), max_length=300)
    position = models.PositiveSmallIntegerField(_("position"), default=0, db_index=True)

    class Meta:
        verbose_name = _("opening question")
        verbose_name_plural = _("opening questions")
        ordering = ["position", "id"]

    def __str__(self) -> str:
        return self.text


class ReviewKeyword(ConfigRow):
    """A word that may not pass in a question or an answer. A blank one would block everything."""

    class Direction(models.TextChoices):
        INPUT = "input", _("in questions")
        OUTPUT = "output", _("in answers")

    config = models.ForeignKey(AppConfig, on_delete=models.CASCADE, related_name="review_keywords")
    direction = models.CharField(
        _("where"), max_length=8, choices=Direction, default=Direction.INPUT
    )
    keyword = models.CharField(_("keyword"), max_length=100, validators=[MinLengthValidator(1)])
    position = models.PositiveSmallIntegerField(_("position"), default=0, db_index=True)

    class Meta:
        verbose_name = _("review keyword")
        verbose_name_plural = _("review keywords")
        ordering = ["position", "id"]
        constraints = [
            models.CheckConstraint(name="keyword_is_not_empty", condition=~Q(keyword=""))
        ]

    def __str__(self) -> str:
        return self.keyword


class ConfigSnapshot(models.Model):
    """The exact configuration that a run used, by the hash of its content."""

    digest = models.CharField(primary_key=True, max_length=64)
    content = models.JSONField()
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        verbose_name = _("configuration snapshot")
        verbose_name_plural = _("configuration snapshots")
        ordering = ["-created_at"]

    def __str__(self) -> str:
        return self.digest[:12]
