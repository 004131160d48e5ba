"""How the API describes itself: its schema, and the page that shows it without the internet."""

from typing import Any

from drf_spectacular.extensions import (
    OpenApiAuthenticationExtension,
    OpenApiSerializerFieldExtension,
)
from drf_spectacular.openapi import AutoSchema
from drf_spectacular.views import SpectacularSwaggerSplitView

from apps.api.errors import ErrorShape


class ApiSchema(AutoSchema):
    """Adds the error shape to what every operation may answer, and groups operations by their resource."""

    def get_tags(self) -> list[str]:
        return [self.path.removeprefix("/api/v1/").split("/")[0]]

    def get_operation(self, *args: Any, **kwargs: Any) -> dict[str, Any] | None:
        operation: dict[str, Any] | None = super().get_operation(*args, **kwargs)
        if operation is not None:
            shape = self.resolve_serializer(ErrorShape, "response").ref
            operation["responses"]["default"] = {
                "description": "What happened, to which object, and what to do.",
                "content": {"application/json": {"schema": shape}},
            }
        return operation


class ApiKeyScheme(OpenApiAuthenticationExtension):
    """`Authorization: Bearer <API key>`."""

    target_class = "apps.accounts.authentication.ApiKeyAuthentication"
    name = "ApiKey"

    def get_security_definition(self, auto_schema: AutoSchema) -> dict[str, str]:
        return {"type": "http", "scheme": "bearer"}


class ModelNameSchema(OpenApiSerializerFieldExtension):
    """A model as `provider/name`."""

    target_class = "apps.studio.schema.ModelName"

    def map_serializer_field(self, auto_schema: AutoSchema, direction: str) -> dict[str, Any]:
        return {"type": "string", "example": "ollama/qwen3"}


class Documentation(SpectacularSwaggerSplitView):
    """Swagger UI from the site's own files, with its script apart, as the content security policy wants."""

    template_name = "api/docs.html"
