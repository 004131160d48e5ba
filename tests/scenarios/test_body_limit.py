"""A body that is too large is refused while it comes in, whoever sends it."""

import socket

from tests.running_site import RunningSite

DECLARED = b"POST /api/v1/apps HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 300000000\r\n\r\n"
CHUNKED = b"POST /api/v1/apps HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: chunked\r\n\r\n"
CHUNK = b"10000\r\n" + b"x" * 0x10000 + b"\r\n"


def answer_to(site: RunningSite, head: bytes, chunks: int) -> tuple[bytes, int]:
    """The answer, and how many chunks could be sent before the site hung up."""
    sent = 0
    with socket.create_connection(("127.0.0.1", site.port), timeout=10) as connection:
        connection.sendall(head)
        try:
            while sent < chunks:
                connection.sendall(CHUNK)
                sent += 1
        except OSError:
            return b"", sent
        return connection.recv(4096), sent


def test_a_declared_length_over_the_limit_is_refused_at_once(site: RunningSite) -> None:
    answer, _sent = answer_to(site, DECLARED, 0)
    assert answer.startswith(b"HTTP/1.1 413")
    assert b"body_too_large" in answer


def test_an_undeclared_body_is_cut_off_at_the_limit(site: RunningSite) -> None:
    _answer, sent = answer_to(site, CHUNKED, 4000)
    assert sent < 1000
