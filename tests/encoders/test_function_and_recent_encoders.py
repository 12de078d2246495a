"""Encoders from functions, and encoders with a bounded cache."""

from __future__ import annotations

from types import SimpleNamespace
from typing import ClassVar

import numpy as np
import pytest
from suites import HashedEncoder, WatchedEncoder

from logic_retrievers.encoders import FunctionEncoder, RecentEncoder, identity_of
from logic_retrievers.encoders.base import VectorSpec
from logic_retrievers.encoders.functions import query_identity_of
from logic_retrievers.errors import ConfigurationError, EncoderError


def lengths(texts):
    return [[float(len(text)), 1.0, 2.0] for text in texts]


def initials(texts):
    return [[float(ord(text[0])), 1.0, 0.0] for text in texts]


# --- FunctionEncoder


def test_function_may_hand_out_its_own_array():
    """Scaling the returned array in place would corrupt the model's own cache."""
    own = np.array([[3.0, 4.0]], dtype=np.float32)
    encoder = FunctionEncoder(lambda texts: own, identity="own")
    np.testing.assert_allclose(encoder.encode_queries(["a"])["topical"], [[0.6, 0.8]], atol=1e-6)
    assert own.tolist() == [[3.0, 4.0]]


BAD = {
    "one vector for all": [1.0, 0.0],
    "a row too few": [[1.0, 0.0]],
    "another dimension": [[1.0, 0.0, 0.0]] * 2,
    "ragged": [[1.0, 0.0], [1.0]],
    "words": [["a", "b"], ["c", "d"]],
    "nan": [[1.0, 0.0], [float("nan"), 0.0]],
    "zero": [[1.0, 0.0], [0.0, 0.0]],
}


@pytest.mark.parametrize("kind", BAD)
def test_function_that_gives_no_vectors_is_refused(kind):
    """An API's error page or short list must not fill an index."""
    encoder = FunctionEncoder(lambda texts: BAD[kind], identity="bad", dimension=2)
    for encode in (encoder.encode_documents, encoder.encode_queries):
        with pytest.raises(EncoderError):
            encode(["a", "b"])


def test_function_is_tried_out_at_construction():
    """A function that cannot work must not fail in the middle of the first ingestion."""
    for probe in ([[1.0], [2.0]], [[]], "x"):
        with pytest.raises(EncoderError):
            FunctionEncoder(lambda texts, made=probe: made, identity="bad")


def test_function_dimension_is_found_with_one_text_or_not_at_all():
    """Each API call costs money and may need a network."""
    calls = []

    def embed(texts):
        calls.append(texts)
        return lengths(texts)

    assert FunctionEncoder(embed, identity="a").specs["topical"].dimension == 3
    assert [len(texts) for texts in calls] == [1]
    calls.clear()
    sized = FunctionEncoder(embed, identity="a", dimension=3)
    assert sized.specs["topical"].dimension == 3
    assert sized.encode_documents([])["topical"].shape == (0, 3)
    assert sized.encode_documents(["a"], []) == {}
    assert calls == []


def test_function_sides_are_not_swapped():
    """Embedding a query as a document finds slightly less, and no one sees why."""
    encoder = FunctionEncoder(lambda t: [[2.0, 0.0]], lambda t: [[0.0, 3.0]], identity="two sides")
    assert encoder.encode_documents(["abc"])["topical"].tolist() == [[1, 0]]
    assert encoder.encode_queries(["abc"])["topical"].tolist() == [[0, 1]]
    alone = FunctionEncoder(lengths, identity="one side")
    np.testing.assert_array_equal(
        alone.encode_queries(["abc"])["topical"], alone.encode_documents(["abc"])["topical"]
    )


def test_function_identity_decides_the_fingerprint():
    """A shared fingerprint would let one model search a different model's vectors."""

    def fingerprint(function, identity, **more):
        [spec] = FunctionEncoder(function, identity=identity, **more).specs.values()
        return spec.fingerprint

    first = fingerprint(lengths, "model 1")
    assert first == fingerprint(initials, "model 1", name="compatibility", max_tokens=9)
    assert first == fingerprint(lengths, "model 1", dimension=3)
    assert first != fingerprint(lengths, "model 2")
    assert first != fingerprint(lengths, "model 1", dimension=4)
    assert fingerprint(lengths, "a", dimension=11) != fingerprint(lengths, "a1", dimension=1)


@pytest.mark.parametrize(
    ("query_side", "settings"),
    [
        (True, {"query_instruction": "Find: "}),
        (False, {"embed_instruction": "Passage: "}),
        (False, {"model_name": "another"}),
    ],
)
def test_function_identity_of_each_side(query_side, settings):
    """A query-side setting must not orphan an index, but must change cache keys."""

    def spec(**own):
        model = SimpleNamespace(**{"model_name": "m", **own})
        return FunctionEncoder(
            lambda texts: [[1.0]] * len(texts),
            identity=identity_of(model),
            query_identity=query_identity_of(model),
        ).specs["topical"]

    one, other = spec(), spec(**settings)
    assert (one.fingerprint == other.fingerprint) is query_side
    assert one.fingerprint_for("query") != other.fingerprint_for("query")


@pytest.mark.parametrize(
    "change", [{"identity": ""}, {"name": ""}, {"dimension": 0}, {"max_tokens": 0}]
)
def test_function_settings_that_cannot_be(change):
    """An empty identity would let every nameless model read the index."""
    with pytest.raises(ConfigurationError):
        FunctionEncoder(lengths, **{"identity": "a", "dimension": 3, **change})


# --- RecentEncoder


def test_recent_memory_is_bounded_and_loses_the_oldest():
    """An unbounded cache fills a server; one that drops the newest text is useless."""
    inner = WatchedEncoder(HashedEncoder())
    recent = RecentEncoder(inner, size=3)

    def encoded(text):
        inner.documents.clear()
        recent.encode_documents([text], ["topical"])
        return bool(inner.documents)

    assert [encoded(text) for text in "abc"] == [True, True, True]
    assert [encoded(text) for text in "abc"] == [False, False, False]
    assert encoded("d")
    assert [encoded(text) for text in "bcd"] == [False, False, False]
    assert encoded("a")
    recent.encode_documents([f"text {n}" for n in range(50)])
    assert len(recent._memory) == 3
    with pytest.raises(ConfigurationError):
        RecentEncoder(HashedEncoder(), size=0)
    assert all(row.base is None for row in recent._memory.values())  # a view keeps its batch


class TwoHeads:
    """Two vectors under one fingerprint; ``broken`` makes the first NaN."""

    broken = False
    specs: ClassVar = {name: VectorSpec(name, 3, 8, "same") for name in ("one", "other")}

    def encode_documents(self, texts, names=None):
        values = {"one": np.nan if self.broken else 1, "other": 2}
        shape = len(texts), 3
        return {n: np.full(shape, values[n], dtype=np.float32) for n in names or values}

    encode_queries = encode_documents

    def token_spans(self, text):
        return [(0, len(text))]


def test_recent_vectors_are_what_the_encoder_makes():
    """Two heads of a model may share a fingerprint; a damaged vector must not stay cached."""
    inner = TwoHeads()
    recent = RecentEncoder(inner)
    inner.broken = True
    assert np.isnan(recent.encode_documents(["a"], ["one"])["one"]).all()
    inner.broken = False
    made = recent.encode_documents(["a"])
    assert [set(rows.ravel().tolist()) for rows in made.values()] == [{1.0}, {2.0}]
