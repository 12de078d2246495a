"""What anybody writes in a line to leave something out: baselines for every table of exclusions.

All take the wanted and excluded parts that the package's own parser finds, and the topical vector.
A query that excludes nothing gets plain search.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import ClassVar, TypeAlias

import numpy as np
import numpy.typing as npt

from logic_retrievers.encoders import Encoder, default_encoder
from logic_retrievers.policies import Policy, PolicyRouter, Ranked, TopicalPolicy
from logic_retrievers.queries import ParsedQuery
from logic_retrievers.scoring import cosine, ranking
from logic_retrievers.types import CandidatePool, VectorQuery

_Scores: TypeAlias = npt.NDArray[np.float64]
Similarity: TypeAlias = Callable[[str, str], float]
"""Cosine of two query texts."""

LIMIT = 100
"""Candidates of a search, as many as the policies of the package take."""


@dataclass(frozen=True)
class ExclusionBaseline(Policy):
    """Ranks by cosines to the wanted part and to each excluded part."""

    query: ParsedQuery
    similarity: Similarity

    def plan(self, query: str, k: int) -> tuple[VectorQuery, ...]:
        """The wanted part searches; the excluded parts score."""
        del query
        excluded = dict.fromkeys(self.query.excluded)
        return (
            VectorQuery("wanted", "topical", self.query.wanted, max(LIMIT, k)),
            *(VectorQuery(f"excluded: {text}", "topical", text, 0) for text in excluded),
        )

    def rank(self, pool: CandidatePool, k: int) -> list[Ranked]:
        """By :meth:`scores`."""
        wanted, *excluded = pool.scores.values()
        scores = self.scores(wanted, np.stack(excluded))
        return [Ranked(int(i), float(scores[i])) for i in ranking(scores)[:k]]

    @abstractmethod
    def scores(self, wanted: _Scores, excluded: _Scores) -> _Scores:
        """Of the pool; ``wanted`` has shape (pool size,), ``excluded`` (texts, pool size)."""


class WantedPart(ExclusionBaseline):
    """Plain search for the wanted part."""

    name: ClassVar[str] = "wanted part alone"

    def scores(self, wanted: _Scores, excluded: _Scores) -> _Scores:
        """The cosine to the wanted part."""
        del excluded
        return wanted


class Recommend(ExclusionBaseline):
    """Qdrant's ``recommend`` by average vector: wanted part positive, excluded parts negative."""

    name: ClassVar[str] = "Qdrant's recommend"

    def scores(self, wanted: _Scores, excluded: _Scores) -> _Scores:
        """``2 * wanted - mean(excluded)``: the order of the cosines to Qdrant's query vector."""
        return np.asarray(2 * wanted - excluded.mean(axis=0))


class OneLineFormula(ExclusionBaseline):
    """``cos(p, wanted) - max(0, cos(p, excluded) - cos(wanted, excluded))``."""

    name: ClassVar[str] = "one-line formula"

    def scores(self, wanted: _Scores, excluded: _Scores) -> _Scores:
        """The formula, with the largest loss where several texts are excluded."""
        texts = dict.fromkeys(self.query.excluded)
        usual = np.array([self.similarity(self.query.wanted, text) for text in texts])
        return np.asarray(wanted - np.maximum(0, excluded - usual[:, None]).max(axis=0))


@dataclass(frozen=True)
class BaselineRouter(PolicyRouter):
    """Takes a baseline for every query that excludes something, else plain search."""

    baseline: type[ExclusionBaseline]
    similarity: Similarity
    name: ClassVar[str] = "baseline"

    def route(
        self,
        query: str | ParsedQuery,
        trained: Collection[str] = (),
        constants: Mapping[str, float] | None = None,
    ) -> Policy:
        """The policy for one query."""
        del trained, constants
        parsed = self.parse(query)
        return self.baseline(parsed, self.similarity) if parsed.excluded else TopicalPolicy()


def exclusion_baselines(encoder: Encoder | None = None) -> dict[str, PolicyRouter]:
    """The baselines by name.

    Args:
        encoder: of the queries; the shipped one where None, opened at the first use.
    """

    def similarity(left: str, right: str) -> float:
        vectors = (encoder or default_encoder()).encode_queries([left, right], ["topical"])[
            "topical"
        ]
        return float(cosine(vectors[0], vectors[1:])[0])

    kinds: tuple[type[ExclusionBaseline], ...] = (WantedPart, Recommend, OneLineFormula)
    return {kind.name: BaselineRouter(kind, similarity) for kind in kinds}
