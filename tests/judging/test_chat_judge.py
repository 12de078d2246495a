"""A language model as a judge: over endpoints of every kind, and as a function."""

from __future__ import annotations

import json
import math
import threading
import time
from collections.abc import Iterator
from contextvars import ContextVar
from pathlib import Path

import pytest
from cakes import PASSAGES, PROPERTY, ids, listed
from chat_endpoint import Endpoint, completion, running_endpoint
from placed import PlacedEncoder, passages
from suites.hashed_encoder import HashedEncoder

from logic_retrievers import ChatJudge, Engine, JudgeSettings, Passage, PassageIndex
from logic_retrievers.conflicts import ContradictionFilter
from logic_retrievers.errors import ConfigurationError, InputError, PairJudgeWarning
from logic_retrievers.judging.model_judge import judge_from

# llama.cpp's server, asked as ChatJudge asks
RECORDED = json.loads(Path(__file__).with_name("chat_replies.json").read_text("utf-8"))
PAIRS = [(f"Inn {number}.", "an inn without a pool") for number in range(6)]
SHARES = {"Yes": 0.125, "To": 0.125, "No": 0.75}


class Model:
    """A chat endpoint's behaviour.

    Args:
        most: maximum ``top_logprobs``; more is refused. None ignores the field.
        refuses: fields that are refused.
        says: the text of an answer, by a word of the prompt; ``No`` for others.

    Attributes:
        together: most requests that ran at once; no answer comes before ``waits_for`` did.
    """

    def __init__(self, most: int | None = 20, refuses=(), says=None) -> None:
        self.most, self.refuses, self.says = most, set(refuses), says or {}
        self.together = self.running = 0
        self.waits_for = 1
        self.change = threading.Condition()

    def __call__(self, body):
        with self.change:
            self.running += 1
            self.together = max(self.together, self.running)
            self.change.notify_all()
            self.change.wait_for(lambda: self.together >= self.waits_for, 5)
            self.running -= 1
        if self.refuses & body.keys() or (self.most or 99) < body.get("top_logprobs", 0):
            return 400, {"error": {"type": "invalid_request_error"}}, {}
        prompt = body["messages"][-1]["content"]
        said = next((text for word, text in self.says.items() if word in prompt), "No")
        if isinstance(said, tuple):
            return said
        reply = completion(said)
        if self.most and "logprobs" in body:
            top = [{"token": t, "logprob": math.log(share)} for t, share in SHARES.items()]
            reply["choices"][0]["logprobs"] = {"content": [{"token": "No", "top_logprobs": top}]}
        return 200, reply, {}


@pytest.fixture
def endpoint(monkeypatch: pytest.MonkeyPatch) -> Iterator[Endpoint]:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    with running_endpoint() as server:
        server.answer = Model()
        yield server


def judge(endpoint: Endpoint, **settings) -> ChatJudge:
    return ChatJudge(endpoint.url, "small", **{"retries": 0, **settings})


def bodies(endpoint: Endpoint):
    return [body for _, _, body in endpoint.requests]


def problem(answers) -> str:
    return getattr(answers, "problem", "")


# --- what is asked, and how the answer comes


def test_the_probabilities_of_a_recorded_reply(endpoint):
    """The reply of a real server, with words among its tokens."""
    endpoint.answer = lambda _: (200, RECORDED["word"]["body"], {})
    asked = judge(endpoint, extra={"cache_prompt": False, "seed": 7})
    (answer,) = asked(PAIRS[:1])
    yes = sum(map(math.exp, (-0.8017, -6.9698, -8.0367, -8.3427)))  # also " Yes", "YES"
    no = sum(map(math.exp, (-0.628, -7.0263, -7.9193, -8.4065)))
    assert answer == pytest.approx((yes / (yes + no), no / (yes + no), 0), abs=1e-9)
    (body,) = bodies(endpoint)
    assert body.pop("messages")[0]["content"].count("Inn 0.") == 1
    assert body == {
        "model": "small",
        "temperature": 0.0,
        "max_tokens": 1,
        "logprobs": True,
        "top_logprobs": 20,
        "cache_prompt": False,
        "seed": 7,
    }


def test_json_of_a_recorded_reply(endpoint):
    endpoint.answer = lambda _: (200, RECORDED["json"]["body"], {})
    asked = judge(endpoint, answer="json", extra={"max_tokens": 999, "temperature": None})
    assert asked(PAIRS[:1]) == [(1, 0, 0)]
    (body,) = bodies(endpoint)
    form = body["response_format"]["json_schema"]
    assert form["strict"] is True
    assert form["schema"]["properties"]["answer"]["enum"] == ["yes", "no"]
    assert (body["max_tokens"], "temperature" in body) == (999, False)


WEIGHED = (0.125 / 0.875, 0.75 / 0.875, 0.0)
CHOSEN = (0.0, 1.0, 0.0)


@pytest.mark.parametrize(
    ("model", "answer", "expected", "requests"),
    [
        (Model(), "auto", WEIGHED, 1),
        (Model(5), "auto", WEIGHED, 2),
        (Model(5), "token", WEIGHED, 2),
        (Model(refuses=["logprobs"]), "auto", CHOSEN, 3),
        (Model(None), "auto", CHOSEN, 3),  # ignores the field
        (Model(refuses=["temperature"]), "auto", CHOSEN, 4),  # as reasoning models do
        (Model(), "json", CHOSEN, 1),
        (Model(refuses=["response_format"]), "json", CHOSEN, 2),
        (Model(refuses=["max_tokens"]), "json", CHOSEN, 3),
    ],
)
def test_what_an_endpoint_refuses_is_not_sent_again(endpoint, model, answer, expected, requests):
    """Each refused request costs as much time as an answer."""
    endpoint.answer = model
    asked = judge(endpoint, answer=answer)
    for count, pairs in ((requests, PAIRS[:1]), (requests + 5, PAIRS[1:])):
        for found in asked(pairs):
            assert found == pytest.approx(expected)
        assert asked.requests == len(endpoint.requests) == count
    asked.contradictions([("a", "b")])
    assert asked.requests == requests + 6


def test_an_endpoint_without_probabilities(endpoint):
    """``token`` must not turn into something else in silence."""
    endpoint.answer = Model(None)
    asked = judge(endpoint, answer="token")
    found = asked(PAIRS)
    assert found == [None] * 6
    assert "answer='auto'" in problem(found)
    assert asked.requests == 2


def test_two_passages(endpoint):
    """The same endpoint tells if passages contradict each other."""
    endpoint.answer = Model(None, says={"never": "Yes", "who": "?"})
    asked = judge(endpoint, answer="json")
    pairs = [("open on Mondays", "never open"), ("a", "b"), ("who", "b")]
    found = asked.contradictions(pairs)
    assert found == [1.0, 0.0, None]
    assert "1 of 3" in problem(found)
    assert judge(endpoint, answer="json").contradictions(pairs[:2]) == [1.0, 0.0]
    assert "contradict" in bodies(endpoint)[0]["messages"][0]["content"]


# --- what goes wrong

HALF = (200, RECORDED["half_json"]["body"], {})
WITHHELD = (200, completion("", "content_filter"), {})
TOO_LONG = (400, RECORDED["too_long"]["body"], {})
UNREAD = {
    "Inn 1": ("I cannot tell", "1 of 6 answers could not be read"),
    "Inn 2": (HALF, "1 of 6 answers could not be read"),
    "Inn 3": (WITHHELD, "1 of 6 answers were withheld"),
    "Inn 4": (TOO_LONG, "exceed_context_size_error"),
}


@pytest.mark.parametrize("word", UNREAD)
def test_one_answer_that_cannot_be_read(endpoint, word):
    """One bad document never takes good ones with it."""
    said, told = UNREAD[word]
    endpoint.answer = Model(None, says={word: said})
    asked = judge(endpoint)
    found = asked(PAIRS)
    assert [row is None for row in found] == [f"Inn {number}" == word for number in range(6)]
    assert told in problem(found)
    assert "Inn" not in problem(found)
    assert len(endpoint.requests) == 8, "a text that is refused says nothing about the settings"


def test_a_first_text_that_is_refused(endpoint):
    """It must neither stop the rest nor make the endpoint look like one without probabilities."""
    endpoint.answer = Model(says={"Inn 0": TOO_LONG})
    found = judge(endpoint)(PAIRS)
    assert found == [None, *[pytest.approx(WEIGHED)] * 5]


def test_an_endpoint_that_refuses_everything(endpoint):
    """A wrong field in ``extra`` must not be tried on every passage."""
    endpoint.answer = lambda _: TOO_LONG
    asked = judge(endpoint, answer="token")
    found = asked(PAIRS)
    assert found == [None] * 6
    assert asked.requests == 3 * 2
    assert "no further" in problem(found)


def test_a_cached_answer_is_no_sign_of_life(endpoint, tmp_path):
    """With one answer kept from yesterday, every passage was sent to an endpoint that refuses."""
    file = tmp_path / "answers.sqlite"
    judge(endpoint, cache=file, answer="token")(PAIRS[:1])
    endpoint.answer = lambda _: TOO_LONG
    asked = judge(endpoint, cache=file, answer="token")
    assert asked(PAIRS)[1:] == [None] * 5
    assert asked.requests == 3 * 2


def test_a_cache_tells_two_endpoints_apart(endpoint, tmp_path):
    """Servers that call any model "default" must not answer for each other."""
    file = tmp_path / "answers.sqlite"
    judge(endpoint, cache=file)(PAIRS[:1])
    with running_endpoint() as other:
        other.answer = Model()
        assert judge(other, cache=file)(PAIRS[:1])[0] is not None
        assert other.requests


@pytest.mark.parametrize(
    ("reply", "told"),
    [
        ((401, RECORDED["wrong_key"]["body"], {}), "api_key_variable="),
        ((503, RECORDED["loading"]["body"], {}), "unavailable_error"),
        ((429, {}, {"Retry-After": "999"}), "pause of 999 seconds"),
        ((404, {}, {}), "status 404"),
        ((200, b"<html>", {}), "/v1"),
        ((200, b'{"choices": [{"mess', {}), "/v1"),
    ],
)
def test_an_endpoint_that_fails(endpoint, reply, told):
    """One failure, not one a passage; the warning says what to do and shows no key."""
    endpoint.answer = lambda _: reply
    asked = judge(endpoint, api_key="sk-secret")
    with PassageIndex.open("cakes", HashedEncoder(dimension=128), lexical=True) as index:
        index.add(PASSAGES)
        with pytest.warns(PairJudgeWarning, match=told) as caught:
            hits = Engine(index, judge=asked).search(PROPERTY, 7)
        assert listed(hits) == listed(Engine(index, judge=None).search(PROPERTY, 7))
    assert asked.requests == 1
    assert "sk-secret" not in f"{caught[0].message} {asked!r} {vars(asked)}"


def test_a_slow_answer(endpoint):
    """Ten passages must not wait ten times for an endpoint that hangs."""
    endpoint.answer.waits_for = 2
    asked = judge(endpoint, timeout=0.5)
    found = asked(PAIRS)
    assert (found, asked.requests) == ([None] * 6, 1)
    assert "timeout=" in problem(found)


def test_a_pause_that_is_asked_for(endpoint):
    """A rate limit that ends in a second costs no answer."""
    endpoint.answer = None
    endpoint.will(429, {}, Retry_After="1")
    endpoint.will(200, completion("No"))
    begun = time.monotonic()
    assert judge(endpoint, answer="json", retries=1, timeout=5)(PAIRS[:1]) == [CHOSEN]
    assert time.monotonic() - begun >= 1


def test_a_failure_in_the_middle_keeps_what_came(endpoint):
    """Answers that were paid for count."""
    endpoint.answer = Model(says={"Inn 3": (401, {}, {})})
    found = judge(endpoint, concurrency=1)(PAIRS)
    assert found == [*[pytest.approx(WEIGHED)] * 3, None, None, None]
    assert "API key" in problem(found)
    assert len(endpoint.requests) == 4


# --- budget, cache, concurrency


def test_the_budget_is_the_judges_and_not_a_calls(endpoint):
    """A loop over queries must not spend it again and again."""
    asked = judge(endpoint, budget=8, concurrency=3)
    assert None not in asked(PAIRS)
    found = asked([(f"{passage} Open.", query) for passage, query in PAIRS])
    assert sum(row is not None for row in found) == 2
    assert "budget of 8 requests" in problem(found)
    found = asked([("else", "else")])
    assert (found, asked.requests, len(endpoint.requests)) == ([None], 8, 8)


def test_the_cache(endpoint, tmp_path):
    """Evaluating a second time costs nothing, and the file tells no one what was asked."""
    file = tmp_path / "answers.sqlite"
    first = judge(endpoint, cache=file)(PAIRS)
    again = judge(endpoint, cache=file, budget=1)
    assert again(PAIRS) == first
    assert again.requests == 0
    assert len(endpoint.requests) == 6
    assert file.stat().st_mode & 0o777 == 0o600
    assert not any(word in file.read_bytes() for word in (b"Inn", b"pool", b"small"))
    others = [
        ChatJudge(endpoint.url, "other", cache=file),
        judge(endpoint, cache=file, extra={"seed": 2}),
        judge(endpoint, cache=file, answer="json"),
    ]
    for other in others:
        other(PAIRS[:1])
        assert other.requests == 1
    # what could not be read is asked again
    endpoint.answer = Model(None, says={"inn": "?"})
    for _ in range(2):
        again = judge(endpoint, cache=file, answer="json")
        again(PAIRS[1:])
        assert again.requests == 5


def test_equal_pairs_are_asked_about_once(endpoint):
    """Copies of a text are common, and each request costs."""
    assert judge(endpoint)(PAIRS[:2] * 3) == [pytest.approx(WEIGHED)] * 6
    assert len(endpoint.requests) == 2


def test_requests_run_at_once(endpoint):
    """Ten answers of a second each must not take ten seconds."""
    model = endpoint.answer
    asked = judge(endpoint, concurrency=3)
    asked(PAIRS[:1])
    model.waits_for = 3
    asked(PAIRS)
    assert model.together == 3
    alone = endpoint.answer = Model()
    judge(endpoint, concurrency=1)(PAIRS)
    assert alone.together == 1


# --- a function


def test_a_function_that_chats():
    """What the frameworks' models become; tracing needs the caller's context."""
    trace = ContextVar("trace", default="none")
    trace.set("here")
    seen = []

    def chat(turns):
        seen.append(trace.get())
        ((role, text),) = turns
        if "Inn 4" in text:
            raise InputError("Inn 4 is withheld")
        return "Yes." if role == "user" and "Inn 1" in text else "No"

    found = ChatJudge(chat)(PAIRS[:5])
    assert found == [CHOSEN, (1, 0, 0), CHOSEN, CHOSEN, None]
    assert problem(found) == "1 of 5 answers were withheld"
    assert seen == ["here"] * 5
    found = ChatJudge(lambda turns: {"text": "No"})(PAIRS[:1])
    assert "1 of 1 answers could not be read" in problem(found)


def test_a_function_that_fails():
    """Its error may show its key, and ends the requests."""

    def chat(turns):
        asked.append(turns)
        raise RuntimeError("key-12345")

    asked = []
    found = ChatJudge(chat, concurrency=1)(PAIRS)
    assert (found, len(asked)) == ([None] * 6, 1)
    assert problem(found) == "the chat model raised RuntimeError"
    assert "key-12345" not in repr(ChatJudge(chat))


# --- settings


async def asynchronous(turns):
    return "Yes"


@pytest.mark.parametrize(
    ("arguments", "settings", "named"),
    [
        (("http://x/v1",), {}, "model"),
        (("x/v1", "m"), {}, "address"),
        ((7,), {}, "url="),
        ((asynchronous,), {}, "async"),
        ((str,), {}, "url="),
        ((repr,), {"cache": "x"}, "model="),
        ((repr,), {"api_key": "k"}, "api_key="),
        ((repr,), {"answer": "token"}, "token"),
        (("http://x/v1", "m"), {"answer": "text"}, "answer"),
        (("http://x/v1", "m"), {"concurrency": 0}, "concurrency"),
        (("http://x/v1", "m"), {"budget": 0}, "budget"),
        (("http://x/v1", "m"), {"extra": {"a": {1}}}, "JSON"),
        (("http://x/v1", "m"), {"extra": {"stream": True}}, "stream"),
        (("http://x/v1", "m"), {"timeout": 0}, "timeout"),
    ],
)
def test_settings_that_cannot_work(arguments, settings, named):
    with pytest.raises(ConfigurationError, match=named):
        ChatJudge(*arguments, **settings)


def test_saving(endpoint, tmp_path, monkeypatch):
    """A fitted judge must come back with every setting, and without its key."""
    monkeypatch.setenv("SMALL_KEY", "sk-secret")
    given = {
        "answer": "json",
        "cache": str(tmp_path / "cache"),
        "concurrency": 2,
        "budget": 9,
        "extra": {"cache_prompt": False},
        "api_key_variable": "SMALL_KEY",
        "timeout": 7,
        "retries": 1,
    }
    made = judge(endpoint, **given)
    assert made.describe() == {
        "class": "ChatJudge", "url": endpoint.url, "model": "small", **given
    }  # fmt: skip
    JudgeSettings(made, candidates=5).save(tmp_path / "judge.json")
    assert "sk-secret" not in (tmp_path / "judge.json").read_text("utf-8")
    loaded = JudgeSettings.load(tmp_path / "judge.json")
    assert loaded.judge.describe() == made.describe()
    assert judge_from(judge(endpoint).describe())(PAIRS[:1]) == [pytest.approx(WEIGHED)]
    loaded.judge(PAIRS[:1])
    assert endpoint.requests[-1][1]["Authorization"] == "Bearer sk-secret"
    for unsaved in (judge(endpoint, api_key="k"), ChatJudge(repr)):
        with pytest.raises(ConfigurationError, match="cannot be saved"):
            unsaved.describe()


def test_the_whole_address_is_an_address_too(endpoint):
    """Users paste what the server's page shows."""
    assert ChatJudge(f"{endpoint.url}/chat/completions/", "m")(PAIRS[:1])[0] is not None
    assert endpoint.requests[0][0] == "/v1/chat/completions"


# --- the whole way


async def test_a_search_and_a_reranker(endpoint):
    """The query and what it excludes are asked about, and the answers move the passages."""
    nutty = "Does what the passage describes have this, or is it this: nuts?"
    endpoint.answer = Model(None, says={f"walnuts and nuts on top.\n</passage>\n\n{nutty}": "Yes"})
    with PassageIndex.open("cakes", HashedEncoder(dimension=128), lexical=True) as index:
        index.add(PASSAGES)
        engine = Engine(index, judge=judge(endpoint))
        hits = {hit.passage.id: hit.evidence.details["judge"] for hit in engine.search(PROPERTY, 7)}
        assert [name for name, told in hits.items() if told["verdict"] == "violates"] == ["nutty"]
        assert len(endpoint.requests) == 7 * 2 + 2
        prompts = [body["messages"][0]["content"] for body in bodies(endpoint)]
        assert sum(f"offer this: {PROPERTY}?" in prompt for prompt in prompts) == 7 + 2
        found = [hit.passage.id for hit in await engine.asearch(PROPERTY, 7)]
        assert found == list(hits)
        endpoint.answer = Model(None, says={"lemon": "Yes"})
        reranked = Engine(index, judge=None, reranker=judge(endpoint)).search("cakes", 7)
        assert ids(reranked)[0] == "plain"
        index.add([Passage(f"more {n}", f"A cake, number {n}.") for n in range(9)])
        endpoint.requests.clear()
        Engine(index, judge=judge(endpoint, answer="json")).search(PROPERTY, 3)
        assert len(endpoint.requests) == 10 * 2


def test_a_filter_of_contradictions(endpoint):
    """The judge's answer decides which passages conflict."""
    endpoint.answer = Model(None, says={"never": "Yes"})
    given = passages("inn | yes | a", "inn | no | a", "inn | never | a")
    made = ContradictionFilter(PlacedEncoder(), judge=judge(endpoint), resolution="drop_both")
    found = made.filter(given)
    assert [conflict.probability for conflict in found.conflicts] == [1.0, 1.0]
    assert len(made.filter(given[:2]).hits) == 2
