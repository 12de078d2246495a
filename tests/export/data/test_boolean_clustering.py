"""Clusters of passages within their bounds, and groups drawn of them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

pytest.importorskip("sklearn", reason="the extra train")

from logic_export.data.boolean_questions.passage_groups import (
    ClusteringSettings,
    cluster_passages,
    draw_groups,
)

from logic_retrievers.errors import ConfigurationError


def scaled(rows) -> np.ndarray:
    rows = np.asarray(rows, dtype=np.float32)
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def planted(topics: int, each: int, *, dimension: int = 64, noise: float = 0.05) -> np.ndarray:
    """Rows that lie in turn around so many directions."""
    random = np.random.default_rng(7)
    centres = scaled(random.normal(size=(topics, dimension)))
    rows = np.tile(centres, (each, 1)) + noise * random.normal(size=(topics * each, dimension))
    return scaled(rows)


@st.composite
def tables(draw) -> np.ndarray:
    shape = draw(st.tuples(st.integers(0, 30), st.integers(1, 6)))
    values = draw(arrays.arrays(np.int8, shape, elements=st.integers(-2, 2)))
    rows = values.astype(np.float32)
    rows[~rows.any(axis=1)] = 1.0
    return scaled(rows)


@settings(max_examples=150, deadline=None)
@given(tables(), st.integers(2, 6), st.integers(0, 8), st.integers(1, 8))
def test_bounds_hold_for_any_vectors(vectors, most, more, dimension):
    """A passage in two clusters would be asked for twice, and copies cannot be told apart."""
    chosen = ClusteringSettings(dimension=dimension, most=most, block=most + more)
    found = cluster_passages(vectors, chosen, seed=3)
    rows = [row for cluster in found for row in cluster]
    assert len(rows) == len(set(rows))
    assert set(rows) <= set(range(len(vectors)))
    for cluster in found:
        assert 2 <= len(cluster) <= most
        assert list(cluster) == sorted(cluster)
        cosines = vectors[list(cluster)] @ vectors[list(cluster)].T
        assert np.triu(cosines, 1).max() < chosen.most_cosine
    assert found == cluster_passages(vectors, chosen, seed=3) == sorted(found)


@pytest.mark.parametrize("block", [4000, 40, 6])
def test_topics_are_found_in_one_block_or_many(block):
    """Blocks are for size alone: a topic that is cut through is lost."""
    found = cluster_passages(
        planted(30, 5), ClusteringSettings(most=5, block=block, most_cosine=0.999)
    )
    whole = [tuple(range(topic, 150, 30)) for topic in range(30)]
    assert len(set(found) & set(whole)) >= (30 if block == 4000 else 20)


def test_a_cluster_is_cut_where_it_grows_too_large():
    found = cluster_passages(planted(3, 20), ClusteringSettings(most=4, most_cosine=1.0))
    assert max(map(len, found)) <= 4
    assert all(len({row % 3 for row in cluster}) == 1 for cluster in found)
    assert sum(map(len, found)) > 40


def test_what_is_far_apart_makes_no_cluster():
    """Two leftovers merge last of all; a question over them would join what nobody joins."""
    assert cluster_passages(np.eye(6, dtype=np.float32)) == []
    pair = scaled([[1, 0, 0], [0.8, 0.6, 0], [0, 0, 1]])
    assert cluster_passages(pair, ClusteringSettings(least_cosine=0.7)) == [(0, 1)]
    assert cluster_passages(pair, ClusteringSettings(least_cosine=0.9)) == []


def test_near_copies_are_left_out():
    """No question is answered by one of them and not by the other."""
    vectors = scaled([[1, 0], [1, 0.001], [0.9, 0.5], [1, 0.002]])
    assert cluster_passages(vectors) == [(0, 2)]
    assert cluster_passages(vectors[[0, 1]]) == []


def test_many_copies_of_one_vector_are_halved():
    """They differ nowhere, and would be halved for ever."""
    assert cluster_passages(scaled(np.ones((50, 4))), ClusteringSettings(block=8)) == []


@pytest.mark.parametrize("count", [0, 1])
def test_too_few_passages_make_no_cluster(count):
    assert cluster_passages(scaled(np.ones((count, 4)))) == []


@pytest.mark.parametrize(
    "wrong",
    [
        {"dimension": 0},
        {"most": 1},
        {"block": 7},
        {"least_cosine": 1.0},
        {"least_cosine": -1.1},
        {"most_cosine": 1.1},
        {"most_cosine": float("nan")},
    ],
)
def test_settings_that_cannot_work(wrong):
    with pytest.raises(ConfigurationError):
        ClusteringSettings(**wrong)


# --- groups

some_clusters = st.lists(st.integers(0, 8), max_size=6).map(
    lambda sizes: [[f"{n}-{i}" for i in range(size)] for n, size in enumerate(sizes)]
)


@given(some_clusters, st.sampled_from([(2,), (3,), (2, 3)]), st.integers())
def test_groups_share_no_passage_and_waste_few(found, sizes, seed):
    texts = {name: f"text {name}" for cluster in found for name in cluster}
    drawn = list(draw_groups(found, texts, sizes=sizes, seed=seed))
    names = [name for group in drawn for name in group.names]
    assert len(names) == len(set(names))
    for group in drawn:
        assert len(group.names) in sizes
        assert len({name.split("-")[0] for name in group.names}) == 1
        assert group.texts == tuple(texts[name] for name in group.names)
    assert len({group.id for group in drawn}) == len(drawn)
    for number, cluster in enumerate(found):
        used = sum(name.startswith(f"{number}-") for name in names)
        assert len(cluster) - used < min(sizes)
    assert drawn == list(draw_groups(found, texts, sizes=sizes, seed=seed))


def test_every_cluster_comes_before_any_comes_again():
    """A few questions are to be on many topics."""
    found = [[f"{n}-{i}" for i in range(8)] for n in range(20)]
    texts = {name: name for cluster in found for name in cluster}
    first = [group.names[0].split("-")[0] for group in draw_groups(found, texts)][:20]
    assert len(set(first)) == 20
    assert first != sorted(first, key=int)


@pytest.mark.parametrize("sizes", [(), (1,), (2, 4)])
def test_other_sizes_are_refused(sizes):
    with pytest.raises(ConfigurationError):
        list(draw_groups([["a", "b"]], {"a": "x", "b": "y"}, sizes=sizes))
