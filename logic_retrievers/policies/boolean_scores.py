"""Scores of a Boolean expression from the scores of its atoms, and the constants."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from logic_retrievers.overrides import NonNegative, Overrides, Share
from logic_retrievers.queries.expressions import Atom, Expression, Or, split_exclusions
from logic_retrievers.scoring.boolean import violation

Scores: TypeAlias = npt.NDArray[np.float64]
AtomScores: TypeAlias = Callable[[str], Scores]
"""Text -> score of every candidate, shape (candidates,)."""


class BooleanSettings(Overrides):
    """Constants of :class:`ExpressionPolicy`; a field that is not set has the value below.

    Args:
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

    joint_weight: Share = 0.8
    penalty: NonNegative = 2.0
    mention_threshold: float = 0.5
    mention_share: Share = 0.1
    compatibility_weight: Share = 0.7
    lexical_weight: Share = 0.8


def calibrated_scores(
    expression: Expression,
    atom_scores: AtomScores,
    phrase: Callable[[Sequence[Expression]], str],
    constants: BooleanSettings,
) -> Scores:
    """AND: the weakest part, mixed with the phrase of all. OR: the strongest. NOT: a bounded fall.

    The phrase "war films set in Tunisia" tells an encoder more than its two halves; the weakest
    half (Gödel's t-norm) finds the passages that only one half is true of. Several excluded parts
    count as their OR.
    """
    if isinstance(expression, Atom):
        return atom_scores(expression.text)

    def scores_of(parts: Sequence[Expression]) -> Scores:
        return np.stack([calibrated_scores(part, atom_scores, phrase, constants) for part in parts])

    if isinstance(expression, Or):
        strongest: Scores = scores_of(expression.parts).max(axis=0)
        return strongest
    wanted, excluded = split_exclusions(expression)
    base = np.zeros_like(atom_scores(expression.atoms[0]))
    if wanted:
        base = scores_of(wanted).min(axis=0)
    if len(wanted) > 1:
        share = constants.joint_weight
        base = (1 - share) * base + share * atom_scores(phrase(wanted))
    if not excluded:
        return base
    against: Scores = scores_of(excluded).max(axis=0)
    penalty = constants.penalty * max(float(base.max()), 0.0)
    return base - penalty * violation(
        against, base, constants.mention_threshold, constants.mention_share
    )
