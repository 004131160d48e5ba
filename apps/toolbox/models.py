"""The catalogue of everything a model may be given to call."""

from django.db import models
from django.utils.translation import gettext_lazy as _

from tools.definition import Risk, ToolSource


class Tool(models.Model):
    """One callable of any source, synced into the catalogue so that the admin picks from one list."""

    name = models.CharField(_("name"), max_length=64, unique=True)
    source = models.CharField(
        _("source"), max_length=16, choices=[(source.value, source.value) for source in ToolSource]
    )
    source_id = models.CharField(_("source id"), max_length=200, blank=True)
    description = models.TextField(_("description"), max_length=1024)
    parameters = models.JSONField(_("parameters (JSON Schema)"), default=dict)
    risk = models.CharField(
        _("risk"), max_length=16, choices=[(risk.value, risk.value) for risk in Risk]
    )
    is_managed = models.BooleanField(_("needs a permit"), default=False)
    is_enabled = models.BooleanField(_("enabled"), default=True)
    is_parallel_safe = models.BooleanField(_("may run in parallel"), default=False)
    is_idempotent = models.BooleanField(_("safe to repeat"), default=False)
    taints_output = models.BooleanField(_("result is untrusted"), default=False)
    timeout = models.FloatField(_("timeout (s)"), default=60)
    schema_hash = models.CharField(_("schema hash"), max_length=64, editable=False)
    is_missing = models.BooleanField(
        _("missing"), default=False, editable=False, help_text=_("Its source no longer offers it.")
    )
    updated_at = models.DateTimeField(_("updated at"), auto_now=True)

    class Meta:
        verbose_name = _("tool")
        verbose_name_plural = _("tools")
        ordering = ["source", "name"]

    def __str__(self) -> str:
        return self.name
