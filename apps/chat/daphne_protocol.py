"""daphne's side of a WebSocket, able to say that it restarts."""

from daphne.ws_protocol import WebSocketProtocol


class ClosableWebSocketProtocol(WebSocketProtocol):
    """Closes with any code: autobahn's `sendClose` raises for 1012 (service restart), its frame does not."""

    def serverClose(self, code: int | None = None) -> None:  # noqa: N802 -- daphne's name
        self.sendCloseFrame(code=1000 if code is None else code)
