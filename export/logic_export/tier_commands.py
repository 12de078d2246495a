"""The command that disturbs questions; imports wait for its call."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

from logic_export.endpoint_options import Answers, KeyVariable, Sampling, rewriter
from logic_retrievers.cli.outcome import out, reports_errors
from logic_retrievers.errors import ConfigurationError


@reports_errors
def disturbed_queries(
    data: Annotated[
        list[Path],
        typer.Argument(help="Folders with labelled questions; name together what shares passages."),
    ],
    folder: Annotated[Path, typer.Argument(help="The data set's folder; new.")],
    train: Annotated[float, typer.Option(help="Share of the questions for training.")] = 0.7,
    dev: Annotated[float, typer.Option(help="For development; the rest is the test.")] = 0.1,
    copies: Annotated[
        int, typer.Option(help="How often a training question comes, each time otherwise.")
    ] = 6,
    distractors: Annotated[int, typer.Option(help="Passages in one clause, at most.")] = 2,
    candidates: Annotated[int, typer.Option(help="Passages of a question, mined if need be.")] = 10,
    endpoint: Annotated[
        str | None,
        typer.Option(help="What /chat/completions is appended to.", show_default="templates"),
    ] = None,
    model: Annotated[
        str | None, typer.Option(help="Words the training queries; as the endpoint calls it.")
    ] = None,
    key_variable: KeyVariable = None,
    sampling: Sampling = True,
    cache: Answers = None,
    seed: Annotated[int, typer.Option(help="The same seed gives the same files.")] = 0,
) -> None:
    """Joins clauses about wrong passages to questions, for training a query encoder."""
    from logic_export.data.tiers.building import (
        build,
        check_new,
        common_passages,
        read_parts,
        write_disturbed,
    )
    from logic_export.data.tiers.rewriting import RelationRewriter

    check_new(folder)
    if (endpoint is None) != (model is None):
        raise ConfigurationError("--endpoint and --model belong together")
    words = None
    if endpoint is not None and model is not None:
        words = RelationRewriter(
            rewriter(endpoint, model, key_variable, cache, folder, sampling=sampling, seed=seed)
        )
    parts = read_parts(data, {"train": train, "dev": dev, "test": round(1 - train - dev, 9)})
    built = build(
        parts,
        copies={"train": copies},
        distractors=distractors,
        candidates=candidates,
        rewriter=words,
        seed=seed,
    )
    table = Table("part", "left out or done otherwise", "times")
    for part, made in built.items():
        for reason, times in made.reasons.items():
            table.add_row(part, reason, str(times))
    if table.row_count:
        out.print(table)
    write_disturbed(folder, built)
    for part, made in built.items():
        asked = len({one.original for one in made.examples})
        out.print(f"{part}: {len(made.examples)} queries of {asked} questions")
    out.print(f"passages in both train and test: {common_passages(built, 'train', 'test')}")
    out.print(f"the data set is in {folder}", markup=False, soft_wrap=True)
