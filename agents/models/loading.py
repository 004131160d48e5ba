"""From a spec to the client that reaches the model."""

from agents.models.demo import DemoClient
from agents.models.inference import ModelClient, ModelSpec
from agents.models.openai_compatible import OpenAICompatibleClient


def load_client(spec: ModelSpec) -> ModelClient:
    """The client for a spec. Raises ValueError for a kind that nobody speaks."""
    match spec.kind:
        case "demo":
            return DemoClient(spec)
        case "openai_compatible" | "openai" | "deepseek" | "ollama":
            return OpenAICompatibleClient(spec)
    raise ValueError(f"No client speaks the provider kind {spec.kind!r} of {spec.label!r}.")
