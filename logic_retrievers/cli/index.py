"""``logic-retrievers index PATH``."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from logic_retrievers.cli.options import (
    DEFAULT_LOCATION,
    ApiKey,
    Bundle,
    Collection,
    Location,
    Tenant,
    open_encoder,
    open_index,
)
from logic_retrievers.cli.outcome import ExitCode, out, reports_errors, say
from logic_retrievers.cli.progress import progress
from logic_retrievers.contradiction.settings import CONTRADICTION, settings_for
from logic_retrievers.documents import Reading, Splitter, read_documents
from logic_retrievers.encoders import Encoder
from logic_retrievers.errors import MissingVectorError
from logic_retrievers.index import PassageIndex

SHOWN_ERRORS = 20


@reports_errors
def index(
    path: Annotated[
        Path, typer.Argument(help="A JSONL, CSV, Markdown or text file, or a folder of them.")
    ],
    location: Location = DEFAULT_LOCATION,
    collection: Collection = "passages",
    bundle: Bundle = None,
    api_key: ApiKey = None,
    tenant: Tenant = None,
    overlap: Annotated[
        int | None,
        typer.Option(
            help="Tokens that two chunks of a long text share.",
            show_default="an eighth of what the encoder reads",
        ),
    ] = None,
    contradictions: Annotated[
        bool,
        typer.Option(
            "--contradictions",
            help="Also store what the command `contradictions` searches by; stays on.",
        ),
    ] = False,
) -> None:
    """Reads documents, splits the long ones, and stores them with their vectors.

    Run it again after a change, or after it was stopped: what is unchanged is skipped, and passages
    that are no longer in a file are removed.
    """
    reading = read_documents(path)
    encoder = open_encoder(bundle)
    splitter = Splitter.for_encoder(encoder, overlap)
    reopen = partial(open_index, encoder, location, api_key=api_key, tenant=tenant)
    if contradictions:
        settings_for(encoder.specs)
        collection = _with_contradictions(reopen, collection, encoder)
    with reopen(collection=collection, create=True) as passages, progress("passages") as advance:
        report = passages.add(
            splitter.split(reading), progress=advance, keep_sources=reading.incomplete
        )
    out.print(
        f"{report.added} added, {report.updated} updated, {report.unchanged} unchanged, "
        f"{report.removed} removed: collection {collection!r} in {location}",
        highlight=False,
        markup=False,
        soft_wrap=True,
    )
    _report_left_out(reading)
    if reading.errors:
        raise typer.Exit(ExitCode.PARTIAL)


def _with_contradictions(
    reopen: Callable[..., PassageIndex], collection: str, encoder: Encoder
) -> str:
    """Makes the collection with the vector, or adds it to one that is there; where it is then."""
    with suppress(MissingVectorError):
        reopen(collection=collection, create=True, vectors=list(encoder.specs)).close()
        return collection
    with reopen(collection=collection, create=False) as found, progress("back-fill") as advance:
        if CONTRADICTION in found.vectors:
            return collection
        report = found.backfill([CONTRADICTION], progress=advance)
    say("back-filled", f"{report.filled} stored passages, in collection {report.collection!r}")
    return report.collection


def _report_left_out(reading: Reading) -> None:
    for extension, count in sorted(reading.skipped.items()):
        say("skipped", f"{count} with extension {extension or '(none)'}: no reader")
    for error in reading.errors[:SHOWN_ERRORS]:
        say("left out", str(error))
    if len(reading.errors) > SHOWN_ERRORS:
        say("left out", f"and {len(reading.errors) - SHOWN_ERRORS} more")
