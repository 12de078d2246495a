"""``logic-retrievers score-pairs FILE``."""

from __future__ import annotations

import json
import sys
import zlib
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Annotated, Any

import typer

from logic_retrievers.cli.options import Bundle, open_encoder
from logic_retrievers.cli.outcome import reports_errors
from logic_retrievers.contradiction import ContradictionScorer
from logic_retrievers.documents.files import SourceFile
from logic_retrievers.documents.readers.jsonl import read_jsonl
from logic_retrievers.documents.record import Record
from logic_retrievers.errors import ReadError

SIDES = ("sentence_a", "sentence_b")
ROWS_A_BATCH = 512


@reports_errors
def score_pairs(
    file: Annotated[
        Path,
        typer.Argument(
            metavar="FILE",
            help="JSON lines with sentence_a and sentence_b; - for standard input.",
        ),
    ],
    bundle: Bundle = None,
) -> None:
    """Scores how much two sentences contradict each other, row by row.

    Prints the same rows as JSON lines, in their order, with score, probability, cosine and sparsity
    added. Rows are read and printed in batches; one that cannot be used ends the command before
    anything of its batch is printed.
    """
    scorer = ContradictionScorer(open_encoder(bundle))
    rows = _rows(file)
    while batch := list(islice(rows, ROWS_A_BATCH)):
        pairs = [(row[SIDES[0]], row[SIDES[1]]) for row in batch]
        for row, found in zip(batch, scorer.score(pairs), strict=True):
            added = {
                "score": found.score,
                "probability": found.probability,
                "cosine": found.cosine,
                "sparsity": found.sparsity,
            }
            typer.echo(json.dumps({**row, **added}, ensure_ascii=False))


def _rows(path: Path) -> Iterator[dict[str, Any]]:
    """The rows of the file, checked.

    Raises:
        ReadError: the file, or a row of it, cannot be used; the message names file and line.
    """
    here = str(path) == "-"
    file = SourceFile(Path("standard input") if here else path, path.name)
    try:
        for record in read_jsonl(file, sys.stdin.buffer if here else None):
            if isinstance(record, ReadError):
                raise record
            yield _checked(record, file)
    except (OSError, EOFError, zlib.error) as error:
        raise file.error(f"cannot be read: {error}") from error


def _checked(record: Record, file: SourceFile) -> dict[str, Any]:
    for side in SIDES:
        text = record.values.get(side)
        if not isinstance(text, str):
            found = "is missing" if side not in record.values else f"is {type(text).__name__}"
            raise file.error(f"{side} {found}; it must be a text", record.line)
        if not text.strip():
            raise file.error(f"{side} is empty", record.line)
    return dict(record.values)
