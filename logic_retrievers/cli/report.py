"""``logic-retrievers report OUT``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

from logic_retrievers.cli.outcome import ExitCode, out, reports_errors, say
from logic_retrievers.errors import ConfigurationError
from logic_retrievers.evaluation.folders import DATA_VARIABLE, data_folder

VECTORS = "vectors.sqlite"
"""Beside the report, where no other file is named."""


@reports_errors
def report(
    folder: Annotated[
        Path | None, typer.Argument(metavar="OUT", help="Where the report goes.")
    ] = None,
    study: Annotated[
        list[str] | None,
        typer.Option("--study", metavar="NAME", help="Only this one; repeat for several."),
    ] = None,
    models: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Trained models to compare with, in folders by role."),
    ] = None,
    vectors: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="Keeps the vectors of all texts.", show_default=f"OUT/{VECTORS}"
        ),
    ] = None,
    seed: Annotated[int, typer.Option(help="Of everything that is drawn.")] = 0,
    core_hour: Annotated[
        float, typer.Option(help="What an hour of a processor core costs you, in any currency.")
    ] = 0.05,
    fresh: Annotated[
        bool, typer.Option("--fresh", help="Run also what is kept from an earlier run.")
    ] = False,
    listed: Annotated[bool, typer.Option("--list", help="Show the studies, and run none.")] = False,
) -> None:
    """Measures what the papers measured, beside ours, and writes one page with all of it.

    The data come from the folder that the environment variable LOGIC_RETRIEVERS_DATA names. A run
    that was cut off goes on when it is started again.
    """
    # pydantic, numpy and more, which no other command waits for
    from logic_retrievers.report.render import write_report
    from logic_retrievers.report.runner import run_studies
    from logic_retrievers.report.studies import chosen
    from logic_retrievers.report.workbench import Workbench

    wanted = chosen(study or [])
    if listed:
        table = Table("study", "what", "data", "models")
        for one in wanted:
            table.add_row(one.name, one.title, ", ".join(one.data), ", ".join(one.models))
        out.print(table)
        return
    if folder is None:
        raise ConfigurationError("name the folder that the report goes into, or give --list")
    if models is not None and not models.is_dir():
        raise ConfigurationError(f"--models is no folder: {models}")
    if any(one.data for one in wanted):
        say("data", f"{data_folder()} ({DATA_VARIABLE})")
    folder.mkdir(parents=True, exist_ok=True)
    bench = Workbench(
        vectors=vectors or folder / VECTORS,
        models=models,
        seed=seed,
        core_hour=core_hour,
        say=lambda line: say("report", line),
    )
    made = run_studies(wanted, bench, folder, fresh=fresh)
    page = write_report(made.sections, folder)
    for name, problem in made.failed.items():
        say("warning", f"{name} failed: {problem}")
    out.print(f"{len(wanted) - len(made.failed)} of {len(wanted)} studies; the page: {page}")
    if made.failed:
        raise typer.Exit(ExitCode.PARTIAL)
