"""The commands that this package adds to ``logic-retrievers``; imports wait for their call."""

from __future__ import annotations

import json
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

from logic_retrievers.cli.outcome import out, reports_errors
from logic_retrievers.errors import ConfigurationError, MissingExtraError

Seed = Annotated[int, typer.Option(help="The same seed gives the same rows.")]


class Kind(StrEnum):
    """What CoDeR's diagnostics are made by."""

    ANTONYM = "antonym"
    NEGATION = "negation"
    EXCLUSION = "exclusion"


@reports_errors
def train(
    recipe: Annotated[Path, typer.Argument(help="A TOML file; see export/recipes.")],
    folder: Annotated[
        Path, typer.Option("--out", help="New, or that of an interrupted run, which then goes on.")
    ],
    quiet: Annotated[bool, typer.Option(help="No progress bar.")] = False,
) -> None:
    """Trains an encoder after a recipe, or goes on with an interrupted run."""
    try:
        from logic_export.recipe import read_recipe
        from logic_export.training.run import train as run
    except ModuleNotFoundError as error:
        raise MissingExtraError(error.name or "sentence_transformers", "train") from error
    trained = run(read_recipe(recipe), folder, quiet=quiet)
    table = Table("set", "constraint before", "after", "R@5 before", "after")
    for name, best in trained.best.items():
        base = trained.base[name]
        figures = (base.constraint, best.constraint, base.recall, best.recall)
        table.add_row(name, *(f"{figure:.3f}" for figure in figures))
    out.print(table)
    out.print(f"model, card and metrics are in {folder}", markup=False, soft_wrap=True)


@reports_errors
def triplets(
    builder: Annotated[str, typer.Argument(help="Which builder; an unknown one lists them all.")],
    file: Annotated[Path, typer.Option("--out", help="JSON lines; .gz is compressed.")],
    option: Annotated[
        list[str] | None, typer.Option(help="NAME=VALUE, for the builder; may be repeated.")
    ] = None,
    seed: Seed = 0,
) -> None:
    """Builds training triplets from a data set or a corpus."""
    from logic_export.data.sources import build
    from logic_export.data.triplets import write_triplets

    rows = build(builder, dict(map(_named, option or ())), seed)
    write_triplets(file, rows)
    out.print(f"{len(rows)} triplets are in {file}", markup=False, soft_wrap=True)


@reports_errors
def diagnose(
    kind: Annotated[Kind, typer.Argument(help="How the queries of a pair differ.")],
    corpus: Annotated[Path, typer.Argument(help="corpus.jsonl[.gz] with _id, title and text.")],
    folder: Annotated[Path, typer.Option("--out", help="A folder for `evaluate`.")],
    count: Annotated[int, typer.Option(help="Sets of documents, two queries each.")] = 50,
    seed: Seed = 0,
) -> None:
    """Makes a small benchmark over your own corpus: antonyms, negations or exclusions (CoDeR)."""
    from logic_export.data import diagnostics
    from logic_export.data.wordnet import load_wordnet
    from logic_retrievers.evaluation.rows import json_rows

    documents = {
        row.id(): f"{row.text('title')} {row.text('text')}".strip() for row in json_rows(corpus)
    }
    if kind is Kind.ANTONYM:
        made = diagnostics.antonym_diagnostic(documents, load_wordnet(), count=count, seed=seed)
    elif kind is Kind.NEGATION:
        made = diagnostics.negation_diagnostic(documents, count=count, seed=seed)
    else:
        made = diagnostics.exclusion_diagnostic(documents, count=count, seed=seed)
    diagnostics.write_diagnostic(folder, made)
    out.print(
        f"{count} sets are in {folder}; `logic-retrievers evaluate {folder}` measures on them",
        markup=False,
        soft_wrap=True,
    )


def _named(option: str) -> tuple[str, object]:
    name, mark, value = option.partition("=")
    if not mark or not name:
        raise ConfigurationError(f"--option is NAME=VALUE, not {option!r}")
    try:
        return name, json.loads(value)
    except ValueError:
        return name, value
