"""Judges that only know relevance, rerankers, and what settings change."""

from __future__ import annotations

import json
from copy import deepcopy
from dataclasses import replace

import numpy as np
import pytest
from cakes import PASSAGES, TEXTS
from hypothesis import given
from hypothesis import strategies as st
from judges import MarginJudge, failing_judge
from suites.hashed_encoder import HashedEncoder

from logic_retrievers import Engine, JudgeSettings, ParsedQuery, PassageIndex, Reranker
from logic_retrievers.errors import ConfigurationError, PairJudgeWarning, ReadError
from logic_retrievers.judging import Judgement, Question, RelevanceJudgement
from logic_retrievers.judging.judge import join_answers
from logic_retrievers.policies import AutoPolicy, Ranked
from logic_retrievers.policies.base import JudgeRequest
from logic_retrievers.ranking.judged_order import judged, reranked, stretched

finite = st.integers(-50, 50).map(float)
scored = st.lists(st.tuples(finite, finite), min_size=1, max_size=9)


def ranked_by(scores, penalty=0.0):
    order = sorted(range(len(scores)), key=lambda i: -scores[i])
    return [Ranked(i, scores[i] - penalty, penalty=penalty) for i in order]


def relevance(scores):
    return {i: RelevanceJudgement(score, "read") for i, score in enumerate(scores)}


def orders(ranking):
    return [(ranked.index, pytest.approx(ranked.score)) for ranked in ranking]


@given(scored, st.floats(0, 1), st.floats(0, 1))
def test_the_score_moves_towards_the_judges(rows, gate, weight):
    """(1 - gate * weight) * policy's score + gate * weight * the judge's, on one scale."""
    own, scores = map(list, zip(*rows, strict=True))
    constants = JudgeSettings(relevance_weight=weight)
    ranking = judged(ranked_by(own), relevance(scores), JudgeRequest("q", gate), constants)
    share = gate * weight
    least, span = min(own), max(own) - min(own)
    reach = max(scores) - min(scores)
    for ranked in ranking:
        i = ranked.index
        target = least + span * (scores[i] - min(scores)) / reach if reach else own[i]
        assert ranked.score == pytest.approx((1 - share) * own[i] + share * target)


@given(scored, st.sampled_from([0.001, 3.0, 1000.0]), finite)
def test_the_scale_of_a_model_does_not_matter(rows, factor, shift):
    """Logits, probabilities and scores of services must count alike without settings."""
    own, scores = map(list, zip(*rows, strict=True))
    request, constants = JudgeRequest("q", 0.8), JudgeSettings()
    moved = [factor * score + shift for score in scores]
    before = judged(ranked_by(own), relevance(scores), request, constants)
    after = judged(ranked_by(own), relevance(moved), request, constants)
    assert [r.score for r in before] == pytest.approx([r.score for r in after], abs=1e-6)


@given(st.lists(finite, min_size=2, max_size=9, unique=True), st.data())
def test_a_reranker_orders_and_deductions_stay(scores, data):
    """Without deductions its order is the order; a deduction is at most undone by the range."""
    own = data.draw(st.lists(finite, min_size=len(scores), max_size=len(scores), unique=True))
    ranking = reranked(ranked_by(own), relevance(scores))
    assert [r.index for r in ranking] == sorted(range(len(scores)), key=lambda i: -scores[i])
    outside = max(own) - min(own) + 1
    order = ranked_by(own)
    fallen = [replace(r, score=r.score - outside, penalty=outside) if r.index == 0 else r
              for r in order]  # fmt: skip
    assert reranked(fallen, relevance(scores))[-1].index == 0


def test_equal_scores_order_nothing():
    """A model that gives every passage the same must not reorder them."""
    values = np.array([3.0, 1.0, 2.0])
    assert stretched(np.zeros(3), values) is values
    assert orders(reranked(ranked_by([0.1, 0.3]), relevance([5, 5]))) == [(1, 0.3), (0, 0.1)]


def test_parts_are_joined():
    """The query less the highest excluded; of probabilities q (1 - x) satisfies, x violates."""
    assert join_answers([3.0, 1.0, 2.5], "t") == RelevanceJudgement(0.5, "t")
    assert join_answers([3.0, None], "t") is None
    joined = join_answers([(0.8, 0.1, 0.1), (0.5, 0.5, 0.0), (0.25, 0.75, 0.0)], "t")
    assert joined == Judgement(0.4, pytest.approx(0.1), 0.5, "t")


@pytest.mark.parametrize(
    ("ask", "texts"),
    [
        ("restated", ["nut-free cake, without nut"]),
        ("query", ["nut-free cake"]),
        ("parts", ["nut-free cake", "nut"]),
    ],
)
def test_what_a_judge_is_asked_with(ask, texts):
    """Each text also carries the query's parts, for a judge that wants them."""
    question = Question("nut-free cake, without nut", "nut-free cake", "cake", ["nut"])
    assert question.texts(ask) == texts
    for text in map(deepcopy, question.texts(ask)):
        assert (text.query, text.wanted, text.excluded) == ("nut-free cake", "cake", ("nut",))
    assert Question("cake").texts(ask) == ["cake"]


QUERY = ParsedQuery(
    "cake without nuts", wanted="cake", excluded=("nuts",), kind="exclusion", constraint=1.0
)


@pytest.fixture
def index():
    with PassageIndex.open("cakes", HashedEncoder(dimension=128)) as index:
        index.add(PASSAGES)
        yield index


def by_length(pairs):
    """A relevance model that likes long passages."""
    return [float(len(passage)) for passage, _ in pairs]


def ids(hits):
    return [hit.passage.id for hit in hits]


def test_a_reranker_orders_every_query(index):
    """In a search and in a reranking, with what it said; the rest follows in the policy's order."""
    longest = sorted(PASSAGES, key=lambda passage: -len(passage.text))
    for ranked in (
        Engine(index, reranker=by_length).search("lemon cake", 7),
        Reranker(index.encoder, reranker=by_length).rerank("lemon cake", PASSAGES),
    ):
        assert ids(ranked) == [passage.id for passage in longest]
        assert ranked[0].evidence.details["reranker"]["score"] == len(longest[0].text)
    few = JudgeSettings(by_length, candidates=2)
    plain = ids(Engine(index).search("lemon cake", 7))
    hits = ids(Engine(index, reranker=few).search("lemon cake", 7))
    assert (sorted(hits[:2]), hits[2:]) == (sorted(plain[:2]), plain[2:])
    assert ids(Engine(index, reranker=few).search("lemon cake", 1)) == hits[:1]


def test_what_a_query_rules_out_stays_down(index):
    """A reranker moves a passage by no more than the range of the policy's scores."""
    margins = dict.fromkeys(TEXTS.values(), 0.9) | {TEXTS["nutty"]: -0.9}
    judge = JudgeSettings(MarginJudge(margins), satisfies_weight=1.0, violates_weight=1.0)

    def likes_nuts(pairs):
        return [float("walnut" in passage) for passage, _ in pairs]

    assert ids(Engine(index, judge=None, reranker=likes_nuts).search(QUERY, 7))[0] == "nutty"
    assert ids(Engine(index, judge=judge, reranker=likes_nuts).search(QUERY, 7))[-1] == "nutty"


def test_half_a_reranker(index):
    """Its share of the order is a setting, and 1 by default."""
    scores = {}
    for share in (0.0, 0.5, 1.0, None):
        reranker = JudgeSettings(by_length, relevance_weight=share)
        hits = Engine(index, reranker=reranker).search("lemon cake", 7)
        scores[share] = {hit.passage.id: hit.score for hit in hits}
    assert scores[None] == scores[1.0] != scores[0.0]
    for name, half in scores[0.5].items():
        assert half == pytest.approx((scores[0.0][name] + scores[1.0][name]) / 2)


def test_a_violating_passage_can_be_left_out(index):
    """``drop_above`` drops by gate and probability, and the list still has k passages."""
    margins = {TEXTS["nutty"]: -0.9, TEXTS["iron"]: -0.5}
    plain = ids(Engine(index, judge=MarginJudge(margins)).search(QUERY, 7))
    settings = JudgeSettings(MarginJudge(margins), drop_above=0.8)
    engine = Engine(index, AutoPolicy(), judge=settings)
    assert ids(engine.search(QUERY, 7)) == [name for name in plain if name != "nutty"]
    assert len(engine.search(QUERY, 5)) == 5


@pytest.mark.parametrize("ask", ["restated", "query", "parts"])
def test_the_parts_of_a_query_reach_a_judge(index, ask):
    asked = []

    def judge(pairs):
        asked.extend(pairs)
        return [0.5 for _ in pairs]

    Engine(index, judge=JudgeSettings(judge, ask=ask, max_words=2)).search(QUERY, 7)
    restated = ["cake without nuts, without nuts"]
    said = "cake without nuts"
    texts = {"restated": restated, "query": [said], "parts": [said, "nuts"]}[ask]
    assert [text for _, text in asked][: len(texts)] == texts
    assert all(question.excluded == ("nuts",) for _, question in asked)


@pytest.mark.parametrize("ask", ["restated", "query", "parts"])
def test_a_judge_overrules_only_what_it_was_asked(index, ask):
    """A judge that never read what a caller excludes must not let it through ``hard``."""
    sure = dict.fromkeys(TEXTS.values(), 1.0)
    engine = Engine(index, judge=JudgeSettings(judge=MarginJudge(sure), ask=ask))
    hits = engine.search("a lemon cake", 7, exclude=["walnuts"], hard=True)
    assert ("nutty" in ids(hits)) == (ask == "restated")


def test_a_judge_reads_what_a_reranker_puts_first(index):
    """With fewer candidates than the reranker it would miss what is brought up."""
    judge = MarginJudge({})
    reranker = JudgeSettings(judge=by_length, candidates=7)
    settings = JudgeSettings(judge=judge, candidates=1)
    first = Engine(index, judge=None, reranker=reranker).search(QUERY, 1)[0]
    Engine(index, judge=settings, reranker=reranker).search(QUERY, 7)
    assert judge.passages == [first.passage.text]


def test_answers_of_two_kinds_do_not_count(index):
    """Scores and probabilities have no common scale."""

    def mixed(pairs):
        return [1.5, *((0.2, 0.2, 0.6) for _ in pairs[1:])]

    plain = Engine(index, judge=None).search(QUERY, 7)
    with pytest.warns(PairJudgeWarning, match="mixes"):
        assert Engine(index, judge=mixed).search(QUERY, 7) == plain


def test_a_reranker_that_fails_changes_nothing(index):
    plain = Engine(index, judge=None).search("lemon cake", 7)
    with pytest.warns(PairJudgeWarning, match="reranker .* RuntimeError"):
        assert Engine(index, judge=None, reranker=failing_judge).search("lemon cake", 7) == plain
    with pytest.raises(ConfigurationError, match="reranker"):
        Engine(index, reranker="cohere")


def test_settings_survive_a_file(tmp_path):
    """The file that --fit writes is the file that a program loads; a note is skipped."""
    settings = JudgeSettings(ask="parts", relevance_weight=0.75, drop_above=0.9)
    path = tmp_path / "judge.json"
    settings.save(path)
    written = json.loads(path.read_text())
    path.write_text(json.dumps({**written, "fit": {"queries": 50}}))
    assert JudgeSettings.load(path) == settings
    assert JudgeSettings.load(path, by_length).judge is by_length
    with pytest.raises(ConfigurationError, match="cannot hold"):
        JudgeSettings(by_length).save(path)
    path.write_text("{")
    with pytest.raises(ReadError, match="settings"):
        JudgeSettings.load(path)
    for wrong in ({"judge": {"class": "Oracle"}}, {"weight": 1}, {"relevance_weight": 2}):
        path.write_text(json.dumps(wrong))
        with pytest.raises(ConfigurationError):
            JudgeSettings.load(path)
