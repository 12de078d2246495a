"""``python -m benchmarks report OUT``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

from logic_retrievers.cli.console import ExitCode, out, print_status, report_errors
from logic_retrievers.errors import ConfigurationError
from logic_retrievers.evaluation.datasets import DATA_VARIABLE, data_folder

# Default file for vectors, in the report's folder.
VECTORS = "vectors.sqlite"


@report_errors
def report(
    folder: Annotated[
        Path | None, typer.Argument(metavar="OUT", help="Folder of the report.")
    ] = None,
    study: Annotated[
        list[str] | None,
        typer.Option("--study", metavar="NAME", help="Only this study; repeat for several."),
    ] = None,
    models: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Trained models to compare with, in folders by role."),
    ] = None,
    vectors: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="SQLite file that stores the vectors of all texts.",
            show_default=f"OUT/{VECTORS}",
        ),
    ] = None,
    seed: Annotated[int, typer.Option(help="Seed of all random draws.")] = 0,
    fresh: Annotated[
        bool, typer.Option("--fresh", help="Ignore the results of an earlier run.")
    ] = False,
    listed: Annotated[bool, typer.Option("--list", help="Show the studies, and run none.")] = False,
) -> None:
    """Repeat the papers' measurements next to ours, and write one page with all of them.

    The environment variable LOGIC_RETRIEVERS_DATA names the folder of the data. An interrupted run
    continues when started again.
    """
    # Imported here because no other command needs pydantic, numpy and more.
    from benchmarks.papers import select_studies
    from benchmarks.report.render import write_report
    from benchmarks.report.runner import run_studies
    from benchmarks.report.workbench import Workbench

    studies = select_studies(study or [])
    if listed:
        table = Table("study", "what", "data", "models")
        for each in studies:
            table.add_row(each.name, each.title, ", ".join(each.data), ", ".join(each.models))
        out.print(table)
        return
    if folder is None:
        raise ConfigurationError("name the folder that the report goes into, or give --list")
    if models is not None and not models.is_dir():
        raise ConfigurationError(f"--models is no folder: {models}")
    if any(each.data for each in studies):
        print_status("data", f"{data_folder()} ({DATA_VARIABLE})")
    folder.mkdir(parents=True, exist_ok=True)
    bench = Workbench(
        vectors=vectors or folder / VECTORS,
        models=models,
        seed=seed,
        log=lambda line: print_status("report", line),
    )
    outcome = run_studies(studies, bench, folder, fresh=fresh)
    page = write_report(outcome.sections, folder)
    for name, problem in outcome.failed.items():
        print_status("warning", f"{name} failed: {problem}")
    out.print(f"{len(studies) - len(outcome.failed)} of {len(studies)} studies; the page: {page}")
    if outcome.failed:
        raise typer.Exit(ExitCode.PARTIAL)
