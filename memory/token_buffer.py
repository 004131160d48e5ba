"""The window of earlier turns that is sent again: whole turns, newest kept."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from langchain_core.messages import BaseMessage


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
