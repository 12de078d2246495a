"""Development figures of set queries."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("sentence_transformers", reason="the extra train")

from logic_export.training.set_development import (
    RECALL,
    VIOLATION,
    SetDevelopment,
    sample_pool,
    set_figures,
)
from sentence_transformers import SentenceTransformer
from small_sets import write_small_sets

from logic_retrievers.errors import ConfigurationError
from logic_retrievers.evaluation import Dataset, evaluate, load_dataset
from logic_retrievers.evaluation.queries import Query

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::FutureWarning")


def dataset(count: int, *queries: tuple[str, str], name: str = "films/dev") -> Dataset:
    """Documents d0 ...; of each query the satisfying ones and the violating ones."""
    return Dataset(
        name,
        {f"d{n}": f"text {n}" for n in range(count)},
        tuple(
            Query(str(n), f"query {n}", dict.fromkeys(own.split(), 1), frozenset(wrong.split()))
            for n, (own, wrong) in enumerate(queries)
        ),
    )


def test_figures_are_recall_and_violation_rate():
    """Ranks counted from the wrong end would praise what finds the excluded things."""
    data = dataset(200, ("d0 d1", ""), ("d0 d150", "d2 d3"), ("d0", "d199 d1"))
    falling = -np.arange(200.0)
    found = set_figures(data, np.stack([falling, falling, falling]))
    assert found[RECALL] == pytest.approx((1 + 0.5 + 1) / 3)
    assert found[VIOLATION] == pytest.approx(0.5)  # mean ranks 3.5 < 76; 101 > 1
    found = set_figures(data, np.stack([-falling, falling, -falling]))
    assert found[RECALL] == pytest.approx((0 + 0.5 + 0) / 3)
    assert found[VIOLATION] == 1


def test_without_violating_documents_there_is_no_rate():
    """A rate of 0 over no queries would be the best of all."""
    assert set(set_figures(dataset(3, ("d0", "")), np.zeros((1, 3)))) == {RECALL}


def test_recall_is_that_of_the_benchmarks(tmp_path: Path):
    data = load_dataset(write_small_sets(tmp_path / "rooms"), "dev")
    scores = np.random.default_rng(0).normal(size=(len(data.queries), len(data.documents)))
    ids = list(data.documents)

    def search(texts, k):
        return [[(ids[c], float(row[c])) for c in np.argsort(-row)[:k]] for row in scores]

    expected = evaluate(data, search, 100, resamples=1).metrics["R@100"]
    assert set_figures(data, scores)[RECALL] == pytest.approx(expected)


def test_a_pool_holds_all_that_its_queries_ask_for():
    """An answer that is not there cannot be found: the recall would be that of the draw."""
    own = [(" ".join(f"d{10 * n + i}" for i in range(6)), f"d{10 * n + 7}") for n in range(40)]
    data = dataset(1000, *own)
    pool = sample_pool(data, 100)
    assert len(pool.documents) == 100
    assert 0 < len(pool.queries) < 40
    for query in pool.queries:
        assert query.satisfying | query.violating <= set(pool.documents)
    labelled = set().union(*(q.satisfying | q.violating for q in pool.queries))
    assert 43 < len(labelled) <= 50
    assert list(pool.documents) == [name for name in data.documents if name in pool.documents]
    assert sample_pool(data, 100) == pool
    assert sample_pool(dataset(1000, *own, name="other/dev"), 100).queries != pool.queries
    assert sample_pool(data, None) == sample_pool(data, 1000) == data


def test_one_broad_query_makes_a_larger_pool():
    pool = sample_pool(dataset(50, (" ".join(f"d{n}" for n in range(30)), "")), 20)
    assert len(pool.queries) == 1
    assert len(pool.documents) == 30


def test_a_part_without_answers_is_refused():
    with pytest.raises(ConfigurationError, match="no query of films/dev has an answer"):
        sample_pool(dataset(5, ("", "d1")), None)


def test_a_measurement_uses_lengths_and_prefixes_of_its_side(small_model_folder: Path):
    """Encoded otherwise than in training and in use, the best model is another one."""
    model = SentenceTransformer(str(small_model_folder), device="cpu")
    seen = []

    class Watched:
        max_seq_length = 99

        def encode(self, texts, **settings):
            seen.append((list(texts), self.max_seq_length))
            return model.encode(texts, **settings)

    data = dataset(3, ("d1", "d2"), ("d2", ""))
    development = SetDevelopment([data], (7, 9), ("q: ", "d: "))
    found = development.measure(Watched())
    assert seen == [
        (["q: query 0", "q: query 1"], 7),
        (["d: text 0", "d: text 1", "d: text 2"], 9),
    ]
    assert found["films/dev"][RECALL] == 1
    assert development.score({"a": {RECALL: 0.2}, "b": {RECALL: 0.6, VIOLATION: 1}}, {}) == 0.4
