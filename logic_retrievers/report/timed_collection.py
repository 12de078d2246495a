"""A collection for what is timed: vectors of documents are kept ones, queries are encoded anew."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager

from logic_retrievers.encoders import default_encoder
from logic_retrievers.encoders.base import Vectors, VectorSpec
from logic_retrievers.index import PassageIndex
from logic_retrievers.report.workbench import Workbench


class _FreshQueries:
    """The shipped encoder: documents have kept vectors, queries are encoded, for they are timed."""

    def __init__(self, bench: Workbench) -> None:
        self._kept, self._encoder = bench.encoder, default_encoder()

    @property
    def specs(self) -> Mapping[str, VectorSpec]:
        return self._encoder.specs

    def encode_documents(
        self, texts: Sequence[str], names: Sequence[str] | None = None
    ) -> dict[str, Vectors]:
        return self._kept.encode_documents(texts, names)

    def encode_queries(
        self, texts: Sequence[str], names: Sequence[str] | None = None
    ) -> dict[str, Vectors]:
        return self._encoder.encode_queries(texts, names)

    def token_spans(self, text: str) -> list[tuple[int, int]]:
        return self._encoder.token_spans(text)


@contextmanager
def timed_collection(bench: Workbench) -> Iterator[PassageIndex]:
    """An empty one in this process, its encoder loaded."""
    with PassageIndex.open("latency", _FreshQueries(bench)) as index:
        index.encoder.encode_queries(["warm up"], index.vectors)
        yield index
