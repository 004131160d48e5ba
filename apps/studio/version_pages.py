"""The admin's pages that change an App beside its form: publish, restore, enable and disable.

Each shows first what will happen and acts only on a POST, naming the draft revision that was shown.
"""

from collections.abc import Sequence
from typing import Any

from django import forms
from django.contrib import messages
from django.core.exceptions import ValidationError
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.template.response import TemplateResponse
from django.utils.text import capfirst
from django.utils.translation import gettext as _
from unfold.admin import ModelAdmin
from unfold.widgets import UnfoldAdminTextInputWidget

from apps.accounts.admin_site import admin_user
from apps.studio.availability import disable_app, enable_app
from apps.studio.comparison import compare_contents
from apps.studio.drafts import StaleRevision, draft_of
from apps.studio.models import App, AppConfig
from apps.studio.publishing import check_publishable, publish, restore
from apps.studio.schema import AppConfigSerializer, Content, configs_with_content, dump_config


class PublishForm(forms.Form):
    revision = forms.IntegerField(widget=forms.HiddenInput)
    note = forms.CharField(
        required=False,
        max_length=500,
        widget=UnfoldAdminTextInputWidget,
    )


class RestoreForm(forms.Form):
    revision = forms.IntegerField(widget=forms.HiddenInput)


def app_or_404(apps: QuerySet[App], object_id: str) -> App:
    try:
        return apps.get(pk=object_id)
    except (App.DoesNotExist, ValueError) as error:
        raise Http404(_("There is no such App.")) from error


def versions_of(app: App) -> QuerySet[AppConfig]:
    """Published versions, newest first."""
    return (
        AppConfig.objects.filter(app=app, state=AppConfig.State.PUBLISHED)
        .select_related("published_by")
        .order_by("-version")
    )


def publish_page(admin: ModelAdmin, request: HttpRequest, app: App) -> HttpResponse:
    draft = draft_of(app)
    form = PublishForm(request.POST or None, initial={"revision": draft.revision})
    if request.method == "POST" and form.is_valid() and _try_publish(request, app, form):
        return _back_to(app)
    published = _published_content(app)
    changes = compare_contents(published, dump_config(draft))
    context = {
        "title": _("Publish %(app)s") % {"app": app},
        "form": form,
        "changes": changes,
        "is_first": published is None,
        "problems": _problems(draft),
        "draft": draft,
    }
    return _render(admin, request, app, "publish", context)


def restore_page(admin: ModelAdmin, request: HttpRequest, app: App, version: int) -> HttpResponse:
    source = configs_with_content().filter(app=app, version=version).first()
    if source is None:
        raise Http404(_("There is no such version."))
    draft = draft_of(app)
    form = RestoreForm(request.POST or None, initial={"revision": draft.revision})
    if request.method == "POST" and form.is_valid() and _try_restore(request, app, version, form):
        return _back_to(app)
    context = {
        "title": _("Restore version %(n)d of %(app)s") % {"n": version, "app": app},
        "form": form,
        "changes": compare_contents(dump_config(draft), dump_config(source)),
        "source": source,
        "draft": draft,
    }
    return _render(admin, request, app, "restore", context)


def availability_page(admin: ModelAdmin, request: HttpRequest, app: App) -> HttpResponse:
    is_disabled = app.status == App.Status.DISABLED
    if request.method == "POST":
        change = enable_app if is_disabled else disable_app
        change(app, user=admin_user(request))
        messages.success(request, _("%(app)s is %(status)s.") % _status(app))
        return _back_to(app)
    title = _("Enable %(app)s") if is_disabled else _("Disable %(app)s")
    context = {"title": title % {"app": app}, "is_disabled": is_disabled}
    return _render(admin, request, app, "availability", context)


def _try_publish(request: HttpRequest, app: App, form: PublishForm) -> bool:
    revision, note = form.cleaned_data["revision"], form.cleaned_data["note"]
    try:
        version = publish(app, revision=revision, user=admin_user(request), note=note)
    except StaleRevision as refusal:
        return _refuse(form, str(refusal))
    except ValidationError:
        return _refuse(form, _("Nothing was published: the draft is not complete."))
    messages.success(request, _("Published version %(n)d.") % {"n": version.version})
    if app.status == App.Status.DISABLED:
        still = _("%(app)s is still disabled. Enable it, so that people can ask it.")
        messages.warning(request, still % {"app": app})
    return True


def _try_restore(request: HttpRequest, app: App, version: int, form: RestoreForm) -> bool:
    try:
        restore(
            app,
            version=version,
            revision=form.cleaned_data["revision"],
            user=admin_user(request),
        )
    except StaleRevision as refusal:
        return _refuse(form, str(refusal))
    restored = _("Version %(n)d is in the draft now. What is published stays until you publish.")
    messages.success(request, restored % {"n": version})
    return True


def _refuse(form: forms.Form, text: str) -> bool:
    form.add_error(None, text)
    return False


def _published_content(app: App) -> Content | None:
    if app.published_config_id is None:
        return None
    return dump_config(configs_with_content().get(pk=app.published_config_id))


def _problems(draft: AppConfig) -> Sequence[tuple[str, list[str]]]:
    """What keeps the draft from being published: field label and messages."""
    fields = AppConfigSerializer().fields
    try:
        check_publishable(draft)
    except ValidationError as error:
        return [
            (capfirst(str(fields[name].label)), texts) for name, texts in error.message_dict.items()
        ]
    return []


def _status(app: App) -> dict[str, Any]:
    return {"app": app, "status": app.get_status_display()}


def _back_to(app: App) -> HttpResponse:
    return redirect("admin:studio_app_change", app.pk)


def _render(
    admin: ModelAdmin, request: HttpRequest, app: App, page: str, context: dict[str, Any]
) -> HttpResponse:
    return TemplateResponse(
        request,
        f"admin/studio/app/{page}.html",
        {
            **admin.admin_site.each_context(request),
            "opts": admin.opts,
            "original": app,
            "app": app,
            **context,
        },
    )
