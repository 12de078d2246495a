"""Development figures of each kind of head."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from logic_export.contradiction_retrieval import (
    build_pool,
    find_alpha,
    ndcg,
    nearest_candidates,
)
from logic_export.data.tiers.examples import TieredExample
from logic_export.training.coder import constraint_score
from logic_export.training.logicol import (
    ANSWER_RECALL,
    VIOLATION,
    sample_pool,
    set_development,
    set_figures,
)
from logic_export.training.lore import DISTRACTORS, POSITIVES, tier_development
from logic_export.training.sparsecl import ALPHA, COSINE, NDCG, contradiction_development
from sentence_transformers import SentenceTransformer
from small_recipes import groups, roles

from logic_retrievers.errors import ConfigurationError
from logic_retrievers.evaluation import Dataset
from logic_retrievers.evaluation.datasets import Query

# --- compatibility


def test_the_score_takes_recall_that_is_lost_beyond_the_limit():
    """An encoder that finds nothing violates nothing, so it must lose score for lost recall."""
    base = [{"constraint": 0.1, "R@5": 0.9}, {"constraint": 0.0, "R@5": 1.0}]
    for recalls, constraints, expected in (
        ((0.9, 1.0), (0.5, 0.3), 0.4),
        ((0.89, 0.99), (0.5, 0.3), 0.4),
        ((0.0, 0.0), (1.0, 1.0), 0.06),
    ):
        measured = [
            {"constraint": constraint, "R@5": recall}
            for constraint, recall in zip(constraints, recalls, strict=True)
        ]
        assert constraint_score(measured, base, 0.01) == pytest.approx(expected)


# --- contradiction


def test_development_measures_what_retrieval_is_measured_by(small_model: SentenceTransformer):
    """Cosines must come from the base: the trained head's cosines would move with every step."""
    pool = build_pool(groups(8, seed=5))
    rng = np.random.default_rng(0)
    topical = rng.normal(size=(len(pool.texts), 32)).astype(np.float32)
    topical /= np.linalg.norm(topical, axis=1, keepdims=True)
    read = roles(5, 16, "", "q : ")
    development = contradiction_development({"own": pool}, lambda _: topical, read)
    found = development.measure(small_model)["own"]
    small_model.max_seq_length = 16
    own = small_model.encode([f"q : {text}" for text in pool.texts], normalize_embeddings=True)
    candidates = nearest_candidates(pool, topical, own, "hoyer", 100)
    alpha = find_alpha(candidates)
    assert found[ALPHA] == alpha
    assert found[NDCG] == pytest.approx(ndcg(candidates, alpha).mean())
    assert found[COSINE] == pytest.approx(ndcg(candidates, 0).mean())
    told = development(small_model)
    assert (told["score"], told[f"own {ALPHA}"]) == (found[NDCG], alpha)
    sets = {"a": {NDCG: 0.4, ALPHA: 9}, "b": {NDCG: 0.8, ALPHA: 1}}
    assert development.score(sets, {}) == pytest.approx(0.6)
    # the contrastive baseline ranks by its own cosine
    wrong = np.zeros_like(topical)
    baseline = contradiction_development({"own": pool}, lambda _: wrong, read, None)
    expected = ndcg(nearest_candidates(pool, own, own, depth=100), 0).mean()
    assert baseline.measure(small_model) == {"own": {NDCG: pytest.approx(expected)}}


# --- set queries


def dataset(count: int, *queries: tuple[str, str], name: str = "films/dev") -> Dataset:
    """Make documents d0, d1, ...; each query names its satisfying and its violating documents."""
    return Dataset(
        name,
        {f"d{n}": f"text {n}" for n in range(count)},
        tuple(
            Query(str(n), f"query {n}", dict.fromkeys(own.split(), 1), frozenset(wrong.split()))
            for n, (own, wrong) in enumerate(queries)
        ),
    )


def test_figures_are_recall_and_violation_rate(tmp_path: Path):
    """Ranks counted from the wrong end would reward finding the excluded things."""
    data = dataset(200, ("d0 d1", ""), ("d0 d150", "d2 d3"), ("d0", "d199 d1"))
    falling = -np.arange(200.0)
    found = set_figures(data, np.stack([falling, falling, falling]))
    assert found[ANSWER_RECALL] == pytest.approx((1 + 0.5 + 1) / 3)
    assert found[VIOLATION] == pytest.approx(0.5)  # mean ranks 3.5 < 76; 101 > 1
    found = set_figures(data, np.stack([-falling, falling, -falling]))
    assert found[ANSWER_RECALL] == pytest.approx((0 + 0.5 + 0) / 3)
    assert found[VIOLATION] == 1
    # a rate of 0 over no queries would count as the best figure
    assert set(set_figures(dataset(3, ("d0", "")), np.zeros((1, 3)))) == {ANSWER_RECALL}


def test_a_pool_holds_all_that_its_queries_ask_for():
    """With answers missing from the pool, recall would measure the sample, not the model."""
    own = [(" ".join(f"d{10 * n + i}" for i in range(6)), f"d{10 * n + 7}") for n in range(40)]
    data = dataset(1000, *own)
    pool = sample_pool(data, 100)
    assert len(pool.documents) == 100
    assert 0 < len(pool.queries) < 40
    labelled = set().union(*(q.satisfying | q.violating for q in pool.queries))
    assert labelled <= set(pool.documents)
    assert 43 < len(labelled) <= 50
    assert list(pool.documents) == [name for name in data.documents if name in pool.documents]
    assert sample_pool(data, 100) == pool
    assert sample_pool(dataset(1000, *own, name="other/dev"), 100).queries != pool.queries
    assert sample_pool(data, None) == sample_pool(data, 1000) == data
    broad = sample_pool(dataset(50, (" ".join(f"d{n}" for n in range(30)), "")), 20)
    assert (len(broad.queries), len(broad.documents)) == (1, 30)
    with pytest.raises(ConfigurationError, match="no query of films/dev has an answer"):
        sample_pool(dataset(5, ("", "d1")), None)


def test_a_measurement_uses_lengths_and_prefixes_of_its_side(small_model: SentenceTransformer):
    """Encoding differently than in training and use would select the wrong checkpoint."""
    seen = []

    class Watched:
        max_seq_length = 99

        def encode(self, texts, **settings):
            seen.append((list(texts), self.max_seq_length))
            return small_model.encode(texts, **settings)

    data = dataset(3, ("d1", "d2"), ("d2", ""))
    development = set_development([data], roles(7, 9, "q: ", "d: "))
    found = development.measure(Watched())
    assert seen == [
        (["q: query 0", "q: query 1"], 7),
        (["d: text 0", "d: text 1", "d: text 2"], 9),
    ]
    assert found["films/dev"][ANSWER_RECALL] == 1
    sets = {"a": {ANSWER_RECALL: 0.2}, "b": {ANSWER_RECALL: 0.6, VIOLATION: 1}}
    assert development.score(sets, {}) == 0.4


# --- tiers

ROLES = roles(8, 8)


def example(positives="", distractors="", negatives="", query="q"):
    return TieredExample(query, tuple(positives), tuple(distractors), tuple(negatives), "made")


class Told:
    """A model with given vectors for its texts."""

    max_seq_length = 8

    def __init__(self, **vectors):
        self.vectors = vectors

    def encode(self, texts, **_):
        return np.array([self.vectors[text] for text in texts], np.float32)


def scored(examples, **scores):
    """Compute figures with each passage's score as its vector."""
    model = Told(q=[1], **{name: [value] for name, value in scores.items()})
    return tier_development({"made": examples}, ROLES).measure(model)["made"]


def test_tiers_by_hand():
    """The ranking must hold only a query's own candidates, and the mean must skip tiers that a
    query lacks. An encoder that gives equal scores to all passages must not be perfect.
    """
    found = scored([example("ab", "c", "de"), example("a", "b", "cd")], a=5, b=1, c=4, d=2, e=3)
    assert found == {POSITIVES: (1 / 2 + 1) / 2, DISTRACTORS: (1 + 0) / 2}
    rows = [example("a", "", "bcd"), example("", "a", "bcd"), example("d", "abc")]
    assert scored(rows, a=4, b=3, c=2, d=1) == {POSITIVES: 1 / 2, DISTRACTORS: 1}
    assert scored(rows[:1], a=4, b=3, c=2, d=1) == {POSITIVES: 1}
    found = scored([example("a", "bcd", "e")], a=0, b=0, c=0, d=0, e=0)
    assert found == {POSITIVES: 0, DISTRACTORS: 1}


def test_the_score_is_what_is_found_less_what_distracts():
    """Either figure alone would keep a model that follows every topic, or none."""
    development = tier_development({"made": [example("a", "b")]}, ROLES)
    disturbed = {POSITIVES: 0.6, DISTRACTORS: 0.2}
    assert development.score({"disturbed": disturbed}, {}) == pytest.approx(0.4)
    both = {"disturbed": disturbed, "raw": {POSITIVES: 0.8}}
    assert development.score(both, {}) == pytest.approx(0.6)
    with pytest.raises(ConfigurationError, match="right passage"):
        tier_development({"made": [example("", "a", "b")]}, ROLES)
