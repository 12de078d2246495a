"""An in-memory collection with exact scores, for many queries with deep lists.

The engine returns the same lists, but adds a payload to every hit, which costs time.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property, lru_cache
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from logic_retrievers.encoders import Encoder
from logic_retrievers.errors import LongTextWarning
from logic_retrievers.evaluation import Query
from logic_retrievers.index.lexical import term_vector
from logic_retrievers.policies import Policy
from logic_retrievers.types import CandidatePool, VectorQuery

Scores = npt.NDArray[np.float64]
# Chooses the policy for a query by text or expression.
ChoosePolicy: TypeAlias = Callable[[Query], Policy]

DECIMALS = 6
DENSE = ("topical", "compatibility")
LEXICAL = "lexical"
# Number of cached score columns; each takes 8 bytes per passage.
CACHED_COLUMNS = 4096


class ExactCollection:
    """Passages with their vectors, and exact scores for any text.

    Args:
        documents: id -> text.
        encoder: makes the dense vectors; this class computes lexical scores with Qdrant's weights.
        dense: names of the dense vectors.
    """

    def __init__(
        self, documents: Mapping[str, str], encoder: Encoder, dense: Sequence[str] = DENSE
    ) -> None:
        self.ids = sorted(documents)
        self._encoder = encoder
        self._texts = [documents[name] for name in self.ids]
        with warnings.catch_warnings():
            # Long documents are cut alike for every system.
            warnings.simplefilter("ignore", LongTextWarning)
            vectors = encoder.encode_documents(self._texts, dense)
        self._dense = {name: _normalise_rows(rows) for name, rows in vectors.items()}
        self.scores = lru_cache(CACHED_COLUMNS)(self._scores)

    def search(self, policy: Policy, query: str, k: int) -> list[tuple[str, float]]:
        """Return pairs (id, score) of the k best passages under a policy."""
        pool = self._pool(policy.plan(query, k))
        return [(pool.ids[ranked.index], ranked.score) for ranked in policy.rank(pool, k)]

    def vectors(self, texts: Sequence[str], name: str = "topical") -> npt.NDArray[np.float32]:
        """Encode texts as queries; shape (texts, dimension)."""
        return _normalise_rows(self._encoder.encode_queries(list(texts), [name])[name])

    @cached_property
    def _weights(self) -> Mapping[int, tuple[npt.NDArray[np.intp], Scores]]:
        """Map each stem to the rows of texts that contain it, and to its weight in each row."""
        postings: dict[int, list[tuple[int, float]]] = {}
        for place, text in enumerate(self._texts):
            vector = term_vector(text)
            for stem, weight in zip(vector.indices, vector.values, strict=True):
                postings.setdefault(stem, []).append((place, weight))
        count = len(self._texts)
        weights = {}
        for stem, entries in postings.items():
            places, damped = zip(*entries, strict=True)
            # Qdrant's inverse document frequency.
            idf = float(np.log(1 + (count - len(places) + 0.5) / (len(places) + 0.5)))
            weights[stem] = np.array(places), np.array(damped) * idf
        return weights

    def _pool(self, plan: Sequence[VectorQuery]) -> CandidatePool:
        columns = {leaf.name: self.scores(leaf.vector, leaf.text) for leaf in plan}
        nearest = [_nearest_rows(columns[leaf.name], leaf.limit) for leaf in plan if leaf.limit]
        rows = np.unique(np.concatenate(nearest))
        ids = tuple(self.ids[row] for row in rows)
        return CandidatePool(ids, {name: column[rows] for name, column in columns.items()})

    def _scores(self, vector: str, text: str) -> Scores:
        """Score every passage; NaN where the lexical vectors share no word."""
        if vector == LEXICAL:
            scores = np.zeros(len(self.ids))
            for word in term_vector(text, query=True).indices:
                if word in self._weights:
                    places, weights = self._weights[word]
                    scores[places] += weights
            return np.where(scores > 0, np.round(scores, DECIMALS), np.nan)
        query = self.vectors([text], vector)[0]
        cosines = (self._dense[vector] @ query).astype(np.float64)
        return np.asarray(np.round(cosines, DECIMALS))


def _normalise_rows(rows: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    return np.asarray(rows / np.where(lengths > 0, lengths, 1), dtype=np.float32)


def _nearest_rows(column: Scores, depth: int) -> npt.NDArray[np.intp]:
    """Return the rows with the best scores; ties by row number, NaN left out."""
    scored = np.flatnonzero(~np.isnan(column))
    if depth < len(scored):
        last = np.partition(column[scored], -depth)[-depth]
        scored = scored[column[scored] >= last]
    return scored[np.argsort(-column[scored], kind="stable")[:depth]]
