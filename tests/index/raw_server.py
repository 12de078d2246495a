"""A local server of raw bytes that drips, keeps silent, or speaks a different protocol."""

from __future__ import annotations

import contextlib
import socket
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager


@contextmanager
def raw_server(answer: Callable[[bytes], Iterable[bytes]], pause: float = 0.0) -> Iterator[str]:
    """Yield the address of a server that sends pieces of bytes, then closes the connection.

    Args:
        answer: the first bytes from a client -> the pieces to send.
        pause: seconds before each piece.
    """
    closing = threading.Event()

    def serve(client: socket.socket) -> None:
        with client, contextlib.suppress(OSError):
            client.settimeout(30)
            for piece in answer(client.recv(65536)):
                if closing.wait(pause):
                    return
                client.sendall(piece)

    def accept() -> None:
        with contextlib.suppress(OSError):
            while True:
                client, _ = listener.accept()
                threading.Thread(target=serve, args=(client,), daemon=True).start()

    with socket.create_server(("127.0.0.1", 0)) as listener:
        threading.Thread(target=accept, daemon=True).start()
        try:
            yield f"http://127.0.0.1:{listener.getsockname()[1]}"
        finally:
            closing.set()
            listener.shutdown(socket.SHUT_RDWR)


def http_reply(body: bytes, status: int = 200, **headers: str) -> bytes:
    """Build an HTTP response."""
    fields = {"Content-Length": str(len(body)), "Connection": "close", **headers}
    lines = [f"HTTP/1.1 {status} Any", *(f"{k.replace('_', '-')}: {v}" for k, v in fields.items())]
    return "\r\n".join([*lines, "", ""]).encode() + body
