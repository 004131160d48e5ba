"""People, the keys of their programs, and who asks."""

import uuid

from django.contrib.auth.models import AbstractUser
from django.db import models
from django.db.models import Q
from django.utils.functional import cached_property
from django.utils.translation import gettext_lazy as _


class User(AbstractUser):
    """A person with an account on this site; what they may do follows from their groups (`roles.py`)."""

    class Meta(AbstractUser.Meta):
        ordering = ["username"]

    @cached_property
    def group_names(self) -> frozenset[str]:
        """Read once per user object; `find_user` and `find_api_key` bring them along."""
        return frozenset(self.groups.values_list("name", flat=True))

    @cached_property
    def own_caller(self) -> "Caller | None":
        """The caller row of this person, if there is one yet; `find_user` brings it along."""
        return self.callers.filter(kind=Caller.Kind.USER).first()


class ApiKey(models.Model):
    """A program's key, acting for one user within its scopes; only its digest is stored."""

    name = models.CharField(_("name"), max_length=100)
    user = models.ForeignKey(
        User, on_delete=models.CASCADE, related_name="api_keys", verbose_name=_("user")
    )
    prefix = models.CharField(_("prefix"), max_length=16, editable=False)
    digest = models.CharField(max_length=64, unique=True, editable=False)
    can_chat = models.BooleanField(_("chat"), default=True, help_text=_("Talk to Apps."))
    can_manage = models.BooleanField(
        _("manage"), default=False, help_text=_("Configure models, tools and Apps.")
    )
    can_read_usage = models.BooleanField(
        _("usage"), default=False, help_text=_("Read figures and costs.")
    )
    is_unattended = models.BooleanField(
        _("unattended"), default=False, help_text=_("Nobody watches: nothing waits for a permit.")
    )
    all_apps = models.BooleanField(
        _("all Apps"), default=True, help_text=_("Off: only the Apps that name this key.")
    )
    expires_at = models.DateTimeField(_("expires at"), null=True, blank=True)
    revoked_at = models.DateTimeField(_("revoked at"), null=True, blank=True)
    last_used_at = models.DateTimeField(_("last used at"), null=True, blank=True, editable=False)
    created_at = models.DateTimeField(_("created at"), auto_now_add=True)

    class Meta:
        verbose_name = _("API key")
        verbose_name_plural = _("API keys")
        ordering = ["-created_at"]

    def __str__(self) -> str:
        return f"{self.name} ({self.prefix}…)"


class Caller(models.Model):
    """Who asks. Everything that is owned or unique per asker hangs on it."""

    class Kind(models.TextChoices):
        USER = "user", _("user")
        API_KEY = "api_key", _("API key")

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    kind = models.CharField(_("kind"), max_length=16, choices=Kind)
    user = models.ForeignKey(
        User, on_delete=models.CASCADE, related_name="callers", verbose_name=_("user")
    )
    api_key = models.OneToOneField(
        ApiKey, on_delete=models.CASCADE, null=True, blank=True, verbose_name=_("API key")
    )
    created_at = models.DateTimeField(_("created at"), auto_now_add=True)

    class Meta:
        verbose_name = _("caller")
        verbose_name_plural = _("callers")
        ordering = ["-created_at"]
        constraints = [
            models.CheckConstraint(
                name="caller_names_its_key",
                condition=Q(kind="user", api_key=None) | Q(kind="api_key", api_key__isnull=False),
            ),
            models.UniqueConstraint(
                name="one_caller_per_user", fields=["user"], condition=Q(kind="user")
            ),
        ]

    def __str__(self) -> str:
        return str(self.api_key or self.user)
