"""``logic-retrievers reindex INTO``."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from logic_retrievers.cli.console import AsJson, out, print_json, progress_bar
from logic_retrievers.cli.options import NewCollection, StoredCollection, as_command, open_encoder

if TYPE_CHECKING:
    from logic_retrievers.index import ReindexReport


@as_command
def reindex(
    into: Annotated[str, typer.Argument(help="Name of the second collection.")],
    new_bundle: Annotated[
        Path | None,
        typer.Option(
            help="Encoder of the second collection; --bundle is that of the first.",
            show_default="that of the first",
        ),
    ] = None,
    alias: Annotated[
        str | None,
        typer.Option(help="A name that leads to the second collection at the end; on a server."),
    ] = None,
    language: Annotated[
        str | None,
        typer.Option(help="Language of the words: german, ...", show_default="as in the first"),
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Write nothing; estimate time and space.")
    ] = False,
    as_json: AsJson = False,
    *,
    new: NewCollection,
    stored: StoredCollection,
) -> None:
    """Make a second collection of all passages, with another encoder or other settings.

    Searches and writes go on meanwhile, and the second collection has all changes at the end. Run
    the same command again after it was stopped.
    """
    settings: dict[str, Any] = {} if language is None else {"lexical": language}
    if options := new.options():
        settings["collection_options"] = options
    encoder = None if new_bundle is None else open_encoder(new_bundle)
    with stored.open(reads=dry_run) as passages, progress_bar("passages") as show:
        report = passages.reindex(
            into, encoder, alias=alias, dry_run=dry_run, progress=show, **settings
        )
    if as_json:
        print_json(asdict(report))
    else:
        out.print_line(_describe(report))


def _describe(report: ReindexReport) -> str:
    if report.bytes is not None:
        return (
            f"{report.passages} passages: some {report.seconds / 60:.0f} minutes, and"
            f" {report.bytes / 2**20:.0f} MiB more on the disk"
        )
    switched = f", which {report.alias!r} leads to" if report.alias is not None else ""
    return (
        f"{report.written} written, {report.removed} removed: {report.passages} passages in"
        f" collection {report.collection!r}{switched}"
    )
