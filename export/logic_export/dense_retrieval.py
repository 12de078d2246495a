"""Retrieval metrics of an encoder: exact cosine search over a labelled data set."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from logic_retrievers.evaluation import Dataset, evaluate

Encode: TypeAlias = Callable[[Sequence[str]], npt.NDArray[np.float32]]
RankedLists: TypeAlias = list[list[tuple[str, float]]]


def brute_force(
    dataset: Dataset, encode_queries: Encode, encode_documents: Encode
) -> Callable[[Sequence[str], int], RankedLists]:
    """Make a search by inner product over all documents of a data set."""
    ids = list(dataset.documents)
    documents = encode_documents(list(dataset.documents.values()))

    def search(texts: Sequence[str], k: int) -> RankedLists:
        scores = encode_queries(texts) @ documents.T
        best = np.argsort(-scores, axis=1, kind="stable")[:, :k]
        return [
            [(ids[column], float(row[column])) for column in columns]
            for row, columns in zip(scores, best, strict=True)
        ]

    return search


def ndcg_at_10(dataset: Dataset, encode_queries: Encode, encode_documents: Encode) -> float:
    """Measure nDCG@10 of brute-force search, averaged over the queries."""
    search = brute_force(dataset, encode_queries, encode_documents)
    return evaluate(dataset, search, depth=10, resamples=1).metrics["nDCG@10"]
