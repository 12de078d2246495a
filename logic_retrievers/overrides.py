"""Settings that override some of the constants in an encoder's bundle."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Self, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_serializer

from logic_retrievers.checks import check_type
from logic_retrievers.errors import ConfigurationError, shown

NonNegative: TypeAlias = Annotated[float, Field(ge=0)]
Share: TypeAlias = Annotated[float, Field(ge=0, le=1)]


class Overrides(BaseModel):
    """Base class for the constants of a formula. A field that is set overrides the bundle's.

    A field that is None counts as not set. Two objects are equal if the same fields are set to the
    same values.

    Raises:
        ConfigurationError: a setting is unknown or out of its range.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, allow_inf_nan=False)

    def __init__(self, *values: Any, **named: Any) -> None:
        names = list(type(self).model_fields)
        if len(values) > len(names) or named.keys() & names[: len(values)]:
            raise TypeError(f"{type(self).__name__} got a setting too many, or one twice")
        values_by_name = dict(zip(names, values, strict=False)) | named
        given = {name: value for name, value in values_by_name.items() if value is not None}
        try:
            super().__init__(**given)
        except ValidationError as error:
            raise configuration_error(error) from None

    # also used where an adapter's model has these settings as a field
    @model_serializer
    def overrides(self) -> dict[str, Any]:
        """Return the fields that are set, by name."""
        fields = type(self).model_fields
        is_set = self.model_fields_set
        return {name: value for name, value in self if name in is_set and not fields[name].exclude}

    def model_copy(self, *, update: Mapping[str, Any] | None = None, **_: Any) -> Self:
        """Return an updated copy, with its settings checked (pydantic's own copies are not)."""
        given = {name: value for name, value in self if name in self.model_fields_set}
        return type(self)(**{**given, **(update or {})})

    def over(self, constants: Mapping[str, Any] | None) -> Self:
        """Return a bundle's constants, overridden by these settings.

        Raises:
            ConfigurationError: a constant is unknown or out of its range.
        """
        check_type("bundle_constants", constants, Mapping, type(None))
        shipped = dict(constants or {})
        if unknown := sorted(map(str, shipped.keys() - type(self).model_fields.keys())):
            raise ConfigurationError(
                f"the encoder's bundle has constants that {type(self).__name__} does not know:"
                f" {', '.join(unknown)}; update logic-retrievers, or export the bundle again"
            )
        return type(self)(**{**shipped, **self.overrides()})

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Overrides)
            and super().__eq__(other)
            and self.model_fields_set == other.model_fields_set
        )

    def __repr_args__(self) -> Any:
        return self.overrides().items()


def configuration_error(error: ValidationError) -> ConfigurationError:
    """Turn pydantic's first problem into an error that names the field, its range and the value."""
    first = error.errors(include_url=False)[0]
    name = ".".join(map(str, first["loc"]))
    if first["type"] == "extra_forbidden":
        return ConfigurationError(f"there is no setting {name!r}")
    problem = first["msg"].replace("Input should be", "must be")
    return ConfigurationError(f"{name} {problem}, not {shown(first['input'])}")
