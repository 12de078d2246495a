"""Clients that send half a request, or too much at once: a real server, and SIGTERM."""

from __future__ import annotations

import json
import signal
import socket
import time
from collections.abc import Iterator
from contextlib import suppress

import httpx
import pytest
from served_process import Served, serving

KEY = "a-key-for-tests"
HEAD = (
    b"POST /search HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
    b"Content-Length: 1000\r\n"
)
AUTHORIZED = HEAD + f"Authorization: Bearer {KEY}\r\n\r\n".encode()
HALVES = {
    "nothing": b"",
    "half a head": HEAD,
    "no key": HEAD + b"\r\n{",
    "a head": AUTHORIZED,
    "half a body": AUTHORIZED + b'{"query": "calm',
    "half a chunk": AUTHORIZED.replace(b"Content-Length: 1000", b"Transfer-Encoding: chunked")
    + b"3e8\r\n{",
    "half of a second request": b"GET /health HTTP/1.1\r\nHost: localhost\r\n\r\nGET /he",
}


@pytest.fixture
def served(folder) -> Iterator[Served]:
    with serving(folder, key=KEY) as served:
        yield served


def read(connection: socket.socket) -> bytes:
    """Everything received until the server closes."""
    received = b""
    while part := connection.recv(4096):
        received += part
    return received


def test_half_a_request_is_not_waited_for(served):
    """A client that stopped midway blocked a connection, or the whole service, for ever."""
    connections = {name: served.send(data) for name, data in HALVES.items()}
    dripping, begun = served.send(b"GET /health HTTP/1.1\r\n"), time.monotonic()
    with suppress(OSError):
        while time.monotonic() - begun < 15:
            dripping.sendall(b"X: y\r\n")
            time.sleep(0.2)
    assert time.monotonic() - begun < 10
    answers = {name: read(connection) for name, connection in connections.items()}
    statuses = {name: answer[9:12].decode() for name, answer in answers.items()}
    assert statuses == {
        **dict.fromkeys(HALVES, ""),
        **{"no key": "401", "a head": "408", "half a body": "408", "half a chunk": "411"},
        **{"half of a second request": "200"},
    }
    assert json.loads(answers["half a body"].partition(b"\r\n\r\n")[2])["error"] == "RequestTimeout"
    health = httpx.get(f"http://127.0.0.1:{served.port}/health")
    assert (health.status_code, health.headers.get("server")) == (200, None)


def test_sigterm_ends_it_though_half_a_body_is_there(served):
    """A container that does not stop is killed with its resources open."""
    served.send(HALVES["half a body"])
    time.sleep(0.3)
    begun = time.monotonic()
    served.process.send_signal(signal.SIGTERM)
    assert served.process.wait(timeout=15) == 0
    assert time.monotonic() - begun < 10
    assert "Traceback" not in served.process.stderr.read()
