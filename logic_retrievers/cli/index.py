"""The commands that write a collection: ``index``, ``backfill`` and ``reindex``."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer import Argument, Option

from logic_retrievers.cli.console import AsJson, ExitCode, print_result, print_status, progress_bar
from logic_retrievers.cli.options import (
    FileOptions,
    NewCollection,
    StoredCollection,
    as_command,
    open_encoder,
)
from logic_retrievers.errors import MissingVectorError
from logic_retrievers.progress import Progress

if TYPE_CHECKING:
    from logic_retrievers.encoders import Encoder
    from logic_retrievers.index import BackfillReport, PassageIndex

MAX_SHOWN_ERRORS = 20


@as_command
def index(
    path: Annotated[
        Path,
        Argument(
            help="A file or a folder: JSON, CSV, Markdown, text; with the extra `files` also PDF, "
            "DOCX, HTML."
        ),
    ],
    overlap: Annotated[
        int | None,
        Option(
            help="Tokens that two chunks of a long text share.",
            show_default="an eighth of what the encoder reads",
        ),
    ] = None,
    no_lexical: Annotated[
        bool, Option("--no-lexical", help="Store no words in a new collection.")
    ] = False,
    language: Annotated[
        str | None, Option(help="Language of the words: german, ...", show_default="english")
    ] = None,
    contradictions: Annotated[
        bool,
        Option(
            "--contradictions",
            help="Also store the vector that the command `contradictions` searches; stays on.",
        ),
    ] = False,
    precision: Annotated[
        str,
        Option(metavar="float32|int8", help="int8 encodes faster where the processor can."),
    ] = "float32",
    as_json: AsJson = False,
    *,
    files: FileOptions,
    new: NewCollection,
    stored: StoredCollection,
) -> None:
    """Read documents, split the long ones, and store them with their vectors.

    Run it again after a change or an interruption: unchanged passages are skipped, and passages
    that are no longer in a file are removed.
    """
    from logic_retrievers.conflicts.settings import merge_constants
    from logic_retrievers.documents import Splitter, read_documents

    settings: dict[str, Any] = {
        "lexical": False if no_lexical else language,
        "collection_options": new.options(),
    }
    documents = read_documents(path, **asdict(files))
    encoder = open_encoder(stored.bundle, precision=precision)
    splitter = Splitter.for_encoder(encoder, overlap)
    if contradictions:
        merge_constants(encoder.specs)
        _ensure_contradiction_vector(stored, encoder, settings)
    with (
        stored.open(encoder, create=True, **settings) as passages,
        progress_bar("passages") as show,
    ):

        def show_share(progress: Progress) -> None:
            read = documents.read_bytes / max(1, documents.total_bytes)
            show(replace(progress, share=read * progress.done / progress.read))

        chunks, kept = splitter.split(documents), documents.incomplete
        report = passages.add(chunks, replace_sources=True, keep_sources=kept, progress=show_share)
    print_result(
        {
            "collection": stored.collection,
            "location": stored.location,
            **asdict(report),
            "skipped": dict(documents.skipped),
            "left_out": [str(error) for error in documents.errors],
        },
        f"{report.added} added, {report.updated} updated, {report.unchanged} unchanged, "
        f"{report.removed} removed: collection {stored.collection!r} in {stored.location}",
        as_json=as_json,
    )
    for extension, count in sorted(documents.skipped.items()):
        print_status("skipped", f"{count} with extension {extension or '(none)'}: no reader")
    for error in documents.errors[:MAX_SHOWN_ERRORS]:
        print_status("left out", str(error))
    if len(documents.errors) > MAX_SHOWN_ERRORS:
        print_status("left out", f"and {len(documents.errors) - MAX_SHOWN_ERRORS} more")
    if documents.errors:
        raise typer.Exit(ExitCode.PARTIAL)


def _ensure_contradiction_vector(
    stored: StoredCollection, encoder: Encoder, settings: dict[str, Any]
) -> None:
    """Create the collection with the contradiction vector, or add the vector to an existing one."""
    from logic_retrievers.conflicts.settings import CONTRADICTION

    with suppress(MissingVectorError):
        stored.open(encoder, create=True, vectors=list(encoder.specs), **settings).close()
        return
    with stored.open(encoder) as existing:
        if CONTRADICTION not in existing.vectors:
            report = _run_backfill(existing, [CONTRADICTION])
            print_status("back-filled", _describe_backfill(report))


@as_command
def backfill(
    vectors: Annotated[
        list[str], Argument(metavar="VECTOR...", help="compatibility, contradiction or lexical.")
    ],
    as_json: AsJson = False,
    *,
    stored: StoredCollection,
) -> None:
    """Make vectors that the stored passages of a collection lack.

    If interrupted, run the same command again.
    """
    with stored.open() as passages:
        report = _run_backfill(passages, vectors)
    print_result(asdict(report), _describe_backfill(report), as_json=as_json)


def _run_backfill(passages: PassageIndex, names: Sequence[str]) -> BackfillReport:
    with progress_bar("back-fill") as show:
        return passages.backfill(names, progress=show)


def _describe_backfill(report: BackfillReport) -> str:
    if not report.vectors:
        return f"collection {report.collection!r} has them already"
    names = ", ".join(report.vectors)
    return f"{names} of {report.filled} stored passages, in collection {report.collection!r}"


@as_command
def reindex(
    into: Annotated[str, Argument(help="Name of the second collection.")],
    new_bundle: Annotated[
        Path | None,
        Option(
            help="Encoder of the second collection; --bundle is that of the first.",
            show_default="that of the first",
        ),
    ] = None,
    alias: Annotated[
        str | None,
        Option(help="A name that leads to the second collection at the end; on a server."),
    ] = None,
    language: Annotated[
        str | None,
        Option(help="Language of the words: german, ...", show_default="as in the first"),
    ] = None,
    dry_run: Annotated[
        bool, Option("--dry-run", help="Write nothing; estimate time and space.")
    ] = False,
    as_json: AsJson = False,
    *,
    new: NewCollection,
    stored: StoredCollection,
) -> None:
    """Make a second collection of all passages, with another encoder or settings.

    Searches and writes can go on meanwhile; at the end the second collection has all changes. If
    interrupted, run the same command again.
    """
    settings: dict[str, Any] = {} if language is None else {"lexical": language}
    if options := new.options():
        settings["collection_options"] = options
    encoder = None if new_bundle is None else open_encoder(new_bundle)
    with stored.open(reads=dry_run) as passages, progress_bar("passages") as show:
        report = passages.reindex(
            into, encoder, alias=alias, dry_run=dry_run, progress=show, **settings
        )
    switched = f", which {report.alias!r} leads to" if report.alias is not None else ""
    line = (
        f"{report.written} written, {report.removed} removed: {report.passages} passages in"
        f" collection {report.collection!r}{switched}"
    )
    if report.bytes is not None:
        line = (
            f"{report.passages} passages: some {report.seconds / 60:.0f} minutes, and"
            f" {report.bytes / 2**20:.0f} MiB more on the disk"
        )
    print_result(asdict(report), line, as_json=as_json)
