"""A chat endpoint asked politely, once, and without telling."""

from __future__ import annotations

import logging
import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from http.server import ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from chat_endpoint import Endpoint, Handler, completion, running_endpoint
from logic_export.data.rewriting import ChatRewriter

from logic_retrievers.errors import (
    AuthenticationError,
    ConfigurationError,
    EmptyTextError,
    InputError,
    ServerError,
    ServerTimeoutError,
    ServerUnavailableError,
    StorageError,
)

KEY = "sk-secret-9413"
TEXT = "a passage that nobody else may read"


@pytest.fixture
def endpoint(monkeypatch: pytest.MonkeyPatch) -> Iterator[Endpoint]:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    with running_endpoint() as server:
        yield server


@pytest.fixture
def pauses(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """What was waited between tries, in no time."""
    waited: list[float] = []
    monkeypatch.setattr("tenacity.nap.time.sleep", waited.append)
    return waited


def test_one_answer(endpoint: Endpoint):
    """A setting that is not sent gives other answers at the next build."""
    endpoint.will(200, completion(" What is it? \n"))
    asked = ChatRewriter(endpoint.url + "/", "small", api_key=KEY, temperature=0.5, seed=7)
    assert asked.rewrite("Reword.", TEXT) == "What is it?"
    ((path, headers, body),) = endpoint.requests
    assert path == "/v1/chat/completions"
    assert headers["Authorization"] == f"Bearer {KEY}"
    assert body == {
        "model": "small",
        "messages": [
            {"role": "system", "content": "Reword."},
            {"role": "user", "content": TEXT},
        ],
        "temperature": 0.5,
        "seed": 7,
    }


def test_settings_of_none_and_a_missing_key_are_not_sent(endpoint: Endpoint):
    """Some models refuse a temperature, some endpoints a seed or an empty token."""
    endpoint.will(200, completion("yes"))
    ChatRewriter(endpoint.url, "m", temperature=None, seed=None).rewrite("Reword.", TEXT)
    ((_, headers, body),) = endpoint.requests
    assert set(body) == {"model", "messages"}
    assert "Authorization" not in headers


@pytest.mark.parametrize("status", [429, 500, 503])
def test_busy_then_success(endpoint: Endpoint, pauses: list[float], status: int):
    """One busy moment in a night must not end the build."""
    endpoint.will(status, {})
    endpoint.will(200, completion("yes"))
    assert ChatRewriter(endpoint.url, "m").rewrite("Reword.", TEXT) == "yes"
    assert len(endpoint.requests) == 2
    assert 0 < sum(pauses) < 5


@pytest.mark.parametrize("form", ["seconds", "fraction", "date"])
def test_a_pause_that_the_endpoint_names_is_kept(
    endpoint: Endpoint, pauses: list[float], form: str
):
    """Whoever asks again too early is shut out for longer."""
    date = format_datetime(datetime.now(UTC) + timedelta(seconds=47), usegmt=True)
    value = {"seconds": "47", "fraction": "46.5", "date": date}[form]
    endpoint.will(429, {}, Retry_After=value)
    endpoint.will(200, completion("yes"))
    assert ChatRewriter(endpoint.url, "m").rewrite("Reword.", TEXT) == "yes"
    assert 40 < sum(pauses) <= 48


def test_a_pause_of_hours_ends_the_try(endpoint: Endpoint, pauses: list[float]):
    """A daily quota would hold the build until tomorrow without a word."""
    endpoint.will(429, {}, Retry_After="86400")
    with pytest.raises(ServerUnavailableError, match=r"status 429.*a pause of 86400 seconds"):
        ChatRewriter(endpoint.url, "m").rewrite("Reword.", TEXT)
    assert len(endpoint.requests) == 1
    assert not any(pauses)


def test_lasting_failure(endpoint: Endpoint, pauses: list[float]):
    endpoint.will(502, b"<html>bad gateway</html>", Retry_After="soon")
    with pytest.raises(ServerUnavailableError, match="status 502"):
        ChatRewriter(endpoint.url, "m", retries=2).rewrite("Reword.", TEXT)
    assert len(endpoint.requests) == 3


@pytest.mark.parametrize(
    ("status", "expected"),
    [
        (401, AuthenticationError),
        (403, AuthenticationError),
        (400, ServerError),
        (404, ServerError),
        (307, ServerError),
    ],
)
def test_a_refusal_is_final_and_tells_nothing(
    endpoint: Endpoint,
    caplog: pytest.LogCaptureFixture,
    status: int,
    expected: type[ServerError],
):
    """Endpoints repeat keys and texts in their errors, and logs are read by many."""
    caplog.set_level(logging.DEBUG)
    error = {"message": f"{KEY} may not ask: {TEXT}", "code": "model_not_found"}
    endpoint.will(status, {"error": error})
    asked = ChatRewriter(endpoint.url, "m", api_key=KEY)
    with pytest.raises(expected, match=f"status {status}, model_not_found") as caught:
        asked.rewrite("Reword.", TEXT)
    assert type(caught.value) is expected
    assert len(endpoint.requests) == 1
    told = f"{caught.value!r} {asked!r} {vars(caught.value)} {caplog.text}"
    assert KEY not in told
    assert TEXT not in told


@pytest.mark.parametrize(
    "body",
    [
        TEXT.encode(),
        f'{{"choices": [{{"message": "{TEXT}"}}]}}'.encode(),
        {"choices": []},
        {"choices": [{"message": {"content": [TEXT]}}]},
        {"message": {"content": TEXT}},
        [TEXT],
        b"",
        b"\xff\xfe",
        b'{"choices": ' + b"[" * 100_000,
        b'{"choices": [{"message": {"content": "\\ud800"}}]}',
    ],
    ids=lambda body: repr(body)[:20],
)
def test_a_malformed_answer(endpoint: Endpoint, body: Any, tmp_path: Path):
    """A KeyError out of the depths does not tell that the address is that of another service."""
    endpoint.will(200, body)
    asked = ChatRewriter(endpoint.url, "m", cache=tmp_path / "answers.sqlite")
    with pytest.raises(ServerError, match="not as /chat/completions does") as caught:
        asked.rewrite("Reword.", TEXT)
    assert TEXT not in str(caught.value)
    assert caught.value.__cause__ is None
    assert caught.value.__suppress_context__  # or the traceback would show the text
    endpoint.replies[:] = [(200, completion("better"), {})]
    assert asked.rewrite("Reword.", TEXT) == "better"


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        (completion(""), EmptyTextError),
        (completion(" \n"), EmptyTextError),
        (completion(None), EmptyTextError),
        (completion("The first half of", "length"), InputError),
        (completion("The first half of", "content_filter"), InputError),
    ],
)
def test_an_answer_that_is_none(
    endpoint: Endpoint, tmp_path: Path, answer: Any, expected: type[InputError]
):
    """Half a sentence would be training data, and a cached one for ever."""
    endpoint.will(200, answer)
    endpoint.will(200, completion("better"))
    asked = ChatRewriter(endpoint.url, "m", cache=tmp_path / "answers.sqlite")
    with pytest.raises(expected) as caught:
        asked.rewrite("Reword.", TEXT)
    assert type(caught.value) is expected
    assert asked.rewrite("Reword.", TEXT) == "better"


def test_an_answer_that_is_no_http(endpoint: Endpoint):
    """A body that is not what its header says is another error of the HTTP client."""
    endpoint.will(200, b"no gzip", Content_Encoding="gzip")
    with pytest.raises(ServerUnavailableError, match="No readable answer"):
        ChatRewriter(endpoint.url, "m", retries=0).rewrite("Reword.", TEXT)


def test_nobody_there(endpoint: Endpoint, pauses: list[float]):
    """A lost connection is tried again, then told as such."""
    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as closed:
        url = f"http://127.0.0.1:{closed.server_port}"
    with pytest.raises(ServerUnavailableError, match="Is it running"):
        ChatRewriter(url, "m", retries=2).rewrite("Reword.", TEXT)
    assert sum(pause > 0 for pause in pauses) == 2


def test_silence(endpoint: Endpoint):
    """Without a limit one lost packet stops the build for good."""
    endpoint.will(200, None)
    with pytest.raises(ServerTimeoutError, match=r"within 0\.1 seconds"):
        ChatRewriter(endpoint.url, "m", timeout=0.1, retries=0).rewrite("Reword.", TEXT)


def test_what_was_answered_is_not_asked_again(endpoint: Endpoint, tmp_path: Path):
    """A build that is repeated would cost the same again, and give other data."""
    cache = tmp_path / "answers.sqlite"
    endpoint.will(200, completion("first"))
    assert ChatRewriter(endpoint.url, "m", cache=cache).rewrite("Reword.", TEXT) == "first"
    endpoint.replies[:] = [(500, {}, {})]
    elsewhere = ChatRewriter("http://127.0.0.1:9/v1", "m", cache=cache, retries=0)
    assert elsewhere.rewrite("Reword.", TEXT) == "first"
    assert len(endpoint.requests) == 1
    assert TEXT.encode() not in cache.read_bytes()


def test_the_cache_tells_every_request_apart(endpoint: Endpoint, tmp_path: Path):
    """An answer to another question, or of another model, would pass for this one."""
    cache = tmp_path / "answers.sqlite"
    requests = [
        ({}, "a", "b c"),
        ({"model": "n"}, "a", "b c"),
        ({"temperature": 1.0}, "a", "b c"),
        ({"seed": 1}, "a", "b c"),
        ({}, "z", "b c"),
        ({}, "a b", "c"),
        ({}, "b c", "a"),
    ]
    for turn in range(2):
        for number, (settings, instruction, text) in enumerate(requests):
            endpoint.replies[:] = [(200, completion(f"{number}"), {})] if not turn else []
            asked = ChatRewriter(endpoint.url, **{"model": "m", "cache": cache, **settings})
            assert asked.rewrite(instruction, text) == f"{number}"
    assert len(endpoint.requests) == len(requests)


def test_a_cache_that_is_none(tmp_path: Path):
    """Met at once, not after the first answer was paid for."""
    file = tmp_path / "answers.sqlite"
    file.write_text("no database, but long enough to be looked at " * 50)
    with pytest.raises(StorageError, match=r"answers\.sqlite"):
        ChatRewriter("http://127.0.0.1:9/v1", "m", cache=file)


def test_a_cache_of_somebody_else(endpoint: Endpoint, tmp_path: Path):
    """Others on the machine must not read the answers; a damaged one is asked for again."""
    cache = tmp_path / "answers.sqlite"
    endpoint.will(200, completion("first"))
    ChatRewriter(endpoint.url, "m", cache=cache).rewrite("Reword.", TEXT)
    if os.name != "nt":
        assert cache.stat().st_mode & 0o077 == 0
    for damage in ("x'ff'", "NULL", "7"):
        with closing(sqlite3.connect(cache)) as connection, connection:
            connection.execute("CREATE TABLE other (key BLOB PRIMARY KEY, answer) WITHOUT ROWID")
            connection.execute(f"INSERT INTO other SELECT key, {damage} FROM answers")
            connection.execute("DROP TABLE answers")
            connection.execute("ALTER TABLE other RENAME TO answers")
        endpoint.replies[:] = [(200, completion("again"), {})]
        assert ChatRewriter(endpoint.url, "m", cache=cache).rewrite("Reword.", TEXT) == "again"
    for place in (tmp_path, tmp_path / "\0", cache / "below"):
        with pytest.raises(StorageError):
            ChatRewriter(endpoint.url, "m", cache=place)


def test_the_key_from_the_environment(endpoint: Endpoint, monkeypatch: pytest.MonkeyPatch):
    endpoint.will(200, completion("yes"))
    monkeypatch.setenv("A_KEY", f"{KEY}\n")
    ChatRewriter(endpoint.url, "m", api_key_variable="A_KEY").rewrite("Reword.", TEXT)
    assert endpoint.requests[0][1]["Authorization"] == f"Bearer {KEY}"
    monkeypatch.delenv("A_KEY")
    with pytest.raises(ConfigurationError, match="A_KEY is empty"):
        ChatRewriter(endpoint.url, "m", api_key_variable="A_KEY")


@pytest.mark.parametrize(
    "wrong",
    [
        {"base_url": "localhost:8000"},
        {"base_url": "ftp://127.0.0.1"},
        {"base_url": "http://"},
        {"base_url": "http://a\nb"},
        {"base_url": f"http://user:{KEY}@127.0.0.1/v1"},
        {"base_url": f"http://127.0.0.1/v1?key={KEY}"},
        {"base_url": None},
        {"api_key": ""},
        {"api_key": f"{KEY}\n"},
        {"api_key": f"{KEY}é"},
        {"api_key": KEY, "api_key_variable": "HOME"},
        {"model": " "},
        {"model": None},
        {"timeout": 0},
        {"retries": -1},
    ],
    ids=str,
)
def test_settings_that_cannot_work(wrong: dict[str, Any]):
    """A key in an address is in every log; a key with a line break is in HTTP's own complaint."""
    with pytest.raises(ConfigurationError) as caught:
        ChatRewriter(**{"base_url": "http://127.0.0.1/v1", "model": "m", **wrong})
    assert KEY not in str(caught.value)
