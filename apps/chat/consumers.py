"""`/ws/chat/`: a socket asks, follows runs and stops them; leaving it stops nothing."""

import asyncio
import logging
from collections import deque
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar
from urllib.parse import parse_qs

from channels.consumer import AsyncConsumer
from channels.exceptions import StopConsumer
from django.utils.translation import gettext as _

from apps.accounts.models import Caller
from apps.chat import asking
from apps.chat.admission import NotAdmittedError, act_for, admit
from apps.chat.asking import FollowedRun
from apps.chat.following import RunFollower, SlowReaderError
from apps.chat.frames import (
    Ack,
    AnyFrame,
    Attach,
    BadFrameError,
    Ping,
    Regenerate,
    Send,
    Stop,
    Watch,
    frame_text,
    read_frame,
)
from apps.chat.handshake import credentials_in
from apps.chat.sockets import CloseCode, open_sockets
from apps.runs.database import in_database
from apps.runs.rate import TOO_MANY
from apps.runs.refusal import RunRefused

logger = logging.getLogger(__name__)

MOST_TASKS = 64
MOST_BAD_FRAMES = 10
BAD_FRAMES_SPAN = 60.0

F = TypeVar("F")
T = TypeVar("T")


class ChatConsumer(AsyncConsumer):
    """One WebSocket. Every handler returns at once: what takes time is a task of the socket's (channels#1119)."""

    scope: dict[str, Any]
    user_id: int

    async def dispatch(self, message: dict[str, Any]) -> None:
        """As the base class, without its hop into a thread per message: the ORM is reached by `in_database` only."""
        match message["type"]:
            case "websocket.connect":
                await self._connect()
            case "websocket.receive":
                await self._receive(message.get("text"))
            case "websocket.disconnect":
                self._leave()
                raise StopConsumer

    async def _connect(self) -> None:
        self.loop = asyncio.get_running_loop()
        self.last_heard = self.loop.time()
        self.watched = ""
        self.followers: dict[str, RunFollower] = {}
        self.is_closed = False
        self._bad_frames: deque[float] = deque(maxlen=MOST_BAD_FRAMES)
        self._tasks: set[asyncio.Task[None]] = set()
        self._follow_tasks: dict[str, asyncio.Task[None]] = {}
        self._in_order = asyncio.Lock()
        query = parse_qs(self.scope["query_string"].decode("latin-1"))
        self.is_html = query.get("render") == ["html"]
        await self.base_send({"type": "websocket.accept"})
        self.credentials = credentials_in(self.scope)
        try:
            caller = await in_database(admit, self.credentials)
        except NotAdmittedError as error:
            await self.refuse(error.close_code, error.code, str(error))
        else:
            self.user_id = caller.user_id
            await open_sockets.add(self)

    async def _receive(self, text: str | None) -> None:
        if self.is_closed:
            return
        self.last_heard = self.loop.time()
        try:
            frame = read_frame(text)
        except BadFrameError as error:
            if error.is_fatal or self._is_one_bad_frame_too_many():
                await self.refuse(CloseCode.BAD_MESSAGE, "bad_message", str(error))
            else:
                await self.send_text(frame_text("error", code="bad_message", message=str(error)))
            return
        await self._take(frame)

    def _is_one_bad_frame_too_many(self) -> bool:
        """Note a bad frame; whether it is the tenth within a minute."""
        self._bad_frames.append(self.last_heard)
        is_full = len(self._bad_frames) == MOST_BAD_FRAMES
        return is_full and self.last_heard - self._bad_frames[0] < BAD_FRAMES_SPAN

    async def _take(self, frame: AnyFrame) -> None:
        match frame:
            case Ping():
                await self.send_text(frame_text("pong"))
            case Ack():
                task_id = frame.task_id or next(reversed(self.followers), "")
                if follower := self.followers.get(task_id):
                    follower.acknowledge(frame.seq)
            case _ if len(self._tasks) >= MOST_TASKS:
                await self.refuse(CloseCode.TOO_MANY, TOO_MANY, _("Too many messages at once."))
            case _:
                self._spawn(self._answer(frame))

    async def _answer(self, frame: AnyFrame) -> None:
        try:
            match frame:
                case Send():
                    async with self._in_order:
                        run = await self._act(asking.ask, frame)
                    await self._begin(run, frame)
                case Regenerate():
                    run = await self._act(asking.ask_again, frame)
                    await self._begin(run, frame)
                case Attach():
                    run = await self._act(asking.attach, frame)
                    await self._acknowledge(frame, run)
                    self.follow(run, after=frame.after)
                case Watch():
                    self.watched = await self._act(asking.watch, frame)
                case Stop():
                    await self._act(asking.stop, frame)
                    await self.send_text(frame_text("ack", of="stop", task_id=frame.task_id))
        except RunRefused as refusal:
            await self._tell_refusal(refusal, frame)
        except NotAdmittedError as error:
            await self.refuse(error.close_code, error.code, str(error))

    async def _act(self, act: Callable[[Caller, F], T], frame: F) -> T:
        """In one hop to the database: read who asks, whose rights may have changed, then act."""
        return await in_database(act_for, act, self.credentials, frame)

    async def _begin(self, run: FollowedRun, frame: Send | Regenerate) -> None:
        """Tell the page its new run and follow it, here and on other pages that watch the conversation."""
        await self._acknowledge(frame, run)
        self.follow(run, after=0)
        for socket in open_sockets.watching(run.conversation_id):
            if socket is not self and run.task_id not in socket.followers:
                socket.follow(run, after=0)

    async def _acknowledge(self, frame: Send | Regenerate | Attach, run: FollowedRun) -> None:
        await self.send_text(
            frame_text(
                "ack",
                of=frame.type,
                task_id=run.task_id,
                message_id=run.message_id,
                conversation_id=run.conversation_id,
                **_request_of(frame),
            )
        )

    async def _tell_refusal(self, refusal: RunRefused, frame: AnyFrame) -> None:
        fields = {"code": refusal.code, "message": refusal.message, "of": frame.type}
        await self.send_text(frame_text("error", **fields, **_request_of(frame)))
        if refusal.code == TOO_MANY:
            await self.close(CloseCode.TOO_MANY)

    def follow(self, run: FollowedRun, *, after: int) -> None:
        """Send the run's events from now on, in a task; an earlier one for the same run ends."""
        if earlier := self._follow_tasks.pop(run.task_id, None):
            earlier.cancel()
        follower = RunFollower(run, after=after, is_html=self.is_html, send=self.send_text)
        self.followers[run.task_id] = follower
        self._follow_tasks[run.task_id] = self._spawn(self._follow(follower))

    async def _follow(self, follower: RunFollower) -> None:
        try:
            await follower.follow()
        except SlowReaderError:
            await self.refuse(
                CloseCode.IDLE,
                "slow_reader",
                _("Events were not acknowledged. Connect again and attach with your last seq."),
            )
        except RunRefused as refusal:
            await self.send_text(frame_text("error", code=refusal.code, message=refusal.message))
        finally:
            if self.followers.get(follower.run.task_id) is follower:
                del self.followers[follower.run.task_id]

    async def send_text(self, text: str) -> None:
        if not self.is_closed:
            await self.base_send({"type": "websocket.send", "text": text})

    async def refuse(self, code: CloseCode, name: str, message: str) -> None:
        """A last frame that says why, then the close code."""
        await self.send_text(frame_text("error", code=name, message=message))
        await self.close(code)

    async def close(self, code: CloseCode) -> None:
        if not self.is_closed:
            self._leave()
            await self.base_send({"type": "websocket.close", "code": int(code)})

    def _leave(self) -> None:
        self.is_closed = True
        open_sockets.discard(self)
        current = asyncio.current_task()
        for task in self._tasks:
            if task is not current:
                task.cancel()

    def _spawn(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        task = self.loop.create_task(self._guard(work))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    async def _guard(self, work: Coroutine[Any, Any, None]) -> None:
        """The socket's edge: a fault is logged and told, and the socket goes on."""
        try:
            await work
        except Exception:
            logger.exception("A task of a chat socket failed.")
            await self.send_text(
                frame_text(
                    "error",
                    code="internal_error",
                    message=_("Something went wrong here. Load the page again."),
                )
            )


class UnknownPathConsumer(AsyncConsumer):
    """Any other WebSocket path: answered, so that a wrong address is no riddle."""

    async def websocket_connect(self, _message: dict[str, Any]) -> None:
        text = frame_text(
            "error", code="not_found", message=_("There is no WebSocket here. Use /ws/chat/.")
        )
        await self.base_send({"type": "websocket.accept"})
        await self.base_send({"type": "websocket.send", "text": text})
        await self.base_send({"type": "websocket.close", "code": int(CloseCode.NOT_FOUND)})

    async def websocket_receive(self, _message: dict[str, Any]) -> None:
        """Nothing is read."""

    async def websocket_disconnect(self, _message: dict[str, Any]) -> None:
        raise StopConsumer


def _request_of(frame: AnyFrame) -> dict[str, str]:
    """The client's own name for what it asked, so that it can tell answers apart."""
    if isinstance(frame, Send | Regenerate) and frame.client_request_id:
        return {"client_request_id": frame.client_request_id}
    return {}
