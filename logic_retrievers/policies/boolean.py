"""Boolean retrieval: one search for each atom, combined as the expression says."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property, partial
from typing import Any, ClassVar, TypeAlias

import numpy as np

from logic_retrievers.checks import check_count, check_type
from logic_retrievers.errors import ConfigurationError
from logic_retrievers.overrides import NonNegative, Overrides, Share
from logic_retrievers.policies.base import (
    COMPATIBILITY,
    DEFAULT_PARSER,
    LEXICAL,
    TOPICAL,
    FieldFilters,
    FilteringPolicy,
    Policy,
    PolicyRouter,
    Ranked,
    TopicalPolicy,
)
from logic_retrievers.queries import ParsedQuery, QueryParser
from logic_retrievers.queries.expressions import (
    And,
    Atom,
    Expression,
    Not,
    Or,
    check_searchable,
    split_exclusions,
    to_phrase,
)
from logic_retrievers.scoring import ranking
from logic_retrievers.scoring.fusion import Scores, standard_scores, violation
from logic_retrievers.types import CandidatePool, VectorQuery

# text -> score of every candidate, shape (candidates,)
AtomScores: TypeAlias = Callable[[str], Scores]

# mean and deviation of the scores of unrelated passages (shipped encoder), to fill up a small pool
_BACKGROUND = {TOPICAL: (0.08, 0.09), COMPATIBILITY: (0.18, 0.1), LEXICAL: (0.0, 0.0)}

_SATISFIED, _UNSATISFIED, _VIOLATED, _AVOIDED = "satisfied", "unsatisfied", "violated", "avoided"


class BooleanSettings(Overrides):
    """Constants of :class:`ExpressionPolicy`; an unset field keeps the default below.

    Args:
        joint_weight: weight of the phrase that names all parts of an AND, in [0, 1].
        penalty: largest deduction for an excluded part, in units of the best candidate's score for
            the wanted part.
        mention_threshold: least standard score of a passage that mentions a part.
        mention_share: share of the penalty for a passage that mentions the excluded part but is
            mainly about the wanted one, in [0, 1].
        compatibility_weight: weight of the compatibility vector if a trained one exists, in [0, 1];
            the topical vector gets the rest.
        lexical_weight: weight of the ``lexical`` vector if it exists, in [0, 1]; the other vectors
            share the rest.
    """

    joint_weight: Share = 0.8
    penalty: NonNegative = 2.0
    mention_threshold: float = 0.5
    mention_share: Share = 0.1
    compatibility_weight: Share = 0.7
    lexical_weight: Share = 0.8


@dataclass(frozen=True)
class BooleanPolicy(PolicyRouter):
    """Chooses :class:`ExpressionPolicy` for every query that joins or excludes something.

    Any other query is searched as by ``topical``.

    Args:
        parser: finds expressions in plain language.
        settings: overrides the constants.
        limit: candidates per search; k if larger.

    Raises:
        ConfigurationError: a setting is out of its range.
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
        del constants
        parsed = self.parse(query).with_expression()
        if parsed.expression is None:
            return TopicalPolicy()
        return ExpressionPolicy(parsed, self.settings, self.limit, tuple(trained))


@dataclass(frozen=True)
class ExpressionPolicy(FilteringPolicy):
    """Ranks one query with an expression; made by :class:`BooleanPolicy` or by hand.

    Wanted atoms and phrases of wanted ANDs are searched for; excluded texts are only scored. All
    searches share one request, which scores every candidate exactly for every text.
    u(t) is a passage's standard score for a text t among the candidates: a weighted mean over the
    vectors. If there are fewer than 20 candidates, unrelated passages stand in for the rest::

        atom        u(atom)
        a AND b     (1 - joint_weight) * min(a, b) + joint_weight * u("a and b")
        a OR b      max(a, b)
        w AND NOT x w - penalty * max(w) * mention * (mention_share + (1 - mention_share) * rather)
                    mention = sigmoid(2 * (x - mention_threshold)), rather = sigmoid(4 * (x - w))

    A score says how far a passage stands out among the candidates of one query. Scores of different
    queries cannot be compared.

    Args:
        query: a query with an expression.
        settings: overrides the constants.
        limit: candidates per search; k if larger.
        vectors: names of the collection's vectors. ``lexical`` and ``compatibility`` (name it only
            if trained) are used with the topical vector.
        field_filters: excluded text -> the pairs (field, value) of the metadata filter for it.

    Raises:
        ConfigurationError: the query has no expression, or a setting is out of its range.
        ExpressionError: the expression has no wanted part.
    """

    query: ParsedQuery
    settings: BooleanSettings | None = None
    limit: int = 100
    vectors: tuple[str, ...] = ()
    field_filters: FieldFilters = field(default_factory=dict)
    name: ClassVar[str] = "boolean"

    def __post_init__(self) -> None:
        check_type("query", self.query, ParsedQuery)
        check_count("limit", self.limit)
        check_type("settings", self.settings, BooleanSettings, type(None))
        self.check_field_filters()
        if self.query.expression is None:
            raise ConfigurationError("this query has no expression; search with policy 'auto'")
        check_searchable(self.query.expression)

    @cached_property
    def constants(self) -> BooleanSettings:
        return self.settings or BooleanSettings()

    def question(self, query: str) -> None:  # noqa: ARG002
        return None  # no model reads AND, OR and NOT as an expression means them

    def plan(self, query: str, k: int) -> tuple[VectorQuery, ...]:  # noqa: ARG002 - it has its own
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
        if not pool.ids:
            return []
        atom_scores = cache(partial(self._standard_scores, pool))
        scores = self._combined(self._expression, atom_scores)
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
        """Yield the texts to encode, and whether each is searched for."""
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
        """Return the wanted parts of an AND as one text, in the query's words if possible."""
        whole, _ = split_exclusions(self._expression)
        return self.query.wanted if list(parts) == whole else to_phrase(And(tuple(parts)))

    def _standard_scores(self, pool: CandidatePool, text: str) -> Scores:
        """Return u(text) of every candidate."""
        total = np.zeros(len(pool.ids))
        for vector, weight in self._vector_weights.items():
            scores = pool.scores[_query_name(vector, text)]
            if vector == LEXICAL:  # no score means no word in common
                scores = np.nan_to_num(scores)
            total += weight * standard_scores(scores, _BACKGROUND.get(vector))
        return total

    def _combined(self, expression: Expression, atom_scores: AtomScores) -> Scores:
        """Score AND by its weakest part and its phrase, OR by its strongest part, NOT by a penalty.

        The phrase "war films set in Tunisia" tells an encoder more than its two halves. The weakest
        half (Gödel's t-norm) exposes passages that satisfy only one half. Several excluded parts
        count as one OR.
        """
        if isinstance(expression, Atom):
            return atom_scores(expression.text)

        def scores_of(parts: Sequence[Expression]) -> Scores:
            return np.stack([self._combined(part, atom_scores) for part in parts])

        if isinstance(expression, Or):
            strongest: Scores = scores_of(expression.parts).max(axis=0)
            return strongest
        constants = self.constants
        wanted, excluded = split_exclusions(expression)
        base = np.zeros_like(atom_scores(expression.atoms[0]))
        if wanted:
            base = scores_of(wanted).min(axis=0)
        if len(wanted) > 1:
            share = constants.joint_weight
            base = (1 - share) * base + share * atom_scores(self._phrase(wanted))
        if not excluded:
            return base
        against: Scores = scores_of(excluded).max(axis=0)
        penalty = constants.penalty * max(float(base.max()), 0.0)
        return base - penalty * violation(
            against, base, constants.mention_threshold, constants.mention_share
        )

    def _verdicts(self, atom_scores: AtomScores, index: int) -> list[dict[str, Any]]:
        """Return each atom with the candidate's score and verdict."""
        excluded = {text for text, wanted in self._texts(self._expression) if not wanted}
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
