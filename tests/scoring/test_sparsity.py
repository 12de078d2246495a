"""Sparsity of differences against the formulae for one pair at a time."""

from __future__ import annotations

import math
import tracemalloc

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from logic_retrievers.errors import ConfigurationError
from logic_retrievers.scoring import MEASURES, normalise, sparsity

measures = pytest.mark.parametrize("measure", sorted(MEASURES))


def plain(one, other, measure):
    """The paper's formulae in Python floats."""
    delta = [abs(float(a) - float(b)) for a, b in zip(one, other, strict=True)]
    l1, l2 = sum(delta), math.sqrt(sum(x * x for x in delta))
    if l2 < 1e-3:
        return math.nan
    root = math.sqrt(len(delta))
    return {
        "hoyer": (root - l1 / l2) / (root - 1),
        "l2_l1": l2 / l1,
        "kappa4": sum(x**4 for x in delta) / l2**4,
    }[measure]


@st.composite
def rows(draw, least=1):
    """Unit rows; some are close, some differ in a few coordinates, some are copies."""
    dimension = draw(st.integers(2, 40))
    count = draw(st.integers(least, 12))
    generator = np.random.default_rng(draw(st.integers(0, 2**32)))
    found = generator.normal(size=(count, dimension))
    for row in range(1, count):
        kind = draw(st.sampled_from(["other", "copy", "near", "one"]))
        if kind == "copy":
            found[row] = found[0]
        elif kind == "near":
            found[row] = found[0] + generator.normal(size=dimension) * draw(
                st.sampled_from([1e-6, 1e-2, 0.1])
            )
        elif kind == "one":
            found[row] = found[0]
            found[row, generator.integers(dimension)] += 0.5
    return normalise(found).astype(np.float32)


@measures
@given(vectors=rows())
def test_every_measure_is_the_papers(measure, vectors):
    """A wrong norm still gives values between 0 and 1 and a plausible ranking."""
    found = sparsity(vectors[0], vectors, measure)
    assert found.dtype == np.float32
    assert math.isnan(found[0])
    for row, value in zip(vectors, found, strict=True):
        distance = math.dist(vectors[0].tolist(), row.tolist())
        if abs(distance - 1e-3) > 1e-6:  # at the edge either result is right
            assert value == pytest.approx(
                plain(vectors[0], row, measure), abs=2e-5 / max(distance, 0.01), nan_ok=True
            )


@measures
@given(vectors=rows(), factor=st.sampled_from([0.5, 2.0, 4.0]))
def test_the_length_of_a_difference_does_not_count(measure, vectors, factor):
    """Kappa4 as printed in the paper, with a square, would measure the texts' distance."""
    differences = vectors - vectors[0]
    differences = differences[np.linalg.norm(differences, axis=1) > 5e-3]
    zero = np.zeros(vectors.shape[1], dtype=np.float32)
    one = sparsity(zero, differences, measure)
    assert not np.isnan(one).any()
    assert sparsity(zero, factor * differences, measure) == pytest.approx(one, abs=1e-6)


def test_hoyer_never_leaves_its_range_by_rounding():
    """A sparsity of 1.0000001 breaks the docstring's range."""
    generator = np.random.default_rng(9)
    for dimension in range(2, 400):
        zero = np.zeros(dimension, np.float32)
        ends = np.concatenate([np.eye(dimension)[:1], np.full((1, dimension), 1.0)])
        lengths = generator.uniform(0.01, 2, size=20)[:, None]
        rows = (ends[:, None] * lengths).reshape(-1, dimension).astype(np.float32)
        found = sparsity(zero, rows[np.linalg.norm(rows, axis=1) > 2e-3])
        assert 0 <= found.min() <= found.max() <= 1


@measures
def test_any_number_of_candidates_gives_the_same(measure):
    """A partly filled block must not keep rows of the previous one."""
    vectors = normalise(np.random.default_rng(1).normal(size=(700, 384))).astype(np.float32)
    whole = sparsity(vectors[0], vectors, measure)
    alone = np.concatenate([sparsity(vectors[0], row[None], measure) for row in vectors])
    np.testing.assert_allclose(alone, whole, rtol=1e-6)
    for some in (170, 171, 341, 512):
        np.testing.assert_array_equal(sparsity(vectors[0], vectors[:some], measure), whole[:some])
    assert sparsity(vectors[0], vectors[:0], measure).shape == (0,)


@measures
def test_numpy_1_gives_the_same(measure, monkeypatch):
    """We never run the path without ``vecdot`` elsewhere."""
    vectors = normalise(np.random.default_rng(7).normal(size=(400, 96))).astype(np.float32)
    expected = sparsity(vectors[0], vectors, measure)
    monkeypatch.delattr(np, "vecdot", raising=False)
    np.testing.assert_allclose(sparsity(vectors[0], vectors, measure), expected, rtol=1e-5)


def test_inputs_are_left_as_they_are():
    """The work space is overwritten; a caller's rows may be a view into an index."""
    vectors = np.random.default_rng(2).normal(size=(50, 8)).astype(np.float32)
    before = vectors.copy()
    vectors.setflags(write=False)
    for measure in MEASURES:
        sparsity(vectors[0], vectors, measure)
    np.testing.assert_array_equal(vectors, before)
    wide = vectors.astype(np.float64)
    np.testing.assert_allclose(sparsity(wide[0], wide), sparsity(vectors[0], vectors), atol=1e-6)


def test_memory_is_bounded():
    """Differences for all of 100,000 candidates at once take 150 MB."""
    vectors = np.ones((40_000, 64), dtype=np.float16)
    tracemalloc.start()
    try:
        sparsity(np.zeros(64, np.float16), vectors)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 4 * len(vectors) + 2_000_000 < vectors.nbytes * 2


FLOATS, CODES = np.ones((3, 4), np.float32), np.ones((3, 4), np.int8)


@pytest.mark.parametrize(
    ("vector", "others", "settings", "message"),
    [
        (FLOATS[0, :3], FLOATS, {}, "shape"),
        (FLOATS, FLOATS, {}, "shape"),
        (FLOATS[0], FLOATS[0], {}, "shape"),
        (FLOATS[0, 0], FLOATS[0], {}, "shape"),
        (FLOATS[0, :1], FLOATS[:, :1], {}, "shape"),
        (FLOATS[0], CODES, {}, "int8"),
        (CODES[0], FLOATS, {}, "int8"),
        (FLOATS[0].astype(int), FLOATS.astype(int), {}, "int64"),
        (FLOATS[0], FLOATS, {"measure": "gini"}, "gini"),
    ],
)
def test_what_cannot_be_compared_is_refused(vector, others, settings, message):
    """NumPy would broadcast, or read codes as numbers, and still return values."""
    with pytest.raises(ConfigurationError, match=message):
        sparsity(vector, others, **settings)
