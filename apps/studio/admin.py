"""The studio in the admin: an App and its draft on one page."""

from typing import Any

from django import forms
from django.contrib import admin, messages
from django.core.exceptions import ValidationError
from django.db.models import Q, QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import redirect
from django.urls import URLPattern, path, reverse
from django.utils.translation import gettext_lazy as _
from unfold.admin import ModelAdmin, StackedInline
from unfold.decorators import action, display
from unfold.enums import ActionVariant
from unfold.widgets import UnfoldAdminSelect2MultipleWidget

from apps.accounts.admin_site import admin_user
from apps.accounts.models import ApiKey, User
from apps.accounts.roles import is_operator
from apps.studio import version_pages
from apps.studio.deletion import delete_app
from apps.studio.draft_forms import AppForm, draft_content
from apps.studio.draft_inlines import DraftInline
from apps.studio.drafts import StaleRevision, change_draft
from apps.studio.models import App, AppConfig
from apps.studio.row_choices import RowAutocompleteMixin

SHOWN_VERSIONS = 50


@admin.register(App)
class AppAdmin(RowAutocompleteMixin, ModelAdmin):
    form = AppForm
    change_form_template = "admin/studio/app/change_form.html"
    list_display = ("name_with_icon", "slug", "state", "version", "visibility", "owner")
    list_filter = ("status", "visibility")
    list_select_related = ("owner", "published_config")
    search_fields = ("name", "slug", "description")
    search_help_text = _("Name, slug or description")
    autocomplete_fields = ("owner",)
    readonly_fields = ("status",)
    warn_unsaved_form = True
    actions_detail = ("open_chat", "debug", "publish", "switch_availability")
    add_fieldsets = (
        (
            None,
            {
                "fields": (("name", "icon"), "slug", "description", "visibility"),
                "description": _(
                    "Name the App first. Its model, prompt and tools are set on the next page."
                ),
            },
        ),
    )
    fieldsets = (
        (_("Basics"), {"fields": (("name", "icon"), ("slug", "status"), "description")}),
        (_("Access"), {"fields": (("visibility", "owner"), "editors", "api_keys")}),
    )

    @display(description=_("name"), ordering="name")
    def name_with_icon(self, app: App) -> str:
        return f"{app.icon} {app.name}".strip()

    @display(
        description=_("status"),
        ordering="status",
        label={
            App.Status.PUBLISHED.label: "success",
            App.Status.DRAFT.label: "info",
            App.Status.DISABLED.label: "danger",
        },
    )
    def state(self, app: App) -> str:
        return app.get_status_display()

    @display(description=_("published version"), empty_value="–")
    def version(self, app: App) -> int | None:
        return app.published_config.version if app.published_config else None

    def get_queryset(self, request: HttpRequest) -> QuerySet[App]:
        apps = App.objects.editable_by(admin_user(request))
        return apps.select_related("owner", "published_config")

    def get_readonly_fields(self, request: HttpRequest, obj: App | None = None) -> tuple[str, ...]:
        """Only operators hand an App to somebody else."""
        return (
            self.readonly_fields
            if is_operator(admin_user(request))
            else (*self.readonly_fields, "owner")
        )

    def get_inlines(self, request: HttpRequest, obj: App | None) -> tuple[type[StackedInline], ...]:
        return () if obj is None else (DraftInline,)

    def get_prepopulated_fields(
        self, request: HttpRequest, obj: App | None = None
    ) -> dict[str, tuple[str, ...]]:
        """A slug is in people's links and programs: it does not follow a new name."""
        return {} if obj else {"slug": ("name",)}

    def formfield_for_manytomany(
        self, db_field: Any, request: HttpRequest, **kwargs: Any
    ) -> "forms.ModelMultipleChoiceField[Any]":
        match = request.resolver_match
        app_id = match.kwargs.get("object_id") if match else None
        offered: dict[str, QuerySet[Any]] = {
            "editors": User.objects.filter(is_active=True),
            "api_keys": _limited_keys(admin_user(request), app_id),
        }
        field: forms.ModelMultipleChoiceField[Any] = super().formfield_for_manytomany(
            db_field,
            request,
            queryset=offered[db_field.name],
            **kwargs,
        )
        field.widget = UnfoldAdminSelect2MultipleWidget(choices=field.choices)
        field.help_text = db_field.help_text
        return field

    def changeform_view(
        self,
        request: HttpRequest,
        object_id: str | None = None,
        form_url: str = "",
        extra_context: dict[str, Any] | None = None,
    ) -> HttpResponse:
        """A save that loses the race for the revision changes nothing: its transaction is undone."""
        try:
            response: HttpResponse = super().changeform_view(
                request, object_id, form_url, extra_context
            )
        except StaleRevision as refusal:
            messages.error(request, str(refusal))
            return redirect(request.get_full_path())
        except ValidationError as refusal:
            messages.error(request, " ".join(refusal.messages))
            return redirect(request.get_full_path())
        return response

    def render_change_form(
        self, request: HttpRequest, context: dict[str, Any], *args: Any, **kwargs: Any
    ) -> HttpResponse:
        app = context.get("original")
        if app is not None:
            context["versions"] = version_pages.versions_of(app)[:SHOWN_VERSIONS]
        context["show_save_and_add_another"] = False
        context["errors"].extend(_errors_of_lists(context["inline_admin_formsets"]))
        response: HttpResponse = super().render_change_form(request, context, *args, **kwargs)
        return response

    def save_model(self, request: HttpRequest, obj: App, form: Any, change: bool) -> None:
        if change:
            obj.save()
            return
        obj.owner = admin_user(request)
        obj.save()
        AppConfig.objects.create(app=obj)

    def delete_model(self, request: HttpRequest, obj: App) -> None:
        delete_app(obj)

    def delete_queryset(self, request: HttpRequest, queryset: QuerySet[App]) -> None:
        for app in queryset:
            delete_app(app)

    def save_related(self, request: HttpRequest, form: Any, formsets: Any, change: bool) -> None:
        """A save that leaves the draft as it is does not make the forms of others stale, nor theirs this one."""
        form.save_m2m()
        for draft_form in (draft_form for formset in formsets for draft_form in formset.forms):
            if draft_form.is_touched:
                revision = draft_form.cleaned_data["revision"]
                change_draft(form.instance, revision=revision, changes=draft_content(draft_form))

    def construct_change_message(
        self, request: HttpRequest, form: Any, formsets: Any, add: bool = False
    ) -> list[dict[str, Any]]:
        """The history names what was touched on the App and, after it, in the draft."""
        drafts = [draft_form for formset in formsets or [] for draft_form in formset.forms]
        touched = [*form.changed_data]
        for draft_form in drafts:
            touched += draft_form.changed_data
        return [{"added": {}} if add else {"changed": {"fields": touched}}]

    def response_add(
        self, request: HttpRequest, obj: App, post_url_continue: str | None = None
    ) -> HttpResponse:
        messages.success(request, _("Created. Now choose the model and write the prompt."))
        return HttpResponseRedirect(reverse("admin:studio_app_change", args=[obj.pk]))

    def get_urls(self) -> list[URLPattern]:
        restore = self.admin_site.admin_view(self.restore_version)
        route = "<path:object_id>/versions/<int:version>/restore/"
        return [path(route, restore, name="studio_app_restore"), *super().get_urls()]

    @action(description=_("Open chat"), icon="chat")
    def open_chat(self, request: HttpRequest, object_id: str) -> HttpResponse:
        return redirect("chat", self._app(request, object_id).slug)

    @action(description=_("Debug"), icon="bug_report")
    def debug(self, request: HttpRequest, object_id: str) -> HttpResponse:
        return redirect("debugger", self._app(request, object_id).slug)

    @action(description=_("Publish"), icon="publish", variant=ActionVariant.PRIMARY)
    def publish(self, request: HttpRequest, object_id: str) -> HttpResponse:
        return version_pages.publish_page(self, request, self._app(request, object_id))

    @action(description=_("Enable or disable"), url_path="availability", icon="power_settings_new")
    def switch_availability(self, request: HttpRequest, object_id: str) -> HttpResponse:
        return version_pages.availability_page(self, request, self._app(request, object_id))

    def restore_version(self, request: HttpRequest, object_id: str, version: int) -> HttpResponse:
        return version_pages.restore_page(self, request, self._app(request, object_id), version)

    def _app(self, request: HttpRequest, object_id: str) -> App:
        return version_pages.app_or_404(self.get_queryset(request), object_id)


def _errors_of_lists(inlines: list[Any]) -> list[Any]:
    """Errors in the lists inside the draft, which the theme leaves out of the note above the form."""
    forms_of_draft = (form for inline in inlines for form in inline.formset.forms)
    lists = (nested.formset for form in forms_of_draft for nested in form.nested_formsets)
    return [errors for rows in lists for errors in rows.errors if errors]


def _limited_keys(user: User, app_id: str | None) -> QuerySet[ApiKey]:
    """Keys that need to be named by an App: the user's own, for operators all, and those it names already."""
    usable = ApiKey.objects.filter(all_apps=False, revoked_at=None).select_related("user")
    mine = usable if is_operator(user) else usable.filter(user=user)
    if app_id is None:
        return mine
    named = App.api_keys.through.objects.filter(app_id=app_id).values("apikey_id")
    return ApiKey.objects.filter(Q(pk__in=mine.values("pk")) | Q(pk__in=named))
