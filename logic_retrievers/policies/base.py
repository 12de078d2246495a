"""Base classes of policies, and plain searches. A policy plans queries and ranks the results."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Any, ClassVar, TypeAlias

import numpy as np

from logic_retrievers.checks import check_count
from logic_retrievers.errors import ConfigurationError
from logic_retrievers.fields import FieldReading
from logic_retrievers.judging.judge import Question
from logic_retrievers.queries import ConstraintParser, ParsedQuery, QueryParser
from logic_retrievers.scoring import ranking
from logic_retrievers.scoring.fusion import Scores
from logic_retrievers.tracing import INPUT, Attributes, own_attributes, text_attributes, traced
from logic_retrievers.types import CandidatePool, VectorQuery

TOPICAL = "topical"
COMPATIBILITY = "compatibility"
LEXICAL = "lexical"
DEFAULT_PARSER = ConstraintParser()

# candidates per search if a judge reads them; more than a judge reads by default
MOST_JUDGED = 100

# excluded text -> the pairs (field, value) that no hit may have
FieldFilters: TypeAlias = Mapping[str, Sequence[tuple[str, Any]]]


@dataclass(frozen=True, slots=True)
class Ranked:
    """One ranked candidate: its index in the pool, the policy's score, and the reason.

    ``passed_filter`` is False if the policy's filter moved the candidate behind those that passed.
    ``penalty`` is the deduction for excluded texts that the score contains.
    """

    index: int
    score: float
    passed_filter: bool = True
    reason: str = ""
    details: Mapping[str, Any] = field(default_factory=dict)
    penalty: float = 0.0


@dataclass(frozen=True, slots=True)
class JudgeRequest:
    """The question that a policy asks a judge about its first candidates.

    Args:
        query: the text that the judge reads with each candidate; a
            :class:`~logic_retrievers.judging.Question` also has the query's parts.
        gate: weight of the judge's verdicts, in [0, 1]: the probability of a constraint.
        alone: whether only the judge's margin orders the candidates.
    """

    query: str
    gate: float = 1.0
    alone: bool = False

    @property
    def question(self) -> Question:
        """The query with its parts."""
        return self.query if isinstance(self.query, Question) else Question(self.query)


class Policy(ABC):
    """Base of all policies, custom ones too. A policy is pure: no I/O, clock or randomness."""

    name: ClassVar[str]

    @abstractmethod
    def plan(self, query: str, k: int) -> tuple[VectorQuery, ...]:
        """Return the vector queries that fill the pool for a list of k hits."""

    @abstractmethod
    def rank(self, pool: CandidatePool, k: int) -> Sequence[Ranked]:
        """Return at most k candidates, best first."""

    @property
    def must_not(self) -> Mapping[str, Any]:
        """Metadata values that no hit may have: ``{field: [values]}``."""
        return {}

    def judge_request(self, query: str) -> JudgeRequest | None:  # noqa: ARG002
        """Return the question for a judge about the first candidates, or None to ask nothing."""
        return None

    def question(self, query: str) -> Question | None:
        """Return the query as a reranker reads it, or None if a reranker cannot order it."""
        return Question(query)


class FilteringPolicy(Policy):
    """Base of policies for one query that handle some excluded texts by a metadata filter.

    Attributes:
        field_filters: excluded text -> the pairs (field, value) of its filter.
    """

    field_filters: FieldFilters

    @property
    def must_not(self) -> Mapping[str, list[Any]]:
        values: dict[str, list[Any]] = {}
        for name, value in (pair for pairs in self.field_filters.values() for pair in pairs):
            if value not in values.setdefault(name, []):
                values[name].append(value)
        return values

    def check_field_filters(self) -> None:
        """Refuse malformed ``field_filters``."""
        if not isinstance(self.field_filters, Mapping) or not all(
            isinstance(pairs, list | tuple) and all(map(_is_field_value, pairs))
            for pairs in self.field_filters.values()
        ):
            raise ConfigurationError("field_filters is a mapping: text -> [(field, value), ...]")


def _is_field_value(pair: Any) -> bool:
    return isinstance(pair, tuple) and len(pair) == 2 and isinstance(pair[0], str)


def _describe_reading(parsed: ParsedQuery, *_: object) -> Attributes:
    return {
        **own_attributes(
            kind=parsed.kind,
            constraint=parsed.constraint,
            excluded=len(parsed.excluded_outright),
            rule=parsed.rule,
        ),
        **text_attributes(
            **{INPUT: parsed.text}, wanted=parsed.wanted, excluded_texts=parsed.excluded_outright
        ),
    }


@traced("read_query", "CHAIN", _describe_reading)
def _read(text: str, parser: QueryParser) -> ParsedQuery:
    return parser.parse(text)


class PolicyRouter(ABC):
    """Chooses a policy for each query, without I/O, clock or randomness.

    Attributes:
        parser: parses plain-language queries.
    """

    name: ClassVar[str]
    parser: QueryParser = DEFAULT_PARSER

    def parse(self, query: str | ParsedQuery) -> ParsedQuery:
        """Parse the query unless it is parsed already."""
        return query if isinstance(query, ParsedQuery) else _read(query, self.parser)

    def read_fields(self, query: str, today: date) -> FieldReading | None:  # noqa: ARG002
        """Read what a query says of declared metadata fields; None if no field is declared."""
        return None

    @abstractmethod
    def route(
        self,
        query: str | ParsedQuery,
        trained: Collection[str] = (),
        constants: Mapping[str, float] | None = None,
    ) -> Policy:
        """Return the policy for one query.

        Args:
            query: the caller's query, parsed or not.
            trained: named vectors that the collection has and the encoder is trained for.
            constants: constants of :class:`ConstraintPolicy` from the encoder's bundle.
        """


class SingleVectorPolicy(Policy):
    """Ranks by the score of one search for the whole query."""

    vector: ClassVar[str]
    measure: ClassVar[str] = "cosine"

    def plan(self, query: str, k: int) -> tuple[VectorQuery, ...]:
        return (VectorQuery(self.vector, self.vector, query, k),)

    def rank(self, pool: CandidatePool, k: int) -> list[Ranked]:
        scores = pool.scores[self.vector]
        return [
            Ranked(int(i), float(scores[i]), reason=f"{self.vector} {self.measure} {scores[i]:.3f}")
            for i in ranking(scores)[:k]
        ]


@dataclass(frozen=True)
class TopicalPolicy(SingleVectorPolicy):
    """Ordinary nearest-neighbour search on the topical vector."""

    name: ClassVar[str] = "topical"
    vector: ClassVar[str] = TOPICAL


@dataclass(frozen=True)
class JudgePolicy(TopicalPolicy):
    """Ranks the first topical candidates of every query by the judge's margin alone."""

    name: ClassVar[str] = "judge"

    def plan(self, query: str, k: int) -> tuple[VectorQuery, ...]:
        # the judge must read the same candidates for every k
        return super().plan(query, max(MOST_JUDGED, k))

    def judge_request(self, query: str) -> JudgeRequest:
        return JudgeRequest(query, alone=True)

    def question(self, query: str) -> None:  # noqa: ARG002
        return None


@dataclass(frozen=True)
class CompatibilityPolicy(SingleVectorPolicy):
    """Ranks by the compatibility vector alone, to evaluate an encoder."""

    name: ClassVar[str] = "compatibility"
    vector: ClassVar[str] = COMPATIBILITY


@dataclass(frozen=True)
class LexicalPolicy(SingleVectorPolicy):
    """Ranks passages that share a word with the query, by the sparse ``lexical`` vector alone."""

    name: ClassVar[str] = "lexical"
    vector: ClassVar[str] = LEXICAL
    measure: ClassVar[str] = "score"


@dataclass(frozen=True)
class HybridPolicy(Policy):
    """Plain hybrid search: topical and lexical search for the whole query, fused by score.

    The score is the mean of the topical cosine and the scaled lexical score (CombSUM, Fox and Shaw
    1994). Scaling makes the best lexical score equal to the best cosine. If no passage shares a
    word with the query, the score is the cosine. This policy ignores constraints;
    :class:`AutoPolicy` reads them.

    Args:
        limit: candidates per search; k if larger.
    """

    limit: int = 100
    name: ClassVar[str] = "hybrid"

    def __post_init__(self) -> None:
        check_count("limit", self.limit)

    def plan(self, query: str, k: int) -> tuple[VectorQuery, ...]:
        limit = max(self.limit, k)
        return tuple(VectorQuery(vector, vector, query, limit) for vector in (TOPICAL, LEXICAL))

    def rank(self, pool: CandidatePool, k: int) -> list[Ranked]:
        fused, words = hybrid_scores(pool)
        cosines = np.nan_to_num(pool.scores[TOPICAL])
        return [
            Ranked(
                int(i),
                float(fused[i]),
                reason=f"topical cosine {cosines[i]:.3f}, {100 * words[i]:.0f} % of the best"
                " lexical score",
            )
            for i in ranking(fused)[:k]
        ]


def hybrid_scores(pool: CandidatePool) -> tuple[Scores, Scores]:
    """Return the scores of :class:`HybridPolicy`, and lexical scores as shares of the best one."""
    cosines = np.nan_to_num(pool.scores[TOPICAL])
    words = _shares_of_best(pool.scores[LEXICAL])
    if not words.any():
        return np.asarray(cosines), words
    cosines = cosines.clip(min=0)
    return np.asarray((cosines + words * (cosines.max() or 1.0)) / 2), words


def _shares_of_best(scores: Scores) -> Scores:
    """Divide each score by the best one; a negative or missing score gives 0."""
    present = np.nan_to_num(scores).clip(min=0)
    best = float(present.max(initial=0))
    return np.asarray(present / (best or 1.0))
