"""Scores of pairs of texts."""

from __future__ import annotations

import json
import math
import tracemalloc
from dataclasses import fields, replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from placed_words import CONSTANTS, COPPER, LOUD, MERGED, QUIET, SETTINGS, expected, placed

from logic_retrievers.conflicts import ContradictionScorer, ContradictionSettings, PairScore, scorer
from logic_retrievers.conflicts.scorer import score_against, score_rows
from logic_retrievers.conflicts.settings import ContradictionConstants, merge_constants
from logic_retrievers.errors import ConfigurationError, EmptyTextError, InputError
from logic_retrievers.scoring import normalise


def test_of_texts_against_the_formulae():
    """Scores must follow the paper's definition, with the right two vectors."""
    pairs = [(QUIET, LOUD), (COPPER, QUIET), (LOUD, COPPER)]
    found = ContradictionScorer(placed()).score(pairs)
    for pair, one in zip(pairs, found, strict=True):
        wanted = expected(*pair)
        assert one.score == pytest.approx(wanted["score"], abs=1e-4)
        assert one.cosine == pytest.approx(wanted["cosine"], abs=1e-5)
        assert one.sparsity == pytest.approx(wanted["sparsity"], abs=1e-5)
        assert one.probability == pytest.approx(wanted["probability"], abs=1e-4)
        assert not one.identical
    assert [one.conflict for one in found] == [True, False, False]


def test_every_value_survives_json():
    """JSON has no NaN: one copy would make a file unreadable."""
    found = ContradictionScorer(placed()).score([(QUIET, LOUD), (QUIET, QUIET), (QUIET, "Тихо")])
    for one in found:
        assert json.loads(json.dumps(one.to_dict(), allow_nan=False)) == one.to_dict()
    assert list(found[0].to_dict()) == [
        *("score", "probability", "cosine", "sparsity", "conflict", "identical"),
    ]


def test_copies_do_not_contradict_each_other():
    """Rounding is the sparsest difference, so copies would rank first."""
    same, spaced = ContradictionScorer(placed()).score([(QUIET, QUIET), (QUIET, f" {QUIET}. ")])
    assert same == PairScore(1.0, 0.0, 1.0, None, False, True)
    assert spaced == same  # this encoder places texts by their words


def test_texts_in_another_script_are_not_judged():
    """The model has hardly seen their tokens, but its figure looks like any other."""
    chinese = "这家旅馆晚上很安静。"
    scorer = ContradictionScorer(placed(), settings=ContradictionSettings(threshold=1e-9))
    one, two, copy = scorer.score([(QUIET, chinese), (chinese, QUIET), (chinese, chinese)])
    for found in (one, two):
        assert (found.probability, found.conflict, found.identical) == (None, False, False)
        assert found.score == pytest.approx(found.cosine + 2 * found.sparsity, abs=2e-6)
    assert (copy.probability, copy.identical) == (0.0, True)


@pytest.mark.parametrize("size", [3, 128])
def test_each_text_is_encoded_once_in_the_order_of_the_pairs(monkeypatch, size):
    """One statement against a thousand passages must not be encoded a thousand times."""
    monkeypatch.setattr(scorer, "PAIRS_PER_BATCH", size)
    encoder, others = placed(), [f"the inn number {n} is quiet" for n in range(7)]
    pairs = [(QUIET, other) for other in others] + [(others[3], LOUD), (LOUD, QUIET)]
    found = ContradictionScorer(encoder).score(pairs)
    assert encoder.documents == [QUIET, *others, LOUD]
    assert encoder.queries == []
    assert found == [ContradictionScorer(placed()).score([pair])[0] for pair in pairs]


def test_only_what_is_needed_is_encoded_and_kept(monkeypatch):
    """The compatibility vector costs as much as the others, and a file of pairs can be endless."""
    encoder, asked = placed(), []
    encode = encoder.encode_documents

    def noted(texts, names=None):
        asked.append((len(texts), tuple(names)))
        return encode(texts, names)

    monkeypatch.setattr(encoder, "encode_documents", noted)
    pairs = [(f"text {n}", f"other {n}") for n in range(2000)]
    tracemalloc.start()
    ContradictionScorer(encoder).score(pairs)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert {names for _, names in asked} == {("topical", "contradiction")}
    assert max(count for count, _ in asked) <= 2 * scorer.PAIRS_PER_BATCH
    assert peak < 5e6, "all vectors are 8 MB"


def test_constants_of_the_users_own():
    """Ignoring a setting is worse than refusing it."""
    pair = [(QUIET, LOUD)]
    (plain,) = ContradictionScorer(placed()).score(pair)
    (weighed,) = ContradictionScorer(placed(), settings=ContradictionSettings(alpha=0.5)).score(
        pair
    )
    assert weighed.score == pytest.approx(plain.cosine + 0.5 * plain.sparsity, abs=2e-6)
    assert weighed.probability == plain.probability
    strict = ContradictionSettings(threshold=0.99)
    assert not ContradictionScorer(placed(), settings=strict).score(pair)[0].conflict
    own = SETTINGS.model_copy(update={"intercept": 50.0})
    (sure,) = ContradictionScorer(placed(constants=None), settings=own).score(pair)
    assert (sure.probability, sure.score) == (1.0, plain.score)


@pytest.mark.parametrize(
    ("pairs", "error", "message"),
    [
        ([(QUIET, LOUD), (QUIET, " \n")], EmptyTextError, "pair 1"),
        ([(QUIET, 3)], InputError, "pair 0 holds int"),
        ([(QUIET, LOUD), "ab"], InputError, "pair 1"),
        (QUIET, InputError, "pairs is a list"),
    ],
)
def test_what_is_no_pair_is_named(pairs, error, message):
    """For Python a string of two characters is a pair too."""
    encoder = placed()
    with pytest.raises(error, match=message):
        ContradictionScorer(encoder).score(pairs)
    assert encoder.documents == []


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
    """A wrong sign or weight still gives figures that look like scores."""
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
    """A wrong constant shows only in figures that no one checks."""
    with pytest.raises(ConfigurationError, match=next(iter(changed))):
        merge_constants(placed(constants=CONSTANTS | changed).specs)
    with pytest.raises(ConfigurationError, match=next(iter(changed))):
        ContradictionSettings(**changed)


def test_constants_that_lack_or_are_unknown_are_named():
    """A later version's bundle must not be half read."""
    for name in CONSTANTS:
        rest = {key: value for key, value in CONSTANTS.items() if key != name}
        with pytest.raises(ConfigurationError, match=name):
            merge_constants(placed(constants=rest).specs)
    with pytest.raises(ConfigurationError, match="beta"):
        merge_constants(placed(constants={**CONSTANTS, "beta": 1.0}).specs)


def test_constants_of_an_encoder():
    """One contradiction vector's constants say nothing about a different one's."""
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
    """A scorer of pairs and a filter over a list must agree about a pair."""
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
    """A contradicts B exactly as B contradicts A."""
    left, right = unit_rows(seed), unit_rows(seed + 1)
    there, back = score_rows(left, right, MERGED), score_rows(right, left, MERGED)
    for field in fields(there):
        np.testing.assert_array_equal(getattr(there, field.name), getattr(back, field.name))
