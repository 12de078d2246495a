"""Options and helpers that several commands share."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from logic_retrievers.errors import ConfigurationError, MissingExtraError

if TYPE_CHECKING:
    from logic_export.data.rewriting import ChatRewriter

Seed = Annotated[int, typer.Option(help="The same seed gives the same rows.")]
KeyVariable = Annotated[
    str | None, typer.Option(help="The environment variable that holds the API key.")
]
Sampling = Annotated[
    bool, typer.Option(help="Send temperature 0 and a seed; some models refuse them.")
]
AnswerCache = Annotated[
    Path | None,
    typer.Option(
        help="The model's answers, in plain text; with them an interrupted run resumes.",
        show_default="next to the folder, named after it",
    ),
]


@contextmanager
def training_imports() -> Iterator[None]:
    """Wraps imports that need the extra ``train``.

    Raises:
        MissingExtraError: one of its packages is not installed.
    """
    try:
        yield
    except ModuleNotFoundError as error:
        raise MissingExtraError(error.name or "sentence_transformers", "train") from error


def parse_assignment(text: str, option: str) -> tuple[str, str]:
    """Splits ``NAME=VALUE``.

    Raises:
        ConfigurationError: the text has another form.
    """
    name, separator, value = text.partition("=")
    if not separator or not name or not value:
        raise ConfigurationError(f"{option} is NAME=VALUE, not {text!r}")
    return name, value


def parse_numbers(assignments: list[str] | None, option: str) -> dict[str, float]:
    """Name -> number of an option that may be repeated.

    Raises:
        ConfigurationError: a text has another form.
    """
    numbers = {}
    for name, value in (parse_assignment(text, option) for text in assignments or ()):
        try:
            numbers[name] = float(value)
        except ValueError as error:
            raise ConfigurationError(f"{option} {name}= takes a number, not {value!r}") from error
    return numbers


def parse_builder_options(assignments: list[str] | None) -> dict[str, object]:
    """Name -> value of a builder's options; a value is JSON where it can be read as such."""
    return {
        name: _parse_value(value)
        for name, value in (parse_assignment(text, "--option") for text in assignments or ())
    }


def _parse_value(text: str) -> object:
    try:
        return json.loads(text)
    except ValueError:
        return text


def open_rewriter(
    endpoint: str,
    model: str,
    key_variable: str | None,
    cache: Path | None,
    folder: Path,
    *,
    sampling: bool,
    seed: int,
) -> ChatRewriter:
    """The language model behind an endpoint, as the options say.

    Args:
        endpoint: its URL, up to ``/v1``.
        model: its name there.
        key_variable: see :data:`KeyVariable`.
        cache: see :data:`AnswerCache`; its folder is created.
        folder: of the data set that is built.
        sampling: see :data:`Sampling`.
        seed: sent along where ``sampling`` is.
    """
    from logic_export.data.rewriting import ChatRewriter

    path = cache or folder.with_name(f"{folder.name}.answers")
    path.parent.mkdir(parents=True, exist_ok=True)
    return ChatRewriter(
        endpoint,
        model,
        api_key_variable=key_variable,
        temperature=0.0 if sampling else None,
        seed=seed if sampling else None,
        cache=path,
    )
