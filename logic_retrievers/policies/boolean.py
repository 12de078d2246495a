"""Boolean retrieval: one search for each atom, combined as the expression says."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property, partial
from typing import Any, ClassVar

import numpy as np

from logic_retrievers.errors import ConfigurationError
from logic_retrievers.policies.base import (
    COMPATIBILITY,
    DEFAULT_PARSER,
    LEXICAL,
    TOPICAL,
    FilteringPolicy,
    Policy,
    PolicyRouter,
    Ranked,
)
from logic_retrievers.policies.boolean_scores import (
    AtomScores,
    BooleanSettings,
    Scores,
    calibrated_scores,
)
from logic_retrievers.policies.plain import TopicalPolicy
from logic_retrievers.queries import ParsedQuery, QueryParser
from logic_retrievers.queries.expressions import (
    And,
    Atom,
    Expression,
    Not,
    check_searchable,
    split_exclusions,
    to_phrase,
)
from logic_retrievers.scoring import ranking
from logic_retrievers.scoring.boolean import standard_scores
from logic_retrievers.settings import check_count, check_type
from logic_retrievers.types import CandidatePool, VectorQuery

_BACKGROUND = {TOPICAL: (0.08, 0.09), COMPATIBILITY: (0.18, 0.1), LEXICAL: (0.0, 0.0)}
"""Of a small pool: cosines of unrelated passages to the shipped encoder; no word in common."""

_SATISFIED, _UNSATISFIED, _VIOLATED, _AVOIDED = "satisfied", "unsatisfied", "violated", "avoided"


@dataclass(frozen=True)
class BooleanPolicy(PolicyRouter):
    """Chooses :class:`ExpressionPolicy` for every query that has a Boolean expression.

    A query in words has one where the parser finds it; one without gets what ``topical`` gives.

    Args:
        parser: reads queries in words; :class:`RuleParser` by default.
        settings: overrides of the constants.
        limit: candidates of each search (at least k).

    Raises:
        ConfigurationError: a setting out of its range.
    """

    parser: QueryParser = DEFAULT_PARSER
    settings: BooleanSettings | None = None
    limit: int = 100
    name: ClassVar[str] = "boolean"

    def __post_init__(self) -> None:
        check_count("limit", self.limit)
        check_type("settings", self.settings, BooleanSettings, type(None))
        check_type("parser", self.parser, QueryParser)

    def route(
        self,
        query: str | ParsedQuery,
        trained: Collection[str] = (),
        constants: Mapping[str, float] | None = None,
    ) -> Policy:
        """:class:`ExpressionPolicy` for a query with an expression, else :class:`TopicalPolicy`."""
        del constants
        parsed = self.parse(query)
        if parsed.expression is None:
            return TopicalPolicy()
        return ExpressionPolicy(parsed, self.settings, self.limit, tuple(trained))


@dataclass(frozen=True)
class ExpressionPolicy(FilteringPolicy):
    """One query with an expression, made by :class:`BooleanPolicy` or by hand.

    Every wanted atom is a search of its own, and so is the phrase of every AND; excluded atoms only
    score. All of them go in one batched request, and a candidate that one search finds gets its
    exact score on all others. With u(t), the standard score of a passage among the candidates for a
    text t (a weighted mean over the vectors that there are; unrelated passages stand in where there
    are fewer than 20 candidates)::

        atom        u(atom)
        a AND b     (1 - joint_weight) * min(a, b) + joint_weight * u("a and b")
        a OR b      max(a, b)
        w AND NOT x w - penalty * max(w) * mention * (mention_share + (1 - mention_share) * rather)
                    mention = sigmoid(2 * (x - mention_threshold)), rather = sigmoid(4 * (x - w))

    So a score says how far a passage stands out among the candidates of one query; scores of two
    queries do not compare.

    Args:
        query: with an expression.
        settings: overrides of the constants.
        limit: candidates of each search (at least k).
        vectors: those of the collection; ``compatibility``, which should be trained, and
            ``lexical`` are used beside the topical one.
        field_filters: texts that a filter keeps out, with the field and its value.

    Raises:
        ConfigurationError: the query has no expression, or a setting is out of its range.
        ExpressionError: the expression says only what is not wanted.
    """

    query: ParsedQuery
    settings: BooleanSettings | None = None
    limit: int = 100
    vectors: tuple[str, ...] = ()
    field_filters: Mapping[str, tuple[str, Any]] = field(default_factory=dict)
    name: ClassVar[str] = "boolean"

    def __post_init__(self) -> None:
        check_count("limit", self.limit)
        check_type("settings", self.settings, BooleanSettings, type(None))
        self.check_field_filters()
        if self.query.expression is None:
            raise ConfigurationError("this query has no expression; search with policy 'auto'")
        check_searchable(self.query.expression)

    @cached_property
    def constants(self) -> BooleanSettings:
        """The settings over the package's defaults."""
        return self.settings or BooleanSettings()

    def plan(self, query: str, k: int) -> tuple[VectorQuery, ...]:  # noqa: ARG002 - it has its own
        """A search for each atom and AND on each vector; excluded texts only score."""
        is_searched: dict[str, bool] = {}
        for text, wanted in self._texts(self._expression):
            is_searched[text] = is_searched.get(text, False) or wanted
        limit = max(self.limit, k)
        return tuple(
            VectorQuery(_query_name(vector, text), vector, text, limit if searched else 0)
            for vector in self._vector_weights
            for text, searched in is_searched.items()
        )

    def rank(self, pool: CandidatePool, k: int) -> list[Ranked]:
        """By the combined score."""
        if not pool.ids:
            return []
        atom_scores = cache(partial(self._standard_scores, pool))
        scores = calibrated_scores(self._expression, atom_scores, self._phrase, self.constants)
        ranked = []
        for i in ranking(scores)[:k]:
            atoms = self._verdicts(atom_scores, int(i))
            details = {"expression": str(self._expression), "atoms": atoms}
            ranked.append(Ranked(int(i), float(scores[i]), True, _reason(atoms), details))
        return ranked

    @cached_property
    def _expression(self) -> Expression:
        assert self.query.expression is not None
        return self.query.expression.simplified()

    @property
    def _vector_weights(self) -> dict[str, float]:
        """The share of every vector in a score."""
        constants = self.constants
        compatibility = constants.compatibility_weight if COMPATIBILITY in self.vectors else 0.0
        lexical = constants.lexical_weight if LEXICAL in self.vectors else 0.0
        shares = {
            TOPICAL: (1 - lexical) * (1 - compatibility),
            COMPATIBILITY: (1 - lexical) * compatibility,
            LEXICAL: lexical,
        }
        return {vector: share for vector, share in shares.items() if share > 0}

    def _texts(self, expression: Expression, *, wanted: bool = True) -> Iterator[tuple[str, bool]]:
        """The texts to encode, and whether the passages nearest to them are candidates."""
        if isinstance(expression, Atom):
            yield expression.text, wanted
        elif isinstance(expression, Not):
            yield from self._texts(expression.part, wanted=not wanted)
        else:
            for part in expression.args:
                yield from self._texts(part, wanted=wanted)
            parts, _ = split_exclusions(expression)
            if isinstance(expression, And) and len(parts) > 1:
                yield self._phrase(parts), wanted

    def _phrase(self, parts: Sequence[Expression]) -> str:
        """The wanted parts of an AND as one text, in the words of the query where it has them."""
        whole, _ = split_exclusions(self._expression)
        return self.query.wanted if list(parts) == whole else to_phrase(And(tuple(parts)))

    def _standard_scores(self, pool: CandidatePool, text: str) -> Scores:
        """u(text) of every candidate."""
        total = np.zeros(len(pool.ids))
        for vector, weight in self._vector_weights.items():
            scores = pool.scores[_query_name(vector, text)]
            if vector == LEXICAL:  # no score: no word in common
                scores = np.nan_to_num(scores)
            total += weight * standard_scores(scores, _BACKGROUND.get(vector))
        return total

    def _verdicts(self, atom_scores: AtomScores, index: int) -> list[dict[str, Any]]:
        """Each atom with the candidate's score, and whether the candidate satisfies it."""
        negations = [node for node in self._expression.walk() if isinstance(node, Not)]
        excluded = {text for negation in negations for text in negation.part.atoms}
        verdicts = []
        for text in self._expression.atoms:
            score = float(atom_scores(text)[index])
            mentions = bool(score >= self.constants.mention_threshold)
            labels = (_AVOIDED, _VIOLATED) if text in excluded else (_UNSATISFIED, _SATISFIED)
            verdicts.append({"text": text, "score": round(score, 4), "verdict": labels[mentions]})
        return verdicts


def _reason(atoms: Sequence[dict[str, Any]]) -> str:
    return "; ".join(
        f"{verdict}: {', '.join(texts)}"
        for verdict in (_SATISFIED, _UNSATISFIED, _VIOLATED, _AVOIDED)
        if (texts := [atom["text"] for atom in atoms if atom["verdict"] == verdict])
    )


def _query_name(vector: str, text: str) -> str:
    return f"{vector}: {text}"
