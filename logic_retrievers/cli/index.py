"""``logic-retrievers index PATH``."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, replace
from enum import StrEnum
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
    report_errors,
)
from logic_retrievers.cli.options import StoredCollection, expand_options, open_encoder
from logic_retrievers.errors import MissingVectorError, ReadError
from logic_retrievers.progress import Progress

if TYPE_CHECKING:
    from logic_retrievers.encoders import Encoder
    from logic_retrievers.index import PassageIndex

MAX_SHOWN_ERRORS = 20


class Quantization(StrEnum):
    """Small forms of vectors."""

    INT8 = "int8"


@report_errors
@expand_options
def index(
    path: Annotated[
        Path,
        typer.Argument(
            help="A file or a folder: JSONL, CSV, Markdown, text; with the extra `files` also PDF, "
            "DOCX, HTML, EPUB."
        ),
    ],
    stored: StoredCollection,
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
    fast: Annotated[
        bool,
        typer.Option(
            "--fast",
            help="Store the topical vector and the words alone, in about half the time; run the "
            "same command without it to make the others.",
        ),
    ] = False,
    shards: Annotated[
        int | None, typer.Option(min=1, help="Of a new collection on a cluster.")
    ] = None,
    replicas: Annotated[
        int | None,
        typer.Option(min=1, help="Copies of each shard, on as many nodes: with two, one may die."),
    ] = None,
    quantize: Annotated[
        Quantization | None,
        typer.Option(help="Keep small vectors too; HNSW indexes of large collections use these."),
    ] = None,
    collection_options: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="JSON: how Qdrant keeps a new collection, by names of create_collection "
            "(hnsw_config, on_disk, strict_mode_config, ...).",
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Reads documents, splits the long ones, and stores them with their vectors.

    Run it again after a change, or after it was stopped: what is unchanged is skipped, and passages
    that are no longer in a file are removed.
    """
    from logic_retrievers.contradiction.settings import merge_constants
    from logic_retrievers.documents import Splitter, read_documents

    options = _collection_options(collection_options, shards, replicas, quantize)
    documents = read_documents(path)
    encoder = open_encoder(stored.bundle)
    words = False if no_lexical else language
    splitter = Splitter.for_encoder(encoder, overlap)
    if contradictions:
        merge_constants(encoder.specs)
        stored = _ensure_contradiction_vector(stored, encoder, words, options)
    with stored.open(encoder, create=True, lexical=words, collection_options=options) as passages:
        with progress_bar("passages") as show:

            def show_share(progress: Progress) -> None:
                read = documents.read_bytes / max(1, documents.total_bytes)
                show(replace(progress, share=read * progress.done / progress.read))

            chunks, kept = splitter.split(documents), documents.incomplete
            report = passages.add(chunks, progress=show_share, keep_sources=kept, fast=fast)
        incomplete = passages.incomplete
        if incomplete and not fast:
            _backfill(passages, incomplete)
    if as_json:
        print_json(
            {
                "collection": stored.collection,
                "location": stored.location,
                **asdict(report),
                "incomplete": [] if not fast else list(incomplete),
                "skipped": dict(documents.skipped),
                "left_out": [str(error) for error in documents.errors],
            }
        )
    else:
        out.print_line(
            f"{report.added} added, {report.updated} updated, {report.unchanged} unchanged, "
            f"{report.removed} removed: collection {stored.collection!r} in {stored.location}"
        )
    if incomplete and fast:
        print_status(
            "incomplete",
            f"{', '.join(incomplete)}: searches do without until the same command has run without"
            " --fast",
        )
    for extension, count in sorted(documents.skipped.items()):
        print_status("skipped", f"{count} with extension {extension or '(none)'}: no reader")
    for error in documents.errors[:MAX_SHOWN_ERRORS]:
        print_status("left out", str(error))
    if len(documents.errors) > MAX_SHOWN_ERRORS:
        print_status("left out", f"and {len(documents.errors) - MAX_SHOWN_ERRORS} more")
    if documents.errors:
        raise typer.Exit(ExitCode.PARTIAL)


def _collection_options(
    file: Path | None, shards: int | None, replicas: int | None, quantize: Quantization | None
) -> dict[str, Any]:
    """The options of a file, with those that the command line names in their place."""
    try:
        options = {} if file is None else json.loads(file.read_text("utf-8"))
    except (OSError, ValueError) as error:
        raise ReadError(f"--collection-options: {file} cannot be read as JSON: {error}") from error
    if not isinstance(options, dict):
        raise ReadError(f"--collection-options: {file} holds no JSON object")
    named = {
        "shard_number": shards,
        "replication_factor": replicas,
        "quantization_config": quantize and {"scalar": {"type": quantize.value}},
    }
    return {**options, **{name: value for name, value in named.items() if value is not None}}


def _ensure_contradiction_vector(
    stored: StoredCollection,
    encoder: Encoder,
    words: bool | str | None,
    options: Mapping[str, Any],
) -> StoredCollection:
    """Creates the collection with the vector, or adds it to an existing one; returns its name."""
    from logic_retrievers.contradiction.settings import CONTRADICTION

    with suppress(MissingVectorError):
        stored.open(
            encoder,
            create=True,
            vectors=list(encoder.specs),
            lexical=words,
            collection_options=options,
        ).close()
        return stored
    with stored.open(encoder) as existing:
        if CONTRADICTION in (*existing.vectors, *existing.incomplete):
            return stored
        return replace(stored, collection=_backfill(existing, [CONTRADICTION]))


def _backfill(passages: PassageIndex, names: Sequence[str]) -> str:
    """Makes vectors that passages lack; returns the name of the collection that has them."""
    report = run_backfill(passages, names)
    print_status("back-filled", describe_backfill(report))
    return report.collection
