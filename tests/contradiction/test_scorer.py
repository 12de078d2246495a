"""Scores of pairs of texts."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest
from placed_words import CONSTANTS, COPPER, LOUD, MERGED, QUIET, SETTINGS, expected, placed

from logic_retrievers.contradiction import (
    ContradictionScorer,
    ContradictionSettings,
    PairScore,
    scorer,
)
from logic_retrievers.contradiction.scorer import unrelated_pairs
from logic_retrievers.errors import ConfigurationError, EmptyTextError, InputError

WORDS = ("bread", "boats", "glass", "silver", "music", "winter", "law", "rivers", "iron", "wheat")
CORPUS = [f"{one} and {other} in {other}{one}" for one in WORDS for other in WORDS if one < other]


def test_of_texts_against_the_formulae():
    """What a user reads must be what the paper defines, of the right two vectors."""
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
    """NaN is no JSON: one copy in a file would break whoever reads it."""
    found = ContradictionScorer(placed()).score([(QUIET, LOUD), (QUIET, QUIET), (QUIET, "Тихо")])
    for one in found:
        assert json.loads(json.dumps(one.to_dict(), allow_nan=False)) == one.to_dict()
    assert list(found[0].to_dict()) == [
        *("score", "probability", "cosine", "sparsity", "conflict", "identical"),
    ]


def test_copies_do_not_contradict_each_other():
    """Rounding alone is the sparsest difference of all; a copy would come first."""
    same, spaced = ContradictionScorer(placed()).score([(QUIET, QUIET), (QUIET, f" {QUIET}. ")])
    assert same == PairScore(1.0, 0.0, 1.0, None, False, True)
    assert spaced == same  # the words decide in this encoder


def test_texts_in_another_script_are_not_judged():
    """The model has hardly seen their tokens; a figure would look like any other."""
    chinese = "这家旅馆晚上很安静。"
    scorer = ContradictionScorer(placed(), settings=ContradictionSettings(threshold=1e-9))
    one, two, copy = scorer.score([(QUIET, chinese), (chinese, QUIET), (chinese, chinese)])
    for found in (one, two):
        assert (found.probability, found.conflict, found.identical) == (None, False, False)
        assert found.score == pytest.approx(found.cosine + 2 * found.sparsity, abs=2e-6)
    assert (copy.probability, copy.identical) == (0.0, True)


@pytest.mark.parametrize("size", [1, 3, 128])
def test_each_text_is_encoded_once_in_the_order_of_the_pairs(monkeypatch, size):
    """One statement against a thousand would be encoded a thousand times."""
    monkeypatch.setattr(scorer, "PAIRS_PER_BATCH", size)
    encoder, others = placed(), [f"the inn number {n} is quiet" for n in range(7)]
    pairs = [(QUIET, other) for other in others] + [(others[3], LOUD), (LOUD, QUIET)]
    found = ContradictionScorer(encoder).score(pairs)
    assert encoder.documents == [QUIET, *others, LOUD]
    assert encoder.queries == []
    assert found == [ContradictionScorer(placed()).score([pair])[0] for pair in pairs]


def test_only_what_is_needed_is_encoded():
    """The compatibility vector says nothing here, and costs as much as the others."""
    asked = []

    class Noting:
        specs = placed().specs

        def encode_documents(self, texts, names=None):
            asked.append((len(texts), tuple(names)))
            return placed().encode_documents(texts, names)

    ContradictionScorer(Noting()).score([(QUIET, f"{n}") for n in range(300)])
    assert {names for _, names in asked} == {("topical", "contradiction")}
    assert max(count for count, _ in asked) <= 2 * scorer.PAIRS_PER_BATCH


def test_vectors_are_forgotten_with_their_last_pair(monkeypatch):
    """A million pairs of a file must not lie in memory with all their vectors."""
    monkeypatch.setattr(scorer, "PAIRS_PER_BATCH", 2)
    seen, score_batch = [], ContradictionScorer._score_batch

    def noted(self, pairs, vectors):
        scores = score_batch(self, pairs, vectors)
        seen.append(set(vectors))
        return scores

    monkeypatch.setattr(ContradictionScorer, "_score_batch", noted)
    a, b, c, d, e, f = (f"text {n}" for n in "abcdef")
    ContradictionScorer(placed()).score([(a, b), (c, d), (e, a), (f, e), (f, a)])
    assert seen == [{a, b, c, d}, {e, a, f}, {f, a}]


def test_constants_of_the_users_own():
    """A setting that is not heard is worse than one that is refused."""
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
    ("encoder", "settings", "message"),
    [
        (placed(("topical",)), {}, r"no 'contradiction'.*contradiction head"),
        (placed(constants=None), {}, r"no constants.*settings=ContradictionSettings"),
        (placed(constants={"alpha": 1.0}), {}, "null_mean"),
        (placed(), {"settings": CONSTANTS}, "ContradictionSettings"),
    ],
)
def test_what_cannot_work_is_told_at_once(encoder, settings, message):
    """Without the vector or its constants the score would be a cosine by another name."""
    with pytest.raises(ConfigurationError, match=message):
        ContradictionScorer(encoder, **settings)


@pytest.mark.parametrize(
    ("pairs", "error", "message"),
    [
        ([(QUIET, LOUD), (QUIET, " \n")], EmptyTextError, "pair 1"),
        ([("", LOUD)], EmptyTextError, "pair 0"),
        ([(QUIET, 3)], InputError, "pair 0 holds int"),
        ([(QUIET,)], InputError, "pair 0"),
        ([(QUIET, LOUD, COPPER)], InputError, "pair 0"),
        ([(QUIET, LOUD), "ab"], InputError, "pair 1"),
        ((QUIET, LOUD), InputError, "pair 0"),
        (QUIET, InputError, "pairs is a list"),
        ({QUIET: LOUD}, InputError, "pairs is a list"),
    ],
)
def test_what_is_no_pair_is_named(pairs, error, message):
    """Two characters of a string are a pair too, to Python."""
    encoder = placed()
    with pytest.raises(error, match=message):
        ContradictionScorer(encoder).score(pairs)
    assert encoder.documents == []


def test_no_pairs():
    """An empty list is an answer, not an error."""
    assert ContradictionScorer(placed()).score([]) == []


# --- the null distribution of a corpus


def test_the_null_distribution_is_that_of_the_corpus():
    """Constants of another kind of text move every probability."""
    one = ContradictionScorer(placed())
    found = one.with_null_distribution(CORPUS, pairs=4000)
    rows = placed().encode_documents(CORPUS)["contradiction"].astype(np.float64)
    left, right = np.triu_indices(len(CORPUS), k=1)
    delta = np.abs(rows[left] - rows[right])
    root = np.sqrt(rows.shape[1])
    hoyer = (root - delta.sum(1) / np.sqrt((delta**2).sum(1))) / (root - 1)
    assert found.constants.null_mean == pytest.approx(hoyer.mean(), abs=1e-5)
    assert found.constants.null_deviation == pytest.approx(hoyer.std(ddof=1), rel=1e-4)
    assert replace(found.constants, null_mean=0.85, null_deviation=0.05) == MERGED
    assert found.encoder is one.encoder
    assert one.constants == MERGED


@pytest.mark.parametrize("count", [40, 200, 900, 1000])
def test_pairs_are_of_two_texts_each_and_none_comes_twice(count):
    """A text paired with itself would be counted as a copy, and the figure rest on fewer pairs."""
    drawn = unrelated_pairs(CORPUS[:45], count, 3)
    assert len(drawn) == min(count, 45 * 44 // 2)
    assert all(one != other for one, other in drawn)
    assert len({frozenset(pair) for pair in drawn}) == len(drawn)
    assert {text for pair in drawn for text in pair} <= set(CORPUS)


def test_pairs_are_drawn_anew_for_another_seed_only():
    """A constant that changes from run to run makes conflicts come and go."""
    one = ContradictionScorer(placed())
    few = [
        one.with_null_distribution(CORPUS, pairs=40, seed=seed).constants.null_mean
        for seed in (1, 1, 2)
    ]
    assert few[0] == few[1] != few[2]
    encoder = placed()
    ContradictionScorer(encoder).with_null_distribution(CORPUS * 3, pairs=40)
    assert len(encoder.documents) == len(set(encoder.documents)) <= 80


def test_copies_do_not_count_in_the_null_distribution():
    """Two copies of a text are not two unrelated texts."""
    one = ContradictionScorer(placed())
    copies = [f"{text}{mark}" for text in CORPUS[:12] for mark in ("", ".", "!")]
    plain = one.with_null_distribution(CORPUS[:12], pairs=1000).constants
    found = one.with_null_distribution(copies, pairs=1000).constants
    assert found.null_mean == pytest.approx(plain.null_mean, abs=1e-6)


@pytest.mark.parametrize(
    ("texts", "settings", "error", "message"),
    [
        (CORPUS[:8], {}, InputError, "8 different texts give 28 pairs"),
        (CORPUS[:1] * 100, {}, InputError, "1 different texts"),
        (CORPUS, {"pairs": 29}, InputError, "29 pairs"),
        (CORPUS, {"pairs": 0}, ConfigurationError, "pairs must be"),
        ([f"same{'!' * n}" for n in range(20)], {}, InputError, "Only 0 of 190"),
        ([*CORPUS[:30], " "], {"pairs": 40}, EmptyTextError, "Text 30 is empty"),
        (" ".join(CORPUS), {}, InputError, "must be a list of strings, not str"),
        (None, {}, InputError, "must be a list of strings, not NoneType"),
        ([["a"]] * 40, {}, InputError, "Text 0 is list"),
    ],
)
def test_too_little_to_tell_a_distribution_from(texts, settings, error, message):
    """A deviation of three pairs, or of none, decides every probability after it."""
    with pytest.raises(error, match=message):
        ContradictionScorer(placed()).with_null_distribution(texts, **settings)
