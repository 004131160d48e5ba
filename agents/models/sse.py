"""Server-sent events, as model services send them: bytes in, the payloads of `data:` lines out."""

import codecs

from agents.models.inference import ModelCallError

MAX_LINE = 4 * 1024 * 1024
OTHER_LINES = (b":", b"event:", b"id:", b"retry:")


class DataLines:
    """Cuts a byte stream, split anywhere, into the payloads of its data lines.

    Takes LF, CRLF and CR, comments, `data:` with and without a space, and data lines without a blank line
    between them. Bytes that are not UTF-8 become U+FFFD. What stands before the first data line and is no
    SSE at all (a JSON body, an HTML page) is kept in `stray`. Raises ModelCallError('malformed_stream') for
    a line, or stray text, over `MAX_LINE` bytes.
    """

    def __init__(self) -> None:
        self._held: list[bytes] = []
        self._held_size = 0
        self._stray: list[str] = []
        self._stray_size = 0
        self._has_payload = False

    def feed(self, received: bytes) -> list[str]:
        """The payloads of the lines that these bytes complete."""
        first, *others = received.replace(b"\r", b"\n").split(b"\n")
        self._hold(first)
        if not others:
            return []
        complete = [self._release(), *others[:-1]]
        self._hold(others[-1])
        return [payload for line in complete if (payload := self._payload(line)) is not None]

    def rest(self) -> str | None:
        """The payload of a last line without its line end."""
        return self._payload(self._release())

    @property
    def stray(self) -> str:
        return "" if self._has_payload else "\n".join(self._stray).strip()

    def _hold(self, piece: bytes) -> None:
        self._held_size += len(piece)
        if self._held_size > MAX_LINE:
            raise ModelCallError(
                "malformed_stream", f"The model service sent a line of more than {MAX_LINE} bytes."
            )
        self._held.append(piece)

    def _release(self) -> bytes:
        line = b"".join(self._held)
        self._held.clear()
        self._held_size = 0
        return line

    def _payload(self, line: bytes) -> str | None:
        line = line.removeprefix(codecs.BOM_UTF8)
        if line.startswith(b"data:"):
            self._has_payload = True
            return line[5:].decode("utf-8", "replace").strip() or None
        if not self._has_payload and not line.startswith(OTHER_LINES):
            self._note_stray(line.decode("utf-8", "replace"))
        return None

    def _note_stray(self, line: str) -> None:
        self._stray_size += len(line)
        if self._stray_size > MAX_LINE:
            raise ModelCallError(
                "malformed_stream", f"The model service sent {MAX_LINE} bytes that are no events."
            )
        self._stray.append(line)
