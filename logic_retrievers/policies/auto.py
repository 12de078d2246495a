"""The policy ``auto`` parses a query and chooses the policy for it."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Set
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal, TypeAlias, get_args

from logic_retrievers.checks import check_choice, check_count, check_type
from logic_retrievers.errors import ConfigurationError, MissingVectorError, shown
from logic_retrievers.policies.base import (
    COMPATIBILITY,
    DEFAULT_PARSER,
    LEXICAL,
    HybridPolicy,
    JudgedTopicalPolicy,
    Policy,
    PolicyRouter,
)
from logic_retrievers.policies.boolean import ExpressionPolicy
from logic_retrievers.policies.coder import NegatedFactPolicy
from logic_retrievers.policies.exclusion import ExclusionPolicy, ExclusionSettings
from logic_retrievers.queries import ParsedQuery, QueryParser
from logic_retrievers.text import comparable, word_forms

Base: TypeAlias = Literal["topical", "hybrid"]


@dataclass(frozen=True)
class AutoPolicy(PolicyRouter):
    """Chooses a policy by the kind of the parsed query.

    - no constraint: :class:`TopicalPolicy` or :class:`HybridPolicy`, as ``base`` says;
    - exclusion ("hotels except hostels"): :class:`ExclusionPolicy`, with the ``lexical`` vector
      if the collection has one;
    - an expression ("orchids of Malaysia or orchids of Laos"): :class:`ExpressionPolicy`;
    - a negated fact ("metals that do not rust"): :class:`NegatedFactPolicy`, mostly topical, if
      the encoder has a trained compatibility vector, else as ``base`` says.

    A judge may read the first candidates of a query of any kind; how much its verdict counts is the
    probability that the query has a constraint. Expressions are not judged, nor what
    :class:`HybridPolicy` finds.

    Args:
        parser: splits a query into its parts, unless it is a :class:`ParsedQuery` already.
        settings: overrides the constants of the encoder's bundle for exclusions.
        limit: candidates of each search (at least k).
        fields: metadata fields with their values: ``{"city": ["Oslo", "Bergen"]}``. An excluded
            text that names such a value becomes a filter, so no such passage is found.
        base: ``topical``, or ``hybrid`` to search by words too. It changes no query that excludes
            something. No judge reads the hits of hybrid search, because a judge's weights are in
            units of a cosine.

    Raises:
        ConfigurationError: a setting is out of its range.
    """

    parser: QueryParser = DEFAULT_PARSER
    settings: ExclusionSettings | None = None
    limit: int = 100
    fields: Mapping[str, Collection[Any]] = field(default_factory=dict)
    base: Base = "topical"
    name: ClassVar[str] = "auto"

    def __post_init__(self) -> None:
        check_choice("base", self.base, get_args(Base))
        check_count("limit", self.limit)
        check_type("settings", self.settings, ExclusionSettings, type(None))
        check_type("parser", self.parser, QueryParser)
        check_type("fields", self.fields, Mapping)
        fields = {}
        for name, values in self.fields.items():
            plain = isinstance(values, Collection) and not isinstance(values, str)
            if not plain or not all(isinstance(value, str | int | float) for value in values):
                raise ConfigurationError(
                    f"fields[{shown(name)}] is a list of the texts and numbers that the field"
                    f" takes, not {shown(values)}"
                )
            # a set has another order in every process
            ordered = sorted(values, key=repr) if isinstance(values, Set) else values
            fields[str(name)] = tuple(ordered)
        object.__setattr__(self, "fields", fields)

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
        if self.base == "hybrid" and LEXICAL not in trained:  # whatever the query says
            raise MissingVectorError(
                "The base 'hybrid' needs the named vector 'lexical', and there is none.",
                "Run index.backfill(['lexical']), or take base='topical', as a reranker must.",
                names=[LEXICAL],
            )
        parsed = self.parse(query)
        filters = _field_filters(parsed.excluded, self.fields) if parsed.excluded else {}
        if parsed.kind == "expression":
            return ExpressionPolicy(
                parsed, limit=self.limit, vectors=tuple(trained), field_filters=filters
            )
        if parsed.kind == "exclusion":
            return ExclusionPolicy(
                parsed,
                self.settings,
                self.limit,
                use_compatibility=COMPATIBILITY in trained,
                field_filters=filters,
                use_lexical=LEXICAL in trained,
                bundle_constants=constants or {},
            )
        if parsed.kind == "negated_fact" and COMPATIBILITY in trained:
            return NegatedFactPolicy(limit=self.limit)
        if self.base == "hybrid":
            return HybridPolicy(self.limit)
        return JudgedTopicalPolicy()


def _field_filters(
    excluded: Collection[str], fields: Mapping[str, Collection[Any]]
) -> dict[str, tuple[str, Any]]:
    """Map each excluded text that names a value of a field to (field, value as it is stored)."""
    stored = {comparable(str(value)): (name, value) for name in fields for value in fields[name]}
    filters = {}
    for text in excluded:
        forms = word_forms(comparable(text).strip("\"'"))
        if named := [stored[form] for form in forms if form in stored]:
            filters[text] = named[0]
    return filters
