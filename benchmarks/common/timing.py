"""Films to index, and an encoder that measures its time."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence

from logic_retrievers.encoders import Encoder
from logic_retrievers.encoders.base import Vectors, VectorSpec
from logic_retrievers.evaluation import data_folder
from logic_retrievers.evaluation.rows import json_rows
from logic_retrievers.types import Passage

FILM_CHARACTERS = 600


class TimedEncoder:
    """An encoder that adds up the seconds it takes.

    Args:
        encoder: encodes queries, and documents unless ``documents`` is given.
        documents: encodes documents, for instance with cached vectors.
    """

    def __init__(self, encoder: Encoder, documents: Encoder | None = None) -> None:
        self._queries, self._documents = encoder, documents or encoder
        self.seconds = 0.0

    @property
    def specs(self) -> Mapping[str, VectorSpec]:
        return self._queries.specs

    def encode_documents(
        self, texts: Sequence[str], names: Sequence[str] | None = None
    ) -> dict[str, Vectors]:
        begun = time.perf_counter()
        vectors = self._documents.encode_documents(texts, names)
        self.seconds += time.perf_counter() - begun
        return vectors

    def encode_queries(
        self, texts: Sequence[str], names: Sequence[str] | None = None
    ) -> dict[str, Vectors]:
        begun = time.perf_counter()
        vectors = self._queries.encode_queries(texts, names)
        self.seconds += time.perf_counter() - begun
        return vectors

    def token_spans(self, text: str) -> list[tuple[int, int]]:
        return self._queries.token_spans(text)


def film_passages(count: int) -> list[Passage]:
    """Return the first films of the benchmark data, cut to 600 characters (about 130 tokens)."""
    rows = json_rows(data_folder() / "wikipedia_movies" / "corpus.jsonl.gz")
    films = zip(range(count), rows, strict=False)
    return [Passage(row.id(), row.text("text")[:FILM_CHARACTERS]) for _, row in films]
