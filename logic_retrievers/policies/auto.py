"""Auto: looks at the query first, and takes the policy that it calls for."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

from logic_retrievers.errors import ConfigurationError
from logic_retrievers.policies.base import COMPATIBILITY, LEXICAL, Chooser, Policy, check_depth
from logic_retrievers.policies.boolean import ExpressionPolicy
from logic_retrievers.policies.exclusion import (
    ExclusionPolicy,
    ExclusionSettings,
    Mode,
    check_mode,
)
from logic_retrievers.policies.single import TopicalPolicy
from logic_retrievers.policies.union import UnionPolicy
from logic_retrievers.queries import ParsedQuery, QueryParser, RuleParser

_RULES = RuleParser()
_CAUTIOUS = 0.7
"""alpha of the union where the query did not ask for it: costs nothing on SciFact's train part."""


@dataclass(frozen=True)
class AutoPolicy(Chooser):
    """The gate: a query without a constraint gets exactly what ``topical`` gives.

    - none: :class:`TopicalPolicy`, to the last bit;
    - exclusion ("hotels except hostels"): :class:`ExclusionPolicy`, which reads the ``lexical``
      vector too where the collection has one;
    - an expression ("orchids of Malaysia or Laos"): :class:`ExpressionPolicy`;
    - polarity ("metals that do not rust"): :class:`UnionPolicy`, mostly topical, where the encoder
      has a trained compatibility vector, else :class:`TopicalPolicy`.

    Args:
        parser: tells what a query rules out; :class:`RuleParser` by default. Not asked where the
            query is a :class:`ParsedQuery` already.
        settings: constants of the exclusion; those of the encoder's bundle where None.
        mode, cut: of exclusions, as in :class:`ExclusionPolicy`.
        depth: candidates of each search (at least k).
        fields: metadata fields and the values that they take: a trap that names one of them becomes
            a filter, so that no such passage is found at all: ``{"city": ["Oslo", "Bergen"]}``.

    Raises:
        ConfigurationError: a setting out of its range.
    """

    parser: QueryParser = _RULES
    settings: ExclusionSettings | None = None
    mode: Mode = "soft"
    cut: bool = False
    depth: int = 100
    fields: Mapping[str, Collection[Any]] = field(default_factory=dict)
    name: ClassVar[str] = "auto"

    def __post_init__(self) -> None:
        check_depth(self.depth)
        check_mode(self.mode, cut=self.cut)
        if not isinstance(self.fields, Mapping):
            raise ConfigurationError(
                f"fields is a mapping of fields to the values that they take, not {self.fields!r}"
            )
        for name, values in self.fields.items():
            if isinstance(values, str):
                raise ConfigurationError(
                    f"fields[{name!r}] is a list of the values that the field takes, not {values!r}"
                )

    def choose(
        self,
        query: str | ParsedQuery,
        trained: Collection[str] = (),
        constants: Mapping[str, float] | None = None,
    ) -> Policy:
        """The policy that this query calls for."""
        parsed = query if isinstance(query, ParsedQuery) else self.parser.parse(query)
        if parsed.kind == "expression":
            filtered = _filtered(parsed.traps, self.fields)
            return ExpressionPolicy(
                parsed, depth=self.depth, vectors=tuple(trained), filtered=filtered
            )
        compatible = COMPATIBILITY in trained
        if parsed.kind == "exclusion":
            settings = self.settings or ExclusionSettings.from_constants(constants or {})
            return ExclusionPolicy(
                parsed,
                settings,
                self.mode,
                self.depth,
                self.cut,
                compatible,
                _filtered(parsed.traps, self.fields),
                LEXICAL in trained,
            )
        if parsed.kind == "polarity" and compatible:
            return UnionPolicy(_CAUTIOUS, depth=self.depth)
        return TopicalPolicy()


def _filtered(
    traps: Collection[str], fields: Mapping[str, Collection[Any]]
) -> dict[str, tuple[str, Any]]:
    """The traps that name a value of a field: trap -> (field, value as it is stored)."""
    values = {
        str(value).casefold(): (name, value)
        for name, options in fields.items()
        for value in options
    }
    found = {}
    for trap in traps:
        text = trap.strip("\"'").casefold()
        for form in (text, text.removesuffix("s"), text.removesuffix("es"), f"{text}s"):
            if form in values:
                found[trap] = values[form]
                break
    return found
