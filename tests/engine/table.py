"""An encoder that looks its vectors up: every score in a test is then known beforehand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from logic_retrievers.encoders.base import VectorSpec


class TableEncoder:
    """Query text -> one given vector a name; documents are stored by the tests themselves."""

    def __init__(self, table: Mapping[str, Mapping[str, np.ndarray]], dimension: int) -> None:
        self._table = table
        self.calls: list[tuple[tuple[str, ...], tuple[str, ...]]] = []
        self.specs = {
            name: VectorSpec(name, dimension, 512, f"table-{name}")
            for name in ("topical", "compatibility")
        }

    def encode_queries(
        self, texts: Sequence[str], names: Sequence[str] | None = None
    ) -> dict[str, np.ndarray]:
        wanted = tuple(names or self.specs)
        self.calls.append((tuple(texts), wanted))
        return {name: np.stack([self._table[t][name] for t in texts]) for name in wanted}

    encode_documents = encode_queries

    def token_spans(self, text: str) -> list[tuple[int, int]]:
        return [(i, i + 1) for i in range(len(text))]
