"""A small encoder with real behaviour: a bag of hashed words, another one for each named vector."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from hashlib import blake2b

import numpy as np

from logic_retrievers.encoders.base import VectorSpec

DIMENSION = 32


class HashedEncoder:
    """Texts that share words are near; the same text has the same vector everywhere.

    Args:
        names: of the vectors that it makes.
        version: part of the fingerprints, and of the vectors.
        dimension: of every vector.
        versions: other versions of single names.
    """

    def __init__(
        self,
        names: Sequence[str] = ("topical", "compatibility"),
        version: str = "1",
        dimension: int = DIMENSION,
        versions: Mapping[str, str] | None = None,
    ) -> None:
        self._versions = {name: (versions or {}).get(name, version) for name in names}
        self._dimension = dimension
        self.encoded: list[str] = []
        self.specs = {
            name: VectorSpec(name, dimension, 512, f"hashed-{name}-{number}")
            for name, number in self._versions.items()
        }

    def encode_queries(
        self, texts: Sequence[str], names: Sequence[str] | None = None
    ) -> dict[str, np.ndarray]:
        return {
            name: np.stack([self._vector(text, name) for text in texts])
            for name in (self.specs if names is None else names)
        }

    def encode_documents(
        self, texts: Sequence[str], names: Sequence[str] | None = None
    ) -> dict[str, np.ndarray]:
        self.encoded.extend(texts)
        return self.encode_queries(texts, names)

    def token_spans(self, text: str) -> list[tuple[int, int]]:
        return [match.span() for match in re.finditer(r"\w+", text)]

    def _vector(self, text: str, name: str) -> np.ndarray:
        vector = np.full(self._dimension, 0.01, dtype=np.float32)
        for start, end in self.token_spans(text):
            key = f"{name} {self._versions[name]} {text[start:end].lower()}"
            digest = blake2b(key.encode(), digest_size=4).digest()
            sign = 1.0 if digest[0] % 2 else -1.0
            vector[int.from_bytes(digest[1:], "little") % self._dimension] += sign
        return vector / np.linalg.norm(vector)
