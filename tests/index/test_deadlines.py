"""Deadlines: a request, and a call with all its retries, ends in time whatever a server does."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from contextlib import AbstractContextManager
from contextvars import ContextVar
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from itertools import repeat

import numpy as np
import pytest
from qdrant_client import AsyncQdrantClient, QdrantClient
from raw_server import http_reply, raw_server

from logic_retrievers.chat import ChatEndpoint
from logic_retrievers.errors import (
    ConfigurationError,
    ServerError,
    ServerTimeoutError,
    ServerUnavailableError,
)
from logic_retrievers.http import RequestLimits, call_within, requested_pause
from logic_retrievers.index import Connection, PassageIndex
from logic_retrievers.index.client_calls import client_call

BODY = b'{"result": ' + b" " * 10_000
# one more byte arrives in time for each read of the client
DRIPS = {
    "headers": b"HTTP/1.1 200 OK\r\nX: " + b"x" * 10_000,
    "body": http_reply(BODY),
    "silence": b"",
}
COUNT = client_call("count", "p")


def drip(name: str) -> AbstractContextManager[str]:
    pieces = [bytes([byte]) for byte in DRIPS[name]] or repeat(b"")
    return raw_server(lambda _: pieces, pause=0.05)


def connect(url: str, prefer_grpc: bool) -> Connection:
    port = int(url.rpartition(":")[2])
    return Connection.open(url, timeout=0.5, retries=0, prefer_grpc=prefer_grpc, grpc_port=port)


@pytest.mark.parametrize(
    ("name", "prefer_grpc"),
    [("headers", False), ("body", False), ("silence", False), ("silence", True)],
)
async def test_a_server_that_drips(name, prefer_grpc):
    """An occasional byte resets the time-out of each read: 2 seconds became 154."""
    with drip(name) as url:
        connection = connect(url, prefer_grpc)
        begun = time.monotonic()
        with pytest.raises(ServerError):
            connection.handle(COUNT)
        with pytest.raises(ServerError):
            await connection.ahandle(COUNT)
        assert time.monotonic() - begun < 10
        await connection.aclose()


@pytest.mark.parametrize("kind", [QdrantClient, AsyncQdrantClient])
async def test_a_given_client_has_the_deadline_that_it_was_made_with(kind):
    """An index over a store's client keeps that client's deadline."""
    with drip("body") as url:
        client = kind(url, timeout=1, check_compatibility=False)
        name = "client" if kind is QdrantClient else "async_client"
        connection = Connection.open(**{name: client}, retries=0)
        begun = time.monotonic()
        with pytest.raises(ServerTimeoutError):
            await connection.ahandle(COUNT)
        assert time.monotonic() - begun < 5
        await connection.aclose()
        closed = client.close()
        if closed is not None:
            await closed


def test_repetitions_have_a_deadline_of_their_own():
    """Growing pauses after many requests that hang must not add up to minutes."""
    with drip("headers") as url:
        connection = Connection.open(url, timeout=0.3, retries=3)
        begun = time.monotonic()
        with pytest.raises(ServerTimeoutError, match="timeout="):
            connection.handle(COUNT)
        assert time.monotonic() - begun < 5
        connection.close()


def test_a_chat_endpoint_that_drips(monkeypatch):
    """The probe asks one endpoint hundreds of questions; none may hang for an hour."""
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    with drip("body") as url:
        begun = time.monotonic()
        with pytest.raises(ServerTimeoutError, match="timeout="):
            ChatEndpoint(url, "m", timeout=0.5, retries=0).complete([("user", "?")])
        assert time.monotonic() - begun < 5


INTERRUPTED = """
import signal
import sys
signal.signal(signal.SIGINT, signal.default_int_handler)  # a job in the background ignores it
from logic_retrievers.index import Connection
from logic_retrievers.index.client_calls import client_call
connection = Connection.open(sys.argv[1], timeout=60, retries=0)
print("asking", flush=True)
connection.handle(client_call("count", "p"))
"""


@pytest.mark.skipif(os.name == "nt", reason="sends SIGINT")
def test_a_call_can_be_interrupted():
    """Ctrl-C must reach the caller although a different thread waits for the server."""
    with drip("body") as url:
        process = subprocess.Popen(
            [sys.executable, "-c", INTERRUPTED, url],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        assert process.stdout.readline() == "asking\n"
        time.sleep(0.3)
        deadline = threading.Timer(60, process.kill)
        deadline.start()
        process.send_signal(signal.SIGINT)
        assert any(line.startswith("KeyboardInterrupt") for line in process.stderr)
        deadline.cancel()
        process.kill()  # on a busy machine the interpreter may take a minute to exit
        process.communicate()


def test_a_call_in_a_thread_is_the_same_call():
    """The thread must see the caller's context variables: headers and tracers use them."""
    header = ContextVar("header", default="none")
    header.set("mine")
    assert call_within(5, header.get) == "mine"
    with pytest.raises(ZeroDivisionError):
        call_within(5, lambda: 1 / 0)
    with pytest.raises(SystemExit):
        call_within(5, sys.exit)
    with pytest.raises(TimeoutError):
        call_within(0.05, lambda: time.sleep(5))


@pytest.fixture
def pauses(monkeypatch) -> list[float]:
    """The pauses between attempts, without sleeping."""
    slept: list[float] = []
    monkeypatch.setattr("tenacity.nap.time.sleep", lambda s: slept.append(s) if s else None)
    return slept


@pytest.mark.parametrize("form", ["seconds", "fraction", "date"])
def test_a_pause_that_the_server_wants_is_kept(pauses, wire_settings, wire_double, encoder, form):
    """A retry must not come before the pause that a server asked for.

    qdrant-client reads whole seconds only: over REST its own error for other values escaped.
    """
    date = format_datetime(datetime.now(UTC) + timedelta(seconds=7.9), usegmt=True)
    value = {"seconds": "7", "fraction": "7.5", "date": date}[form]
    with PassageIndex.open("p", encoder, **wire_settings) as index:
        wire_double.fail(1, "429", on="points/count", retry_after=value)
        assert index.count() == 0
    [pause] = pauses
    assert 5 < pause < 8


@pytest.mark.parametrize("value", ["3600.5", "9" * 400], ids=len)
def test_a_pause_that_is_too_long_ends_the_call(pauses, wire_settings, wire_double, encoder, value):
    """A search must not sleep for an hour without an error."""
    with PassageIndex.open("p", encoder, timeout=10, **wire_settings) as index:
        wire_double.requests.clear()
        wire_double.fail(1, "429", on="points/count", retry_after=value)
        with pytest.raises(ServerUnavailableError, match="pause"):
            index.count()
        assert len(wire_double.requests) == 1
    assert not pauses


async def test_nor_does_an_asynchronous_call_wait_so_long(wire_settings, wire_double, encoder):
    """Asynchronous retries use a different tenacity class."""
    async with await PassageIndex.aopen("p", encoder, timeout=10, **wire_settings) as index:
        wire_double.fail(1, "429", on="points/count", retry_after="3600")
        with pytest.raises(ServerUnavailableError, match="pause"):
            await index.acount()


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        *[(None, 0), ("7", 7), (7, 7), (" 7.5 ", 7.5), ("1e3", 0), ("-5", 0), ("soon", 0)],
        *[("\u0667", 0), (b"7", 0), ("9" * 5000, 10**9), ("Mon, 01 Jan 2001 00:00:00 GMT", 0)],
        ("Fri, 31 Dec 9999 23:59:59 GMT", 10**9),
    ],
    ids=lambda value: ascii(value)[:30],
)
def test_pauses_are_finite_and_not_negative(value, seconds):
    """An infinite or negative pause must not raise time.sleep's error."""
    assert requested_pause(value) == seconds


WRONG_NUMBERS = ["5", None, float("nan"), float("inf"), -1, True, 1j]


@pytest.mark.parametrize("wrong", WRONG_NUMBERS, ids=repr)
def test_wrong_numbers(wrong, encoder):
    """``timeout="x"`` raised the comparison's TypeError; NaN made a deadline that never came."""
    for name in ("timeout", "retries", "grpc_port"):
        with pytest.raises(ConfigurationError, match=name):
            PassageIndex.open("p", encoder, location="http://127.0.0.1:9", **{name: wrong})
        with pytest.raises(ConfigurationError, match=name):
            PassageIndex.open("p", encoder, **{name: wrong})
        if name != "grpc_port":
            with pytest.raises(ConfigurationError, match=name):
                ChatEndpoint("http://127.0.0.1:9", "m", **{name: wrong})
    with pytest.raises(ConfigurationError, match="timeout"):
        RequestLimits(0, 0)
    with pytest.raises(ConfigurationError, match="prefer_grpc"):
        PassageIndex.open("p", encoder, prefer_grpc="no")


def test_numbers_of_numpy_are_numbers():
    """Settings often come from an array or a table."""
    limits = RequestLimits(np.float32(2.5), np.int64(3))
    assert (limits.timeout, limits.retries, limits.total) == (2.5, 3, 10.0)
