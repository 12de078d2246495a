"""Tests for every encoder."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import ClassVar, TypeAlias

import numpy as np
import pytest

from logic_retrievers.encoders.base import Encoder, Vectors
from logic_retrievers.errors import ConfigurationError, EmptyTextError

Encode: TypeAlias = Callable[..., dict[str, Vectors]]

THREADS = 4


class EncoderConformance:
    """The :class:`~logic_retrievers.encoders.Encoder` protocol and its documented promises.

    ::

        class TestMyEncoder(EncoderConformance):
            tolerance = 1e-3  # of a quantised model

            @pytest.fixture(scope="class")
            def encoder(self):
                return MyEncoder("model.onnx")

            @pytest.fixture(scope="class")
            def another_encoder(self):  # or leave it out
                return MyEncoder("model.onnx")

    Attributes:
        tolerance: largest change of a coordinate between batches or threads.
        texts: texts to encode; all different, none longer than the encoder reads.
    """

    tolerance: ClassVar[float] = 1e-5
    texts: ClassVar[Sequence[str]] = (
        "A quiet hotel by the harbour.",
        "no",
        "Prices of copper rose again this week, and nobody at the exchange could tell why.",
        "Kein Lärm, keine Autos: ein Haus am See",
        "42",
    )

    @pytest.fixture
    def encoder(self) -> Encoder:
        """The encoder under test; to be overridden."""
        pytest.fail("override the fixture `encoder`")

    @pytest.fixture
    def another_encoder(self) -> Encoder | None:
        """A second encoder made the same way, or None."""
        return None

    @pytest.fixture(params=["queries", "documents"])
    def side(self, request: pytest.FixtureRequest) -> str:
        """The method under test."""
        return str(request.param)

    @pytest.fixture
    def encode(self, encoder: Encoder, side: str) -> Encode:
        """The encoder's method for that side."""
        return encoder.encode_queries if side == "queries" else encoder.encode_documents

    def test_it_is_an_encoder(self, encoder: Encoder) -> None:
        """A missing method would show only in the middle of an ingestion."""
        assert isinstance(encoder, Encoder)
        assert encoder.specs, "an encoder makes at least one named vector"

    def test_specs_say_what_an_index_needs(self, encoder: Encoder) -> None:
        """A name that differs from its key, or an empty fingerprint, lets a foreign vector in."""
        for name, spec in encoder.specs.items():
            assert spec.name == name
            assert spec.dimension > 0
            assert spec.max_tokens > 0
            assert isinstance(spec.fingerprint, str)
            assert spec.fingerprint.strip()

    def test_specs_stay_the_same(
        self, encoder: Encoder, another_encoder: Encoder | None, encode: Encode
    ) -> None:
        """If fingerprints change between runs, an index refuses its own vectors."""
        before = dict(encoder.specs)
        encode(list(self.texts))
        assert dict(encoder.specs) == before
        if another_encoder is not None:
            assert dict(another_encoder.specs) == before

    def test_rows_are_unit_vectors(self, encoder: Encoder, encode: Encode) -> None:
        """Cosines need vectors of length 1, and one NaN spoils every score."""
        results = encode(list(self.texts))
        assert set(results) == set(encoder.specs)
        for name, rows in results.items():
            assert rows.dtype == np.float32, name
            assert rows.shape == (len(self.texts), encoder.specs[name].dimension), name
            assert np.isfinite(rows).all(), name
            np.testing.assert_allclose(np.linalg.norm(rows, axis=1), 1, atol=1e-4, err_msg=name)

    def test_a_text_has_one_vector(self, encode: Encode) -> None:
        """A vector that depends on its batch finds different passages after every ingestion."""
        together = encode(list(self.texts))
        for row, text in enumerate(self.texts):
            for name, alone in encode([text]).items():
                np.testing.assert_allclose(
                    alone[0], together[name][row], rtol=0, atol=self.tolerance, err_msg=name
                )

    def test_rows_come_in_the_order_of_the_texts(self, encode: Encode) -> None:
        """Sorting by length without sorting back gives every passage a wrong vector."""
        texts = [*self.texts, *self.texts[:2]]
        forth, back = encode(texts), encode(texts[::-1])
        for name, rows in forth.items():
            np.testing.assert_allclose(
                back[name][::-1], rows, rtol=0, atol=self.tolerance, err_msg=name
            )

    def test_texts_differ(self, encode: Encode) -> None:
        """An encoder that reads nothing passes every other test."""
        for name, rows in encode(list(self.texts)).items():
            likeness = rows @ rows.T - 2 * np.eye(len(rows))
            assert likeness.max() < 1 - 1e-4, f"{name}: two different texts have one vector"

    def test_later_calls_leave_earlier_arrays_alone(self, encode: Encode) -> None:
        """A reused buffer changes vectors that a caller still holds."""
        first = encode(list(self.texts))
        copies = {name: rows.copy() for name, rows in first.items()}
        encode(list(self.texts)[::-1])
        for name, rows in first.items():
            np.testing.assert_array_equal(rows, copies[name], err_msg=name)

    def test_names_choose_the_vectors(self, encoder: Encoder, encode: Encode) -> None:
        """An encoder that ignores the names wastes time, or swaps two vectors."""
        everything = encode(list(self.texts))
        for name in encoder.specs:
            results = encode(list(self.texts), [name])
            assert list(results) == [name]
            np.testing.assert_allclose(
                results[name], everything[name], rtol=0, atol=self.tolerance, err_msg=name
            )
        backwards = list(encoder.specs)[::-1]
        assert set(encode(list(self.texts), backwards)) == set(backwards)

    def test_an_unknown_name_is_refused(self, encode: Encode) -> None:
        """Silently ignoring a misspelt name leaves a vector that is never searched."""
        with pytest.raises(ConfigurationError, match="no-such-vector"):
            encode(list(self.texts), ["no-such-vector"])

    def test_no_texts_give_no_rows(self, encoder: Encoder, encode: Encode) -> None:
        """A stream's last batch may be empty but must still have its shape."""
        for name, rows in encode([]).items():
            assert rows.shape == (0, encoder.specs[name].dimension)

    @pytest.mark.parametrize("blank", ["", "  \n\t"], ids=["empty", "white space"])
    def test_blank_texts_are_refused(self, encode: Encode, blank: str) -> None:
        """An empty text's vector is near to anything."""
        with pytest.raises(EmptyTextError):
            encode([self.texts[0], blank])

    def test_several_threads_get_what_one_gets(self, encode: Encode) -> None:
        """State shared between two calls sometimes mixes up their texts."""
        expected = [encode([text]) for text in self.texts]
        with ThreadPoolExecutor(THREADS) as pool:
            results = list(pool.map(encode, [[text] for text in self.texts] * THREADS))
        for at, vectors in enumerate(results):
            for name, rows in expected[at % len(self.texts)].items():
                np.testing.assert_allclose(
                    vectors[name], rows, rtol=0, atol=self.tolerance, err_msg=name
                )

    def test_token_spans_cover_the_text_in_order(self, encoder: Encoder) -> None:
        """With wrong offsets a splitter cuts words, or loses the text between tokens."""
        for text in (*self.texts, " ".join(["lighthouse keeper"] * 1000)):
            spans = encoder.token_spans(text)
            assert spans == sorted(spans)
            covered: set[int] = set()
            for start, end in spans:
                assert 0 <= start <= end <= len(text)
                covered.update(range(start, end))
            letters = {at for at, character in enumerate(text) if character.isalnum()}
            assert letters <= covered, f"not in a token: {text[min(letters - covered) :]!r}"
