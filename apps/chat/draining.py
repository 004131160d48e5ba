"""Saying good-bye to open pages before this process ends."""

from apps.chat.frames import frame_text
from apps.chat.sockets import CloseCode, open_sockets


async def drain_sockets() -> None:
    """Take no new sockets, tell every page up to which event it has each run, and close with 1012.

    Pages connect again and attach with that number.
    """
    open_sockets.is_draining = True
    for socket in open_sockets.all():
        followers = list(socket.followers.values())
        for follower in followers:
            await socket.send_text(
                frame_text("server_restart", task_id=follower.run.task_id, seq=follower.seq)
            )
        if not followers:
            await socket.send_text(frame_text("server_restart"))
        await socket.close(CloseCode.RESTART)
