"""Makes any message list one that providers accept; stands in front of every model call.

A list that breaks a provider's rules ends a session for good, since it is sent again with every turn. So it is
repaired here, purely and always in the same way:

H1  one system message, first             H6  arguments are a JSON object
H2  each call has one result, right after H7  names match ^[a-zA-Z0-9_-]{1,64}$
H3  no result without its call            H8  no lone surrogate, no NUL
H4  call ids are unique                   H9  the first message after the system's is human
H5  an assistant has content or calls     H10 no two neighbours of one role
"""

from collections.abc import Sequence
from itertools import groupby

from langchain_core.messages import (
    AIMessage,
    BaseMessage,
    HumanMessage,
    SystemMessage,
)

from agents.message_repair import (
    clean_message,
    has_content,
    merge_messages,
    read_invalid_calls,
)
from agents.tool_groups import ToolGroups


def normalize_history(messages: Sequence[BaseMessage]) -> tuple[list[BaseMessage], list[str]]:
    """The messages as they may be sent, and what was repaired, in words. The input stays as it is.

    What is valid comes back unchanged; normalising twice changes nothing more.
    """
    repairs: list[str] = []
    cleaned = [_clean(message, repairs) for message in messages]
    system, rest = _put_system_first(cleaned, repairs)
    paired = ToolGroups(repairs).pair(_drop_empty(rest, repairs))
    return [*system, *_merge_neighbours(_start_with_human(paired, repairs), repairs)], repairs


def _clean(message: BaseMessage, repairs: list[str]) -> BaseMessage:
    if isinstance(message, AIMessage) and message.invalid_tool_calls:
        message = read_invalid_calls(message)
        repairs.append("Calls with unreadable arguments were given empty ones.")
    cleaned = clean_message(message)
    if cleaned is not message:
        repairs.append(f"Unsendable characters, values or names were removed ({message.type}).")
    return cleaned


def _put_system_first(
    messages: Sequence[BaseMessage], repairs: list[str]
) -> tuple[list[BaseMessage], list[BaseMessage]]:
    system = [message for message in messages if isinstance(message, SystemMessage)]
    rest = [message for message in messages if not isinstance(message, SystemMessage)]
    if not system:
        return [], rest
    if len(system) > 1 or messages[0] is not system[0]:
        repairs.append("System messages were joined into one at the start.")
    return [merge_messages(system)], rest


def _drop_empty(messages: Sequence[BaseMessage], repairs: list[str]) -> list[BaseMessage]:
    kept = [message for message in messages if not _is_empty_answer(message)]
    if len(kept) < len(messages):
        repairs.append("An assistant message without content was dropped.")
    return kept


def _is_empty_answer(message: BaseMessage) -> bool:
    return isinstance(message, AIMessage) and not message.tool_calls and not has_content(message)


def _start_with_human(messages: Sequence[BaseMessage], repairs: list[str]) -> list[BaseMessage]:
    start = next(
        (at for at, message in enumerate(messages) if isinstance(message, HumanMessage)),
        len(messages),
    )
    if start:
        repairs.append("Messages before the first question were dropped.")
    return list(messages[start:])


def _merge_neighbours(messages: Sequence[BaseMessage], repairs: list[str]) -> list[BaseMessage]:
    merged: list[BaseMessage] = []
    for role, run in groupby(messages, key=_role):
        neighbours = list(run)
        if role == "tool" or len(neighbours) == 1:
            merged.extend(neighbours)
        else:
            merged.append(merge_messages(neighbours))
            repairs.append(f"Neighbouring messages of one role were joined ({role}).")
    return merged


def _role(message: BaseMessage) -> str:
    return "ai" if isinstance(message, AIMessage) else message.type
