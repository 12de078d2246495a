"""Rows of CSV and TSV, whose first row names the columns."""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import chain
from typing import IO

from logic_retrievers.documents.files import (
    LONGEST_LINE,
    Line,
    SourceFile,
    read_lines,
    undecodable,
)
from logic_retrievers.documents.formats import (
    ID_KEYS,
    TEXT_KEYS,
    Record,
    find_columns,
    join_keys,
    no_text,
)
from logic_retrievers.documents.front_matter import read_number
from logic_retrievers.errors import ReadError

LONGEST_CELL = 2**24
"""Characters; Python's own limit of 131,072 is shorter than real documents."""
MAX_COLUMNS = 1_000
_DELIMITERS = ",;\t|"


def read_csv(file: SourceFile, stream: IO[bytes]) -> Iterator[Record | ReadError]:
    """A record or an error for every row that is not blank; one row in memory at a time.

    An empty cell counts as absent, and a number as a number. A quote that is never closed makes one
    bad row of all that follows, up to 16 MiB, behind which the file is not read.

    Raises:
        ReadError: the header is missing, too wide, or lacks a column that is needed.
    """
    # The limit is global in the process; it is only ever raised.
    csv.field_size_limit(max(csv.field_size_limit(), LONGEST_CELL))
    lines = read_lines(file, stream)
    first = next((line for line in lines if isinstance(line, ReadError) or line.raw.strip()), None)
    if first is None:
        raise file.error("is empty; the first row must name the columns")
    if isinstance(first, ReadError):
        raise first
    if b"\r" in first.raw.rstrip(b"\r\n"):
        parts = _split_at_returns(first)
        first = next(part for part in parts if part.raw.strip())
        lines = chain(parts, lines)
    delimiter = file.format.delimiter or _find_delimiter(first, file)
    rows = _read_rows(chain([first], lines), delimiter, file)
    header = next(rows)
    if isinstance(header, ReadError):
        raise header
    columns = _names(header[1])
    kept = _check_header(columns, file)
    as_written = {*kept, *find_columns(columns, ["title"], None)}
    for row in rows:
        if isinstance(row, ReadError):
            yield row
        elif len(row[1]) == len(columns):
            # An empty cell of these is kept, so that it is not reported as a missing column.
            cells = zip(columns, row[1], strict=True)
            values = {
                name: cell if name in as_written else read_number(cell)
                for name, cell in cells
                if name and (cell or name in kept)
            }
            yield Record(values, row[0])
        else:
            yield file.error(
                f"{len(row[1])} cells where the header has {len(columns)}; "
                f"put quotes around a cell with line ends or {delimiter!r}",
                row[0],
            )


def _split_at_returns(line: Line) -> Iterator[Line]:
    """The lines of an old Mac's file, which is one line to others."""
    offset = line.offset
    for number, raw in enumerate(line.raw.splitlines(keepends=True), line.number):
        yield Line(raw, number, offset)
        offset += len(raw)


def _find_delimiter(header: Line, file: SourceFile) -> str:
    """What separates the text's column from others, else what makes the most columns."""
    if file.path.suffix.lower() == ".tsv":
        return "\t"
    line = header.raw.decode("utf-8", "replace")
    columns = {mark: _names(next(csv.reader([line], delimiter=mark))) for mark in _DELIMITERS}
    named = file.format.text_column
    having = [mark for mark, names in columns.items() if find_columns(names, TEXT_KEYS, named)]
    return max(having or columns, key=lambda mark: len(columns[mark]))


def _names(cells: list[str]) -> list[str]:
    return [cell.strip() for cell in cells]


def _check_header(columns: list[str], file: SourceFile) -> set[str]:
    """The columns of text, id and source, which are texts, even of digits alone.

    Raises:
        ReadError: there are too many, two of one name, or one that is needed is not there.
    """
    if len(columns) > MAX_COLUMNS:
        raise file.error(f"{len(columns):,} columns; at most {MAX_COLUMNS:,} are read", 1)
    repeated = [name for name, count in Counter(columns).items() if name and count > 1]
    if repeated:
        raise file.error(f"two columns are called {repeated[0]!r}; rename one", 1)
    named = file.format
    texts = find_columns(columns, TEXT_KEYS, named.text_column)[:1]
    if not texts:
        raise file.error(no_text(columns, named.text_column), 1)
    for name in (named.id_column, named.source_column):
        if name is not None and name not in columns:
            raise file.error(f"no column {name!r}; the columns are {join_keys(columns)}", 1)
    ids = find_columns(columns, ID_KEYS, named.id_column)
    return {*texts, *ids, *([named.source_column] if named.source_column else [])}


def _read_rows(
    lines: Iterable[Line | ReadError], delimiter: str, file: SourceFile
) -> Iterator[tuple[int, list[str]] | ReadError]:
    """Rows with the number of their first line."""
    of_row: list[Line] = []
    too_long: list[ReadError] = []

    def feed() -> Iterator[str]:
        for line in lines:
            if isinstance(line, ReadError):
                too_long.append(line)
                continue
            of_row.append(line)
            if line.offset + len(line.raw) - of_row[0].offset > LONGEST_LINE:
                raise file.error(
                    f"a row of more than {LONGEST_LINE:,} bytes, if its quotes are closed; what "
                    "follows is not read",
                    of_row[0].number,
                )
            # Bytes that are not UTF-8 pass through as surrogates: only their own row is lost.
            yield line.raw.decode("utf-8", errors="surrogateescape")

    parser = csv.reader(feed(), delimiter=delimiter, strict=True)
    while True:
        of_row.clear()
        try:
            cells = next(parser, None)
        except csv.Error as error:
            to = f"; left out up to line {of_row[-1].number}" if len(of_row) > 1 else ""
            yield file.error(f"not a CSV row: {error}{to}", of_row[0].number)
            continue
        finally:
            yield from too_long
            too_long.clear()
        if cells is None:
            return
        if problem := _decoding_problem(of_row, file):
            yield file.error(problem, of_row[0].number)
        elif cells:
            yield of_row[0].number, cells


def _decoding_problem(lines: Iterable[Line], file: SourceFile) -> str | None:
    for line in lines:
        try:
            line.raw.decode("utf-8")
        except UnicodeDecodeError as error:
            return undecodable(file, line.raw[error.start], line.offset + error.start)
    return None
