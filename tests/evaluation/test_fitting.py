"""Fitting a judge's question and weights, and counting what it makes worse."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from zlib import crc32

import numpy as np
import pytest
from suites.hashed_encoder import HashedEncoder

from logic_retrievers import AutoPolicy, Engine, JudgeSettings, ParsedQuery, Passage, PassageIndex
from logic_retrievers.errors import ConfigurationError, FewQueriesWarning, PairJudgeWarning
from logic_retrievers.evaluation import Dataset, Query, compare_queries, evaluate, fit_judge
from logic_retrievers.evaluation.fitting import fitted_on, held_out_gains
from logic_retrievers.judging import ModelJudge, PartialAnswers, onnx

TOWNS = [f"town{number}" for number in range(24)]
# words rank the first one higher, for every query
TEXTS = {f"{town}-wet": f"hotel in {town} with a pool" for town in TOWNS} | {
    f"{town}-dry": f"hotel in {town} with no pool" for town in TOWNS
}
DATASET = Dataset(
    "hotels/dev",
    TEXTS,
    tuple(
        Query(town, f"hotel in {town} without a pool", {f"{town}-dry": 1}, {f"{town}-wet"})
        for town in TOWNS
    ),
)


class Parser:
    """Reads "wanted without a thing"."""

    def parse(self, text: str) -> ParsedQuery:
        wanted, found, thing = text.partition(" without a ")
        if not found:
            return ParsedQuery(text)
        return ParsedQuery(text, "exclusion", wanted, (thing,), rule="test", constraint=1.0)


class Judge(ModelJudge):
    """Answers with a function of passage and text, and counts the pairs."""

    def __init__(self, answer):
        self.answer = answer
        self.asked = Counter()

    def __call__(self, pairs):
        self.asked.update((passage, str(text)) for passage, text in pairs)
        return [self.answer(passage, text) for passage, text in pairs]


@pytest.fixture(scope="module")
def index():
    with PassageIndex.open("hotels", HashedEncoder(dimension=256)) as index:
        index.add([Passage(name, text) for name, text in TEXTS.items()])
        yield index


@pytest.fixture
def engine(index):
    return Engine(index, AutoPolicy(Parser()))


def is_wet(passage):
    return "with a pool" in passage


def relevance(passage, text):
    """Knows relevance, and no negation: right about each part, and wrong about the query."""
    same_town = text.split()[-1] in passage or text.split()[2:3] == passage.split()[2:3]
    return float(is_wet(passage)) if text == "pool" else same_town + 0.5 * is_wet(passage)


def test_a_judge_that_is_right_about_parts(engine):
    """The fit must find the one way of asking that helps, and ask about no pair twice."""
    judge = Judge(relevance)
    fit = fit_judge(DATASET, engine, JudgeSettings(judge, max_words=40))
    assert fit.settings.ask == "parts"
    assert fit.settings.relevance_weight > 0
    assert (fit.settings.judge, fit.settings.max_words) == (judge, 40)  # the user's own stay
    assert fit.helps
    assert (fit.changes.better, fit.changes.worse, fit.queries) == (24, 0, 24)
    assert set(judge.asked.values()) == {1}
    assert engine.judge == "auto"  # the caller's engine is as it was
    fitted = Engine(engine.index, engine.policy, judge=fit.settings)
    assert fitted.search(DATASET.queries[0].text, 1)[0].passage.id == "town0-dry"


def test_a_judge_of_probabilities_that_wants_the_query_restated(engine):
    def verdict(passage, text):
        if not text.endswith("without pool"):  # the excluded texts, repeated
            return (0.1, 0.8, 0.1)
        return (0.05, 0.05, 0.9) if is_wet(passage) else (0.9, 0.05, 0.05)

    fit = fit_judge(DATASET, engine, Judge(verdict))
    assert fit.settings.ask == "restated"
    assert fit.settings.satisfies_weight > 0
    assert fit.helps


@pytest.mark.parametrize(
    "useless",
    [lambda *_: 0.5, lambda *pair: crc32(repr(pair).encode()) / 2**32],
    ids=["flat", "noise"],
)
def test_a_useless_judge_is_found_out(engine, useless):
    """Chance must never look like a gain: no weight, or an interval that includes 0."""
    mixed = replace(  # half of the queries are right without a judge
        DATASET,
        queries=tuple(
            replace(query, grades=dict.fromkeys(query.violating, 1), violating=query.satisfying)
            if number % 2
            else query
            for number, query in enumerate(DATASET.queries)
        ),
    )
    fit = fit_judge(mixed, engine, Judge(useless))
    assert not fit.helps
    if useless(1, 2) == 0.5:
        assert fit.chosen == {"ask": "query", "relevance_weight": 0}
        assert fit.gain == (0, 0, 0)


def test_gains_are_held_out():
    """Each setting helps one query and harms the others; chosen on others it can only harm."""
    gains = np.vstack([np.zeros(10), np.where(np.eye(10), 20.0, -1.0)])
    assert gains.mean(axis=1).max() > 1
    assert (held_out_gains(gains, [str(n) for n in range(10)]) == -1).all()
    pairs = [str(n // 2) for n in range(10)]  # a pair shares its documents: never in two folds
    of_pairs = np.vstack([np.zeros(10), np.where(np.kron(np.eye(5), np.ones((2, 2))), 20.0, -1.0)])
    assert (held_out_gains(of_pairs, pairs) == -1).all()
    assert (held_out_gains(gains, ["all"] * 10) == 0).all()


def test_the_file_holds_settings_and_note(engine, tmp_path, monkeypatch):
    """Another process reads the file, and evaluation warns on the same queries."""
    monkeypatch.setattr(onnx, "default_judge", lambda: Judge(relevance))
    few = replace(DATASET, queries=DATASET.queries[:12])
    with pytest.warns(FewQueriesWarning, match="only 12"):
        fit = fit_judge(few, engine)
    fit.save(tmp_path / "judge.json")
    written = json.loads((tmp_path / "judge.json").read_text("utf-8"))
    assert written["fit"].keys() == {"dataset", "queries", "gain", "interval"}
    assert JudgeSettings.load(tmp_path / "judge.json") == fit.settings
    assert fitted_on(tmp_path / "judge.json") == "hotels/dev"


def test_what_cannot_be_fitted(engine):
    """An error, and no file with a weight that nothing supports."""

    def fails(*_):
        raise RuntimeError("key-12345")

    with (
        pytest.warns(PairJudgeWarning),
        pytest.raises(ConfigurationError, match="raised RuntimeError") as raised,
    ):
        fit_judge(DATASET, engine, Judge(fails))
    assert "key-12345" not in str(raised.value)
    plain = tuple(replace(query, text=f"hotel in {query.id}") for query in DATASET.queries)
    with pytest.raises(ConfigurationError, match="reranker"):
        fit_judge(replace(DATASET, queries=plain), engine, Judge(relevance))
    with pytest.raises(ConfigurationError, match="no judge"):
        fit_judge(DATASET, engine, None)
    with pytest.raises(ConfigurationError, match="policy 'judge'"):
        fit_judge(DATASET, Engine(engine.index, "judge"), Judge(relevance))


def test_pairs_that_failed_are_reported_once(engine):
    """A judge with a budget must not be asked again by every setting."""
    judge = Judge(relevance)
    asked = []

    def some(pairs):
        asked.extend(pairs)
        return PartialAnswers([None, *judge(pairs)[1:]], "the budget is spent")

    with pytest.warns(PairJudgeWarning, match="budget") as warned:
        fit = fit_judge(DATASET, engine, some)
    assert len(warned) == 2  # asked with the query, and with its parts
    assert len(asked) == len(set(asked))
    assert fit.settings.ask == "parts"


def test_a_fit_shows_its_progress_and_stops_when_nothing_comes(engine):
    """A slow judge takes an hour, and one that is down should not take it too."""
    judge, shares = Judge(relevance), []
    fit_judge(DATASET, engine, judge, lambda progress: shares.append(progress.share))
    assert shares[:2] == [60 / 480, 120 / 480]  # 20 candidates of 24 queries
    assert shares.count(1.0) == 2  # the query, and its parts

    def down(pairs):
        asked.append(len(pairs))
        return PartialAnswers([None] * len(pairs), "the server is down")

    asked: list[int] = []
    with (
        pytest.warns(PairJudgeWarning, match="down"),
        pytest.raises(ConfigurationError, match="down"),
    ):
        fit_judge(DATASET, engine, down)
    assert asked == [60]


def test_a_fit_says_how_it_stands_to_the_shipped_judge(engine, monkeypatch):
    """A user wants to know whether to replace it, and a model that equals it gains nothing."""

    def verdict(passage, text):
        return (0.0, 0.0, 1.0) if is_wet(passage) else (1.0, 0.0, 0.0)

    for shipped, gains in ((Judge(verdict), False), (Judge(lambda *_: (0.0, 1.0, 0.0)), True)):
        monkeypatch.setattr(onnx, "default_judge", lambda shipped=shipped: shipped)
        fit = fit_judge(DATASET, engine, Judge(verdict))
        assert fit.over_shipped is not None
        assert (fit.over_shipped.low > 0) is gains
    assert fit.over_shipped == fit.gain  # a judge that reads nothing is as good as none
    monkeypatch.setattr(onnx, "default_judge", lambda: None)
    assert fit_judge(DATASET, engine, Judge(verdict)).over_shipped is None


def test_a_judge_that_mostly_failed_is_not_fitted(engine):
    """Settings chosen on a tenth of the answers are about a spent budget."""

    class Spent(Judge):
        def __call__(self, pairs):
            answers = [
                relevance(*pair) if number < 3 else None for number, pair in enumerate(pairs)
            ]
            return PartialAnswers(answers, "the budget is used up")

    with pytest.warns(PairJudgeWarning), pytest.raises(ConfigurationError, match="budget"):
        fit_judge(DATASET, engine, Spent(None))


def test_queries_that_get_worse_are_named():
    """An order never gets worse in silence."""

    def run(orders):
        return evaluate(data, lambda *_: [[(name, 1.0) for name in order] for order in orders])

    documents = dict.fromkeys("abcdefgh", "")
    queries = [Query(f"q{n}", f"text {n}", {"a": 1}, frozenset("b")) for n in range(4)]
    data = Dataset("toy", documents, tuple(queries))
    found = compare_queries(
        data, run(["acb", "cab", "abc", "bac"]), run(["bca", "cba", "abc", "abc"])
    )
    assert (found.better, found.worse, found.same) == (1, 2, 1)
    assert "above all violating" in found.measure
    worst = [(query.id, query.before, query.after) for query in found.worst]
    assert worst == [("q0", 1, pytest.approx(1 / 6)), ("q1", 0.75, pytest.approx(1 / 6))]
    data = replace(data, queries=tuple(replace(query, violating=frozenset()) for query in queries))
    found = compare_queries(data, run(["ab"] * 4), run(["ab", "ba", "ba", "cda"]))
    assert found.measure == "nDCG@10"
    assert [query.id for query in found.worst] == ["q3", "q1", "q2"]
