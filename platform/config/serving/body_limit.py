"""Requests with a larger body than anything here takes are cut off while they come in.

daphne would keep any body in a file before the site sees its first byte, whoever sends it.
"""

from typing import Any

from daphne.http_protocol import WebRequest

# The API answers what is over its own limit (1 MiB) with its own words; this is only a wall behind it.
MOST_BYTES = 2 * 1024 * 1024
ANSWER = b'{"code": "body_too_large", "message": "The body is larger than 2 MiB. Send less.", "details": null}'
RESPONSE = (
    b"HTTP/1.1 413 Content Too Large\r\nContent-Type: application/json\r\nConnection: close\r\n"
    b"Content-Length: %d\r\n\r\n%s"
) % (len(ANSWER), ANSWER)


class BoundedRequest(WebRequest):
    """daphne's request, refused by its declared length or, without one, by what has come."""

    received = 0
    is_refused = False

    def gotLength(self, length: int | None) -> None:  # noqa: N802 -- twisted's name
        super().gotLength(length)  # type: ignore[no-untyped-call] # twisted has no types
        if length is not None and length > MOST_BYTES:
            self._refuse()

    def handleContentChunk(self, data: bytes) -> None:  # noqa: N802 -- twisted's name
        self.received += len(data)
        if self.received > MOST_BYTES:
            self._refuse()
        if not self.is_refused:
            super().handleContentChunk(data)  # type: ignore[no-untyped-call] # twisted has no types

    def process(self) -> Any:
        return None if self.is_refused else super().process()

    def _refuse(self) -> None:
        if not self.is_refused:
            self.is_refused = True
            transport: Any = self.channel.transport
            transport.write(RESPONSE)
            transport.loseConnection()
