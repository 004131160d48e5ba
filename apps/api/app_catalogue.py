"""/apps: the Apps that a caller can reach, and their names, owners and visibility."""

from typing import Any, ClassVar

from django.db import transaction
from django.db.models import QuerySet
from django.utils.translation import gettext_lazy as _
from rest_framework import generics, serializers
from rest_framework.permissions import SAFE_METHODS
from rest_framework.request import Request

from apps.accounts.models import User
from apps.api.permissions import MayConfigure, MaySeeApps, key_of, user_of
from apps.api.resources import ResourceView
from apps.api.strict_fields import StrictModelSerializer
from apps.studio.availability import disable_app, enable_app
from apps.studio.deletion import delete_app
from apps.studio.drafts import create_app
from apps.studio.models import App


def visible_apps(request: Request) -> QuerySet[App]:
    """Apps to look at and to chat with."""
    return App.objects.visible_to(user_of(request), key=key_of(request))


def editable_apps(request: Request) -> QuerySet[App]:
    """Apps to change, publish and delete."""
    return App.objects.editable_by(user_of(request), key=key_of(request))


class Usernames(serializers.ListField):
    """People by name, ≤ 100; read in one statement. The validated value is the people."""

    child = serializers.CharField(max_length=150)
    default_error_messages: ClassVar[Any] = {"unknown": _("There is nobody called {names}.")}

    def to_representation(self, data: Any) -> list[str]:
        return [user.username for user in data.all()]

    def to_internal_value(self, data: Any) -> list[User]:
        if isinstance(data, list):
            self.run_validators(data)
        names = super().to_internal_value(data)
        people = list(User.objects.filter(username__in=names))
        unknown = sorted(set(names) - {user.username for user in people})
        if unknown:
            self.fail("unknown", names=", ".join(unknown))
        return people


class AppSerializer(StrictModelSerializer):
    """An App without its configuration, which is its draft's (`/apps/{slug}/draft`).

    A key that is limited to named Apps is named by those it creates.
    """

    owner = serializers.SlugRelatedField[User](slug_field="username", read_only=True)
    editors = Usernames(required=False, max_length=100)
    is_enabled = serializers.BooleanField(
        write_only=True, required=False, help_text="Off: nobody can ask it; shown as status."
    )
    published_version = serializers.IntegerField(
        source="published_config.version", read_only=True, allow_null=True, default=None
    )

    class Meta:
        model = App
        fields = (
            "slug",
            "name",
            "icon",
            "description",
            "owner",
            "editors",
            "visibility",
            "status",
            "is_enabled",
            "published_version",
            "created_at",
            "updated_at",
        )
        read_only_fields = ("status",)

    @transaction.atomic
    def create(self, validated_data: dict[str, Any]) -> App:
        editors = validated_data.pop("editors", [])
        is_enabled = validated_data.pop("is_enabled", True)
        app = create_app(owner=self._user(), **validated_data)
        app.editors.set(editors)
        key = key_of(self.context["request"])
        if key is not None and not key.all_apps:
            app.api_keys.add(key)
        return self._switched(app, is_enabled=is_enabled)

    @transaction.atomic
    def update(self, instance: App, validated_data: dict[str, Any]) -> App:
        is_enabled = validated_data.pop("is_enabled", None)
        return self._switched(super().update(instance, validated_data), is_enabled=is_enabled)

    def _switched(self, app: App, *, is_enabled: bool | None) -> App:
        is_disabled = app.status == App.Status.DISABLED
        if is_enabled and is_disabled:
            enable_app(app, user=self._user())
        elif is_enabled is False and not is_disabled:
            disable_app(app, user=self._user())
        return app

    def _user(self) -> User:
        return user_of(self.context["request"])


class AppList(ResourceView, generics.ListCreateAPIView[App]):
    """The Apps that you can reach; a new one, which is yours."""

    serializer_class = AppSerializer
    read_permission = MaySeeApps
    write_permission = MayConfigure
    filter_lookups: ClassVar = {"owner": "owner__username", "status": "status"}

    def get_queryset(self) -> QuerySet[App]:
        return _for_display(visible_apps(self.request))


class AppDetail(ResourceView, generics.RetrieveUpdateDestroyAPIView[App]):
    """One App. Those who may not change it do not find it when they try; one that was used stays."""

    serializer_class = AppSerializer
    read_permission = MaySeeApps
    write_permission = MayConfigure
    lookup_field = "slug"

    def get_queryset(self) -> QuerySet[App]:
        is_read = self.request.method in SAFE_METHODS
        return _for_display((visible_apps if is_read else editable_apps)(self.request))

    def perform_destroy(self, instance: App) -> None:
        delete_app(instance)


def _for_display(apps: QuerySet[App]) -> QuerySet[App]:
    return apps.select_related("owner", "published_config").prefetch_related("editors")
