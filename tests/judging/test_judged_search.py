"""Engine and reranker with a judge: when it is asked, and how its answer counts."""

from __future__ import annotations

from dataclasses import replace

import pytest
from cakes import (
    CONSTRAINED,
    NEGATED_FACT,
    PASSAGES,
    PROPERTY,
    TEXTS,
    THING,
    UNCONSTRAINED,
    ids,
    listed,
    margins,
)
from judges import AsyncMarginJudge, MarginJudge, failing_judge, forbidden_judge
from suites.hashed_encoder import HashedEncoder

from logic_retrievers import Engine, Expression, Passage, PassageIndex, Reranker
from logic_retrievers.errors import ConfigurationError, PairJudgeWarning
from logic_retrievers.judging import JudgeSettings, onnx
from logic_retrievers.text import words_of

STRONG = {"satisfies_weight": 5.0, "violates_weight": 5.0}


@pytest.fixture(scope="module")
def index():
    with PassageIndex.open("cakes", HashedEncoder(dimension=128), lexical=True) as index:
        index.add(PASSAGES)
        yield index


@pytest.fixture
def set_gate(monkeypatch):
    """Return a function that gives every query one probability of a constraint; None: no reader."""
    shipped = onnx.default_constraint()

    def set_to(gate):
        def read(text):
            return replace(shipped(text), none=1 - gate, exclusion=gate, negated_fact=0.0)

        monkeypatch.setattr(onnx, "default_constraint", lambda: None if gate is None else read)

    return set_to


# --- without a constraint


@pytest.mark.parametrize("query", UNCONSTRAINED)
@pytest.mark.parametrize("policy", ["auto", "topical", "union", "boolean"])
def test_without_a_constraint_it_is_never_asked(index, query, policy):
    """Ids, order, scores and evidence stay, and no model runs."""
    plain = Engine(index, policy, judge=None).search(query, 7)
    assert Engine(index, policy, judge=forbidden_judge).search(query, 7) == plain
    both = Engine(index, policy, judge=MarginJudge({})).search_many([query, PROPERTY], 7)
    assert both[0] == plain


def test_a_policy_that_asks_for_no_judge_gets_none(index):
    """Naming a paper's policy must measure exactly that policy."""
    for policy in ("topical", "compatibility", "sequential", "union", "coder-union", "hybrid"):
        plain = Engine(index, policy, judge=None).search(PROPERTY, 7)
        assert Engine(index, policy, judge=forbidden_judge).search(PROPERTY, 7) == plain
    expression = Expression.parse("cake AND NOT nuts")
    plain = Engine(index, judge=None).search(expression, 7)
    assert Engine(index, judge=forbidden_judge).search(expression, 7) == plain


def test_the_bundles_judge_is_loaded_when_it_is_needed(index, monkeypatch):
    """An application without a judge must not pay for a second model."""
    loaded = []

    def load():
        loaded.append(MarginJudge(margins(nutty=1.0)))
        return loaded[-1]

    monkeypatch.setattr(onnx, "default_judge", load)
    for policy, judge in (("auto", None), ("topical", "auto"), ("hybrid", "auto")):
        Engine(index, policy, judge=judge).search(PROPERTY)
    assert loaded == []
    assert ids(Engine(index, judge=JudgeSettings(**STRONG)).search(PROPERTY))[0] == "nutty"
    (judge,) = loaded
    assert sorted(judge.passages) == sorted(TEXTS.values())


# --- with a constraint


@pytest.mark.parametrize(
    ("query", "arguments", "asked"),
    [
        ("hotel near the lake", {}, ""),
        ("hotel without a pool", {}, "hotel without pool"),
        ("hotel near the lake", {"exclude": ["pool"]}, "hotel near lake without pool"),
        # in other languages rules decide whether the judge has a question
        ("ein ruhiges Hotel am Meer", {}, ""),
        ("Suppe ohne Sellerie", {}, "Suppe ohne Sellerie"),
    ],
)
def test_it_is_asked_about_what_is_ruled_out_and_about_nothing_else(index, query, arguments, asked):
    """Every way of searching asks in the shipped reader's words of the question."""
    judge = MarginJudge({})
    engine = Engine(index, judge=judge)
    for search in (
        engine.search,
        lambda query, **more: engine.search_many([query], **more),
        lambda query, **more: reranker(judge).rerank(query, PASSAGES, **more),
    ):
        judge.asked.clear()
        search(query, **arguments)
        assert len(judge.queries) == (7 if asked else 0)
        assert all(set(words_of(each)) >= set(words_of(asked)) for each in judge.queries)


@pytest.mark.parametrize("query", [THING, PROPERTY, NEGATED_FACT, "lemon cake"])
@pytest.mark.parametrize("gate", [0.09, 0.5, 1.0])
def test_how_much_it_counts(index, set_gate, query, gate):
    """The gate's share of each weighted probability is added to the score; the rest stays."""
    set_gate(gate)
    known = dict.fromkeys(TEXTS.values(), -0.75) | margins(plain=0.5, iron=0.5)
    judge = JudgeSettings(MarginJudge(known), satisfies_weight=0.4, violates_weight=0.2)
    plain = Engine(index, judge=None).search(query, 7)
    hits = {hit.passage.id: hit for hit in Engine(index, judge=judge).search(query, 7)}
    if gate < 0.1:
        assert list(hits.values()) == plain == Engine(index, "hybrid").search(query, 7)
        return
    for hit in plain:
        judged, margin = hits[hit.passage.id], known[hit.passage.text]
        added = gate * margin * (0.4 if margin > 0 else 0.2)
        assert judged.score == pytest.approx(hit.score + added)
        assert judged.evidence.scores == hit.evidence.scores
        told = dict(judged.evidence.details)
        assert told.pop("judge")["added"] == pytest.approx(added)
        assert told == hit.evidence.details


def test_without_a_reader_only_what_a_caller_names_is_excluded(index, set_gate):
    """Older bundles have no reader: their English queries count as ordinary."""
    set_gate(None)
    ordinary = Engine(index, "hybrid").search(PROPERTY, 7)
    assert Engine(index, judge=forbidden_judge).search(PROPERTY, 7) == ordinary
    judge = MarginJudge(margins(waived=1.0))
    hits = Engine(index, judge=judge).search("a cake", 7, exclude=["nuts"])
    assert ids(hits)[0] == "waived"
    assert len(judge.queries) == 7


def test_what_the_reader_cannot_read_is_no_failure(index):
    """A lone accent is a text for encoders other than the bundle's."""
    assert len(Engine(index, judge=forbidden_judge).search("\u0301", 7)) == 7
    judge = MarginJudge({})
    assert len(reranker(judge).rerank("\u0301", PASSAGES)) == 7
    assert judge.asked == []


@pytest.mark.parametrize("query", [THING, PROPERTY, NEGATED_FACT, "lemon cake"])
def test_what_it_reads_does_not_depend_on_k(query, set_gate):
    """Otherwise the first hits change with the length of the list."""
    set_gate(1.0)
    passages = [Passage(f"{n}", f"{text} No. {n}") for n in range(9) for text in TEXTS.values()]
    passages = [Passage(f"{n}", passage.text) for n, passage in enumerate(passages)]
    judge = MarginJudge({passage.text: n % 5 / 2 - 1 for n, passage in enumerate(passages)})
    with PassageIndex.open("many", HashedEncoder(dimension=128)) as index:
        index.add(passages)
        engine = Engine(index, judge=judge)
        longest = engine.search(query, len(passages))
        (read,) = judge.asked
        assert len(read) == 20
        for k in (1, 5, 30):
            assert engine.search(query, k) == longest[:k]
            assert judge.asked[-1] == read


@pytest.mark.parametrize("k", [1, 3, 10])
async def test_every_way_of_searching_gives_the_same(index, k):
    """Covers four entry points and two forms of a judge."""
    queries = [*CONSTRAINED, *UNCONSTRAINED]
    known = margins(nutty=-0.5, hostel=0.75, iron=-1.0)
    for policy in ("auto", "judge"):
        engine = Engine(index, policy, judge=MarginJudge(known))
        other = Engine(index, policy, judge=AsyncMarginJudge(known))
        single = [engine.search(query, k) for query in queries]
        for same in (engine, other):
            assert [same.search(query, k) for query in queries] == single
            assert [await same.asearch(query, k) for query in queries] == single
            assert same.search_many(queries, k) == single
            assert await same.asearch_many(queries, k) == single


@pytest.mark.parametrize("query", [*CONSTRAINED, *UNCONSTRAINED])
async def test_a_reranker_reads_as_a_search_does(index, query):
    """The gate, the question and each passage's bonus are the same."""
    judge = MarginJudge(margins(nutty=-0.5, hostel=0.75, iron=-1.0, plain=0.0))

    def verdicts(hits):
        return {hit.passage.id: hit.evidence.details.get("judge") for hit in hits}

    expected = verdicts(Engine(index, judge=judge).search(query, 7))
    assert any(expected.values()) == (query in CONSTRAINED)
    assert verdicts(reranker(judge).rerank(query, PASSAGES)) == expected
    assert verdicts(await reranker(judge).arerank(query, PASSAGES)) == expected


# --- with the other settings


def test_min_score_holds_for_the_score_that_is_shown(index):
    judge = MarginJudge(margins(nutty=1.0, waived=-1.0))
    engine = Engine(index, judge=JudgeSettings(judge, **STRONG))
    hits = engine.search(PROPERTY, 7)
    assert listed(engine.search(PROPERTY, 7, min_score=1.0)) == listed(hits)[:1]
    assert engine.search(PROPERTY, 7, min_score=hits[3].score) == hits[:4]
    assert engine.search(PROPERTY, 7, min_score=9.0) == []


# --- the policy named "judge"


@pytest.mark.parametrize("query", [*CONSTRAINED, *UNCONSTRAINED])
def test_the_judge_alone(index, query):
    """Its margin orders all queries; unjudged passages follow, nearest first."""
    known = margins(iron=0.5, hotel=-0.25, plain=1.0, nutty=-1.0)
    judge = MarginJudge(known)
    hits = Engine(index, "judge", judge=judge).search(query, 7)
    assert listed(hits)[:4] == [("plain", 1.0), ("iron", 0.5), ("hotel", -0.25), ("nutty", -1.0)]
    topical = Engine(index, "topical", judge=None).search(query, 7)
    assert ids(hits)[4:] == [name for name in ids(topical) if name not in ids(hits)[:4]]
    assert judge.passages == [hit.passage.text for hit in topical]
    assert {hit.evidence.policy for hit in hits} == {"judge"}
    assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)


def test_the_judge_alone_without_a_judge_is_refused(index, monkeypatch):
    """Plain search under that name must not be measured as the judge."""
    monkeypatch.setattr(onnx, "default_judge", lambda: None)
    for judge in (None, "auto"):
        with pytest.raises(ConfigurationError, match="'judge' ranks by a pair judge"):
            Engine(index, "judge", judge=judge).search(PROPERTY, 7)
    with pytest.raises(ConfigurationError, match="judge is 'auto'"):
        Engine(index, judge="nli")


def test_the_judge_alone_refuses_a_reranker(index):
    """Two orders cannot both be the whole order, and a model left out in silence would be worse."""
    with pytest.raises(ConfigurationError, match="leave out reranker="):
        Engine(index, "judge", judge=MarginJudge({}), reranker=MarginJudge({})).search(PROPERTY, 7)


# --- failures, and values that are not a judge


@pytest.mark.parametrize("query", CONSTRAINED)
async def test_a_failure_leaves_the_order_and_is_told(index, query):
    """A failed model must not fail a search; the warning names the user's line."""
    plain = Engine(index, judge=None).search(query, 7)
    engine = Engine(index, judge=failing_judge)
    with pytest.warns(PairJudgeWarning, match="it raised RuntimeError") as caught:
        assert engine.search(query, 7) == plain
    assert [warning.filename for warning in caught] == [__file__]
    assert "key-12345" not in str(caught[0].message)
    with pytest.warns(PairJudgeWarning):
        assert await engine.asearch(query, 7) == plain
    with pytest.warns(PairJudgeWarning):
        assert engine.search_many([query, "lemon cake"], 2)[0] == plain[:2]


# --- reranking; test_reranking.py covers it with the shipped judge


def reranker(judge, policy="auto"):
    return Reranker(HashedEncoder(dimension=128), policy, judge=judge)


async def test_a_failure_leaves_the_order_of_a_reranker():
    for policy, plainly in (("auto", "auto"), ("judge", "topical")):
        plain = reranker(None, plainly).rerank(PROPERTY, PASSAGES, 4)
        with pytest.warns(PairJudgeWarning, match="it raised RuntimeError") as caught:
            failed = reranker(failing_judge, policy).rerank(PROPERTY, PASSAGES, 4)
        assert listed(failed) == listed(plain)
        assert [warning.filename for warning in caught] == [__file__]
        with pytest.warns(PairJudgeWarning):
            assert await reranker(failing_judge, policy).arerank(PROPERTY, PASSAGES, 4) == failed
