"""``logic-retrievers score-pairs FILE``."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from logic_retrievers.cli.console import print_json, report_errors
from logic_retrievers.cli.input_file import open_input
from logic_retrievers.cli.options import Bundle, open_encoder
from logic_retrievers.errors import ReadError

if TYPE_CHECKING:
    from logic_retrievers.documents.files import SourceFile
    from logic_retrievers.documents.formats import Record

FIELDS = ("sentence_a", "sentence_b")
SCORES = ("score", "probability", "cosine", "sparsity")
BATCH_SIZE = 512


@report_errors
def score_pairs(
    file: Annotated[
        Path,
        typer.Argument(
            metavar="FILE", help="JSON lines with sentence_a and sentence_b; - for standard input."
        ),
    ],
    bundle: Bundle = None,
) -> None:
    """Scores how much two sentences contradict each other, row by row.

    Prints the same rows as JSON lines, in their order, with score, probability, cosine and sparsity
    added. Rows are read and printed in batches; one that cannot be used ends the command before
    anything of its batch is printed.
    """
    from logic_retrievers.contradiction import ContradictionScorer

    scorer = ContradictionScorer(open_encoder(bundle))
    rows = _read_rows(file)
    while batch := list(islice(rows, BATCH_SIZE)):
        pairs = [(row[FIELDS[0]], row[FIELDS[1]]) for row in batch]
        for row, pair_score in zip(batch, scorer.score(pairs), strict=True):
            scores = {name: getattr(pair_score, name) for name in SCORES}
            print_json({**row, **scores}, indent=None)


def _read_rows(path: Path) -> Iterator[dict[str, Any]]:
    """The rows of the file, checked.

    Raises:
        ReadError: the file, or a row of it, cannot be used; the message names file and line.
    """
    from logic_retrievers.documents.formats import read_jsonl

    with open_input(path) as (file, stream):
        for record in read_jsonl(file, stream):
            if isinstance(record, ReadError):
                raise record
            yield _validate(record, file)


def _validate(record: Record, file: SourceFile) -> dict[str, Any]:
    for field in FIELDS:
        text = record.values.get(field)
        if not isinstance(text, str):
            problem = "is missing" if field not in record.values else f"is {type(text).__name__}"
            raise file.error(f"{field} {problem}; it must be a text", record.line)
        if not text.strip():
            raise file.error(f"{field} is empty", record.line)
    return dict(record.values)
