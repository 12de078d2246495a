"""``logic-retrievers backfill VECTOR...``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from logic_retrievers.cli.console import AsJson, out, print_json, progress_bar
from logic_retrievers.cli.options import StoredCollection, as_command

if TYPE_CHECKING:
    from logic_retrievers.index import BackfillReport, PassageIndex


@as_command
def backfill(
    vectors: Annotated[
        list[str],
        typer.Argument(metavar="VECTOR...", help="compatibility, contradiction or lexical."),
    ],
    as_json: AsJson = False,
    *,
    stored: StoredCollection,
) -> None:
    """Make vectors that the stored passages of a collection lack.

    Run the same command again after it was stopped.
    """
    with stored.open() as passages:
        report = run_backfill(passages, vectors)
    if as_json:
        print_json(asdict(report))
    else:
        out.print_line(describe_backfill(report))


def run_backfill(passages: PassageIndex, names: Sequence[str]) -> BackfillReport:
    """Make the vectors, with a progress bar."""
    with progress_bar("back-fill") as show:
        return passages.backfill(names, progress=show)


def describe_backfill(report: BackfillReport) -> str:
    """Say in a sentence which vectors were made."""
    if not report.vectors:
        return f"collection {report.collection!r} has them already"
    return (
        f"{', '.join(report.vectors)} of {report.filled} stored passages, in collection"
        f" {report.collection!r}"
    )
