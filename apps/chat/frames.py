"""The frames of `/ws/chat/`: what may come in, checked once, and what goes out."""

import json
from typing import Annotated, Any, Literal, get_args

from django.utils.translation import gettext as _
from pydantic import AfterValidator, BaseModel, ConfigDict, Field, TypeAdapter, ValidationError
from pydantic_core import PydanticCustomError

LARGEST_FRAME = 256 * 1024
MOST_FIELDS = 20
LONGEST_PLACE = 100


def _refuse_control_characters(name: str) -> str:
    if not name.isprintable():
        raise PydanticCustomError("not_printable", "has characters that cannot be printed")
    return name


Name = Annotated[
    str, Field(min_length=1, max_length=100), AfterValidator(_refuse_control_characters)
]


class Frame(BaseModel):
    """A frame from the client; unknown fields are refused."""

    model_config = ConfigDict(extra="forbid", strict=True)


class Send(Frame):
    """Ask a question; without a conversation a new one begins. `draft` is for the debugger."""

    type: Literal["send"]
    app: Name
    query: str
    conversation: Name | None = None
    client_request_id: Name | None = None
    draft: bool = False


class Regenerate(Frame):
    """Answer the question of a message again, beside the earlier answer."""

    type: Literal["regenerate"]
    message: Name
    client_request_id: Name | None = None


class Attach(Frame):
    """Follow a run from event number `after` on."""

    type: Literal["attach"]
    task_id: Name
    after: Annotated[int, Field(ge=0)] = 0


class Watch(Frame):
    """Be told of runs that other pages of this process start in a conversation."""

    type: Literal["watch"]
    conversation: Name


class Stop(Frame):
    """End a run."""

    type: Literal["stop"]
    task_id: Name


class Ack(Frame):
    """Events up to `seq` have arrived; without a task, of the run that was followed last."""

    type: Literal["ack"]
    seq: Annotated[int, Field(ge=0)]
    task_id: Name | None = None


class Ping(Frame):
    """Is somebody there?"""

    type: Literal["ping"]


AnyFrame = Send | Regenerate | Attach | Watch | Stop | Ack | Ping
TYPES = [get_args(frame.model_fields["type"].annotation)[0] for frame in get_args(AnyFrame)]
_frames: TypeAdapter[AnyFrame] = TypeAdapter(Annotated[AnyFrame, Field(discriminator="type")])


class BadFrameError(Exception):
    """A frame that means nothing here; the message says what is wrong with it.

    `is_fatal` when what came is no frame at all, so that the socket is closed.
    """

    def __init__(self, message: str, *, is_fatal: bool) -> None:
        super().__init__(message)
        self.is_fatal = is_fatal


def read_frame(text: str | None) -> AnyFrame:
    """The frame in a text message; raises BadFrameError."""
    if text is None:
        raise BadFrameError(_("Frames are JSON texts; this one is binary."), is_fatal=True)
    if len(text) > LARGEST_FRAME or len(text.encode(errors="replace")) > LARGEST_FRAME:
        raise BadFrameError(
            _("A frame has at most %(n)d KiB. Shorten it.") % {"n": LARGEST_FRAME // 1024},
            is_fatal=True,
        )
    try:
        content = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise BadFrameError(_("This frame is not JSON."), is_fatal=True) from error
    if not isinstance(content, dict):
        raise BadFrameError(_("A frame is a JSON object with a `type`."), is_fatal=True)
    if len(content) > MOST_FIELDS:
        raise BadFrameError(
            _("A frame has at most %(n)d fields.") % {"n": MOST_FIELDS}, is_fatal=False
        )
    try:
        return _frames.validate_python(content)
    except ValidationError as error:
        raise BadFrameError(_complaint(error), is_fatal=False) from error


def _complaint(error: ValidationError) -> str:
    """The first thing that is wrong, with its place; never the value itself."""
    first = error.errors(include_input=False, include_url=False, include_context=False)[0]
    if first["type"] in {"union_tag_invalid", "union_tag_not_found"}:
        return _("A frame has a `type`, which is one of: %(types)s.") % {"types": ", ".join(TYPES)}
    place = ".".join(str(part) for part in first["loc"][1:])[:LONGEST_PLACE]
    return f"{place}: {first['msg']}" if place else first["msg"]


def frame_text(kind: str, **fields: Any) -> str:
    """An outgoing frame."""
    return json.dumps({"type": kind, **fields}, ensure_ascii=False, separators=(",", ":"))
