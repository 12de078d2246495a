"""Encoders from functions, and encoders with a short memory."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from suites import HashedEncoder

from logic_retrievers.encoders import FunctionEncoder, RecentEncoder, identity_of
from logic_retrievers.encoders.functions import query_identity_of
from logic_retrievers.errors import ConfigurationError, EncoderError

rows = hnp.arrays(
    np.float32,
    st.tuples(st.integers(1, 6), st.integers(1, 8)),
    elements=st.floats(-1e3, 1e3, width=32),
).filter(lambda array: (np.linalg.norm(array, axis=1) > 1e-3).all())


def lengths(texts):
    return [[float(len(text)), 1.0, 2.0] for text in texts]


def initials(texts):
    return [[float(ord(text[0])), 1.0, 0.0] for text in texts]


# --- FunctionEncoder


@given(rows)
def test_function_rows_are_scaled_and_nothing_else(made):
    """Cosines of vectors of another length are none; a turned vector would only look a bit off."""
    encoder = FunctionEncoder(lambda texts: made, identity="any", dimension=made.shape[1])
    actual = encoder.encode_documents(["text"] * len(made))["topical"]
    assert actual.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(actual, axis=1), 1, atol=1e-5)
    scale = np.linalg.norm(made.astype(np.float64), axis=1, keepdims=True)
    np.testing.assert_allclose(actual * scale, made, rtol=1e-4, atol=1e-3)


def test_function_may_hand_out_its_own_array():
    """A model's cache of vectors, scaled behind its back, would change its next answers."""
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
    """An API that answers with an error page or a short list must not fill an index."""
    encoder = FunctionEncoder(lambda texts: BAD[kind], identity="bad", dimension=2)
    for encode in (encoder.encode_documents, encoder.encode_queries):
        with pytest.raises(EncoderError):
            encode(["a", "b"])


def test_function_is_tried_out_at_construction():
    """A function that cannot work would else fail in the middle of the first ingestion."""
    for probe in ([[1.0], [2.0]], [[]], "x"):
        with pytest.raises(EncoderError):
            FunctionEncoder(lambda texts, made=probe: made, identity="bad")


def test_function_dimension_is_found_with_one_text_or_not_at_all():
    """Every call of an API costs money and may need a network."""
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
    """A query embedded as a document finds a little less, and nobody knows why."""
    encoder = FunctionEncoder(lambda t: [[2.0, 0.0]], lambda t: [[0.0, 3.0]], identity="two sides")
    assert encoder.encode_documents(["abc"])["topical"].tolist() == [[1, 0]]
    assert encoder.encode_queries(["abc"])["topical"].tolist() == [[0, 1]]
    alone = FunctionEncoder(lengths, identity="one side")
    np.testing.assert_array_equal(
        alone.encode_queries(["abc"])["topical"], alone.encode_documents(["abc"])["topical"]
    )


def test_function_identity_decides_the_fingerprint():
    """Vectors of another model under the same fingerprint would be searched as if they fitted."""

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
    """What changes queries alone must not orphan an index, nor be mixed in a cache."""

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
    """An empty identity would let every other nameless model read the index."""
    with pytest.raises(ConfigurationError):
        FunctionEncoder(lengths, **{"identity": "a", "dimension": 3, **change})


# --- RecentEncoder

NAMES = ("topical", "compatibility")
calls = st.lists(
    st.tuples(
        st.sampled_from(["query", "document"]),
        st.lists(st.sampled_from("abcdefg"), max_size=6),
        st.sampled_from([None, (), NAMES, NAMES[::-1], NAMES[:1], NAMES[1:]]),
    ),
    max_size=8,
)


class Noting(HashedEncoder):
    """Notes each (side, name, text) that it encodes, one list a call."""

    def __init__(self):
        super().__init__(query_prefix="query ")
        self.calls = []

    def encode_queries(self, texts, names=None):
        self.calls.append([("query", name, text) for name in names for text in texts])
        return super().encode_queries(texts, names)

    def encode_documents(self, texts, names=None):
        self.calls.append([("document", name, text) for name in names for text in texts])
        return super().encode_documents(texts, names)


def encode(encoder, role, texts, names):
    method = encoder.encode_queries if role == "query" else encoder.encode_documents
    return method(list(texts), None if names is None else list(names))


@settings(deadline=None)
@given(calls, st.integers(1, 5))
def test_recent_gives_what_the_encoder_gives(sequence, size):
    """A query's vector for a document, one name's for the other, or the last text's for this."""
    plain, recent = HashedEncoder(query_prefix="query "), RecentEncoder(Noting(), size)
    for role, texts, names in sequence:
        actual, expected = encode(recent, role, texts, names), encode(plain, role, texts, names)
        assert list(actual) == list(expected)
        for name, vectors in expected.items():
            np.testing.assert_array_equal(actual[name], vectors)


@settings(deadline=None)
@given(calls)
def test_recent_encodes_once_what_it_remembers(sequence):
    """The encoder behind is what takes the time; a memory that misses is none."""
    inner = Noting()
    recent = RecentEncoder(inner, size=1000)
    wanted = set()
    for role, texts, names in sequence:
        encode(recent, role, texts, names)
        wanted |= {(role, n, text) for n in (NAMES if names is None else names) for text in texts}
    encoded = [item for call in inner.calls for item in call]
    assert len(encoded) == len(set(encoded))
    assert set(encoded) == wanted


def test_recent_memory_is_bounded_and_loses_the_oldest():
    """A memory that grows with every text fills a server's; one that loses the newest is none."""
    inner = Noting()
    recent = RecentEncoder(inner, size=3)

    def encoded(text):
        inner.calls.clear()
        recent.encode_documents([text], ["topical"])
        return bool(inner.calls)

    assert [encoded(text) for text in "abc"] == [True, True, True]
    assert [encoded(text) for text in "abc"] == [False, False, False]
    assert encoded("d")
    assert [encoded(text) for text in "bcd"] == [False, False, False]
    assert encoded("a")
    recent.encode_documents([f"text {n}" for n in range(50)])
    assert len(recent._memory) == 3
    with pytest.raises(ConfigurationError):
        RecentEncoder(HashedEncoder(), size=0)
    assert all(row.base is None for row in recent._memory.values())  # a view would hold its batch


def test_recent_serves_threads():
    """A text pushed out by another thread between looking and taking would be a KeyError."""
    plain, recent = HashedEncoder(), RecentEncoder(HashedEncoder(), size=5)
    expected = plain.encode_documents(list("abcdefghij"))["topical"]

    def work(offset):
        for n in range(200):
            at = [(n * 7 + offset + m) % 10 for m in range(4)]
            texts = ["abcdefghij"[index] for index in at]
            actual = recent.encode_documents(texts, ["topical"])["topical"]
            np.testing.assert_array_equal(actual, expected[at])

    with ThreadPoolExecutor(6) as pool:
        list(pool.map(work, range(6)))
    assert len(recent._memory) <= 5
