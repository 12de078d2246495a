"""Scores of pairs of texts."""

from __future__ import annotations

import json
import tracemalloc

import pytest
from placed_words import COPPER, LOUD, QUIET, SETTINGS, expected, placed

from logic_retrievers.conflicts import (
    ContradictionScorer,
    ContradictionSettings,
    PairScore,
    scorer,
)
from logic_retrievers.errors import EmptyTextError, InputError

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


@pytest.mark.parametrize("size", [3, 128])
def test_each_text_is_encoded_once_in_the_order_of_the_pairs(monkeypatch, size):
    """One statement against a thousand would be encoded a thousand times."""
    monkeypatch.setattr(scorer, "PAIRS_PER_BATCH", size)
    encoder, others = placed(), [f"the inn number {n} is quiet" for n in range(7)]
    pairs = [(QUIET, other) for other in others] + [(others[3], LOUD), (LOUD, QUIET)]
    found = ContradictionScorer(encoder).score(pairs)
    assert encoder.documents == [QUIET, *others, LOUD]
    assert encoder.queries == []
    assert found == [ContradictionScorer(placed()).score([pair])[0] for pair in pairs]


def test_only_what_is_needed_is_encoded_and_kept(monkeypatch):
    """The compatibility vector costs as much as the others, and a file of pairs has no end."""
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
    ("pairs", "error", "message"),
    [
        ([(QUIET, LOUD), (QUIET, " \n")], EmptyTextError, "pair 1"),
        ([(QUIET, 3)], InputError, "pair 0 holds int"),
        ([(QUIET, LOUD), "ab"], InputError, "pair 1"),
        (QUIET, InputError, "pairs is a list"),
    ],
)
def test_what_is_no_pair_is_named(pairs, error, message):
    """Two characters of a string are a pair too, to Python."""
    encoder = placed()
    with pytest.raises(error, match=message):
        ContradictionScorer(encoder).score(pairs)
    assert encoder.documents == []
