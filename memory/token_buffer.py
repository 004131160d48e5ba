"""The window of earlier turns that is sent again: whole turns, newest kept."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from langchain_core.messages import AIMessage, BaseMessage

from memory.token_estimate import estimate_tokens

TOKENS_PER_MESSAGE = 4


@dataclass(frozen=True, kw_only=True)
class Turn:
    """An earlier question with its answer.

    `groups` are its tool rounds in order (assistant message with calls, then its results); they are sent only
    with history mode `full`. `mark` says how a turn ended that did not end normally.
    """

    query: str
    answer: str
    mark: str = ""
    groups: Sequence[BaseMessage] = field(default=())


def fit_turns(turns: Sequence[Turn], *, rounds: int, budget: int) -> list[Turn]:
    """The newest turns, oldest first: at most `rounds` of them and at most `budget` tokens together.

    Turns leave whole and the oldest first, so what is left never starts with an answer (dify#37490).
    """
    kept: list[Turn] = []
    for turn in reversed(turns):
        budget -= count_turn_tokens(turn)
        if budget < 0 or len(kept) >= rounds:
            break
        kept.append(turn)
    return kept[::-1]


def count_turn_tokens(turn: Turn) -> int:
    """Estimated tokens of a turn as it is sent, with what each message costs beside its text."""
    texts = [turn.query, turn.answer + turn.mark, *(_sent_text(message) for message in turn.groups)]
    return sum(estimate_tokens(text) + TOKENS_PER_MESSAGE for text in texts)


def _sent_text(message: BaseMessage) -> str:
    calls = message.tool_calls if isinstance(message, AIMessage) else []
    return message.text + "".join(f"{call['name']}{call['args']}" for call in calls)
