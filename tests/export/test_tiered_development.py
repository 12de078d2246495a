"""Recall of right passages and of distractors, among each query's own candidates."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("sentence_transformers", reason="the extra train")

from logic_export.data.tiers.examples import TieredExample
from logic_export.training.tier_batches import cache_encoder
from logic_export.training.tier_development import (
    DISTRACTORS,
    POSITIVES,
    TieredDevelopment,
    tier_figures,
)

from logic_retrievers.errors import ConfigurationError

LENGTHS, PREFIXES = (8, 8), ("", "")


def example(positives="", distractors="", negatives="", query="q"):
    return TieredExample(query, tuple(positives), tuple(distractors), tuple(negatives), "made")


def scored(examples, **scores):
    """Figures where a passage's vector is its score."""
    documents = {name: np.array([value], np.float32) for name, value in scores.items()}
    return tier_figures(examples, np.ones((len(examples), 1), np.float32), documents)


def test_the_first_three_of_a_querys_own_candidates_count():
    """Passages of other queries in the ranking would make it another task."""
    rows = [example("ab", "c", "de"), example("a", "b", "cd")]
    found = scored(rows, a=5, b=1, c=4, d=2, e=3)
    assert found == {POSITIVES: (1 / 2 + 1) / 2, DISTRACTORS: (1 + 0) / 2}


def test_queries_without_a_tier_do_not_count_in_its_figure():
    """Undisturbed questions have no distractors: 0 of none would flatter the mean."""
    rows = [example("a", "", "bcd"), example("", "a", "bcd"), example("d", "abc")]
    found = scored(rows, a=4, b=3, c=2, d=1)
    assert found == {POSITIVES: 1 / 2, DISTRACTORS: 1}
    assert scored(rows[:1], a=4, b=3, c=2, d=1) == {POSITIVES: 1}


def test_equal_scores_count_against_the_encoder():
    """An encoder to which all is alike would otherwise be perfect."""
    assert scored([example("a", "bcd", "e")], a=0, b=0, c=0, d=0, e=0) == {
        POSITIVES: 0,
        DISTRACTORS: 1,
    }


class Told:
    """A model that knows the vectors of its texts."""

    max_seq_length = 8

    def __init__(self, **vectors):
        self.vectors, self.calls = vectors, []

    def encode(self, texts, **_):
        self.calls.append(list(texts))
        return np.array([self.vectors[text] for text in texts], np.float32)


def test_documents_are_those_of_the_given_encoder():
    """A query encoder that moved its own documents along would be measured in another index."""
    rows = [example("a", "b", "cd")]
    model = Told(q=[1, 0], a=[0.1, 0], b=[0.9, 0], c=[0.5, 0], d=[0.4, 0])
    other = Told(a=[0.9, 0], b=[0.1, 0], c=[0.5, 0], d=[0.4, 0])
    own = TieredDevelopment({"made": rows}, LENGTHS, PREFIXES)
    frozen = TieredDevelopment({"made": rows}, LENGTHS, PREFIXES, cache_encoder(other.encode))
    assert own.measure(model) == {"made": {POSITIVES: 0, DISTRACTORS: 1}}
    for _ in range(2):
        assert frozen.measure(model) == {"made": {POSITIVES: 1, DISTRACTORS: 0}}
    assert other.calls == [list("abcd")]


def test_the_score_is_what_is_found_less_what_distracts():
    """By either figure alone the model kept would be one that follows everything, or nothing."""
    development = TieredDevelopment({"made": [example("a", "b")]}, LENGTHS, PREFIXES)
    disturbed = {POSITIVES: 0.6, DISTRACTORS: 0.2}
    assert development.score({"disturbed": disturbed}, {}) == pytest.approx(0.4)
    both = {"disturbed": disturbed, "raw": {POSITIVES: 0.8}}
    assert development.score(both, {}) == pytest.approx(0.6)


def test_a_set_in_which_nothing_can_be_found_is_refused():
    with pytest.raises(ConfigurationError, match="no query of made has a right passage"):
        TieredDevelopment({"made": [example("", "a", "b")]}, LENGTHS, PREFIXES)
