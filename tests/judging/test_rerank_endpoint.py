"""A judge behind a rerank endpoint: its requests, documented replies, and everything that fails."""

from __future__ import annotations

import math
import pickle
import socket
import ssl
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any

import pytest
from cakes import PASSAGES, PROPERTY, TEXTS, listed
from rerank_server import FORMS, Fault, RerankServer, running_rerank_server, shared_words
from suites.hashed_encoder import HashedEncoder

from logic_retrievers import Engine, JudgeSettings, Passage, PassageIndex, RerankEndpoint, Reranker
from logic_retrievers.errors import ConfigurationError, PairJudgeWarning
from logic_retrievers.judging.judge import PartialAnswers, Question
from logic_retrievers.judging.model_judge import judge_from

KEY = "rk-5a1e"
QUERY = "a private question"
DOCUMENTS = ["a private lemon", "nothing", "a private question of mine"]
PAIRS = [(text, Question(QUERY)) for text in DOCUMENTS]
SCORES = [shared_words(QUERY, text) for text in DOCUMENTS]


@pytest.fixture
def serve(monkeypatch) -> Iterator[Callable[..., RerankServer]]:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    with ExitStack() as servers:
        yield lambda *arguments: servers.enter_context(running_rerank_server(*arguments))


def judge_of(server: RerankServer, **settings: Any) -> RerankEndpoint:
    settings = {"form": server.form, "timeout": 20, "retries": 0, **settings}
    return RerankEndpoint(server.url, "small-reranker", **settings)


# --- requests


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("with_path", [False, True])
def test_each_form_is_spoken(serve, form, with_path):
    """Services sort their replies, so that only the index tells which text a score belongs to."""
    server = serve(form)
    path, query, texts, _ = FORMS[form]
    url = server.url + (f"/{path.rpartition('/')[2]}/" if with_path else "")
    judge = RerankEndpoint(url, "small-reranker", form=form, api_key=KEY)
    assert judge(PAIRS) == SCORES
    ((asked, headers, body),) = server.requests
    assert asked == path
    assert headers["Authorization"] == f"Bearer {KEY}"
    more = {"raw_scores": True, "truncate": True} if form == "tei" else {}
    assert body == {"model": "small-reranker", query: QUERY, texts: DOCUMENTS, **more}


def test_a_server_with_one_model_needs_no_name(serve):
    server = serve("tei")
    assert RerankEndpoint(server.url, form="tei")(PAIRS) == SCORES
    ((_, headers, body),) = server.requests
    assert "model" not in body
    assert "Authorization" not in headers


@pytest.mark.parametrize(
    ("instruction", "sent"),
    [
        (None, QUERY),
        ("Prefer {recent} ones.", f"Prefer {{recent}} ones.\n{QUERY}"),
        (
            "<Instruct>: Find it\n<Query>: {query}\n",
            f"<Instruct>: Find it\n<Query>: {QUERY}\n",
        ),
    ],
)
def test_an_instruction_goes_with_the_query(serve, instruction, sent):
    server = serve()
    judge_of(server, instruction=instruction)(PAIRS)
    assert [body["query"] for body in server.bodies] == [sent]
    assert server.bodies[0]["documents"] == DOCUMENTS


def test_half_a_character_costs_no_passage_its_score(serve):
    """One badly decoded passage must not keep the others from being read."""
    server = serve()
    pairs = [("a \ud800 question", "\udfff question"), ("nothing", "\udfff question")]
    assert judge_of(server)(pairs) == [1.0, 0.0]
    assert server.bodies[0]["documents"] == ["a ? question", "nothing"]


def test_pairs_go_by_query_in_batches_at_the_same_time(serve):
    """Mixed queries must get their own scores back, in the order of the pairs."""

    def score(query: str, text: str) -> float:
        time.sleep(0.02)
        return float(query) * 100 + float(text)

    server = serve("cohere", score)
    pairs = [(f"{n}", f"{n % 6}") for n in range(60)]
    assert judge_of(server, batch_size=4)(pairs) == [score(q, t) for t, q in pairs]
    assert sorted(len(body["documents"]) for body in server.bodies) == [2] * 6 + [4] * 12
    assert 1 < server.most_at_once <= 4
    assert judge_of(server)([]) == []


def test_certificates_are_read_once(serve, monkeypatch):
    """Reading them takes 25 ms, for a plain HTTP address too, and a request 2 ms."""
    judge = judge_of(serve())
    judge(PAIRS)
    monkeypatch.setattr(ssl, "create_default_context", lambda *_, **__: pytest.fail("read again"))
    assert judge(PAIRS) == SCORES


# --- replies as services document them, or recorded where it says so

REPLIES = {
    # docs.cohere.com/reference/rerank
    "cohere": {
        "results": [
            {"index": 2, "relevance_score": 0.999071},
            {"index": 0, "relevance_score": 0.32713068},
            {"index": 1, "relevance_score": 0.1867867},
        ],
        "id": "07734bd2-2473-4f07-94e1-0d9f0e6843cf",
        "meta": {
            "api_version": {"version": "2", "is_experimental": False},
            "billed_units": {"search_units": 1},
        },
    },
    # Jina AI, as shown at docs.newapi.pro/en/api/jinaai-rerank
    "jina": {
        "results": [
            {"document": {"text": "..."}, "index": 0, "relevance_score": 0.8783142566680908},
            {"document": {"text": "..."}, "index": 2, "relevance_score": 0.7624675869941711},
            {"document": {"text": "..."}, "index": 1, "relevance_score": 0.1},
        ],
        "usage": {"prompt_tokens": 815, "completion_tokens": 0, "total_tokens": 815},
    },
    # docs.voyageai.com/reference/reranker-api
    "voyage": {
        "object": "list",
        "data": [
            {"relevance_score": 0.4375, "index": 0},
            {"relevance_score": 0.421875, "index": 1},
        ],
        "model": "rerank-2",
        "usage": {"total_tokens": 26},
    },
    # docs.vllm.ai, "Rerank API"
    "vllm rerank": {
        "id": "rerank-fae51b2b664d4ed38f5969b612edff77",
        "model": "BAAI/bge-reranker-base",
        "usage": {"total_tokens": 56},
        "results": [
            {"index": 1, "document": {"text": "..."}, "relevance_score": 0.99853515625},
            {"index": 0, "document": {"text": "..."}, "relevance_score": 0.0005860328674316406},
        ],
    },
    # docs.vllm.ai, "Score API"; older servers spell text_1 and text_2, newer ones take both
    "vllm score": {
        "id": "score-request-id",
        "object": "list",
        "created": 693570,
        "model": "BAAI/bge-reranker-v2-m3",
        "data": [
            {"index": 0, "object": "score", "score": 0.001094818115234375},
            {"index": 1, "object": "score", "score": 1},
        ],
        "usage": {},
    },
    # text-embeddings-inference, docs/openapi.json, schema `Rank`
    "tei": [{"index": 0, "score": 1.0, "text": None}],
    # recorded from llama.cpp's server (xllamacpp 2026.10.11549), which speaks both forms; logits
    "llama.cpp": {
        "model": "qwen05",
        "object": "list",
        "usage": {"prompt_tokens": 31, "total_tokens": 31},
        "results": [
            {"index": 0, "relevance_score": 3.3345348834991455},
            {"index": 1, "relevance_score": 3.0368447303771973},
        ],
    },
    "llama.cpp tei": [
        {"index": 0, "score": 3.3345348834991455},
        {"index": 1, "score": 3.0368447303771973},
        {"index": 2, "score": 1.086864709854126},
    ],
    # recorded from Infinity 0.0.78
    "infinity": {
        "object": "rerank",
        "results": [
            {"relevance_score": 0.5661184191703796, "index": 2, "document": None},
            {"relevance_score": 0.4563516676425934, "index": 0, "document": None},
            {"relevance_score": 0.34562262892723083, "index": 1, "document": None},
        ],
        "model": "ce",
        "usage": {"prompt_tokens": 132, "total_tokens": 132},
        "id": "infinity-1bdaf3d9-2a2e-4e6c-9f16-a6dc341688cc",
        "created": 1796072028,
    },
    # OpenVINO model server, docs/model_server_rest_api_rerank.md
    "openvino": {
        "results": [
            {"index": 0, "relevance_score": 0.3886180520057678},
            {"index": 1, "relevance_score": 0.0055549247190356255},
        ]
    },
}


@pytest.mark.parametrize("service", REPLIES)
def test_replies_of_real_services_are_read(serve, service):
    reply = REPLIES[service]
    form = "tei" if isinstance(reply, list) else "vllm" if service == "vllm score" else "cohere"
    rows = reply if isinstance(reply, list) else reply.get("results", reply.get("data"))
    expected = {row["index"]: row.get("relevance_score", row.get("score")) for row in rows}
    server = serve(form)
    server.faults = [Fault(body=reply)]
    answers = judge_of(server)(PAIRS[: len(rows)])
    assert answers == [expected[number] for number in range(len(rows))]
    assert answers.problem == ""


# --- incomplete and senseless replies


def put(number: int, **values: Any) -> Callable[[list[Any]], list[Any]]:
    """Change the row of one text."""
    return lambda rows: [row | values if row["index"] == number else row for row in rows]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(
    ("edit", "missing"),
    [
        (lambda rows: [row for row in rows if row["index"] != 1], [1]),
        (lambda rows: rows[:0], [0, 1, 2]),
        (lambda rows: [*rows, {"index": 1}], [1]),  # twice: which one holds is not known
        (put(0, index=1), [0, 1]),
        (put(0, index=None), [0, 1, 2]),
        (put(2, index=3), [0, 1, 2]),  # counted from 1, every score is another text's
        (put(0, index=-1), [0, 1, 2]),
        (put(0, score=None, relevance_score=None), [0]),
        (put(0, score=math.nan, relevance_score=math.nan), [0]),
        (put(0, score=math.inf, relevance_score=math.inf), [0]),
        (put(0, score=10**400, relevance_score=10**400), [0]),
        (put(0, score=True, relevance_score=True), [0]),
        (put(0, score="high", relevance_score="high"), [0]),
    ],
)
def test_a_text_without_a_usable_score_gets_none(serve, form, edit, missing):
    """A wrong score would move a passage; the other passages keep theirs."""
    server = serve(form)
    server.faults = [Fault(edit=edit)]
    answers = judge_of(server)(PAIRS)
    assert answers == [None if n in missing else score for n, score in enumerate(SCORES)]
    assert f"no usable score for {len(missing)} passages" in answers.problem


# --- failures


FAILURES = {
    "wrong key": ([Fault(401, body={"message": f"invalid token {KEY}"})], "refused the API key"),
    "forbidden": ([Fault(403, body={"message": "not yours"})], "refused the API key"),
    "busy": ([Fault(429, {"Retry-After": "3600"}, {})], "pause of 3600 seconds"),
    "broken": ([Fault(500, body={"detail": QUERY})], "status 500"),
    "not supported": ([Fault(501, body={"error": {"type": "no_rerank"}})], "status 501, no_rerank"),
    "refused": (
        [Fault(422, body={"error": QUERY, "type": "validation"})],
        "status 422, validation",
    ),
    "slow body": ([Fault(pause=9)], "no whole answer within 0.5 seconds"),
    "half a JSON": ([Fault(body=b'{"results": [{"index": 0, "relev')], "not as /"),
    "a page": ([Fault(body=b"<html>")], "not as /"),
    "another reply": ([Fault(body={"choices": []})], "not as /"),
    "no rows": ([Fault(body={"results": [0.5, 0.1, 0.2]})], "not as /"),
}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("failure", FAILURES)
def test_a_failure_is_told_without_key_and_text(serve, form, failure):
    faults, words = FAILURES[failure]
    server = serve(form)
    server.faults = list(faults)
    answers = judge_of(server, api_key=KEY, timeout=0.5 if failure == "slow body" else 20)(PAIRS)
    assert isinstance(answers, PartialAnswers)
    assert answers == [None, None, None]
    assert words in answers.problem
    assert server.url in answers.problem
    assert not any(word in answers.problem for word in (KEY, QUERY, *DOCUMENTS))


def test_a_busy_endpoint_is_asked_again_after_the_pause_it_wants(serve):
    server = serve()
    server.faults = [Fault(429, {"Retry-After": "2"}, {})]
    begun = time.monotonic()
    answers = judge_of(server, retries=1)(PAIRS)
    assert answers == SCORES
    assert answers.problem == ""
    assert len(server.requests) == 2
    assert time.monotonic() - begun >= 2


def test_what_does_not_pass_is_not_tried_again(serve):
    """llama.cpp's server says 501 where it was started without its switch for reranking."""
    for status in (400, 401, 404, 422, 501):
        server = serve()
        server.faults = [Fault(status, body={})] * 3
        assert f"status {status}" in judge_of(server, retries=2)(PAIRS).problem
        assert len(server.requests) == 1


def test_some_requests_fail_and_the_others_count(serve):
    server = serve()
    server.faults_of = {"q1": Fault(400, body={}), "q3": Fault(edit=lambda rows: [])}
    pairs = [(text, f"q{n}") for n in range(6) for text in ("q1 q0", "q5")]
    answers = judge_of(server)(pairs)
    assert len(server.requests) == 6
    assert [n for n, answer in enumerate(answers) if answer is None] == [2, 3, 6, 7]
    assert answers[:2] == [1.0, 0.0]
    assert "status 400" in answers.problem
    assert "no usable score for 2 passages" in answers.problem


@pytest.mark.parametrize(
    "fault", [Fault(401, body={}), Fault(503, body={}), Fault(pause=9)], ids=["key", "503", "slow"]
)
def test_after_a_lasting_failure_nothing_more_is_sent(serve, fault):
    """A hundred queries would otherwise wait for a hundred times all retries."""
    server = serve()
    server.faults = [fault] * 100
    begun = time.monotonic()
    answers = judge_of(server, timeout=0.5)([("text", f"{n}") for n in range(100)])
    assert answers == [None] * 100
    assert len(server.requests) <= 8
    assert time.monotonic() - begun < 8


def test_an_unreachable_host_is_told_once():
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        port = closed.getsockname()[1]
    begun = time.monotonic()
    judge = RerankEndpoint(f"http://127.0.0.1:{port}", retries=0)
    answers = judge([("text", f"{n}") for n in range(100)])
    assert "No readable answer" in answers.problem
    assert answers == [None] * 100
    assert time.monotonic() - begun < 5


# --- settings


def test_it_is_saved_without_a_key(monkeypatch, tmp_path):
    monkeypatch.setenv("RERANK_KEY", KEY)
    settings = {
        "url": "https://api.cohere.com/v2",
        "model": "rerank-v3.5",
        "form": "cohere",
        "instruction": "Prefer recent ones.",
        "api_key_variable": "RERANK_KEY",
        "timeout": 5.0,
        "retries": 1,
        "batch_size": 8,
    }
    judge = RerankEndpoint(**settings)
    assert judge.describe() == {"class": "RerankEndpoint", **settings}
    JudgeSettings(judge=judge, candidates=30).save(tmp_path / "judge.json")
    assert KEY not in (tmp_path / "judge.json").read_text("utf-8")
    loaded = JudgeSettings.load(tmp_path / "judge.json").judge
    copies = (judge_from(judge.describe()), loaded, pickle.loads(pickle.dumps(judge)))
    assert [copy.describe() for copy in copies] == [judge.describe()] * 3
    keyed = RerankEndpoint("https://api.cohere.com/v2", api_key=KEY)
    assert KEY not in f"{keyed!r} {vars(keyed)!r}"
    for attempt in (keyed.describe, lambda: pickle.dumps(keyed)):
        with pytest.raises(ConfigurationError, match="api_key_variable") as caught:
            attempt()
        assert KEY not in str(caught.value)


@pytest.mark.parametrize(
    ("settings", "word"),
    [
        ({"url": "api.cohere.com"}, "url="),
        ({"url": None}, "url="),
        ({"form": "jina"}, "form"),
        ({"model": None}, "model="),
        ({"instruction": " "}, "instruction"),
        ({"batch_size": 0}, "batch_size"),
        ({"timeout": 0}, "timeout="),
        ({"retries": -1}, "retries="),
        ({"api_key": "two words"}, "api_key"),
        ({"api_key_variable": "NO_SUCH_KEY"}, "NO_SUCH_KEY"),
    ],
)
def test_settings_that_cannot_work_are_refused_at_once(settings, word):
    with pytest.raises(ConfigurationError, match=word):
        RerankEndpoint(**{"url": "http://127.0.0.1:8000/v1", **settings})


def test_it_cannot_compare_passages():
    judge = RerankEndpoint("http://127.0.0.1:8000/v1")
    assert not judge.compares
    with pytest.raises(ConfigurationError, match="relevance"):
        judge.contradictions([("one", "another")])


# --- the whole way


@pytest.fixture(scope="module")
def index():
    with PassageIndex.open("cakes", HashedEncoder(dimension=128), lexical=True) as index:
        index.add(PASSAGES)
        yield index


@pytest.mark.parametrize("failure", [*FAILURES, "unreachable"])
async def test_a_search_keeps_its_order_when_the_endpoint_fails(index, serve, failure):
    """One warning, and not one passage lost."""
    plain = Engine(index, judge=None).search(PROPERTY, 7)
    server = serve()
    judge = judge_of(server, api_key=KEY, timeout=0.5 if failure == "slow body" else 20)
    if failure == "unreachable":
        judge = RerankEndpoint("http://127.0.0.1:9/v1", api_key=KEY, retries=0)
    searches = [
        Engine(index, judge=judge).search,
        Engine(index, judge=None, reranker=judge).search,
        Engine(index, judge=judge).asearch,
    ]
    for search in searches:
        server.faults = list(FAILURES.get(failure, ([], ""))[0])
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            hits = search(PROPERTY, 7)
            hits = hits if isinstance(hits, list) else await hits
        assert listed(hits) == listed(plain)
        (warning,) = (each for each in caught if each.category is PairJudgeWarning)
        assert not [word for word in (KEY, PROPERTY, *TEXTS.values()) if word in str(warning)]


def test_a_search_uses_what_scores_there_are(index, serve):
    """A passage without a score keeps its place; the others move."""
    order = ["iron", "hotel", "hostel", "plain", "metal", "waived", "nutty"]
    texts = [TEXTS[name] for name in order]
    server = serve("cohere", lambda query, text: 1 - texts.index(text) / 10)
    engine = Engine(index, "topical", judge=None, reranker=judge_of(server))
    hits = engine.search("lemon cake", 7)
    assert [hit.passage.id for hit in hits] == order
    assert [body["query"] for body in server.bodies] == ["lemon cake"]
    lost = {}

    def lose(rows):
        lost["text"] = server.bodies[-1]["documents"][rows[-1]["index"]]
        return rows[:-1]

    server.faults = [Fault(edit=lose)]
    with pytest.warns(PairJudgeWarning, match="1 of 7 pairs"):
        hits = engine.search("lemon cake", 7)
    unread = [hit.passage.text for hit in hits if "reranker" not in hit.evidence.details]
    assert unread == [lost["text"]]
    assert len(hits) == 7


def test_a_judge_is_asked_with_the_wording_that_the_settings_name(index, serve):
    """By default the user's own words; with ``parts`` one request for each part."""
    server = serve()
    Engine(index, judge=judge_of(server)).search(PROPERTY, 7)
    assert [body["query"] for body in server.bodies] == [PROPERTY]
    server.requests.clear()
    Engine(index, judge=JudgeSettings(judge=judge_of(server), ask="parts")).search(PROPERTY, 7)
    assert len({body["query"] for body in server.bodies}) == 2


def test_long_passages_are_read_up_to_250_words(serve):
    server = serve()
    text = "A cake of lemon. " * 200
    reranker = Reranker(HashedEncoder(dimension=128), "judge", judge=judge_of(server))
    reranker.rerank("lemon cake", [Passage("long", text)])
    (document,) = server.bodies[0]["documents"]
    assert 200 < len(document.split()) <= 250
