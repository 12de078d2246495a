"""Scores of a Boolean expression from the scores of its atoms: three ways, and their constants."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import reduce
from typing import ClassVar, Literal, TypeAlias, get_args

import numpy as np
import numpy.typing as npt

from logic_retrievers.queries.expressions import Atom, Expression, Or, split_exclusions
from logic_retrievers.scoring import ordinal_ranks
from logic_retrievers.scoring.boolean import conjunction, disjunction, violation
from logic_retrievers.settings import SHARE, Interval, OneOf, PartialSettings, Range, check_ranges

Scores: TypeAlias = npt.NDArray[np.float64]
AtomScores: TypeAlias = Callable[[str], Scores]
"""Text -> score of every candidate, shape (candidates,)."""

Combination: TypeAlias = Literal["calibrated", "ensemble", "sets"]
"""``calibrated``: ours. ``ensemble``: min, max and difference of cosines (Shen et al. 2025).
``sets``: set operations on result lists (Zhang et al. 2024). The last two are for comparison."""

_RANGES: Mapping[str, Range] = {
    "combination": OneOf(get_args(Combination)),
    "joint_weight": SHARE,
    "penalty": Interval(low=0),
    "mention_threshold": Interval(),
    "mention_share": SHARE,
    "compatibility_weight": SHARE,
    "lexical_weight": SHARE,
}


@dataclass(frozen=True, slots=True)
class BooleanConstants:
    """What :class:`ExpressionPolicy` calculates with; :class:`BooleanSettings` explains each.

    Raises:
        ConfigurationError: a value out of its range.
    """

    combination: Combination = "calibrated"
    joint_weight: float = 0.8
    penalty: float = 2.0
    mention_threshold: float = 0.5
    mention_share: float = 0.1
    compatibility_weight: float = 0.7
    lexical_weight: float = 0.8

    def __post_init__(self) -> None:
        check_ranges(asdict(self), _RANGES)


@dataclass(frozen=True, slots=True)
class BooleanSettings(PartialSettings):
    """Overrides of the constants of :class:`ExpressionPolicy`; None keeps the package's value.

    All but the first are of ``calibrated``.

    Args:
        combination: see :data:`Combination`.
        joint_weight: share of the phrase that names all parts of an AND, in [0, 1].
        penalty: the most that a passage can lose for what is excluded, in units of the best score
            that a candidate has for what is wanted.
        mention_threshold: standard score from which a passage speaks of a part.
        mention_share: share of the penalty for a passage that speaks of what is excluded, but is
            rather about what is wanted, in [0, 1].
        compatibility_weight: share of the compatibility vector beside the topical one, in [0, 1],
            where there is a trained one.
        lexical_weight: share of the ``lexical`` vector beside these two, in [0, 1], where there is
            one.

    Raises:
        ConfigurationError: a value out of its range.
    """

    ranges: ClassVar[Mapping[str, Range]] = _RANGES

    combination: Combination | None = None
    joint_weight: float | None = None
    penalty: float | None = None
    mention_threshold: float | None = None
    mention_share: float | None = None
    compatibility_weight: float | None = None
    lexical_weight: float | None = None


def calibrated_scores(
    expression: Expression,
    atom_scores: AtomScores,
    phrase: Callable[[Sequence[Expression]], str],
    constants: BooleanConstants,
) -> Scores:
    """AND: the weakest part, mixed with the phrase of all. OR: the strongest. NOT: a bounded fall.

    Several excluded parts count as their OR.

    Args:
        expression: with something that is wanted in every branch.
        atom_scores: standard scores.
        phrase: the wanted parts of an AND as one text.
        constants: of the combination.
    """
    if isinstance(expression, Atom):
        return atom_scores(expression.text)

    def scores_of(parts: Sequence[Expression]) -> list[Scores]:
        return [calibrated_scores(part, atom_scores, phrase, constants) for part in parts]

    if isinstance(expression, Or):
        return disjunction(scores_of(expression.parts))
    wanted, excluded = split_exclusions(expression)
    parts = scores_of(wanted)
    base = parts[0] if parts else np.zeros_like(atom_scores(expression.atoms[0]))
    if len(parts) > 1:
        base = conjunction(parts, atom_scores(phrase(wanted)), constants.joint_weight)
    if not excluded:
        return base
    against = disjunction(scores_of(excluded))
    penalty = constants.penalty * max(float(base.max()), 0.0)
    return base - penalty * violation(
        against, base, constants.mention_threshold, constants.mention_share
    )


def ensemble_scores(expression: Expression, atom_scores: AtomScores) -> Scores:
    """Decompose-then-ensemble: AND is min, OR is max, NOT is subtracted (Shen et al. 2025, 6.2).

    Args:
        expression: any.
        atom_scores: cosines.
    """
    if isinstance(expression, Atom):
        return atom_scores(expression.text)
    if isinstance(expression, Or):
        return disjunction([ensemble_scores(part, atom_scores) for part in expression.parts])
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
