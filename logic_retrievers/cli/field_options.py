"""Define the options that declare metadata fields, and those of time, groups and pages."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Annotated, Any

from typer import Option

from logic_retrievers.errors import ConfigurationError

if TYPE_CHECKING:
    from logic_retrievers.policies import Policy, PolicyRouter
    from logic_retrievers.validity import Validity

_FORM = (
    "write NAME:KIND[:UNITS[:WORDS]]: price:number:EUR,euro,€:price,cost, built:year::construction,"
    " posted:date or city:values:Oslo,Bergen"
)


@dataclasses.dataclass(frozen=True)
class _Declared:
    """The option that declares what metadata fields hold."""

    field: Annotated[
        list[str] | None,
        Option(
            metavar="NAME:KIND[:UNITS[:WORDS]]",
            help="A metadata field that queries compare: price:number:EUR,euro,€:price,cost, "
            "built:year::construction, posted:date, city:values:Oslo,Bergen. Repeat for others.",
        ),
    ] = None

    def declare(self, policy: Policy | PolicyRouter) -> Policy | PolicyRouter:
        """Return the policy with the declared fields. Only ``auto`` takes them."""
        from logic_retrievers.policies.auto import with_fields

        return with_fields(policy, parse_fields(self.field or []))


@dataclasses.dataclass(frozen=True)
class FieldOptions(_Declared):
    """The options by which a query is read."""

    now: Annotated[
        str | None,
        Option(
            metavar="DATE",
            help='From when "last year" in a query counts: 2026-03-31.',
            show_default="today",
        ),
    ] = None


@dataclasses.dataclass(frozen=True)
class CollectionFields(_Declared):
    """The options that say what a collection's metadata fields hold, and which two are validity."""

    validity: Annotated[
        str | None,
        Option(
            metavar="FROM,TO",
            help="Two metadata fields with dates; a search finds what is valid now, or as of a"
            " date.",
        ),
    ] = None

    def validity_fields(self) -> Validity | None:
        """Return the two names of ``--validity``."""
        from logic_retrievers.validity import check_validity

        given = self.validity
        return check_validity(given and [name.strip() for name in given.split(",")])


@dataclasses.dataclass(frozen=True)
class SearchSettings(FieldOptions, CollectionFields):
    """The options of a search for fields, time, groups and pages."""

    strict_fields: Annotated[
        bool,
        Option("--strict-fields", help="No hit where none meets what the query says of a --field."),
    ] = False
    as_of: Annotated[
        str | None, Option(metavar="DATE", help="Valid at this date; 'any': valid or not.")
    ] = None
    group_by: Annotated[
        str | None,
        Option(metavar="NAME", help="-k counts groups: source, or a metadata field's values."),
    ] = None
    per_group: Annotated[int, Option(help="Hits of a group at most.")] = 1
    offset: Annotated[int, Option(help="How many first hits, or groups, to skip.")] = 0

    def options(self) -> dict[str, Any]:
        """Return the options of one search."""
        names = ("now", "strict_fields", "as_of", "group_by", "per_group", "offset")
        return {name: getattr(self, name) for name in names}


def parse_fields(specs: list[str]) -> dict[str, Any]:
    """Parse ``["price:number:EUR,euro:price,cost"]`` as declared fields.

    Raises:
        ConfigurationError: the message says what is wrong with which field, and how to write one.
    """
    fields: dict[str, Any] = {}
    for spec in specs:
        name, *rest = (part.strip() for part in spec.split(":"))
        if not name or not rest:
            raise _malformed(spec, "it needs a name, a colon and a kind")
        if name in fields:
            raise _malformed(spec, f"{name!r} is declared twice")
        fields[name] = _declaration(spec, *rest)
    return fields


def _declaration(spec: str, kind: str, *rest: str) -> Any:
    from logic_retrievers.fields import Date, Number, Year

    lists = [[each.strip() for each in part.split(",") if each.strip()] for part in rest]
    first, second = [*lists, [], []][:2]
    most = {"number": 2, "year": 2, "date": 2, "values": 1}
    if kind not in most:
        raise _malformed(spec, f"the kind {kind!r} is none of {', '.join(most)}")
    if len(rest) > most[kind]:
        raise _malformed(spec, "it has too many colons")
    if kind == "values":
        if not first:
            raise _malformed(spec, "it names no values")
        return first
    if kind == "number":
        return Number(unit=first, words=second)
    if first:
        raise _malformed(spec, f"a {kind} has no unit; words follow a second colon")
    return Year(words=second) if kind == "year" else Date(words=second)


def _malformed(spec: str, reason: str) -> ConfigurationError:
    return ConfigurationError(f"--field {spec!r}: {reason}; {_FORM}")
