"""A chat endpoint asked politely, once, and without telling; and rewordings that are checked."""

from __future__ import annotations

import json
import logging
import threading
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from logic_export.data.rewording import Rewritten, fault, rewrite_queries
from logic_export.data.rewriter import ChatRewriter
from logic_export.data.triplets import Triplet

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


def completion(content: str | None, end: str = "stop") -> dict[str, Any]:
    return {"choices": [{"message": {"content": content}, "finish_reason": end}]}


class Endpoint(ThreadingHTTPServer):
    """Gives prepared answers in turn: (status, body, headers); the last one again and again."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.replies: list[tuple[int, Any, dict[str, str]]] = []
        self.requests: list[tuple[str, dict[str, str], dict[str, Any]]] = []
        self.closing = threading.Event()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/v1"

    def will(self, status: int, body: Any, **headers: str) -> None:
        fields = {name.replace("_", "-"): value for name, value in headers.items()}
        self.replies.append((status, body, fields))


class Handler(BaseHTTPRequestHandler):
    server: Endpoint

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.requests.append((self.path, dict(self.headers), body))
        replies = self.server.replies
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
        """Quiet."""


@pytest.fixture
def endpoint(monkeypatch: pytest.MonkeyPatch) -> Iterator[Endpoint]:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    with Endpoint() as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
        thread.start()
        yield server
        server.closing.set()
        server.shutdown()
        thread.join()


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


@pytest.mark.parametrize("form", ["seconds", "date"])
def test_a_pause_that_the_endpoint_names_is_kept(
    endpoint: Endpoint, pauses: list[float], form: str
):
    """Whoever asks again too early is shut out for longer."""
    date = format_datetime(datetime.now(UTC) + timedelta(seconds=47), usegmt=True)
    endpoint.will(429, {}, Retry_After="47" if form == "seconds" else date)
    endpoint.will(200, completion("yes"))
    assert ChatRewriter(endpoint.url, "m").rewrite("Reword.", TEXT) == "yes"
    assert 40 < sum(pauses) <= 48


def test_a_pause_of_hours_ends_the_try(endpoint: Endpoint, pauses: list[float]):
    """A daily quota would hold the build until tomorrow without a word."""
    endpoint.will(429, {}, Retry_After="86400")
    with pytest.raises(ServerUnavailableError, match="status 429"):
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
    ],
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
        {"api_key": ""},
        {"api_key": f"{KEY}\n"},
        {"api_key": f"{KEY}é"},
        {"api_key": KEY, "api_key_variable": "HOME"},
        {"model": " "},
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


@pytest.mark.parametrize(
    ("query", "answer", "expected"),
    [
        ("inns, no pool", "Which inns have no pool?", None),
        ("inns, no pool", " \n", "empty"),
        ("inns, no pool", "Here it is:\nWhich inns have no pool?", "several lines"),
        ("inns, no pool", "inns \u2028 no pool", "several lines"),
        ("abc", "a" * 12, None),
        ("abc", "a" * 13, "too long"),
        ('not "red wine"', "anything but “red wine”", None),
        ('not "red wine"', 'anything but "wine, red"', "another quotation"),
        ('not "red wine"', "anything but red wine", "another quotation"),
        ("not 'red wine'", "anything but red wine", "another quotation"),
        ("not \u2018don't go\u2019", "nothing of don't go", "another quotation"),
        ("inns, no pool", '"Which inns have no pool?"', "another quotation"),
        ("the cook's inns and the guests' pools", "inns of cooks, pools of guests", None),
        ("films of 1999", "Which films are from 1999?", None),
        ("films of 1999", "Which films are from 1990?", "a number is missing"),
        ("films of 1999", "Which films are from 19990?", "a number is missing"),
        ("before 1990, after 1990", "before and after 1990", "a number is missing"),
        ("below -40 degrees", "under 40 degrees", "a number is missing"),
        ("from 1.5 to 1,000", "between 1.5 and 1,000", None),
        ("from 1.5 to 1,000", "between 15 and 1,000", "a number is missing"),
    ],
)
def test_faults(query: str, answer: str, expected: str | None):
    """A rewording that lost a year or a quotation asks for something else than its passages."""
    assert fault(query, answer) == expected


WORDS = st.text(st.characters(categories=["Ll"]), min_size=1, max_size=8)


@given(words=st.lists(WORDS, min_size=1, max_size=8), number=st.integers(0, 10**6), data=st.data())
def test_every_number_counts(words: list[str], number: int, data: st.DataObject):
    """Wherever a number stands: as it is it passes, changed or gone it does not."""
    place = data.draw(st.integers(0, len(words)))

    def query(said: str) -> str:
        return " ".join([*words[:place], said, *words[place:]])

    assert fault(query(str(number)), query(str(number))) is None
    assert fault(query(str(number)), query(f"{number} too")) is None
    for wrong in (str(number + 1), f"{number}0", f"1{number}", "x"):
        assert fault(query(str(number)), query(wrong)) == "a number is missing"


class Canned:
    """Answers from a table; not a subclass of anything."""

    def __init__(self, answers: dict[str, str | Exception]) -> None:
        self.answers = answers
        self.asked: list[tuple[str, str]] = []

    def rewrite(self, instruction: str, text: str) -> str:
        self.asked.append((instruction, text))
        answer = self.answers[text]
        if isinstance(answer, Exception):
            raise answer
        return answer


def test_good_rewordings_are_kept_and_the_others_counted():
    """The old query in place of a bad answer would pass for a natural one."""
    rows = [
        Triplet("inns, no pool", "A quiet inn.", "An inn with a pool.", "made"),
        Triplet("films of 1999", "A film of 1999.", None, "made"),
        Triplet("empty one", "a"),
        Triplet("cut one", "a"),
        Triplet("inns, no pool", "A farm.", None),
        Triplet("films of 1999", "Another."),
    ]
    asked = Canned(
        {
            "inns, no pool": " Which inns have no pool? ",
            "films of 1999": "Which films?",
            "empty one": EmptyTextError("nothing"),
            "cut one": InputError("cut"),
        }
    )
    found = rewrite_queries(rows, asked, "Reword.")
    new = "Which inns have no pool?"
    assert found == Rewritten(
        (
            Triplet(new, "A quiet inn.", "An inn with a pool.", "made reworded"),
            Triplet(new, "A farm.", None, "reworded"),
        ),
        {"a number is missing": 2, "empty": 1, "no usable answer": 1},
    )
    assert found.rejected == 4
    assert len(found.triplets) + found.rejected == len(rows)
    assert asked.asked == [("Reword.", query) for query in asked.answers]  # once a query


def test_a_rewriter_that_cannot_go_on_ends_it():
    """A dead endpoint counted as a thousand bad answers would give an empty data set."""
    rows = [Triplet("inns, no pool", "A quiet inn.")]
    with pytest.raises(ServerUnavailableError):
        rewrite_queries(rows, Canned({"inns, no pool": ServerUnavailableError("gone")}))
    with pytest.raises(EmptyTextError):
        rewrite_queries(rows, Canned({}), " ")
