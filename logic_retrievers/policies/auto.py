"""The policy ``auto`` parses a query and chooses the policy for it."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from datetime import date
from functools import lru_cache
from typing import Any, ClassVar, Literal, TypeAlias, get_args

from logic_retrievers.checks import check_choice, check_count, check_type
from logic_retrievers.errors import ConfigurationError, MissingVectorError
from logic_retrievers.fields import Declared, FieldReader, FieldReading, check_fields
from logic_retrievers.language import ENGLISH, detect_language
from logic_retrievers.policies.base import (
    COMPATIBILITY,
    DEFAULT_PARSER,
    LEXICAL,
    FieldFilters,
    HybridPolicy,
    Policy,
    PolicyRouter,
    TopicalPolicy,
)
from logic_retrievers.policies.boolean import ExpressionPolicy
from logic_retrievers.policies.constraint import ConstraintPolicy, ConstraintSettings
from logic_retrievers.queries import ParsedQuery, QueryParser
from logic_retrievers.text import comparable, word_forms

Base: TypeAlias = Literal["auto", "topical", "hybrid"]


@dataclass(frozen=True)
class AutoPolicy(PolicyRouter):
    """Chooses a policy for the parsed query.

    - no constraint: :class:`HybridPolicy` or :class:`TopicalPolicy`, as ``base`` says;
    - a certain or possible constraint ("hotels except hostels", "metals that do not rust"):
      :class:`ConstraintPolicy`; a judge reads its first candidates;
    - an expression ("orchids of Malaysia or orchids of Laos"): :class:`ExpressionPolicy`.

    Args:
        parser: splits a query into parts; unused if the query is a :class:`ParsedQuery`.
        settings: overrides the constraint constants of the encoder's bundle.
        limit: candidates per search; k if larger.
        fields: metadata field -> what it holds: ``Number(unit="EUR", words=["price"])``,
            ``Year()``, ``Date()``, or a list of the values that it takes (``["Oslo", "Bergen"]``).
            An English query that compares a number or a date ("under 200 euros", "since May") gets
            a filter on its field, see :class:`~logic_retrievers.fields.FieldReader`. An excluded
            text that names values of a list becomes a filter, which drops their passages.
        base: search for queries without a constraint: ``topical``, ``hybrid`` or ``auto``.
            ``auto`` means ``hybrid`` if the collection stores words, else ``topical`` (always in
            a reranker). Expressions use stored words under every base.

    Raises:
        ConfigurationError: a setting is out of its range.
    """

    parser: QueryParser = DEFAULT_PARSER
    settings: ConstraintSettings | None = None
    limit: int = 100
    fields: Mapping[str, Declared | Collection[Any]] = field(default_factory=dict)
    base: Base = "auto"
    name: ClassVar[str] = "auto"

    def __post_init__(self) -> None:
        check_choice("base", self.base, get_args(Base))
        check_count("limit", self.limit)
        check_type("settings", self.settings, ConstraintSettings, type(None))
        check_type("parser", self.parser, QueryParser)
        object.__setattr__(self, "fields", check_fields(self.fields))

    def read_fields(self, query: str, today: date) -> FieldReading | None:
        comparable = not all(isinstance(declared, tuple) for declared in self.fields.values())
        if not comparable or detect_language(query) not in ENGLISH:
            return None
        return _reader_of(tuple(self.fields.items())).read(query, today)

    def route(
        self,
        query: str | ParsedQuery,
        trained: Collection[str] = (),
        constants: Mapping[str, float] | None = None,
    ) -> Policy:
        """Return the policy for this query.

        Raises:
            MissingVectorError: ``base`` is hybrid, and there is no ``lexical`` vector.
        """
        if self.base == "hybrid" and LEXICAL not in trained:  # for every query
            raise MissingVectorError(
                "The base 'hybrid' needs the named vector 'lexical', and there is none.",
                "Run index.backfill(['lexical']), or take base='auto', as a reranker must.",
                names=[LEXICAL],
            )
        parsed = self.parse(query)
        excluded = parsed.excluded_outright
        filters = _field_filters(excluded, self.fields) if excluded else {}
        if parsed.kind == "expression":
            return ExpressionPolicy(
                parsed, limit=self.limit, vectors=tuple(trained), field_filters=filters
            )
        use_words = self.base != "topical" and LEXICAL in trained
        if not parsed.constraint:
            return HybridPolicy(self.limit) if use_words else TopicalPolicy()
        return ConstraintPolicy(
            parsed,
            self.settings,
            self.limit,
            use_compatibility=COMPATIBILITY in trained,
            use_words=use_words,
            field_filters=filters,
            bundle_constants=constants or {},
        )


@lru_cache(64)  # frameworks make an engine for each query
def _reader_of(fields: tuple[tuple[str, Declared], ...]) -> FieldReader:
    return FieldReader(dict(fields))


def with_fields(
    policy: Policy | PolicyRouter, fields: Mapping[str, Declared | Collection[Any]] | None
) -> Policy | PolicyRouter:
    """Return the policy ``auto`` with declared fields.

    Raises:
        ConfigurationError: another policy, which reads no fields, or one that has fields already.
    """
    if not fields:
        return policy
    if not isinstance(policy, AutoPolicy) or policy.fields:
        raise ConfigurationError(
            f"fields= belongs to the policy 'auto', which reads them from queries; {policy.name!r}"
            " does not, or has fields of its own"
        )
    return replace(policy, fields=fields)


def _field_filters(excluded: Collection[str], fields: Mapping[str, Any]) -> FieldFilters:
    """Map each excluded text that names field values to pairs (field, stored value)."""
    stored: dict[str, list[tuple[str, Any]]] = {}
    for name, values in fields.items():
        for value in values if isinstance(values, tuple) else ():
            stored.setdefault(comparable(str(value)), []).append((name, value))
    filters = {}
    for text in excluded:
        forms = word_forms(comparable(text).strip("\"'"))
        if named := [pair for form in forms for pair in stored.get(form, ())]:
            filters[text] = named
    return filters
