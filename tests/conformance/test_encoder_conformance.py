"""Our own encoders under the suite for third-party encoders."""

from __future__ import annotations

import zlib
from functools import cache

import numpy as np
import pytest
from suites import EncoderConformance, HashedEncoder

from logic_retrievers.encoders import (
    CachedEncoder,
    CombinedEncoder,
    FunctionEncoder,
    OnnxEncoder,
    RecentEncoder,
    default_encoder,
)


def letters(texts: list[str]) -> list[list[float]]:
    """Letter counts: an embedding that is not normalised."""
    return [[1 + 3 * text.lower().count(chr(97 + n)) for n in range(26)] for text in texts]


def other_letters(texts: list[str]) -> np.ndarray:
    return np.array([[zlib.crc32(f"{row}".encode()) % 97 + 1 for row in r] for r in letters(texts)])


@cache
def another_onnx_encoder() -> OnnxEncoder:
    return OnnxEncoder(threads=1)


class TestOnnxEncoder(EncoderConformance):
    @pytest.fixture
    def encoder(self):
        return default_encoder()

    @pytest.fixture
    def another_encoder(self):
        return another_onnx_encoder()


class TestHashedEncoder(EncoderConformance):
    @pytest.fixture
    def encoder(self):
        return HashedEncoder(query_prefix="query ")

    @pytest.fixture
    def another_encoder(self):
        return HashedEncoder(query_prefix="query ")


class TestFunctionEncoder(EncoderConformance):
    @pytest.fixture
    def encoder(self):
        return FunctionEncoder(letters, other_letters, identity="letters 1", dimension=26)

    @pytest.fixture
    def another_encoder(self):
        return FunctionEncoder(letters, other_letters, identity="letters 1")


class TestCombinedEncoder(EncoderConformance):
    @pytest.fixture
    def encoder(self):
        renamed = {"compatibility": "compatibility", "topical": "topical again"}
        return CombinedEncoder(
            [FunctionEncoder(letters, identity="letters"), (default_encoder(), renamed)]
        )

    another_encoder = encoder


class TestRecentEncoder(EncoderConformance):
    @pytest.fixture
    def encoder(self):
        return RecentEncoder(HashedEncoder(query_prefix="query "), size=7)

    another_encoder = encoder


class TestCachedEncoder(EncoderConformance):
    @pytest.fixture
    def encoder(self, tmp_path):
        return CachedEncoder(HashedEncoder(query_prefix="query "), tmp_path / "vectors")

    another_encoder = encoder
