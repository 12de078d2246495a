"""A small encoder without a model: a bag of hashed words, different for each named vector."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from hashlib import blake2b

import numpy as np

from logic_retrievers.encoders.base import Vectors, VectorSpec, check_names, clean_texts

DIMENSION = 32
CONSTANTS = {
    "alpha": 2.0,
    "null_mean": 0.6,
    "null_deviation": 0.05,
    "intercept": -8.0,
    "cosine_weight": 6.0,
    "sparsity_weight": 1.0,
    "threshold": 0.5,
}
"""By which texts that differ in one word contradict each other."""


class HashedEncoder:
    """Texts that share words are near; the same text has the same vector everywhere.

    For suites of users without a model: it loads nothing and is the same on every machine.
    Two longer texts that differ in one word differ in two coordinates, so that a vector named
    ``contradiction`` has them contradict each other; it brings the constants for that.

    Args:
        names: names of the vectors that it makes.
        version: part of the fingerprints, and of the vectors.
        dimension: dimension of every vector.
        versions: different versions for single names.
        query_prefix: put before every query. It makes a text's query and document vectors differ,
            as with many models, so that a test sees the two mixed up.

    Attributes:
        encoded: every document that was encoded, in order.
    """

    def __init__(
        self,
        names: Sequence[str] = ("topical", "compatibility"),
        version: str = "1",
        dimension: int = DIMENSION,
        versions: Mapping[str, str] | None = None,
        query_prefix: str = "",
    ) -> None:
        self._versions = {name: (versions or {}).get(name, version) for name in names}
        self._dimension = dimension
        self._prefix = query_prefix
        self.encoded: list[str] = []
        self.specs: Mapping[str, VectorSpec] = {
            name: VectorSpec(
                name,
                dimension,
                512,
                f"hashed-{name}-{number}",
                query_prefix=query_prefix,
                query_fingerprint=f"hashed-{name}-{number}-{query_prefix}" if query_prefix else "",
                contradiction=CONSTANTS if name == "contradiction" else None,
            )
            for name, number in self._versions.items()
        }

    def encode_queries(
        self, texts: Sequence[str], names: Sequence[str] | None = None
    ) -> dict[str, Vectors]:
        """Vectors of queries, shape (texts, dimension)."""
        return self._encode([self._prefix + text for text in clean_texts(texts)], names)

    def encode_documents(
        self, texts: Sequence[str], names: Sequence[str] | None = None
    ) -> dict[str, Vectors]:
        """Vectors of documents, shape (texts, dimension)."""
        checked = clean_texts(texts)
        self.encoded.extend(checked)
        return self._encode(checked, names)

    def token_spans(self, text: str) -> list[tuple[int, int]]:
        """Return the spans of the words."""
        return [match.span() for match in re.finditer(r"\w+", text)]

    def _encode(self, texts: Sequence[str], names: Sequence[str] | None) -> dict[str, Vectors]:
        results = {}
        for name in check_names(names, self.specs):
            results[name] = np.empty((len(texts), self._dimension), dtype=np.float32)
            for row, text in enumerate(texts):
                results[name][row] = self._vector(text, name)
        return results

    def _vector(self, text: str, name: str) -> Vectors:
        vector = np.full(self._dimension, 0.01, dtype=np.float32)
        for start, end in self.token_spans(text):
            key = f"{name} {self._versions[name]} {text[start:end].lower()}"
            digest = blake2b(key.encode(), digest_size=4).digest()
            sign = 1.0 if digest[0] % 2 else -1.0
            vector[int.from_bytes(digest[1:], "little") % self._dimension] += sign
        return vector / np.linalg.norm(vector)
