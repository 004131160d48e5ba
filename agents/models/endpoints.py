"""Where a model service is reached, and as whom."""

from collections.abc import Mapping

from agents.models.inference import ModelCallError, ModelSpec

DEFAULT_BASE_URLS: Mapping[str, str] = {
    "openai": "https://api.openai.com/v1",
    "deepseek": "https://api.deepseek.com/v1",
    "ollama": "http://127.0.0.1:11434/v1",
}


def endpoint(spec: ModelSpec, path: str) -> str:
    """The URL of `path` at the service. Raises ModelCallError where no base URL is known."""
    base_url = (spec.base_url or DEFAULT_BASE_URLS.get(spec.kind, "")).rstrip("/")
    if not base_url:
        raise ModelCallError(
            "connection_failed",
            f"The provider of {spec.label!r} has no base URL. Set it under Models, Providers.",
        )
    return f"{base_url}{path}"


def request_headers(spec: ModelSpec) -> dict[str, str]:
    """The key, and what the operator adds or overrides."""
    key = {"Authorization": f"Bearer {spec.secret}"} if spec.secret else {}
    return {"Content-Type": "application/json", **key, **spec.extra_headers}
