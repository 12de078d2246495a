"""BM25, the baseline that knows words alone (bm25s, the ``eval`` extra)."""

from __future__ import annotations

from collections.abc import Sequence

from logic_retrievers.errors import MissingExtraError
from logic_retrievers.evaluation import Dataset, Search
from logic_retrievers.evaluation.measures import Ranking


def bm25(dataset: Dataset) -> Search:
    """BM25 of the ``bm25s`` library, with its own defaults; what to give to ``evaluate``.

    Raises:
        MissingExtraError: bm25s is not installed.
    """
    try:
        import bm25s
    except ModuleNotFoundError as error:
        raise MissingExtraError("bm25s", "eval") from error
    ids = list(dataset.documents)
    retriever = bm25s.BM25()
    retriever.index(
        bm25s.tokenize(list(dataset.documents.values()), show_progress=False), show_progress=False
    )

    def search(texts: Sequence[str], k: int) -> list[Ranking]:
        tokens = bm25s.tokenize(list(texts), show_progress=False)
        found, scores = retriever.retrieve(tokens, k=min(k, len(ids)), show_progress=False)
        return [
            [(ids[place], float(score)) for place, score in zip(*row, strict=True)]
            for row in zip(found, scores, strict=True)
        ]

    return search
