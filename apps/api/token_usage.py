"""How many tokens an answer took, as every endpoint says it."""

from pydantic import BaseModel, Field


class TokenUsage(BaseModel):
    """Tokens of the answer's model calls; null is unknown."""

    input_tokens: int | None
    output_tokens: int | None
    total_tokens: int | None
    confidence: str | None = Field(description="exact, estimated or unknown")


def token_usage(
    input_tokens: int | None, output_tokens: int | None, confidence: str | None
) -> TokenUsage:
    """The counts with their sum."""
    is_known = input_tokens is not None and output_tokens is not None
    return TokenUsage(
        input_tokens=input_tokens,
        output_tokens=output_tokens,
        total_tokens=(input_tokens or 0) + (output_tokens or 0) if is_known else None,
        confidence=confidence or None,
    )
