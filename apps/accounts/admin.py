"""People, their roles, and the keys of programs. Operators only."""

from typing import Any, ClassVar

from django.contrib import admin, messages
from django.contrib.admin.utils import label_for_field
from django.contrib.auth.admin import UserAdmin as DjangoUserAdmin
from django.contrib.auth.models import Group
from django.db.models import Count, QuerySet
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from unfold.admin import ModelAdmin
from unfold.decorators import display
from unfold.forms import AdminPasswordChangeForm, UserChangeForm, UserCreationForm

from apps.accounts.api_keys import create_api_key, revoke_api_keys
from apps.accounts.models import ApiKey, User

SCOPES = ("can_chat", "can_manage", "can_read_usage", "is_unattended", "all_apps")

admin.site.unregister(Group)


@admin.register(User)
class UserAdmin(DjangoUserAdmin, ModelAdmin):  # type: ignore[type-arg]  # generic only in the stubs
    form = UserChangeForm
    add_form = UserCreationForm
    change_password_form = AdminPasswordChangeForm
    list_display = ("username", "email", "full_name", "roles", "is_active", "last_login")
    list_filter = ("groups", "is_active")
    search_fields = ("username", "email", "first_name", "last_name")
    readonly_fields = ("is_superuser", "last_login", "date_joined")
    filter_horizontal = ()
    fieldsets = (
        (None, {"fields": ("username", "password")}),
        (_("Person"), {"fields": (("first_name", "last_name"), "email")}),
        (
            _("Role"),
            {
                "fields": ("groups", "is_active", "is_superuser"),
                "description": _(
                    "Operators may do everything, builders make Apps, members chat. "
                    "A superuser is made on the command line only."
                ),
            },
        ),
        (_("Dates"), {"fields": (("last_login", "date_joined"),)}),
    )
    add_fieldsets = (
        (None, {"fields": ("username", "usable_password", "password1", "password2", "groups")}),
    )

    @display(description=_("name"))
    def full_name(self, user: User) -> str:
        return user.get_full_name()

    @display(description=_("roles"))
    def roles(self, user: User) -> str:
        return ", ".join(group.name for group in user.groups.all())

    def get_queryset(self, request: HttpRequest) -> QuerySet[User]:
        users: QuerySet[User] = super().get_queryset(request)
        return users.prefetch_related("groups")


@admin.register(Group)
class GroupAdmin(ModelAdmin):
    """The roles, to look at: what each may do stands in the code, who has it at the people."""

    list_display = ("name", "people")
    fields = ("name",)

    @display(description=_("people"), ordering="people")
    def people(self, group: Any) -> int:
        count: int = group.people
        return count

    def get_queryset(self, request: HttpRequest) -> QuerySet[Group]:
        groups: QuerySet[Group] = super().get_queryset(request)
        return groups.annotate(people=Count("user"))

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Group | None = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Group | None = None) -> bool:
        return False


@admin.register(ApiKey)
class ApiKeyAdmin(ModelAdmin):
    """Keys are made here, shown once, and revoked; they are not deleted, since answers name them."""

    list_display = ("name", "prefix", "user", "scopes", "all_apps", "state", "last_used_at")
    list_filter = ("can_manage", "all_apps", ("user", admin.RelatedOnlyFieldListFilter))
    list_select_related = ("user",)
    search_fields = ("name", "prefix", "user__username")
    autocomplete_fields = ("user",)
    actions = ("revoke",)
    add_fieldsets = (
        (None, {"fields": ("name", "user", "expires_at")}),
        (
            _("Permissions"),
            {
                "fields": SCOPES,
                "description": _("The secret is shown once, on the next page."),
            },
        ),
    )
    fieldsets = (
        (None, {"fields": ("name", ("prefix", "user"), "expires_at")}),
        (_("Permissions"), {"fields": SCOPES}),
        (_("Dates"), {"fields": (("created_at", "last_used_at", "revoked_at"),)}),
    )
    readonly_fields = ("prefix", "created_at", "last_used_at", "revoked_at")

    STATES: ClassVar = {_("usable"): "success", _("expired"): "warning", _("revoked"): "danger"}

    @display(description=_("scopes"))
    def scopes(self, key: ApiKey) -> str:
        granted = (name for name in SCOPES if name != "all_apps" and getattr(key, name))
        return ", ".join(str(label_for_field(name, ApiKey)) for name in granted)

    @display(description=_("state"), label=STATES)
    def state(self, key: ApiKey) -> Any:
        if key.revoked_at:
            return _("revoked")
        is_expired = key.expires_at is not None and key.expires_at <= timezone.now()
        return _("expired") if is_expired else _("usable")

    @admin.action(description=_("Revoke the selected keys"))
    def revoke(self, request: HttpRequest, keys: QuerySet[ApiKey]) -> None:
        """Programs that use them are refused from the next request on."""
        revoked = revoke_api_keys(keys)
        for key in revoked:
            self.log_change(request, key, str(_("Revoked.")))
        messages.success(request, _("Revoked %(n)d key(s).") % {"n": len(revoked)})

    def get_changeform_initial_data(self, request: HttpRequest) -> dict[str, Any]:
        """Most keys are made for oneself."""
        return {"user": request.user.pk, **super().get_changeform_initial_data(request)}

    def get_readonly_fields(
        self, request: HttpRequest, obj: ApiKey | None = None
    ) -> tuple[str, ...]:
        return self.readonly_fields if obj is None else (*self.readonly_fields, "user")

    def has_change_permission(self, request: HttpRequest, obj: ApiKey | None = None) -> bool:
        may_change: bool = super().has_change_permission(request, obj)
        return may_change and (obj is None or obj.revoked_at is None)

    def has_delete_permission(self, request: HttpRequest, obj: ApiKey | None = None) -> bool:
        return False

    def save_model(self, request: HttpRequest, obj: Any, form: Any, change: bool) -> None:
        """A new key's secret stays with `obj` for the one page that shows it."""
        if change:
            obj.save()
            return
        key, secret = create_api_key(
            user=obj.user,
            name=obj.name,
            expires_at=obj.expires_at,
            **{scope: getattr(obj, scope) for scope in SCOPES},
        )
        obj.pk, obj.prefix = key.pk, key.prefix
        obj.secret = secret

    def response_add(
        self, request: HttpRequest, obj: Any, post_url_continue: str | None = None
    ) -> HttpResponse:
        return TemplateResponse(
            request,
            "admin/accounts/apikey/created.html",
            {
                **self.admin_site.each_context(request),
                "opts": self.opts,
                "title": _("API key created"),
                "key": obj,
                "secret": obj.secret,
            },
        )
