"""Encoders with one fault each; `found_by` names the test that must find it."""

from __future__ import annotations

import itertools
import time
from types import SimpleNamespace

import numpy as np
import pytest
from suites import EncoderConformance, HashedEncoder

numbers = itertools.count()


class BrokenEncoders(EncoderConformance):
    """`spoil` changes what the encoder gives for the texts."""

    @pytest.fixture
    def encoder(self):
        spoil = self.spoil

        class Broken(HashedEncoder):
            def _encode(self, texts, names):
                return {name: spoil(rows) for name, rows in super()._encode(texts, names).items()}

        return Broken()

    def spoil(self, rows):
        return rows


class TestLengthsDiffer(BrokenEncoders):
    found_by = "test_rows_are_unit_vectors"

    def spoil(self, rows):
        return rows * 2


class TestDoublePrecision(BrokenEncoders):
    found_by = "test_rows_are_unit_vectors"

    def spoil(self, rows):
        return rows.astype(np.float64)


class TestDependsOnTheBatch(BrokenEncoders):
    found_by = "test_a_text_has_one_vector"

    def spoil(self, rows):
        rows = rows + 0.01 * len(rows)
        return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)


class TestSortsAndForgets(BrokenEncoders):
    found_by = "test_rows_come_in_the_order_of_the_texts"

    def spoil(self, rows):
        return rows[np.argsort(rows[:, 0], kind="stable")]


class TestReadsNothing(BrokenEncoders):
    found_by = "test_texts_differ"

    def spoil(self, rows):
        return np.full_like(rows, 1 / np.sqrt(rows.shape[1]))


class TestUsesItsBufferAgain(BrokenEncoders):
    found_by = "test_later_calls_leave_earlier_arrays_alone"
    buffer = np.empty((50, 32), dtype=np.float32)

    def spoil(self, rows):
        self.buffer[: len(rows)] = rows
        return self.buffer[: len(rows)]


class TestFailsOnNoTexts(BrokenEncoders):
    found_by = "test_no_texts_give_no_rows"

    def spoil(self, rows):
        assert rows[0, 0]
        return rows


class TestMethodIsMissing(EncoderConformance):
    found_by = "test_it_is_an_encoder"

    @pytest.fixture
    def encoder(self):
        whole = HashedEncoder()
        return SimpleNamespace(
            specs=whole.specs,
            encode_queries=whole.encode_queries,
            encode_documents=whole.encode_documents,
        )


class TestNameIsNotItsKey(EncoderConformance):
    found_by = "test_specs_say_what_an_index_needs"

    @pytest.fixture
    def encoder(self):
        encoder = HashedEncoder()
        encoder.specs = {"topical": encoder.specs["compatibility"]}
        return encoder


class NamesItself(HashedEncoder):
    def __init__(self):
        super().__init__(version=f"{next(numbers)}")


class TestFingerprintChanges(EncoderConformance):
    found_by = "test_specs_stay_the_same"

    @pytest.fixture
    def encoder(self):
        return NamesItself()

    another_encoder = encoder


class Careless(HashedEncoder):
    def encode_queries(self, texts, names=None):
        return super().encode_queries([text.strip() or "nothing" for text in texts])

    encode_documents = encode_queries

    def token_spans(self, text):
        return super().token_spans(text)[:512]


class CarelessEncoders(EncoderConformance):
    @pytest.fixture
    def encoder(self):
        return Careless()


class TestIgnoresNames(CarelessEncoders):
    found_by = "test_names_choose_the_vectors"


class TestTakesUnknownNames(CarelessEncoders):
    found_by = "test_an_unknown_name_is_refused"


class TestTakesBlankTexts(CarelessEncoders):
    found_by = "test_blank_texts_are_refused"


class TestCutsTokenSpans(CarelessEncoders):
    found_by = "test_token_spans_cover_the_text_in_order"


class Stateful(HashedEncoder):
    """Keeps the texts of a call in a place that all threads see."""

    def _encode(self, texts, names):
        self.texts = texts
        results = super()._encode(texts, names)
        for _ in range(50):
            same = self.texts is texts
            if not same:
                results = super()._encode(self.texts, names)
                break
            time.sleep(0.0002)
        return results


class TestThreadsMeet(EncoderConformance):
    found_by = "test_several_threads_get_what_one_gets"

    @pytest.fixture
    def encoder(self):
        return Stateful()
