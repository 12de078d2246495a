"""A local rerank endpoint that speaks the forms of ``RerankEndpoint``, well or with faults."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from logic_retrievers.text import words_of

Rows = list[dict[str, Any]]
# form -> path, fields of the query and of the texts, name of a score
FORMS = {
    "cohere": ("/v1/rerank", "query", "documents", "relevance_score"),
    "tei": ("/rerank", "query", "texts", "score"),
    "vllm": ("/score", "text_1", "text_2", "score"),
}


def shared_words(query: str, text: str) -> float:
    """Return the share of the query's words that the text has."""
    wanted = set(words_of(query))
    return len(wanted & set(words_of(text))) / max(len(wanted), 1)


@dataclass(frozen=True)
class Fault:
    """What is wrong with one reply.

    Args:
        status, headers: of the reply.
        body: replaces the reply; bytes go out as they are.
        edit: changes the rows, such as ``lambda rows: rows[1:]``.
        pause: seconds between the halves of the body.
    """

    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    body: Any = None
    edit: Callable[[Rows], Rows] = lambda rows: rows
    pause: float = 0.0


class RerankServer(ThreadingHTTPServer):
    """Scores each text, best first.

    Attributes:
        faults: faults of the next requests, first one first.
        faults_of: faults by the request's query, whenever it comes.
        key: every request must carry it; None for no key.
        requests: path, headers and body of each request.
        most_at_once: largest number of requests that were under way at the same time.
    """

    daemon_threads = True
    request_queue_size = 64

    def __init__(self, form: str, score: Callable[[str, str], float]) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.form, self.score = form, score
        self.faults: list[Fault] = []
        self.faults_of: dict[str, Fault] = {}
        self.key: str | None = None
        self.requests: list[tuple[str, dict[str, str], dict[str, Any]]] = []
        self.most_at_once = 0
        self._under_way = 0
        self._lock = threading.Lock()
        self.closing = threading.Event()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}" + FORMS[self.form][0].rpartition("/")[0]

    @property
    def bodies(self) -> list[dict[str, Any]]:
        return [body for _, _, body in self.requests]

    @contextmanager
    def receive(self, path: str, headers: dict[str, str], body: dict[str, Any]) -> Iterator[Fault]:
        """Record a request and find its fault."""
        with self._lock:
            self.requests.append((path, headers, body))
            self._under_way += 1
            self.most_at_once = max(self.most_at_once, self._under_way)
            fault = self.faults_of.get(body.get(FORMS[self.form][1], ""))
            fault = fault or (self.faults.pop(0) if self.faults else Fault())
        try:
            if path != FORMS[self.form][0]:
                fault = Fault(404, body={"detail": "Not Found"})
            elif self.key and headers.get("Authorization") != f"Bearer {self.key}":
                fault = Fault(401, body={"message": "invalid api token"})
            yield fault
        finally:
            with self._lock:
                self._under_way -= 1

    def reply(self, body: dict[str, Any], fault: Fault) -> Any:
        """Score the texts of a request."""
        if fault.body is not None:
            return fault.body
        _, query, texts, score = FORMS[self.form]
        rows = [{"index": n, score: self.score(body[query], t)} for n, t in enumerate(body[texts])]
        if self.form != "vllm":
            rows.sort(key=lambda row: -row[score])
        rows = fault.edit(rows)
        if self.form == "tei":
            return rows
        if self.form == "vllm":
            return {"id": "score-1", "object": "list", "model": body.get("model"), "data": rows}
        return {"id": "rerank-1", "results": rows, "meta": {"api_version": {"version": "2"}}}


class _Handler(BaseHTTPRequestHandler):
    server: RerankServer

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        with self.server.receive(self.path, dict(self.headers), body) as fault:
            reply = self.server.reply(body, fault)
            raw = reply if isinstance(reply, bytes) else json.dumps(reply).encode()
            self.send_response(fault.status)
            for name, value in fault.headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(raw)))
            self.end_headers()
            half = len(raw) // 2
            self.wfile.write(raw[:half])
            self.server.closing.wait(fault.pause)
        with suppress(ConnectionError):  # the client gave up
            self.wfile.write(raw[half:])

    def log_message(self, *_: Any) -> None:
        """Log nothing."""


@contextmanager
def running_rerank_server(
    form: str = "cohere", score: Callable[[str, str], float] = shared_words
) -> Iterator[RerankServer]:
    """Serve until the block ends."""
    with RerankServer(form, score) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
        thread.start()
        try:
            yield server
        finally:
            server.closing.set()
            server.shutdown()
            thread.join()
