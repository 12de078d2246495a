"""A local model endpoint and its answers."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


def completion(content: str | None, end: str = "stop") -> dict[str, Any]:
    return {"choices": [{"message": {"content": content}, "finish_reason": end}]}


class Endpoint(ThreadingHTTPServer):
    """Returns prepared answers in turn: (status, body, headers); repeats the last one.

    A function ``answer`` of a request's body takes their place.
    """

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.replies: list[tuple[int, Any, dict[str, str]]] = []
        self.requests: list[tuple[str, dict[str, str], dict[str, Any]]] = []
        self.answer: Callable[[dict[str, Any]], tuple[int, Any, dict[str, str]]] | None = None
        self.closing = threading.Event()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/v1"

    def will(self, status: int, body: Any, **headers: str) -> None:
        fields = {name.replace("_", "-"): value for name, value in headers.items()}
        self.replies.append((status, body, fields))


@contextmanager
def running_endpoint() -> Iterator[Endpoint]:
    """Serve until the block ends."""
    with Endpoint() as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
        thread.start()
        yield server
        server.closing.set()
        server.shutdown()
        thread.join()


class Handler(BaseHTTPRequestHandler):
    server: Endpoint

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.requests.append((self.path, dict(self.headers), body))
        replies = self.server.replies
        if self.server.answer is not None:
            status, content, headers = self.server.answer(body)
        else:
            status, content, headers = replies.pop(0) if len(replies) > 1 else replies[0]
        if content is None:  # silence
            self.server.closing.wait(5)
            return
        raw = content if isinstance(content, bytes) else json.dumps(content).encode()
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(raw)))
        self.end_headers()
        self.wfile.write(raw)

    def log_message(self, *_: Any) -> None:
        """Log nothing."""
