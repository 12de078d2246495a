"""The score and the probability, and what they are made of, against the formulae written out."""

from __future__ import annotations

import math
from dataclasses import fields, replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from placed_words import CONSTANTS, COPPER, LOUD, QUIET, SETTINGS, expected, placed

from logic_retrievers.contradiction import ContradictionSettings
from logic_retrievers.contradiction.judging import judge, judge_pairs
from logic_retrievers.contradiction.settings import settings_for
from logic_retrievers.errors import ConfigurationError
from logic_retrievers.scoring import normalised, sparsity

numbers = st.floats(-20, 20)
settings_of_any_kind = st.builds(
    ContradictionSettings,
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
        name: normalised(generator.normal(size=(count, dimension))).astype(np.float32)
        for name in ("topical", "contradiction")
    }


# --- constants


@given(settings=settings_of_any_kind, pairs=values)
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


@given(settings=settings_of_any_kind)
def test_a_copy_has_no_score_and_contradicts_nothing(settings):
    """A copy in the list is no reason to drop either of the two."""
    nothing = np.array([np.nan])
    assert np.isnan(settings.score(np.array([1.0]), nothing)).all()
    assert settings.probability(np.array([1.0]), nothing).tolist() == [0.0]


@given(settings=settings_of_any_kind, shift=st.floats(-1, 1))
def test_the_null_distribution_alone_fits_a_corpus(settings, shift):
    """What is as far from a corpus's own null must be as probable there as here."""
    cosines, sparsities = np.array([0.3, 0.9]), np.array([0.2, 0.7])
    moved = replace(settings, null_mean=settings.null_mean + shift)
    assert moved.probability(cosines, sparsities + shift) == pytest.approx(
        settings.probability(cosines, sparsities), abs=1e-6
    )


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"alpha": -0.1}, "alpha must be at least 0"),
        ({"null_deviation": 0}, "null_deviation must be over 0"),
        ({"threshold": 0}, "between 0 and 1"),
        ({"threshold": 1}, "between 0 and 1"),
        ({"intercept": math.nan}, "finite"),
        ({"null_mean": math.inf}, "finite"),
        ({"cosine_weight": "1"}, "number"),
        ({"sparsity_weight": True}, "number"),
    ],
)
def test_constants_out_of_range_are_refused(changed, message):
    """A wrong constant would only be seen in figures that nobody checks."""
    with pytest.raises(ConfigurationError, match=message):
        ContradictionSettings.from_constants(CONSTANTS | changed)


def test_constants_that_lack_or_are_unknown_are_named():
    """A bundle of a later version must not be read by half."""
    for name in (field.name for field in fields(ContradictionSettings)):
        rest = {key: value for key, value in CONSTANTS.items() if key != name}
        with pytest.raises(ConfigurationError, match=name):
            ContradictionSettings.from_constants(rest)
    with pytest.raises(ConfigurationError, match="beta"):
        ContradictionSettings.from_constants({**CONSTANTS, "beta": 1.0})
    assert SETTINGS.with_threshold(0.9) == replace(SETTINGS, threshold=0.9)


def test_settings_for_an_encoder():
    """The constants of one contradiction vector say nothing about another's."""
    specs = placed().specs
    assert settings_for(specs) == SETTINGS
    own = replace(SETTINGS, alpha=7.0)
    assert settings_for(specs, own) == own
    assert settings_for(placed(constants=None).specs, own) == own
    assert settings_for(specs, own, alpha=0) == replace(own, alpha=0)
    assert settings_for(specs, threshold=0.25) == replace(SETTINGS, threshold=0.25)
    with pytest.raises(ConfigurationError, match="no constants"):
        settings_for(placed(constants=None).specs)
    with pytest.raises(ConfigurationError, match=r"no 'contradiction'.*CombinedEncoder"):
        settings_for(placed(("topical", "compatibility")).specs, own)
    with pytest.raises(ConfigurationError, match="no 'topical'"):
        settings_for(placed(("contradiction",)).specs)
    with pytest.raises(ConfigurationError, match="must be ContradictionSettings"):
        settings_for(specs, CONSTANTS)
    with pytest.raises(ConfigurationError, match="alpha"):
        settings_for(specs, alpha=-1)


# --- judging


@given(seed=st.integers(0, 2**32), settings=settings_of_any_kind)
def test_pairs_are_judged_as_one_against_others(seed, settings):
    """A scorer of pairs and a filter over a list would contradict each other about one pair."""
    rows = unit_rows(seed)
    one = {name: vectors[0] for name, vectors in rows.items()}
    repeated = {name: np.repeat(vectors[:1], 6, axis=0) for name, vectors in rows.items()}
    for measure in ("hoyer", "l2_l1", "kappa4"):
        left, right = (
            judge(one, rows, settings, measure),
            judge_pairs(repeated, rows, settings, measure),
        )
        for field in fields(left):
            np.testing.assert_allclose(
                getattr(left, field.name), getattr(right, field.name), rtol=1e-4, atol=1e-5
            )


@given(seed=st.integers(0, 2**32))
def test_judging_is_symmetric(seed):
    """A contradicts B as B contradicts A."""
    left, right = unit_rows(seed), unit_rows(seed + 1)
    there, back = judge_pairs(left, right, SETTINGS), judge_pairs(right, left, SETTINGS)
    for field in fields(there):
        np.testing.assert_array_equal(getattr(there, field.name), getattr(back, field.name))


def test_another_measure_changes_the_score_and_not_the_probability():
    """The probability's constants were found for Hoyer; of kappa4 they would make nonsense."""
    rows = unit_rows(3)
    one = {name: vectors[0] for name, vectors in rows.items()}
    hoyer, kappa = judge(one, rows, SETTINGS), judge(one, rows, SETTINGS, "kappa4")
    np.testing.assert_array_equal(hoyer.probabilities, kappa.probabilities)
    values = sparsity(one["contradiction"], rows["contradiction"], "kappa4")
    np.testing.assert_array_equal(kappa.sparsities, values.astype(np.float64))
    np.testing.assert_array_equal(kappa.scores, kappa.cosines + SETTINGS.alpha * kappa.sparsities)
    assert not np.allclose(kappa.scores[1:], hoyer.scores[1:])


def test_of_texts():
    """Both vectors have their own place in the score; swapped, it would still be a number."""
    rows = placed().encode_documents([QUIET, LOUD, COPPER, QUIET])
    found = judge({name: vectors[0] for name, vectors in rows.items()}, rows, SETTINGS)
    for at, other in ((1, LOUD), (2, COPPER)):
        wanted = expected(QUIET, other)
        assert found.cosines[at] == pytest.approx(wanted["cosine"], abs=1e-5)
        assert found.sparsities[at] == pytest.approx(wanted["sparsity"], abs=1e-5)
        assert found.scores[at] == pytest.approx(wanted["score"], abs=1e-4)
        assert found.probabilities[at] == pytest.approx(wanted["probability"], abs=1e-4)
    assert found.probabilities[1] > 0.5 > found.probabilities[2]
    assert np.isnan(found.scores[[0, 3]]).all()
    assert found.probabilities[[0, 3]].tolist() == [0.0, 0.0]
