"""/model-providers: the accounts at model services. Operators write, builders read, nobody reads a secret."""

from dataclasses import asdict
from typing import Any, ClassVar

from django.http import JsonResponse
from django.shortcuts import get_object_or_404
from drf_spectacular.utils import extend_schema
from rest_framework import generics, serializers
from rest_framework.request import Request

from apps.api.async_views import AsyncResourceView
from apps.api.permissions import MayConfigure
from apps.api.resources import ResourceView
from apps.api.strict_fields import StrictModelSerializer
from apps.providers.connection import ConnectionTarget, connection_target, try_connection
from apps.providers.models import ModelProvider
from apps.providers.validators import validate_headers
from apps.runs.database import in_database
from apps.studio.deletion import delete_asset


class ModelProviderSerializer(StrictModelSerializer):
    """`secret` and the values of `extra_headers` go in and never come out; an empty secret removes it."""

    has_secret = serializers.SerializerMethodField()
    extra_headers = serializers.DictField(
        child=serializers.CharField(allow_blank=True, trim_whitespace=False),
        write_only=True,
        required=False,
        validators=[validate_headers],
    )
    extra_header_names = serializers.SerializerMethodField()

    class Meta:
        model = ModelProvider
        fields = (
            "id",
            "name",
            "kind",
            "base_url",
            "secret",
            "has_secret",
            "extra_headers",
            "extra_header_names",
            "connect_timeout",
            "first_token_timeout",
            "idle_timeout",
            "is_enabled",
            "created_at",
            "updated_at",
        )
        extra_kwargs: ClassVar = {"secret": {"write_only": True}}

    def get_has_secret(self, provider: ModelProvider) -> bool:
        return bool(provider.secret)

    def get_extra_header_names(self, provider: ModelProvider) -> list[str]:
        return sorted(provider.extra_headers)


class ModelProviders(ResourceView):
    """Accounts and endpoints by which models are reached."""

    queryset = ModelProvider.objects.all()
    serializer_class = ModelProviderSerializer
    read_permission = MayConfigure
    filter_lookups: ClassVar = {"name": "name"}


class ModelProviderList(ModelProviders, generics.ListCreateAPIView[ModelProvider]):
    """All model providers; a new one."""


class ModelProviderDetail(ModelProviders, generics.RetrieveUpdateDestroyAPIView[ModelProvider]):
    """One model provider. Deleting takes its models along, unless a configuration uses one."""

    filter_lookups: ClassVar = {}

    def perform_destroy(self, instance: ModelProvider) -> None:
        delete_asset(instance)


class ConnectionReportSerializer(serializers.Serializer[Any]):
    """What came of a connection test; `text` is for people, `model_names` what the provider lists."""

    ok = serializers.BooleanField()
    text = serializers.CharField()
    model_names = serializers.ListField(child=serializers.CharField())


class ProviderTest(AsyncResourceView):
    """Ask the provider for its models; one that lists none, for a tiny answer. A failure is a report too."""

    serializer_class = ConnectionReportSerializer

    @extend_schema(request=None, responses=ConnectionReportSerializer)
    async def post(self, request: Request, pk: int) -> JsonResponse:
        report = await try_connection(await in_database(_find_target, pk))
        return JsonResponse(asdict(report), json_dumps_params={"ensure_ascii": False})


def _find_target(pk: int) -> ConnectionTarget:
    return connection_target(get_object_or_404(ModelProvider, pk=pk))
