"""The options of commands that a language model words something for."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from logic_export.data.rewriter import ChatRewriter

KeyVariable = Annotated[
    str | None, typer.Option(help="The environment variable that holds the API key.")
]
Sampling = Annotated[
    bool, typer.Option(help="Send temperature 0 and a seed; some models refuse them.")
]
Answers = Annotated[
    Path | None,
    typer.Option(
        help="The model's answers, in the clear; with them an interrupted run goes on.",
        show_default="beside the folder, named after it",
    ),
]


def rewriter(
    endpoint: str,
    model: str,
    key_variable: str | None,
    cache: Path | None,
    folder: Path,
    *,
    sampling: bool,
    seed: int,
) -> ChatRewriter:
    """The model behind an endpoint, as the options say.

    Args:
        endpoint: where it is.
        model: what it is called there.
        key_variable: see :data:`KeyVariable`.
        cache: see :data:`Answers`; its folder is made.
        folder: what is built.
        sampling: see :data:`Sampling`.
        seed: sent along where ``sampling`` is.
    """
    from logic_export.data.rewriter import ChatRewriter

    kept = cache or folder.with_name(f"{folder.name}.answers")
    kept.parent.mkdir(parents=True, exist_ok=True)
    return ChatRewriter(
        endpoint,
        model,
        api_key_variable=key_variable,
        temperature=0.0 if sampling else None,
        seed=seed if sampling else None,
        cache=kept,
    )
