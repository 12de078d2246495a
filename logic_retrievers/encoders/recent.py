"""The last vectors, kept in memory: for callers that ask for one text twice in a row."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from threading import Lock
from typing import Any, TypeAlias

import numpy as np

from logic_retrievers.encoders.base import Encoder, Vectors, VectorSpec, check_names
from logic_retrievers.encoders.manifest import Role
from logic_retrievers.encoders.query_encoder import QueryEncoderSource
from logic_retrievers.encoders.swapping import with_query_encoder
from logic_retrievers.encoders.texts import check_texts
from logic_retrievers.errors import ConfigurationError

_Key: TypeAlias = tuple[str, str, Role, str]
"""Name, fingerprint of the side, role and text."""


class RecentEncoder:
    """An encoder that remembers its last vectors.

    LlamaIndex embeds a node before it hands it to a store; a store that makes all named vectors
    itself would encode it a second time. For a memory that lasts, see :class:`CachedEncoder`.

    Args:
        encoder: makes what is not remembered.
        size: how many vectors are kept; 4 bytes a coordinate each, and the text.

    Raises:
        ConfigurationError: a size under 1.
    """

    def __init__(self, encoder: Encoder, size: int = 8192) -> None:
        if size < 1:
            raise ConfigurationError(f"size must be at least 1, not {size}")
        self._encoder, self._size = encoder, size
        self._kept: dict[_Key, Vectors] = {}  # the oldest first
        self._lock = Lock()

    @property
    def specs(self) -> Mapping[str, VectorSpec]:
        """The named vectors of the encoder behind."""
        return self._encoder.specs

    def encode_queries(
        self, texts: Sequence[str], names: Sequence[str] | None = None
    ) -> dict[str, Vectors]:
        """Vectors of queries."""
        return self._encode("query", self._encoder.encode_queries, texts, names)

    def encode_documents(
        self, texts: Sequence[str], names: Sequence[str] | None = None
    ) -> dict[str, Vectors]:
        """Vectors of documents."""
        return self._encode("document", self._encoder.encode_documents, texts, names)

    def token_spans(self, text: str) -> list[tuple[int, int]]:
        """Those of the encoder behind."""
        return self._encoder.token_spans(text)

    def with_query_encoder(
        self, source: QueryEncoderSource | None, head: str | None = None
    ) -> RecentEncoder:
        """One memory before an encoder with another query side; each finds its own vectors."""
        made = object.__new__(type(self))  # `copy` would make it anew, as for another process
        made.__dict__.update(self.__dict__)
        made._encoder = with_query_encoder(self._encoder, source, head)
        return made

    def __reduce__(self) -> tuple[Any, ...]:
        """For another process: without what is remembered."""
        return RecentEncoder, (self._encoder, self._size)

    def _encode(
        self,
        role: Role,
        encode: Callable[[Sequence[str], Sequence[str]], dict[str, Vectors]],
        texts: Sequence[str],
        names: Sequence[str] | None,
    ) -> dict[str, Vectors]:
        texts = check_texts(texts)
        wanted = check_names(names, self.specs)
        sides = {name: self.specs[name].side(role) for name in wanted}
        with self._lock:
            known = {
                (name, text): self._kept[name, side, role, text]
                for name, side in sides.items()
                for text in texts
                if (name, side, role, text) in self._kept
            }
        groups: dict[tuple[str, ...], list[str]] = {}
        for text in dict.fromkeys(texts):
            lacking = tuple(name for name in wanted if (name, text) not in known)
            if lacking:
                groups.setdefault(lacking, []).append(text)
        fresh = {
            (name, text): row.copy()  # a view would keep its whole batch
            for lacking, some in groups.items()
            for name, rows in encode(some, lacking).items()
            for text, row in zip(some, rows, strict=True)
        }
        with self._lock:
            for (name, text), row in fresh.items():
                self._kept[name, sides[name], role, text] = row
            while len(self._kept) > self._size:
                del self._kept[next(iter(self._kept))]
        known |= fresh
        return {name: self._stack(name, [known[name, text] for text in texts]) for name in wanted}

    def _stack(self, name: str, rows: Sequence[Vectors]) -> Vectors:
        if not rows:
            return np.empty((0, self.specs[name].dimension), dtype=np.float32)
        array = np.stack(rows)
        array.setflags(write=False)
        return array
