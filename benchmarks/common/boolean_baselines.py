"""Baselines from the literature that combine results for the atoms of a Boolean expression.

All search the topical vector for every atom.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from functools import reduce
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from logic_retrievers.policies import Policy, PolicyRouter, Ranked, TopicalPolicy
from logic_retrievers.policies.boolean import AtomScores
from logic_retrievers.queries import ParsedQuery
from logic_retrievers.queries.expressions import Atom, Expression, Not, Or, split_exclusions
from logic_retrievers.scoring import ordinal_ranks, ranking
from logic_retrievers.scoring.fusion import Scores
from logic_retrievers.types import CandidatePool, VectorQuery

# Number of candidates per atom.
LIMIT = 100


@dataclass(frozen=True)
class BooleanBaseline(Policy):
    """Ranks candidates for one query with an expression."""

    query: ParsedQuery

    def plan(self, query: str, k: int) -> tuple[VectorQuery, ...]:
        """Search for each wanted atom; excluded atoms only score."""
        del query
        wanted: dict[str, bool] = {}
        for text, is_wanted in _atoms(self._expression, wanted=True):
            wanted[text] = wanted.get(text, False) or is_wanted
        return tuple(
            VectorQuery(text, "topical", text, max(LIMIT, 2 * k) if is_wanted else 0)
            for text, is_wanted in wanted.items()
        )

    def rank(self, pool: CandidatePool, k: int) -> list[Ranked]:
        scores = self.scores(pool.scores.__getitem__, k)
        scores = np.where(np.isnan(scores), -np.inf, scores)
        best = [int(i) for i in ranking(scores)[:k] if not np.isneginf(scores[i])]
        return [Ranked(i, float(scores[i])) for i in best]

    @property
    def _expression(self) -> Expression:
        assert self.query.expression is not None
        return self.query.expression.simplified()

    @abstractmethod
    def scores(self, cosines: AtomScores, k: int) -> Scores:
        """Score the pool for a list of k; -inf marks candidates that are not results."""


class EnsemblePolicy(BooleanBaseline):
    """Decompose-then-ensemble: AND is min, OR is max, NOT is subtracted (Shen et al. 2025, 6.2)."""

    name: ClassVar[str] = "ensemble"

    def scores(self, cosines: AtomScores, k: int) -> Scores:
        del k
        return _ensemble_scores(self._expression, cosines)


class SetsPolicy(BooleanBaseline):
    """Set operations on the result lists of the atoms (Zhang et al. 2024, decomposed query).

    AND intersects and adds the scores. OR unites and takes the greater score. NOT removes: members
    of the excluded list score zero, which is our reading of the paper's "subtraction". Lists have a
    length of 2k, as in the paper.
    """

    name: ClassVar[str] = "sets"

    def scores(self, cosines: AtomScores, k: int) -> Scores:
        result = _result_set(self._expression, cosines, 2 * k)
        return np.where(result.members, result.scores, -np.inf)


class ShortSetsPolicy(SetsPolicy):
    """Set operations on lists of ten, because longer lists remove more for each excluded part."""

    def rank(self, pool: CandidatePool, k: int) -> list[Ranked]:
        return super().rank(pool, min(k, 10))


@dataclass(frozen=True)
class BooleanBaselineRouter(PolicyRouter):
    """Uses a baseline for queries that join or exclude something, plain search for others."""

    baseline: type[BooleanBaseline]
    name: ClassVar[str] = "baseline"

    def route(
        self,
        query: str | ParsedQuery,
        trained: Collection[str] = (),
        constants: Mapping[str, float] | None = None,
    ) -> Policy:
        del trained, constants
        parsed = self.parse(query).with_expression()
        return TopicalPolicy() if parsed.expression is None else self.baseline(parsed)


ENSEMBLE, SETS = BooleanBaselineRouter(EnsemblePolicy), BooleanBaselineRouter(SetsPolicy)
SHORT_SETS = BooleanBaselineRouter(ShortSetsPolicy)


def _atoms(expression: Expression, *, wanted: bool) -> Iterator[tuple[str, bool]]:
    """Yield each atom's text, and whether the atom is wanted."""
    if isinstance(expression, Atom):
        yield expression.text, wanted
    elif isinstance(expression, Not):
        yield from _atoms(expression.part, wanted=not wanted)
    else:
        for part in expression.args:
            yield from _atoms(part, wanted=wanted)


def _ensemble_scores(expression: Expression, atom_scores: AtomScores) -> Scores:
    if isinstance(expression, Atom):
        return atom_scores(expression.text)
    if isinstance(expression, Or):
        parts = [_ensemble_scores(part, atom_scores) for part in expression.parts]
        strongest: Scores = np.max(parts, axis=0)
        return strongest
    wanted, excluded = split_exclusions(expression)
    score = np.zeros_like(atom_scores(expression.atoms[0]))
    if wanted:
        score = np.min([_ensemble_scores(part, atom_scores) for part in wanted], axis=0)
    for part in excluded:
        score = score - _ensemble_scores(part, atom_scores)
    return score


@dataclass(frozen=True)
class _ResultSet:
    """Membership and score of each candidate, both of shape (candidates,)."""

    members: npt.NDArray[np.bool_]
    scores: Scores


def _result_set(expression: Expression, atom_scores: AtomScores, limit: int) -> _ResultSet:
    if isinstance(expression, Atom):
        scores = atom_scores(expression.text)
        ranks = ordinal_ranks(scores)
        return _ResultSet((ranks > 0) & (ranks <= limit), np.nan_to_num(scores))
    if isinstance(expression, Or):
        return reduce(_union, (_result_set(part, atom_scores, limit) for part in expression.parts))
    wanted, excluded = split_exclusions(expression)
    sets = [_result_set(part, atom_scores, limit) for part in wanted]
    result = reduce(_intersection, sets) if sets else None
    for part in excluded:
        removed = _result_set(part, atom_scores, limit)
        result = result or _ResultSet(np.ones_like(removed.members), np.zeros_like(removed.scores))
        result = _ResultSet(result.members & ~removed.members, result.scores)
    assert result is not None
    return result


def _intersection(first: _ResultSet, second: _ResultSet) -> _ResultSet:
    return _ResultSet(first.members & second.members, first.scores + second.scores)


def _union(first: _ResultSet, second: _ResultSet) -> _ResultSet:
    greater = np.maximum(
        np.where(first.members, first.scores, -np.inf),
        np.where(second.members, second.scores, -np.inf),
    )
    return _ResultSet(first.members | second.members, greater)
