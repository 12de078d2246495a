"""How the literature combines the results of a Boolean expression's atoms, to compare with.

Both search the topical vector for every atom and know no phrase that joins them.
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
from logic_retrievers.policies.boolean import AtomScores, Scores
from logic_retrievers.queries import ParsedQuery
from logic_retrievers.queries.expressions import Atom, Expression, Not, Or, split_exclusions
from logic_retrievers.scoring import ordinal_ranks, ranking
from logic_retrievers.types import CandidatePool, VectorQuery

LIMIT = 100
"""Candidates of the search for an atom."""


@dataclass(frozen=True)
class BooleanBaseline(Policy):
    """One query with an expression."""

    query: ParsedQuery

    def plan(self, query: str, k: int) -> tuple[VectorQuery, ...]:
        """A search for each wanted atom; excluded ones only score."""
        del query
        wanted: dict[str, bool] = {}
        for text, is_wanted in _atoms(self._expression, wanted=True):
            wanted[text] = wanted.get(text, False) or is_wanted
        return tuple(
            VectorQuery(text, "topical", text, max(LIMIT, 2 * k) if is_wanted else 0)
            for text, is_wanted in wanted.items()
        )

    def rank(self, pool: CandidatePool, k: int) -> list[Ranked]:
        """By :meth:`scores`; -inf is no result."""
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
        """Of the pool, for a list of k."""


class EnsemblePolicy(BooleanBaseline):
    """Decompose-then-ensemble (Shen et al. 2025, 6.2)."""

    name: ClassVar[str] = "ensemble"

    def scores(self, cosines: AtomScores, k: int) -> Scores:
        """:func:`ensemble_scores`."""
        del k
        return ensemble_scores(self._expression, cosines)


class SetsPolicy(BooleanBaseline):
    """Set operations on result lists (Zhang et al. 2024)."""

    name: ClassVar[str] = "sets"

    def scores(self, cosines: AtomScores, k: int) -> Scores:
        """:func:`set_scores`, with the paper's lists of 2k."""
        return set_scores(self._expression, cosines, 2 * k)


@dataclass(frozen=True)
class BooleanBaselineRouter(PolicyRouter):
    """Takes a baseline for every query with an expression, else plain search."""

    baseline: type[BooleanBaseline]
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
        return TopicalPolicy() if parsed.expression is None else self.baseline(parsed)


ENSEMBLE, SETS = BooleanBaselineRouter(EnsemblePolicy), BooleanBaselineRouter(SetsPolicy)


def _atoms(expression: Expression, *, wanted: bool) -> Iterator[tuple[str, bool]]:
    """The texts of the atoms, and whether they are wanted."""
    if isinstance(expression, Atom):
        yield expression.text, wanted
    elif isinstance(expression, Not):
        yield from _atoms(expression.part, wanted=not wanted)
    else:
        for part in expression.args:
            yield from _atoms(part, wanted=wanted)


def ensemble_scores(expression: Expression, atom_scores: AtomScores) -> Scores:
    """Decompose-then-ensemble: AND is min, OR is max, NOT is subtracted (Shen et al. 2025, 6.2).

    Args:
        expression: any.
        atom_scores: cosines.
    """
    if isinstance(expression, Atom):
        return atom_scores(expression.text)
    if isinstance(expression, Or):
        parts = np.stack([ensemble_scores(part, atom_scores) for part in expression.parts])
        strongest: Scores = parts.max(axis=0)
        return strongest
    wanted, excluded = split_exclusions(expression)
    score = np.zeros_like(atom_scores(expression.atoms[0]))
    if wanted:
        score = np.min(np.stack([ensemble_scores(part, atom_scores) for part in wanted]), axis=0)
    for part in excluded:
        score = score - ensemble_scores(part, atom_scores)
    return score


@dataclass(frozen=True)
class _ResultSet:
    """Which candidates are in a result set, and their scores, each of shape (candidates,)."""

    members: npt.NDArray[np.bool_]
    scores: Scores


def set_scores(expression: Expression, atom_scores: AtomScores, limit: int) -> Scores:
    """Set operations on the result lists of the atoms (Zhang et al. 2024, decomposed query).

    AND intersects and adds the scores, OR unites and takes the greater one, NOT takes out; the
    paper's "subtraction" is read as zero for what is not in the list that is taken out.

    Args:
        expression: any.
        atom_scores: cosines.
        limit: length of an atom's list; the paper's is 2k.

    Returns:
        -inf for what is not in the resulting set.
    """
    result = _result_set(expression, atom_scores, limit)
    return np.where(result.members, result.scores, -np.inf)


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
