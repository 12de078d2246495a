"""Baselines for tables of exclusions: formulas of one line that leave something out.

All use the topical vector, and the wanted and excluded parts that the package's parser finds. A
query without an exclusion gets plain search.
"""

from __future__ import annotations

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

# Computes the pool's scores from three arguments: its cosines to the wanted part, shape (pool
# size,); its cosines to the excluded texts, shape (texts, pool size); and a function that returns
# each excluded text's cosine to the wanted part.
Formula: TypeAlias = Callable[[_Scores, _Scores, Callable[[], _Scores]], _Scores]

# Number of candidates per search, as in the package's policies.
LIMIT = 100


def _wanted_alone(wanted: _Scores, excluded: _Scores, usual: Callable[[], _Scores]) -> _Scores:
    del excluded, usual
    return wanted


def _recommend(wanted: _Scores, excluded: _Scores, usual: Callable[[], _Scores]) -> _Scores:
    """Order as Qdrant's ``recommend`` by average vector: ``2 * wanted - mean(excluded)``."""
    del usual
    return np.asarray(2 * wanted - excluded.mean(axis=0))


def _one_line(wanted: _Scores, excluded: _Scores, usual: Callable[[], _Scores]) -> _Scores:
    """``cos(p, wanted) - max(0, cos(p, excluded) - cos(wanted, excluded))``."""
    return np.asarray(wanted - np.maximum(0, excluded - usual()[:, None]).max(axis=0))


FORMULAS: Mapping[str, Formula] = {
    "wanted part alone": _wanted_alone,
    "Qdrant's recommend": _recommend,
    "one-line formula": _one_line,
}


@dataclass(frozen=True)
class ExclusionBaseline(Policy):
    """Ranks by cosines to the wanted part and to each excluded part."""

    query: ParsedQuery
    formula: Formula
    encoder: Callable[[], Encoder]
    name: ClassVar[str] = "baseline"

    def plan(self, query: str, k: int) -> tuple[VectorQuery, ...]:
        """Search for the wanted part; the excluded parts only score."""
        del query
        return (
            VectorQuery("wanted", "topical", self.query.wanted, max(LIMIT, k)),
            *(VectorQuery(f"excluded: {text}", "topical", text, 0) for text in self._excluded),
        )

    def rank(self, pool: CandidatePool, k: int) -> list[Ranked]:
        wanted, *excluded = pool.scores.values()
        scores = self.formula(wanted, np.stack(excluded), self._usual)
        return [Ranked(int(i), float(scores[i])) for i in ranking(scores)[:k]]

    @property
    def _excluded(self) -> list[str]:
        return list(dict.fromkeys(self.query.excluded))

    def _usual(self) -> _Scores:
        """Compute the cosine of the wanted part to each excluded text."""
        encode = self.encoder().encode_queries
        pairs = [
            encode([self.query.wanted, text], ["topical"])["topical"] for text in self._excluded
        ]
        return np.array([float(cosine(pair[0], pair[1:])[0]) for pair in pairs])


@dataclass(frozen=True)
class BaselineRouter(PolicyRouter):
    """Uses a baseline for queries that exclude something, plain search for others."""

    formula: Formula
    encoder: Callable[[], Encoder]
    name: ClassVar[str] = "baseline"

    def route(
        self,
        query: str | ParsedQuery,
        trained: Collection[str] = (),
        constants: Mapping[str, float] | None = None,
    ) -> Policy:
        del trained, constants
        parsed = self.parse(query)
        if not parsed.excluded:
            return TopicalPolicy()
        return ExclusionBaseline(parsed, self.formula, self.encoder)


def exclusion_baselines(encoder: Encoder | None = None) -> dict[str, PolicyRouter]:
    """Return the baselines by name.

    Args:
        encoder: encodes the queries; by default the shipped encoder, opened at first use.
    """

    def opened() -> Encoder:
        return encoder or default_encoder()

    return {name: BaselineRouter(formula, opened) for name, formula in FORMULAS.items()}
