"""Settings as partial overrides: a field that is None keeps the value of the encoder's bundle.

A *constants* class is complete: a frozen dataclass of what a formula needs, each with the values
that it may have and the package's own default. A *settings* class is what a user wants otherwise:
the same fields, all None by default. :func:`merged` makes constants of settings, the bundle's
constants and the defaults.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import MISSING, asdict, dataclass, field, fields
from numbers import Real
from typing import TYPE_CHECKING, Any, ClassVar, TypeAlias, TypeVar

from logic_retrievers.errors import ConfigurationError, shown

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

    Constants = TypeVar("Constants", bound=DataclassInstance)


@dataclass(frozen=True, slots=True)
class Interval:
    """The finite numbers that a constant may have.

    Args:
        low, high: the ends.
        without_low, without_high: whether that end itself is left out.
    """

    low: float = -math.inf
    high: float = math.inf
    without_low: bool = False
    without_high: bool = False

    def __contains__(self, value: object) -> bool:
        if isinstance(value, bool) or not isinstance(value, Real):
            return False
        try:
            number = float(value)
        except OverflowError:
            return False
        above = self.low < number if self.without_low else self.low <= number
        below = number < self.high if self.without_high else number <= self.high
        return math.isfinite(number) and above and below

    def __str__(self) -> str:
        ends = []
        if self.low > -math.inf:
            ends.append(f"{'more than' if self.without_low else 'at least'} {self.low:g}")
        if self.high < math.inf:
            ends.append(f"{'less than' if self.without_high else 'at most'} {self.high:g}")
        return " and ".join(ends) or "a finite number"

    def check(self, name: str, value: object) -> None:
        """Refuses a value outside.

        Raises:
            ConfigurationError: with the name, the interval and the value.
        """
        if value not in self:
            raise ConfigurationError(f"{name} must be {self}, not {shown(value)}")


@dataclass(frozen=True, slots=True)
class OneOf:
    """The names that a constant may have."""

    options: tuple[str, ...]

    def check(self, name: str, value: object) -> None:
        """Refuses any other value.

        Raises:
            ConfigurationError: with the name, the options and the value.
        """
        if not isinstance(value, str) or value not in self.options:
            raise ConfigurationError(
                f"{name} must be one of {', '.join(self.options)}, not {shown(value)}"
            )


Range: TypeAlias = Interval | OneOf

NUMBER = Interval()
"""Any finite number; like every range it has no truth values."""
SHARE = Interval(0, 1)
"""From 0 to 1, both included."""

MAX_COUNT = 2**31 - 1
"""Of hits, candidates, passages, ...: an engine's numbers end there or later."""


def check_count(name: str, count: Any, largest: int = MAX_COUNT, *, least: int = 1) -> None:
    """Refuses a number of things that is no whole number, or out of bounds.

    Raises:
        ConfigurationError: with the name of the parameter.
    """
    if type(count) is not int or not least <= count <= largest:
        too_small = type(count) is not int or count < least
        bounds = f"of at least {least}" if too_small else f"up to {largest:,}"
        raise ConfigurationError(f"{name} must be a whole number {bounds}, not {shown(count)}")


def check_type(name: str, value: Any, *types: Any) -> None:
    """Refuses a value of another class.

    Raises:
        ConfigurationError: with the name of the parameter.
    """
    if not isinstance(value, types):
        names = " or ".join(kind.__name__.removesuffix("Type") for kind in types)
        raise ConfigurationError(f"{name} must be of type {names}, not {shown(value)}")


def check_texts(name: str, values: Any) -> None:
    """Refuses what is no list of texts; a single text is none, it would be read letter by letter.

    Raises:
        ConfigurationError: with the name of the parameter.
    """
    is_list = isinstance(values, Sequence) and not isinstance(values, str)
    if not is_list or not all(isinstance(value, str) for value in values):
        raise ConfigurationError(f"{name} must be a list of texts, not {shown(values)}")


def constant(allowed: Range, default: Any = MISSING) -> Any:
    """A field of a constants class: the values that it may have, and its default, if any."""
    return field(default=default, metadata={"allowed": allowed})


class CheckedConstants:
    """Base of a constants class: a frozen dataclass whose fields are made by :func:`constant`.

    Raises:
        ConfigurationError: a value is out of its range.
    """

    __slots__ = ()

    def __post_init__(self) -> None:
        check_ranges(type(self), asdict(self))  # type: ignore[call-overload]


class PartialSettings:
    """Base of a settings class: a frozen dataclass in which every field is None by default.

    Each value is checked at construction; values that do not fit together are refused where they
    are merged.

    Raises:
        ConfigurationError: a value is out of its range.
    """

    __slots__ = ()
    constants_class: ClassVar[type[CheckedConstants]]
    """Whose fields are overridden."""

    def __post_init__(self) -> None:
        check_ranges(self.constants_class, self.overrides())

    def overrides(self) -> dict[str, Any]:
        """The fields that are not None, by name."""
        values = {field.name: getattr(self, field.name) for field in fields(self)}  # type: ignore[arg-type]
        return {name: value for name, value in values.items() if value is not None}


def merged(
    kind: type[Constants],
    settings: PartialSettings | None = None,
    bundle_constants: Mapping[str, Any] | None = None,
) -> Constants:
    """The constants to calculate with: settings over those of the bundle over the defaults.

    A field without a default must be in the bundle's constants or in the settings.

    Raises:
        ConfigurationError: a constant of the bundle is unknown, one is missing, or a value is out
            of its range.
    """
    if settings is not None:
        check_type("settings", settings, PartialSettings)
    check_type("bundle_constants", bundle_constants, Mapping, type(None))
    known = {field.name: field for field in fields(kind)}
    constants = dict(bundle_constants or {})
    if unknown := sorted(map(str, constants.keys() - known.keys())):
        raise ConfigurationError(
            f"the encoder's bundle has constants that {kind.__name__} does not know: "
            f"{', '.join(unknown)}; update logic-retrievers"
        )
    overrides = settings.overrides() if settings is not None else {}
    if foreign := sorted(overrides.keys() - known.keys()):
        raise ConfigurationError(
            f"{type(settings).__name__} has fields of another policy: {foreign}"
        )
    constants |= overrides
    required = {name for name, field in known.items() if field.default is MISSING}
    if missing := sorted(required - constants.keys()):
        raise ConfigurationError(
            f"the encoder's bundle has no constant {', '.join(missing)}; set it in the settings"
        )
    return kind(**constants)


def check_ranges(kind: type[CheckedConstants], values: Mapping[str, Any]) -> None:
    """Refuses a value outside the range that a constants class has for its name.

    Raises:
        ConfigurationError: with the name, the range and the value.
    """
    for known in fields(kind):  # type: ignore[arg-type]
        if known.name in values:
            known.metadata["allowed"].check(known.name, values[known.name])
