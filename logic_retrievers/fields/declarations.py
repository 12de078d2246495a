"""What a metadata field holds: a number, a year, a date, or one of a few values."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence, Set
from dataclasses import dataclass, field
from typing import Any, ClassVar, TypeAlias

from logic_retrievers.checks import check_number
from logic_retrievers.errors import ConfigurationError, shown
from logic_retrievers.text import comparable


@dataclass(frozen=True)
class ComparableField:
    """Base of the fields that queries compare with a value."""

    words: Sequence[str] = ()
    kind: ClassVar[str]

    def __post_init__(self) -> None:
        object.__setattr__(self, "words", _texts("words", self.words))

    def describe(self) -> str:
        """Describe the field to a reader of a tool's description."""
        return self.kind

    def to_dict(self) -> dict[str, Any]:
        """Return the declaration in JSON types; :func:`check_fields` takes it."""
        return {"kind": self.kind, "words": list(self.words)}


@dataclass(frozen=True)
class Number(ComparableField):
    """A field of numbers: ``Number(unit=["EUR", "euro", "€"], words=["price", "cost"])``.

    Args:
        words: names of the field in queries, besides its own; singular or plural.
        unit: unit of the stored numbers, then its other names. A unit of three capitals is a
            currency. Other units of length, weight, time, ... are converted where `pint` is
            installed (extra ``units``).
        factors: names of further units -> what to multiply by: ``{"USD": 0.92, "dollars": 0.92}``.

    Raises:
        ConfigurationError: a name is not a text, or a factor is not a positive number.
    """

    unit: Sequence[str] = ()
    factors: Mapping[str, float] = field(default_factory=dict)
    kind: ClassVar[str] = "number"

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "unit", _texts("unit", self.unit))
        if not isinstance(self.factors, Mapping):
            raise ConfigurationError(f"factors maps units to numbers, not {shown(self.factors)}")
        for name, factor in self.factors.items():
            _texts("factors", [name])
            check_number(f"factors[{name!r}]", factor)
            if factor <= 0:
                raise ConfigurationError(f"factors[{name!r}] must be positive, not {shown(factor)}")
        object.__setattr__(self, "factors", dict(self.factors))

    def __hash__(self) -> int:
        return hash((self.words, self.unit, *self.factors.items()))

    @property
    def is_money(self) -> bool:
        return bool(self.unit) and re.fullmatch("[A-Z]{3}", self.unit[0]) is not None

    def describe(self) -> str:
        return f"number in {self.unit[0]}" if self.unit else "number"

    def to_dict(self) -> dict[str, Any]:
        return {**super().to_dict(), "unit": list(self.unit), "factors": dict(self.factors)}


@dataclass(frozen=True)
class Year(ComparableField):
    """A field of years, stored as whole numbers.

    Args:
        words: names of the field in queries, besides its own: ``["built"]``.
    """

    kind: ClassVar[str] = "year"


@dataclass(frozen=True)
class Date(ComparableField):
    """A field of dates, stored as ISO 8601 text.

    Args:
        words: names of the field in queries, besides its own: ``["posted"]``.
    """

    kind: ClassVar[str] = "date"


Declared: TypeAlias = Number | Year | Date | tuple[Any, ...]
_KINDS: Mapping[str, type[Number | Year | Date]] = {
    kind.kind: kind for kind in (Number, Year, Date)
}


def check_fields(fields: Any) -> dict[str, Declared]:
    """Check declared fields; return values of a list as a tuple.

    A field is a :class:`Number`, a :class:`Year`, a :class:`Date`, the output of their ``to_dict``,
    or a list of the texts and numbers that the field takes.

    Raises:
        ConfigurationError: a field is none of these.
    """
    if not isinstance(fields, Mapping):
        raise ConfigurationError(f"fields maps names to declarations, not {shown(fields)}")
    return {str(name): _declared(name, value) for name, value in fields.items()}


def describe_field(declared: Declared) -> str:
    """Describe a field: "number in EUR", "one of Oslo, Bergen"."""
    if isinstance(declared, tuple):
        return f"one of {', '.join(map(str, declared))}"
    return declared.describe()


def _declared(name: Any, value: Any) -> Declared:
    if isinstance(value, Number | Year | Date):
        return value
    if isinstance(value, Mapping) and value.get("kind") in _KINDS:
        settings = {key: setting for key, setting in value.items() if key != "kind"}
        try:
            return _KINDS[value["kind"]](**settings)
        except TypeError:
            raise ConfigurationError(
                f"fields[{shown(name)}] has a setting that a {value['kind']} lacks:"
                f" {', '.join(map(str, settings))}"
            ) from None
    is_list = isinstance(value, Collection) and not isinstance(value, str | bytes | Mapping)
    if not is_list or not all(isinstance(each, str | int | float) for each in value):
        raise ConfigurationError(
            f"fields[{shown(name)}] declares what the field holds: Number(), Year(), Date(), as"
            ' JSON {"kind": "number"}, "year" or "date", or a list of the texts and numbers that it'
            f" takes; not {shown(value)}. A condition on it belongs in filter="
        )
    # a set's order differs between processes
    return tuple(sorted(value, key=repr) if isinstance(value, Set) else value)


def _texts(name: str, texts: Any) -> tuple[str, ...]:
    listed = (texts,) if isinstance(texts, str) else texts
    is_list = isinstance(listed, Collection) and not isinstance(listed, Mapping | bytes)
    if not is_list or not all(
        isinstance(text, str) and comparable(text).strip() for text in listed
    ):
        raise ConfigurationError(f"{name} is a text or a list of texts, not {shown(texts)}")
    return tuple(sorted(listed) if isinstance(listed, Set) else listed)
