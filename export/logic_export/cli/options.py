"""Options and helpers that several commands share."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated

import typer

from logic_retrievers.errors import ConfigurationError, MissingExtraError

Seed = Annotated[int, typer.Option(help="The same seed gives the same rows.")]


@contextmanager
def training_imports() -> Iterator[None]:
    """Wraps imports of the extra ``train``; :class:`MissingExtraError` if a package is missing."""
    try:
        yield
    except ModuleNotFoundError as error:
        raise MissingExtraError(error.name or "sentence_transformers", "train") from error


def parse_assignment(text: str, option: str) -> tuple[str, str]:
    """Splits ``NAME=VALUE``; any other form is a :class:`ConfigurationError`."""
    name, separator, value = text.partition("=")
    if not separator or not name or not value:
        raise ConfigurationError(f"{option} is NAME=VALUE, not {text!r}")
    return name, value


def parse_numbers(assignments: list[str] | None, option: str) -> dict[str, float]:
    """Maps names to numbers of a repeatable option; errors of :func:`parse_assignment`."""
    numbers = {}
    for name, value in (parse_assignment(text, option) for text in assignments or ()):
        try:
            numbers[name] = float(value)
        except ValueError as error:
            raise ConfigurationError(f"{option} {name}= takes a number, not {value!r}") from error
    return numbers


def parse_builder_options(assignments: list[str] | None) -> dict[str, object]:
    """Maps names to values of a builder's options; a value that parses as JSON is read as JSON."""
    return {
        name: _parse_value(value)
        for name, value in (parse_assignment(text, "--option") for text in assignments or ())
    }


def _parse_value(text: str) -> object:
    try:
        return json.loads(text)
    except ValueError:
        return text
