"""Commands that build training data; heavy imports wait for the call."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

from logic_export.cli.options import Seed, parse_builder_options
from logic_retrievers.cli.console import out, report_errors

data = typer.Typer(help="Builds training data.", no_args_is_help=True)

Builder = Annotated[str, typer.Argument(help="A builder's name; an unknown one lists them all.")]
RowFile = Annotated[Path, typer.Option("--out", help="JSON lines; .gz is compressed.")]
BuilderOptions = Annotated[
    list[str] | None,
    typer.Option("--option", help="NAME=VALUE, for the builder; may be repeated."),
]
NewFolder = Annotated[Path, typer.Argument(help="The data set's folder; new.")]


@data.command()
@report_errors
def triplets(
    builder: Builder, file: RowFile, option: BuilderOptions = None, seed: Seed = 0
) -> None:
    """Builds training triplets from a data set or a corpus."""
    from logic_export.data.triplet_builders import build_triplets
    from logic_export.data.triplets import write_triplets

    rows = build_triplets(builder, parse_builder_options(option), seed)
    write_triplets(file, rows)
    out.print(f"{len(rows)} triplets are in {file}", markup=False, soft_wrap=True)


@data.command()
@report_errors
def contradiction_groups(
    builder: Builder, file: RowFile, option: BuilderOptions = None, seed: Seed = 0
) -> None:
    """Builds groups of two contradicting sides from a data set or a corpus."""
    from logic_export.data.contradictions.builders import build_groups
    from logic_export.data.contradictions.groups import write_groups

    groups = build_groups(builder, parse_builder_options(option), seed)
    write_groups(file, groups)
    out.print(f"{len(groups)} groups are in {file}", markup=False, soft_wrap=True)


@data.command()
@report_errors
def set_queries(
    films: Annotated[
        Path, typer.Argument(metavar="DATA", help="The folder wikipedia_movies with its corpus.")
    ],
    folder: NewFolder,
    train: Annotated[int, typer.Option(help="Training queries, without variants.")] = 3500,
    dev: Annotated[int, typer.Option(help="Development queries.")] = 350,
    test: Annotated[int, typer.Option(help="Test queries.")] = 2100,
    seed: Annotated[int, typer.Option(help="The same seed gives the same files.")] = 0,
    variants: Annotated[bool, typer.Option(help="Also the same atoms in other forms.")] = True,
) -> None:
    """Builds queries whose answers are sets of films (AND, OR, NOT), with computed truth."""
    from logic_export.data.sets.films import load_films_table
    from logic_export.data.sets.generation import generate_queries, write_set_queries

    table = load_films_table(films)
    counts = {"train": train, "dev": dev, "test": test}
    parts = generate_queries(table, counts, seed=seed, variants=variants)
    write_set_queries(folder, table.items, parts)
    for part, queries in parts.items():
        variant_count = sum(query.variant for query in queries)
        out.print(f"{part}: {len(queries) - variant_count} queries and {variant_count} variants")
    out.print(f"the data set is in {folder}", markup=False, soft_wrap=True)


@data.command()
@report_errors
def distractor_queries(
    folders: Annotated[
        list[Path],
        typer.Argument(
            metavar="DATA...",
            help="Folders with labelled questions; name sets that share passages together.",
        ),
    ],
    folder: NewFolder,
    train: Annotated[float, typer.Option(help="Share of the questions for training.")] = 0.7,
    dev: Annotated[float, typer.Option(help="For development; the rest is the test.")] = 0.1,
    copies: Annotated[
        int, typer.Option(help="Training queries made of each question, all different.")
    ] = 6,
    distractors: Annotated[int, typer.Option(help="Passages in one clause, at most.")] = 2,
    candidates: Annotated[int, typer.Option(help="Passages of a question, mined if need be.")] = 10,
    seed: Annotated[int, typer.Option(help="The same seed gives the same files.")] = 0,
) -> None:
    """Adds clauses about wrong passages to questions, to train a query encoder (LORE)."""
    from logic_export.data.tiers.distractor_queries import (
        build_parts,
        common_passages,
        read_parts,
        require_new_folder,
        write_parts,
    )

    require_new_folder(folder)
    parts = read_parts(folders, {"train": train, "dev": dev, "test": round(1 - train - dev, 9)})
    built = build_parts(
        parts, copies={"train": copies}, distractors=distractors, candidates=candidates, seed=seed
    )
    table = Table("part", "left out", "times")
    for part, disturbed in built.items():
        for reason, times in disturbed.reasons.items():
            table.add_row(part, reason, str(times))
    if table.row_count:
        out.print(table)
    write_parts(folder, built)
    for part, disturbed in built.items():
        questions = len({example.original for example in disturbed.examples})
        out.print(f"{part}: {len(disturbed.examples)} queries of {questions} questions")
    out.print(f"passages in both train and test: {common_passages(built, 'train', 'test')}")
    out.print(f"the data set is in {folder}", markup=False, soft_wrap=True)
