"""The score and the probability, and what they are made of, against the formulae written out."""

from __future__ import annotations

import math
from dataclasses import fields, replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from placed_words import CONSTANTS, MERGED, placed

from logic_retrievers.conflicts import ContradictionSettings
from logic_retrievers.conflicts.scorer import score_against, score_rows
from logic_retrievers.conflicts.settings import ContradictionConstants, merge_constants
from logic_retrievers.errors import ConfigurationError
from logic_retrievers.scoring import normalise

numbers = st.floats(-20, 20)
any_constants = st.builds(
    ContradictionConstants,
    alpha=st.floats(0, 20),
    null_mean=st.floats(-1, 1),
    null_deviation=st.floats(1e-3, 1),
    intercept=numbers,
    cosine_weight=numbers,
    sparsity_weight=numbers,
    threshold=st.floats(0.01, 0.99),
)
values = st.lists(st.tuples(st.floats(-1, 1), st.floats(0, 1)), min_size=1, max_size=20)


def unit_rows(seed, count=6, dimension=12):
    generator = np.random.default_rng(seed)
    return {
        name: normalise(generator.normal(size=(count, dimension))).astype(np.float32)
        for name in ("topical", "contradiction")
    }


# --- constants


@given(settings=any_constants, pairs=values)
def test_score_and_probability_are_the_formulae(settings, pairs):
    """A sign or a weight in the wrong place still gives figures that look like scores."""
    cosines, sparsities = np.array(pairs).T
    scores = settings.score(cosines, sparsities)
    probabilities = settings.probability(cosines, sparsities)
    for one, (cosine, hoyer) in enumerate(pairs):
        assert scores[one] == pytest.approx(cosine + settings.alpha * hoyer)
        deviations = (hoyer - settings.null_mean) / settings.null_deviation
        logit = settings.intercept + settings.cosine_weight * cosine
        logit += settings.sparsity_weight * deviations
        logistic = 1 / (1 + math.exp(-logit)) if logit > -700 else 0.0
        assert probabilities[one] == pytest.approx(logistic, abs=1e-12)
        assert 0 <= probabilities[one] <= 1


@given(settings=any_constants)
def test_a_copy_has_no_score_and_contradicts_nothing(settings):
    """A copy in the list is no reason to drop either of the two."""
    nothing = np.array([np.nan])
    assert np.isnan(settings.score(np.array([1.0]), nothing)).all()
    assert settings.probability(np.array([1.0]), nothing).tolist() == [0.0]


@pytest.mark.parametrize(
    "changed",
    [
        {"alpha": -0.1},
        {"null_deviation": 0},
        {"threshold": 1},
        {"intercept": math.nan},
        {"null_mean": math.inf},
        {"cosine_weight": "1"},
        {"sparsity_weight": True},
    ],
    ids=lambda changed: next(iter(changed)),
)
def test_constants_out_of_range_are_refused(changed):
    """A wrong constant would only be seen in figures that nobody checks."""
    with pytest.raises(ConfigurationError, match=next(iter(changed))):
        merge_constants(placed(constants=CONSTANTS | changed).specs)
    with pytest.raises(ConfigurationError, match=next(iter(changed))):
        ContradictionSettings(**changed)


def test_constants_that_lack_or_are_unknown_are_named():
    """A bundle of a later version must not be read by half."""
    for name in CONSTANTS:
        rest = {key: value for key, value in CONSTANTS.items() if key != name}
        with pytest.raises(ConfigurationError, match=name):
            merge_constants(placed(constants=rest).specs)
    with pytest.raises(ConfigurationError, match="beta"):
        merge_constants(placed(constants={**CONSTANTS, "beta": 1.0}).specs)


def test_constants_of_an_encoder():
    """The constants of one contradiction vector say nothing about another's."""
    specs = placed().specs
    assert merge_constants(specs) == MERGED
    own = ContradictionSettings(**{**CONSTANTS, "alpha": 7.0})
    merged = replace(MERGED, alpha=7.0)
    assert merge_constants(specs, own) == merged
    assert merge_constants(placed(constants=None).specs, own) == merged
    assert merge_constants(specs, own, alpha=0) == replace(merged, alpha=0)
    assert merge_constants(specs, threshold=0.25) == replace(MERGED, threshold=0.25)
    with pytest.raises(ConfigurationError, match="no constants"):
        merge_constants(placed(constants=None).specs)
    with pytest.raises(ConfigurationError, match=r"no 'contradiction'.*CombinedEncoder"):
        merge_constants(placed(("topical", "compatibility")).specs, own)
    with pytest.raises(ConfigurationError, match="no 'topical'"):
        merge_constants(placed(("contradiction",)).specs)
    with pytest.raises(ConfigurationError, match="settings must be of type ContradictionSettings"):
        merge_constants(specs, CONSTANTS)
    with pytest.raises(ConfigurationError, match="alpha"):
        merge_constants(specs, alpha=-1)


# --- scores


@given(seed=st.integers(0, 2**32), settings=any_constants)
def test_pairs_are_judged_as_one_against_others(seed, settings):
    """A scorer of pairs and a filter over a list would contradict each other about one pair."""
    rows = unit_rows(seed)
    one = {name: vectors[0] for name, vectors in rows.items()}
    repeated = {name: np.repeat(vectors[:1], 6, axis=0) for name, vectors in rows.items()}
    left, right = score_against(one, rows, settings), score_rows(repeated, rows, settings)
    for field in fields(left):
        np.testing.assert_allclose(
            getattr(left, field.name), getattr(right, field.name), rtol=1e-4, atol=1e-5
        )


@given(seed=st.integers(0, 2**32))
def test_judging_is_symmetric(seed):
    """A contradicts B as B contradicts A."""
    left, right = unit_rows(seed), unit_rows(seed + 1)
    there, back = score_rows(left, right, MERGED), score_rows(right, left, MERGED)
    for field in fields(there):
        np.testing.assert_array_equal(getattr(there, field.name), getattr(back, field.name))
