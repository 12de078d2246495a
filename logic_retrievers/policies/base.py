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
_SPEAKER = re.compile(r"\b(?:i|me|my|mine|we|us|our|you|your)\b", re.IGNORECASE)
"""Somebody who asks; a claim has neither speaker nor listener."""


@dataclass(frozen=True, slots=True)
class Ranked:
    """One candidate in its place: an index into the pool, the policy's score, and why.

    ``passed_filter`` is False where the policy's filter put it behind the candidates that passed.
    """

    index: int
    score: float
    passed_filter: bool = True
    reason: str = ""
    details: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class JudgeRequest:
    """What a policy has its first candidates judged by.

    Args:
        query: the text that the judge reads with each candidate.
        constraint: whose weight counts; None: the judge's margin alone orders the candidates.
    """

    query: str
    constraint: Constraint | None


class Policy(ABC):
    """Pure and exact: no I/O, no clock, no randomness. Subclass it to write your own."""

    name: ClassVar[str]

    @abstractmethod
    def plan(self, query: str, k: int) -> tuple[VectorQuery, ...]:
        """The vector queries that fill the pool for a list of k."""

    @abstractmethod
    def rank(self, pool: CandidatePool, k: int) -> Sequence[Ranked]:
        """At most k candidates, best first."""

    @property
    def must_not(self) -> Mapping[str, Any]:
        """Metadata values that no hit may have: ``{field: [values]}``."""
        return {}

    def judge_request(self, query: str) -> JudgeRequest | None:  # noqa: ARG002
        """What a judge, if there is one, is asked about the first candidates; None: nothing."""
        return None


class ReadsNegatedFacts(Policy):
    """Of a policy for queries that ask for a negative fact."""

    def judge_request(self, query: str) -> JudgeRequest | None:
        """The whole query; nothing for a claim."""
        return None if is_claim(query) else JudgeRequest(query, "negated_fact")


def is_claim(text: str) -> bool:
    """Whether a text is one written statement about the world, and no wish, question or complaint.

    It begins with a capital or a number, ends with a full stop, and nobody speaks of himself in it.
    A passage that refutes it is as good an answer as one that supports it.
    """
    stripped = text.strip()
    return (
        stripped.endswith(".")
        and (stripped[:1].isupper() or stripped[:1].isdigit())
        and not _SECOND_SENTENCE.search(stripped)
        and not _SPEAKER.search(stripped)
    )


class FilteringPolicy(Policy):
    """A policy of one query that leaves some of its excluded texts to a filter.

    Attributes:
        field_filters: these texts, with the field and its value.
    """

    field_filters: Mapping[str, tuple[str, Any]]

    @property
    def must_not(self) -> Mapping[str, list[Any]]:
        """Metadata values that no hit may have."""
        values: dict[str, list[Any]] = {}
        for name, value in self.field_filters.values():
            values.setdefault(name, []).append(value)
        return values

    def check_field_filters(self) -> None:
        """Refuses filters of another form.

        Raises:
            ConfigurationError: no mapping of texts to (field, value).
        """
        if not isinstance(self.field_filters, Mapping) or not all(
            isinstance(pair, tuple) and len(pair) == 2 and isinstance(pair[0], str)
            for pair in self.field_filters.values()
        ):
            raise ConfigurationError("field_filters is a mapping: text -> (field, value)")


class PolicyRouter(ABC):
    """Chooses a policy for each query. As pure as a policy.

    Attributes:
        parser: reads queries in words; :class:`RuleParser` where a subclass names no other.
    """

    name: ClassVar[str]
    parser: QueryParser = DEFAULT_PARSER

    def parse(self, query: str | ParsedQuery) -> ParsedQuery:
        """The query in its parts; one that is parsed already as it is."""
        return query if isinstance(query, ParsedQuery) else self.parser.parse(query)

    @abstractmethod
    def route(
        self,
        query: str | ParsedQuery,
        trained: Collection[str] = (),
        constants: Mapping[str, float] | None = None,
    ) -> Policy:
        """The policy for one query.

        Args:
            query: as the caller gave it.
            trained: the named vectors that the collection has and the encoder is trained for.
            constants: of the exclusion policy, as the encoder's bundle ships them.
        """


def order_by_filter(
    order: npt.NDArray[np.intp], passed_filter: npt.NDArray[np.bool_], *, backfill: bool
) -> npt.NDArray[np.intp]:
    """The candidates that passed the filter first, then the others, each in their order.

    Without ``backfill`` the others are left out, as in the papers' lists; the list may then be
    shorter than k.
    """
    passed = passed_filter[order]
    return np.concatenate([order[passed], order[~passed]]) if backfill else order[passed]
