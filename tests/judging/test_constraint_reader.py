"""Excluded parts of a query: token tags to spans, and the shipped reader."""

from __future__ import annotations

import numpy as np
import pytest
from pair_bundles import write_pair_bundle

from logic_retrievers.errors import BundleError
from logic_retrievers.judging.constraint import ConstraintReading, read_tags
from logic_retrievers.judging.onnx import OnnxConstraint, default_constraint


def tagged(text, *tokens):
    """Return the parts of a text with tokens marked ``x`` (excluded), ``l`` (leaving) or ``-``."""
    spans, tags, start = [], [], 0
    for token, mark in tokens:
        start = text.index(token, start)
        spans.append((start, start + len(token)))
        start += len(token)
        tags.append((1.0 if mark == "x" else -1.0, 1.0 if mark == "l" else -1.0))
    reading = read_tags(text, [0.1, 0.7, 0.2], np.array(tags).reshape(-1, 2), spans)
    return [[text[a:b] for a, b in parts] for parts in (reading.excluded, reading.leaving)]


@pytest.mark.parametrize(
    ("text", "tokens", "excluded", "leaving"),
    [
        (
            "inns without pool or bar",
            [("inns", "-"), ("without", "l"), ("pool", "x"), ("or", "l"), ("bar", "x")],
            ["pool", "bar"],
            ["without pool or bar"],
        ),
        ("no hot tub", [("no", "l"), ("hot", "x"), ("tub", "x")], ["hot tub"], ["no hot tub"]),
        ("no e-bikes", [("no", "l"), ("e", "x"), ("bikes", "x")], ["e-bikes"], ["no e-bikes"]),
        ("no bar, pool", [("no", "l"), ("bar", "x"), ("pool", "x")], ["bar", "pool"], None),
        ("sugarless", [("sugar", "x"), ("less", "l")], ["sugar"], ["sugarless"]),
        ("wifi", [("wi", "-"), ("fi", "x")], [], []),
        ("a hotel", [("a", "-"), ("hotel", "-")], [], []),
        ("", [], [], []),
    ],
)
def test_marked_tokens_become_spans(text, tokens, excluded, leaving):
    """Spans join across nothing, a blank and a hyphen, not a comma; they keep whole words."""
    found = tagged(text, *tokens)
    assert found == [excluded, ["no bar", "pool"] if leaving is None else leaving]


def test_a_reading_has_the_probabilities():
    reading = read_tags("a", np.array([0.1, 0.7, 0.2]), np.full((1, 2), -1.0), [(0, 1)])
    assert reading == ConstraintReading(0.1, 0.7, 0.2)
    assert all(type(p) is float for p in (reading.none, reading.exclusion, reading.negated_fact))
    with pytest.raises(ValueError, match="argument 2"):  # a special token has no span
        read_tags("a", [0.1, 0.7, 0.2], np.full((3, 2), 1.0), [(0, 1)])


# --- the default bundle


@pytest.fixture(scope="module")
def reader():
    assert default_constraint() is default_constraint()
    return default_constraint()


@pytest.mark.parametrize("marked", ["special tokens", "all tokens"])
def test_special_tokens_are_left_out(reader, monkeypatch, marked):
    """Tags of special tokens must not count for the first or last word."""
    query = "a hotel, no pool"

    def logits(row):
        tags = np.full((len(row), 5), 1.0 if marked == "all tokens" else -1.0)
        tags[[0, -1]] = 1.0
        return tags

    monkeypatch.setattr(reader, "logits", logits)
    parts = [query[start:end] for start, end in reader(query).excluded]
    assert parts == (["a hotel, no pool"] if marked == "all tokens" else [])


def test_a_long_text_is_cut(reader):
    """Searching with a document must not fail: 94 tokens and two special ones are read."""
    words = ["a", "hotel", "without", "a", "pool"] * 400
    long, read = reader(" ".join(words)), reader(" ".join(words[:94]))
    assert long == read
    assert all(end <= len(" ".join(words[:94])) for _, end in long.leaving)


def test_a_graph_with_other_logits(tmp_path):
    with pytest.raises(BundleError, match="does not run: logits of shape"):
        OnnxConstraint(write_pair_bundle(tmp_path / "other", entry_name="constraint"))
