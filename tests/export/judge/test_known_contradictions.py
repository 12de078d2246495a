"""Rows of inference from known contradictions, and neighbours that are about different things."""

from __future__ import annotations

import json

import pytest

pytest.importorskip("datasets", reason="the extra train")

from logic_export.judge.builders import BUILDERS

GROUPS = [
    {
        "left": ["The inn is quiet. It has ten rooms.", "It is quiet at the inn. Ten rooms."],
        "right": ["The inn is loud. It has ten rooms."],
        "source": "test",
    },
    {"left": ["The farm sells milk. It opens at six."], "right": ["No milk is sold at the farm."]},
]


@pytest.fixture
def groups(tmp_path):
    path = tmp_path / "groups.jsonl"
    path.write_text("\n".join(map(json.dumps, GROUPS)))
    return {"builder": "file", "options": {"path": str(path)}}


def test_opposite_sides_contradict_and_one_side_agrees(groups):
    """A side taken for the other would teach the contrary."""
    built = BUILDERS["group_pairs"](**groups, seed=3)
    by_texts = {frozenset((row.premise, row.hypothesis)): row.label for row in built}
    (one, again), (loud,) = GROUPS[0]["left"], GROUPS[0]["right"]
    assert by_texts[frozenset((one, loud))] == by_texts[frozenset((again, loud))] == "contradiction"
    assert by_texts[frozenset((one, again))] == "entailment"
    strangers = [row for row in built if row.label == "neutral"]
    assert all("inn" in row.premise + row.hypothesis for row in strangers)
    assert all("milk" in row.premise + row.hypothesis for row in strangers)


def test_of_a_contradiction_the_sentence_that_differs_is_the_claim(groups):
    """A claim that both texts share contradicts neither."""
    built = BUILDERS["group_pairs"](**groups, cut=1.0, seed=3)
    claims = {row.premise for row in built if row.label == "contradiction"}
    claims |= {row.hypothesis for row in built if row.label == "contradiction"}
    assert "The inn is loud." in claims
    assert "It has ten rooms." not in claims


def test_the_longer_text_is_the_premise(groups):
    """As it is read: evidence is longer than a claim, and a pair has no order of its own."""
    for row in BUILDERS["group_pairs"](**groups, cut=0.5, seed=3):
        assert len(row.premise) >= len(row.hypothesis)
