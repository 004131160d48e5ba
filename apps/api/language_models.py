"""/language-models: what can be chosen for an App. Operators write, builders read."""

from typing import Any, ClassVar, cast

from django.conf import settings
from django.db import transaction
from django.db.models import Prefetch, QuerySet
from django.utils.translation import gettext as _
from rest_framework import generics, serializers

from apps.api.permissions import MayConfigure
from apps.api.resources import ResourceView
from apps.api.strict_fields import StrictModelSerializer
from apps.providers.models import LanguageModel, ModelPrice, ModelProvider
from apps.providers.validators import validate_model_parameters, validate_quirks
from apps.studio.deletion import delete_asset


class ModelPriceSerializer(StrictModelSerializer):
    """Prices per million tokens, in the site's currency, valid from `created_at` on."""

    currency = serializers.SerializerMethodField()

    class Meta:
        model = ModelPrice
        fields = ("input_price", "cached_input_price", "output_price", "currency", "created_at")

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """A price is whole, also in a PATCH, which makes no field required by itself."""
        missing = {"input_price", "output_price"} - attrs.keys()
        if missing:
            raise serializers.ValidationError({name: [_("Say both prices.")] for name in missing})
        return attrs

    def get_currency(self, _price: ModelPrice) -> str:
        currency: str = settings.CURRENCY
        return currency

    def get_attribute(self, instance: LanguageModel) -> ModelPrice | None:
        newest: list[ModelPrice] = cast(Any, instance).newest_prices
        return newest[0] if newest else None


def described_models() -> QuerySet[LanguageModel]:
    """Models with all that is shown of them."""
    newest = ModelPrice.objects.order_by("-created_at", "-id")[:1]
    return LanguageModel.objects.select_related("provider").prefetch_related(
        Prefetch("prices", newest, to_attr="newest_prices")
    )


class LanguageModelSerializer(StrictModelSerializer):
    """`provider` by name. `price` is the one in force; writing one adds it, earlier costs stay; null adds none."""

    provider = serializers.SlugRelatedField(slug_field="name", queryset=ModelProvider.objects.all())
    default_parameters = serializers.DictField(
        required=False, validators=[validate_model_parameters]
    )
    quirks = serializers.DictField(required=False, validators=[validate_quirks])
    price = ModelPriceSerializer(required=False, allow_null=True)

    class Meta:
        model = LanguageModel
        fields = (
            "id",
            "provider",
            "name",
            "display_name",
            "kind",
            "tool_call",
            "agent_thought",
            "image_input",
            "reasoning",
            "json_mode",
            "parallel_tool_calls",
            "context_window",
            "max_output_tokens",
            "default_parameters",
            "quirks",
            "price",
            "is_enabled",
            "created_at",
            "updated_at",
        )

    @transaction.atomic
    def create(self, validated_data: dict[str, Any]) -> LanguageModel:
        price = validated_data.pop("price", None)
        return _with_price(super().create(validated_data), price)

    @transaction.atomic
    def update(self, instance: LanguageModel, validated_data: dict[str, Any]) -> LanguageModel:
        price = validated_data.pop("price", None)
        return _with_price(super().update(instance, validated_data), price)


def _with_price(model: LanguageModel, price: dict[str, Any] | None) -> LanguageModel:
    if price is not None:
        model.prices.create(**price)
    return described_models().get(pk=model.pk)


class LanguageModels(ResourceView):
    """Models with their features, limits and price."""

    serializer_class = LanguageModelSerializer
    read_permission = MayConfigure
    filter_lookups: ClassVar = {"provider": "provider__name", "kind": "kind"}

    def get_queryset(self) -> QuerySet[LanguageModel]:
        return described_models()


class LanguageModelList(LanguageModels, generics.ListCreateAPIView[LanguageModel]):
    """All language models; a new one."""


class LanguageModelDetail(LanguageModels, generics.RetrieveUpdateDestroyAPIView[LanguageModel]):
    """One language model. It cannot be deleted while a configuration uses it."""

    filter_lookups: ClassVar = {}

    def perform_destroy(self, instance: LanguageModel) -> None:
        delete_asset(instance)
