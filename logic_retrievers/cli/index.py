"""``logic-retrievers index PATH``."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from logic_retrievers.cli.backfill import describe_backfill, run_backfill
from logic_retrievers.cli.console import (
    AsJson,
    ExitCode,
    out,
    print_json,
    print_status,
    progress_bar,
)
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

MAX_SHOWN_ERRORS = 20


@as_command
def index(
    path: Annotated[
        Path,
        typer.Argument(
            help="A file or a folder: JSON, CSV, Markdown, text; with the extra `files` also PDF, "
            "DOCX, HTML."
        ),
    ],
    overlap: Annotated[
        int | None,
        typer.Option(
            help="Tokens that two chunks of a long text share.",
            show_default="an eighth of what the encoder reads",
        ),
    ] = None,
    no_lexical: Annotated[
        bool, typer.Option("--no-lexical", help="Store no words in a new collection.")
    ] = False,
    language: Annotated[
        str | None,
        typer.Option(help="Language of the words: german, ...", show_default="english"),
    ] = None,
    contradictions: Annotated[
        bool,
        typer.Option(
            "--contradictions",
            help="Also store the vector that the command `contradictions` searches; stays on.",
        ),
    ] = False,
    as_json: AsJson = False,
    *,
    files: FileOptions,
    new: NewCollection,
    stored: StoredCollection,
) -> None:
    """Read documents, split the long ones, and store them with their vectors.

    Run it again after a change, or after it was stopped: unchanged passages are skipped, and
    passages that are no longer in a file are removed.
    """
    from logic_retrievers.contradiction.settings import merge_constants
    from logic_retrievers.documents import Splitter, read_documents

    options = new.options()
    documents = read_documents(path, **asdict(files))
    encoder = open_encoder(stored.bundle)
    words = False if no_lexical else language
    splitter = Splitter.for_encoder(encoder, overlap)
    if contradictions:
        merge_constants(encoder.specs)
        _ensure_contradiction_vector(stored, encoder, words, options)
    with (
        stored.open(encoder, create=True, lexical=words, collection_options=options) as passages,
        progress_bar("passages") as show,
    ):

        def show_share(progress: Progress) -> None:
            read = documents.read_bytes / max(1, documents.total_bytes)
            show(replace(progress, share=read * progress.done / progress.read))

        chunks, kept = splitter.split(documents), documents.incomplete
        report = passages.add(chunks, replace_sources=True, keep_sources=kept, progress=show_share)
    if as_json:
        print_json(
            {
                "collection": stored.collection,
                "location": stored.location,
                **asdict(report),
                "skipped": dict(documents.skipped),
                "left_out": [str(error) for error in documents.errors],
            }
        )
    else:
        out.print_line(
            f"{report.added} added, {report.updated} updated, {report.unchanged} unchanged, "
            f"{report.removed} removed: collection {stored.collection!r} in {stored.location}"
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
    stored: StoredCollection,
    encoder: Encoder,
    words: bool | str | None,
    options: Mapping[str, Any],
) -> None:
    """Create the collection with the vector, or add it to an existing one."""
    from logic_retrievers.contradiction.settings import CONTRADICTION

    with suppress(MissingVectorError):
        stored.open(
            encoder,
            create=True,
            vectors=list(encoder.specs),
            lexical=words,
            collection_options=options,
        ).close()
        return
    with stored.open(encoder) as existing:
        if CONTRADICTION not in existing.vectors:
            report = run_backfill(existing, [CONTRADICTION])
            print_status("back-filled", describe_backfill(report))
