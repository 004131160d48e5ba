"""/apps/{slug}/draft, /publish, /versions, /restore: the life of an App's configuration."""

from collections.abc import Mapping
from typing import Any

from django.db.models import QuerySet
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404
from django.utils.cache import get_conditional_response
from django.utils.translation import gettext as _
from drf_spectacular.utils import extend_schema
from rest_framework import generics, serializers, status
from rest_framework.exceptions import NotFound, ParseError
from rest_framework.request import Request
from rest_framework.response import Response

from apps.accounts.models import User
from apps.api.app_catalogue import editable_apps
from apps.api.permissions import MayConfigure, user_of
from apps.api.resources import ResourceView
from apps.studio.drafts import change_draft, draft_of
from apps.studio.models import App, AppConfig
from apps.studio.publishing import publish, restore
from apps.studio.schema import AppConfigSerializer, configs_with_content
from apps.studio.strict_fields import StrictFields


class DraftSerializer(AppConfigSerializer):
    """The draft's content with the revision that the next change must name."""

    class Meta:
        model = AppConfig
        fields = ("revision", *AppConfigSerializer.Meta.fields, "updated_at")
        read_only_fields = ("revision", "updated_at")


class DraftChangeSerializer(AppConfigSerializer):
    """The fields to change, and the revision that was read before."""

    revision = serializers.IntegerField(min_value=1)

    class Meta:
        model = AppConfig
        fields = ("revision", *AppConfigSerializer.Meta.fields)


class VersionSerializer(serializers.ModelSerializer[AppConfig]):
    """A published version; `revision` is the draft's that it was made from."""

    published_by = serializers.SlugRelatedField[User](slug_field="username", read_only=True)

    class Meta:
        model = AppConfig
        fields = ("version", "revision", "note", "content_hash", "published_by", "published_at")


class VersionContentSerializer(VersionSerializer):
    """A published version with its content."""

    config = AppConfigSerializer(source="*", read_only=True)

    class Meta:
        model = AppConfig
        fields = (*VersionSerializer.Meta.fields, "config")


class RevisionSerializer(StrictFields):
    """The draft's revision that was read before."""

    revision = serializers.IntegerField(min_value=1)


class PublishSerializer(RevisionSerializer):
    """What to publish, and why."""

    note = serializers.CharField(required=False, allow_blank=True, max_length=500)


class RestoreSerializer(RevisionSerializer):
    """Which version goes into the draft."""

    version = serializers.IntegerField(min_value=1)


class ConfigurationView(ResourceView):
    """An endpoint below an App that the caller may change."""

    read_permission = MayConfigure
    write_permission = MayConfigure

    def find_app(self) -> App:
        return get_object_or_404(editable_apps(self.request), slug=self.kwargs["slug"])


class Draft(ConfigurationView):
    """The configuration being worked on. The debugger runs it, nobody else does."""

    serializer_class = DraftSerializer

    @extend_schema(responses=DraftSerializer)
    def get(self, request: Request, slug: str) -> HttpResponseBase:
        answer = _draft_answer(draft_of(self.find_app()))
        unchanged = get_conditional_response(request._request, etag=answer["ETag"])
        return unchanged or answer

    @extend_schema(request=DraftChangeSerializer, responses=DraftSerializer)
    def patch(self, request: Request, slug: str) -> Response:
        revision, changes = _revision_and_changes(request.data)
        return _draft_answer(change_draft(self.find_app(), revision=revision, changes=changes))


class Publish(ConfigurationView):
    """The draft becomes the next version, which everybody talks to from now on.

    A disabled App stays disabled; `is_enabled` of the App enables it.
    """

    @extend_schema(request=PublishSerializer, responses={201: VersionContentSerializer})
    def post(self, request: Request, slug: str) -> Response:
        order = _validated(PublishSerializer(data=request.data))
        version = publish(self.find_app(), user=user_of(request), **order)
        return Response(VersionContentSerializer(version).data, status=status.HTTP_201_CREATED)


class Restore(ConfigurationView):
    """A version's content is copied into the draft; what is published stays."""

    @extend_schema(request=RestoreSerializer, responses=DraftSerializer)
    def post(self, request: Request, slug: str) -> Response:
        order = _validated(RestoreSerializer(data=request.data))
        app = self.find_app()
        try:
            draft = restore(app, user=user_of(request), **order)
        except AppConfig.DoesNotExist as error:
            raise NotFound(
                _("%(app)s has no version %(version)d.") % {"app": app, "version": order["version"]}
            ) from error
        return _draft_answer(draft)


class VersionList(ConfigurationView, generics.ListAPIView[AppConfig]):
    """The published versions, newest first."""

    serializer_class = VersionSerializer

    def get_queryset(self) -> QuerySet[AppConfig]:
        return self.find_app().configs.exclude(version=None).select_related("published_by")


class VersionDetail(ConfigurationView, generics.RetrieveAPIView[AppConfig]):
    """One published version with its content."""

    serializer_class = VersionContentSerializer
    lookup_field = "version"

    def get_queryset(self) -> QuerySet[AppConfig]:
        return configs_with_content().select_related("published_by").filter(app=self.find_app())


def _draft_answer(draft: AppConfig) -> Response:
    return Response(DraftSerializer(draft).data, headers={"ETag": f'"{draft.revision}"'})


def _validated(serializer: serializers.Serializer[Any]) -> dict[str, Any]:
    serializer.is_valid(raise_exception=True)
    return dict(serializer.validated_data)


def _revision_and_changes(body: Any) -> tuple[int, dict[str, Any]]:
    if not isinstance(body, Mapping):
        raise ParseError(_("Send a JSON object with the revision and the fields to change."))
    changes = dict(body)
    revision = {"revision": changes.pop("revision")} if "revision" in changes else {}
    return _validated(RevisionSerializer(data=revision))["revision"], changes
