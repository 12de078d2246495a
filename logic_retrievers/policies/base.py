"""Base classes: a policy plans vector queries and ranks the candidates that they find."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from logic_retrievers.errors import ConfigurationError
from logic_retrievers.judging.settings import Constraint
from logic_retrievers.queries import ParsedQuery, QueryParser, RuleParser
from logic_retrievers.types import CandidatePool, VectorQuery

TOPICAL = "topical"
COMPATIBILITY = "compatibility"
LEXICAL = "lexical"
DEFAULT_PARSER = RuleParser()

_SECOND_SENTENCE = re.compile(r"[.!?]\s+[A-Z]")
# a claim has neither speaker nor listener
_SPEAKER = re.compile(r"\b(?:i|me|my|mine|we|us|our|you|your)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Ranked:
    """One candidate in its place: an index into the pool, the policy's score, and why.

    ``passed_filter`` is False if the policy's filter put it behind the candidates that passed.
    """

    index: int
    score: float
    passed_filter: bool = True
    reason: str = ""
    details: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class JudgeRequest:
    """The question that a policy asks a judge about its first candidates.

    Args:
        query: the text that the judge reads with each candidate.
        constraint: kind of constraint, which has its own weight. None: the judge's margin alone
            orders the candidates.
    """

    query: str
    constraint: Constraint | None


class Policy(ABC):
    """Pure and exact: no I/O, no clock, no randomness. Subclass it to write your own."""

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
        """Return the question for a judge about the first candidates. None: ask nothing."""
        return None


class ReadsNegatedFacts(Policy):
    """Sends queries for a negative fact to the judge, unless they are claims."""

    def judge_request(self, query: str) -> JudgeRequest | None:
        return None if is_claim(query) else JudgeRequest(query, "negated_fact")


def is_claim(text: str) -> bool:
    """Whether a text is one written statement about the world, not a wish, question or complaint.

    It begins with a capital or a number, ends with a full stop, and has no "I" or "you". A passage
    that refutes a claim is as good an answer as one that supports it.
    """
    stripped = text.strip()
    return (
        stripped.endswith(".")
        and (stripped[:1].isupper() or stripped[:1].isdigit())
        and not _SECOND_SENTENCE.search(stripped)
        and not _SPEAKER.search(stripped)
    )


class FilteringPolicy(Policy):
    """A policy of one query that leaves some excluded texts to a metadata filter.

    Attributes:
        field_filters: excluded text -> (field, value).
    """

    field_filters: Mapping[str, tuple[str, Any]]

    @property
    def must_not(self) -> Mapping[str, list[Any]]:
        values: dict[str, list[Any]] = {}
        for name, value in self.field_filters.values():
            values.setdefault(name, []).append(value)
        return values

    def check_field_filters(self) -> None:
        """Refuse filters of another form.

        Raises:
            ConfigurationError: not a mapping of texts to (field, value).
        """
        if not isinstance(self.field_filters, Mapping) or not all(
            isinstance(pair, tuple) and len(pair) == 2 and isinstance(pair[0], str)
            for pair in self.field_filters.values()
        ):
            raise ConfigurationError("field_filters is a mapping: text -> (field, value)")


class PolicyRouter(ABC):
    """Chooses a policy for each query. As pure as a policy.

    Attributes:
        parser: reads queries in words.
    """

    name: ClassVar[str]
    parser: QueryParser = DEFAULT_PARSER

    def parse(self, query: str | ParsedQuery) -> ParsedQuery:
        """Split a query into its parts, unless it is parsed already."""
        return query if isinstance(query, ParsedQuery) else self.parser.parse(query)

    @abstractmethod
    def route(
        self,
        query: str | ParsedQuery,
        trained: Collection[str] = (),
        constants: Mapping[str, float] | None = None,
    ) -> Policy:
        """Return the policy for one query.

        Args:
            query: as the caller gave it.
            trained: named vectors that the collection has and the encoder is trained for.
            constants: constants of the exclusion policy from the encoder's bundle.
        """


def order_by_filter(
    order: npt.NDArray[np.intp], passed_filter: npt.NDArray[np.bool_], *, backfill: bool
) -> npt.NDArray[np.intp]:
    """Put the candidates that passed the filter first, then the others, each in their order.

    Without ``backfill`` the others are left out, as in the papers' lists; the list may then be
    shorter than k.
    """
    passed = passed_filter[order]
    return np.concatenate([order[passed], order[~passed]]) if backfill else order[passed]
