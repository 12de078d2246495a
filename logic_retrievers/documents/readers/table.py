"""CSV: commas, a header in the first row, text in the column ``text``."""

from __future__ import annotations

import csv
from collections import deque
from collections.abc import Iterable, Iterator

from logic_retrievers.documents.files import SourceFile
from logic_retrievers.documents.readers.decoding import Line, not_utf8, read_lines
from logic_retrievers.documents.record import TEXT_KEYS, Record
from logic_retrievers.errors import ReadError

LONGEST_CELL = 2**24
"""Characters; Python's own limit of 131,072 is shorter than real documents."""


def read_csv(file: SourceFile) -> Iterator[Record | ReadError]:
    """A record or an error for every row that is not blank; one row in memory at a time.

    A cell that is empty counts as absent. Where a quote is never closed, the row that opens it is
    an error and reading goes on at the next line, so that the quote does not swallow the rest.

    Raises:
        ReadError: the header is missing or has no column for the text.
    """
    # The limit belongs to the process; it is only ever raised.
    csv.field_size_limit(max(csv.field_size_limit(), LONGEST_CELL))
    rows = _rows(read_lines(file), file)
    header = next(rows, None)
    if header is None:
        raise file.error("is empty; the first row must name the columns")
    if isinstance(header, ReadError):
        raise header
    columns = [name.strip() for name in header[1]]
    _check_header(columns, file)
    for row in rows:
        if isinstance(row, ReadError):
            yield row
            continue
        number, cells = row
        if len(cells) == len(columns):
            pairs = zip(columns, cells, strict=True)
            # An empty text stays, to be reported as empty and not as a missing column.
            yield Record({n: cell for n, cell in pairs if (n and cell) or n in TEXT_KEYS}, number)
        else:
            yield file.error(
                f"{len(cells)} cells where the header has {len(columns)}; "
                "put quotes around a cell with commas or line ends",
                number,
            )


def _check_header(columns: list[str], file: SourceFile) -> None:
    if not set(TEXT_KEYS) & set(columns):
        raise file.error(
            f"no column is called {' or '.join(TEXT_KEYS)}; the columns are "
            f"{', '.join(columns)[:200]} (separated by commas?)",
            1,
        )
    twice = [name for name in columns if name and columns.count(name) > 1]
    if twice:
        raise file.error(f"two columns are called {twice[0]!r}; rename one", 1)


def _rows(lines: Iterable[Line], file: SourceFile) -> Iterator[tuple[int, list[str]] | ReadError]:
    """Rows with the number of their first line."""
    ahead = iter(lines)
    again: deque[Line] = deque()
    taken: list[Line] = []

    def feed() -> Iterator[str]:
        while line := again.popleft() if again else next(ahead, None):
            taken.append(line)
            # Bytes that are not UTF-8 pass through as surrogates: only their own row is lost.
            yield line.raw.decode("utf-8", errors="surrogateescape")

    parser = csv.reader(feed(), strict=True)
    while True:
        taken.clear()
        try:
            cells = next(parser)
        except StopIteration:
            return
        except csv.Error as error:
            again.extendleft(reversed(taken[1:]))
            parser = csv.reader(feed(), strict=True)
            yield file.error(f"not a CSV row: {error}", taken[0].number)
            continue
        if problem := _bad_bytes(taken):
            yield file.error(problem, taken[0].number)
        elif cells:
            yield taken[0].number, cells


def _bad_bytes(lines: Iterable[Line]) -> str | None:
    for line in lines:
        try:
            line.raw.decode("utf-8")
        except UnicodeDecodeError as error:
            return not_utf8(line.raw[error.start], line.offset + error.start)
    return None
