"""The policy of one Boolean query."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property, partial
from typing import Any, ClassVar

import numpy as np

from logic_retrievers.errors import ConfigurationError
from logic_retrievers.policies.base import (
    COMPATIBILITY,
    LEXICAL,
    TOPICAL,
    Policy,
    Ranked,
    check_depth,
    values_by_field,
)
from logic_retrievers.policies.boolean.combining import (
    Scores,
    Signal,
    calibrated,
    ensemble,
    sets,
)
from logic_retrievers.policies.boolean.settings import USUAL, BooleanSettings
from logic_retrievers.queries.expressions import And, Atom, Expression, Not, check_searchable
from logic_retrievers.queries.expressions.wording import split, worded
from logic_retrievers.queries.parsed import ParsedQuery
from logic_retrievers.scoring import ranking
from logic_retrievers.scoring.boolean import standard_scores
from logic_retrievers.types import Leaf, Pool

_SATISFIED, _UNSATISFIED, _VIOLATED, _AVOIDED = "satisfied", "unsatisfied", "violated", "avoided"


@dataclass(frozen=True)
class ExpressionPolicy(Policy):
    """One query with an expression, made by :class:`BooleanPolicy` or by hand.

    Every atom that is wanted is a search of its own, and so is every AND, said in one phrase; what
    is ruled out only scores. All of them go in one batched request, and a candidate that one search
    found gets its exact score on all others. With u(t), the standard score of a passage among the
    candidates for a text t (a weighted mean over the vectors that there are)::

        atom        u(atom)
        a AND b     (1 - joint_weight) * min(a, b) + joint_weight * u("a and b")
        a OR b      max(a, b)
        w AND NOT c w - fall * max(w) * speaks * (mention + (1 - mention) * rather)
                    speaks = sigmoid(2 * (c - onset)), rather = sigmoid(4 * (c - w))

    So a score tells how far a passage stands out among the candidates of one query; scores of two
    queries do not compare.

    Args:
        query: with an expression.
        settings: constants.
        depth: candidates of each search (at least k).
        vectors: those that there are; ``calibrated`` uses ``compatibility``, which should be
            trained, and ``lexical`` beside the topical one.
        filtered: texts that a filter keeps out, by the field and its value.

    Raises:
        ConfigurationError: the query has no expression, or a setting is out of its range.
        ExpressionError: the expression says only what is not wanted.
    """

    query: ParsedQuery
    settings: BooleanSettings = USUAL
    depth: int = 100
    vectors: tuple[str, ...] = ()
    filtered: Mapping[str, tuple[str, Any]] = field(default_factory=dict)
    name: ClassVar[str] = "boolean"

    def __post_init__(self) -> None:
        check_depth(self.depth)
        if self.query.expression is None:
            raise ConfigurationError("this query has no expression; search with policy 'auto'")
        check_searchable(self.query.expression)

    @property
    def must_not(self) -> Mapping[str, list[Any]]:
        """Metadata values that no hit may have."""
        return values_by_field(self.filtered.values())

    def plan(self, query: str, k: int) -> tuple[Leaf, ...]:  # noqa: ARG002 - it has its own
        """A search an atom and an AND on each vector; what is ruled out only scores."""
        deep: dict[str, bool] = {}
        for text, wanted in self._texts(self._expression):
            deep[text] = deep.get(text, False) or wanted
        depth = max(self.depth, 2 * k if self.settings.combination == "sets" else k)
        return tuple(
            Leaf(_leaf(vector, text), vector, text, depth if deep[text] else 0)
            for vector in self._weights
            for text in deep
        )

    def rank(self, pool: Pool, k: int) -> list[Ranked]:
        """By the combined score; with ``sets`` only what is in the resulting set."""
        if not pool.ids:
            return []

        standing = cache(partial(self._standing, pool))
        scores = self._scores(pool, standing, k)
        ranked = []
        for i in ranking(scores)[:k]:
            if np.isneginf(scores[i]):
                break
            atoms = self._verdicts(standing, int(i))
            details = {"expression": str(self._expression), "atoms": atoms}
            ranked.append(Ranked(int(i), float(scores[i]), True, _reason(atoms), details))
        return ranked

    @cached_property
    def _expression(self) -> Expression:
        assert self.query.expression is not None
        return self.query.expression.simplified()

    @property
    def _weights(self) -> dict[str, float]:
        """Share of every vector in a score."""
        if self.settings.combination != "calibrated":
            return {TOPICAL: 1.0}
        beside = self.settings.compatibility_weight if COMPATIBILITY in self.vectors else 0.0
        words = self.settings.lexical_weight if LEXICAL in self.vectors else 0.0
        shares = {
            TOPICAL: (1 - words) * (1 - beside),
            COMPATIBILITY: (1 - words) * beside,
            LEXICAL: words,
        }
        return {vector: share for vector, share in shares.items() if share > 0}

    def _texts(self, expression: Expression, *, wanted: bool = True) -> Iterator[tuple[str, bool]]:
        """What is encoded, and whether its nearest passages are candidates."""
        if isinstance(expression, Atom):
            yield expression.text, wanted
        elif isinstance(expression, Not):
            yield from self._texts(expression.part, wanted=not wanted)
        else:
            for part in expression.args:
                yield from self._texts(part, wanted=wanted)
            parts, _ = split(expression)
            joint = isinstance(expression, And) and len(parts) > 1
            if joint and self.settings.combination == "calibrated":
                yield self._phrase(parts), wanted

    def _phrase(self, parts: Sequence[Expression]) -> str:
        """The wanted parts of an AND in one phrase; in the words of the query where there are."""
        whole, _ = split(self._expression)
        return self.query.target if list(parts) == whole else worded(And(tuple(parts)))

    def _standing(self, pool: Pool, text: str) -> Scores:
        """u(text) of every candidate."""
        total = np.zeros(len(pool.ids))
        for vector, weight in self._weights.items():
            scores = pool.scores[_leaf(vector, text)]
            if vector == LEXICAL:  # no score: no word in common
                scores = np.nan_to_num(scores)
            total += weight * standard_scores(scores)
        return total

    def _scores(self, pool: Pool, standing: Signal, k: int) -> Scores:
        if self.settings.combination == "calibrated":
            return calibrated(self._expression, standing, self._phrase, self.settings)

        def cosines(text: str) -> Scores:
            return pool.scores[_leaf(TOPICAL, text)]

        if self.settings.combination == "sets":
            return sets(self._expression, cosines, 2 * k)
        return np.nan_to_num(ensemble(self._expression, cosines), nan=-np.inf)

    def _verdicts(self, standing: Signal, index: int) -> list[dict[str, Any]]:
        """Of every atom, how a candidate stands to it."""
        denied = _denied(self._expression)
        found = []
        for text in self._expression.atoms:
            score = float(standing(text)[index])
            speaks = score >= self.settings.onset
            verdict = (_AVOIDED, _VIOLATED) if text in denied else (_UNSATISFIED, _SATISFIED)
            found.append({"text": text, "score": round(score, 4), "verdict": verdict[speaks]})
        return found


def _denied(expression: Expression) -> set[str]:
    """The atoms that stand under a NOT."""
    found: set[str] = set()
    for node in expression.walk():
        if isinstance(node, Not):
            found.update(node.part.atoms)
    return found


def _reason(atoms: Sequence[dict[str, Any]]) -> str:
    return "; ".join(
        f"{verdict}: {', '.join(texts)}"
        for verdict in (_SATISFIED, _UNSATISFIED, _VIOLATED, _AVOIDED)
        if (texts := [atom["text"] for atom in atoms if atom["verdict"] == verdict])
    )


def _leaf(vector: str, text: str) -> str:
    return f"{vector}: {text}"
