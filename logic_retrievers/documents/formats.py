"""Readers of JSONL, CSV, Markdown and text: each yields records, or an error for each bad row."""

from __future__ import annotations

import csv
import json
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import IO, Any, NoReturn, TypeAlias

from logic_retrievers.documents.files import Line, SourceFile, not_utf8, read_lines, read_text
from logic_retrievers.documents.front_matter import read_number, split_front_matter
from logic_retrievers.errors import ReadError

TEXT_KEYS = ("text", "page_content", "contents")

ID_KEYS = ("_id", "id")
_AS_WRITTEN = frozenset((*TEXT_KEYS, *ID_KEYS, "title"))
"""Columns that are texts, even of digits alone."""

LONGEST_CELL = 2**24
"""Characters; Python's own limit of 131,072 is shorter than real documents."""


@dataclass(frozen=True, slots=True)
class Record:
    """Named values of a row, or of a whole file.

    Args:
        values: as the file gives them.
        line: 1-based line where the row begins; ``None`` where the record is the whole file.
        rest: what follows the value ``text``, in blocks, where a file is too large to be held.
    """

    values: Mapping[str, Any]
    line: int | None = None
    rest: Iterable[str] = ()


RecordReader: TypeAlias = Callable[[SourceFile, IO[bytes]], Iterator[Record | ReadError]]


def read_jsonl(file: SourceFile, stream: IO[bytes]) -> Iterator[Record | ReadError]:
    """A record or an error for every line that is not blank; one line in memory at a time."""
    for line in read_lines(file, stream):
        if isinstance(line, ReadError):
            yield line
        elif line.raw.strip():
            yield _parse_json_line(line, file)


def _parse_json_line(line: Line, file: SourceFile) -> Record | ReadError:
    try:
        values = json.loads(line.raw.decode("utf-8"), parse_constant=_refuse_constant)
        if b"\\ud" in line.raw.lower():  # JSON can escape lone surrogates, which nobody accepts
            json.dumps(values, ensure_ascii=False).encode("utf-8")
    except UnicodeDecodeError as error:
        problem = not_utf8(line.raw[error.start], line.offset + error.start)
    except UnicodeEncodeError:
        problem = "an escape is half a character (a lone surrogate, \\ud800 to \\udfff)"
    except json.JSONDecodeError as error:
        problem = f"not valid JSON: {error.msg} at character {error.pos + 1}"
    except (ValueError, RecursionError) as error:
        problem = f"not valid JSON: {error}"
    else:
        if isinstance(values, dict):
            return Record(values, line.number)
        problem = f"a row must be an object, not {type(values).__name__}"
    return file.error(problem, line.number)


def _refuse_constant(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is not a JSON number")


def read_csv(file: SourceFile, stream: IO[bytes]) -> Iterator[Record | ReadError]:
    """A record or an error for every row that is not blank; one row in memory at a time.

    An empty cell counts as absent, and a number as a number. Where a quote is never closed, the row
    that opens it is an error and reading continues on the next line, so that the quote does not
    swallow the rest.

    Raises:
        ReadError: the header is missing or has no column for the text.
    """
    # The limit is global in the process; it is only ever raised.
    csv.field_size_limit(max(csv.field_size_limit(), LONGEST_CELL))
    rows = _csv_rows(read_lines(file, stream), file)
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
            yield Record(_row_values(columns, cells), number)
        else:
            yield file.error(
                f"{len(cells)} cells where the header has {len(columns)}; "
                "put quotes around a cell with commas or line ends",
                number,
            )


def _row_values(columns: Sequence[str], cells: Sequence[str]) -> dict[str, Any]:
    pairs = zip(columns, cells, strict=True)
    # An empty text is kept, so that it is reported as empty and not as a missing column.
    return {
        name: cell if name in _AS_WRITTEN else read_number(cell)
        for name, cell in pairs
        if (name and cell) or name in TEXT_KEYS
    }


def _check_header(columns: list[str], file: SourceFile) -> None:
    if not set(TEXT_KEYS) & set(columns):
        raise file.error(
            f"no column is called {' or '.join(TEXT_KEYS)}; the columns are "
            f"{', '.join(columns)[:200]} (separated by commas?)",
            1,
        )
    repeated = [name for name in columns if name and columns.count(name) > 1]
    if repeated:
        raise file.error(f"two columns are called {repeated[0]!r}; rename one", 1)


def _csv_rows(
    lines: Iterable[Line | ReadError], file: SourceFile
) -> Iterator[tuple[int, list[str]] | ReadError]:
    """Rows with the number of their first line."""
    unread = iter(lines)
    again: deque[Line] = deque()  # lines to be read a second time, after an error
    of_row: list[Line] = []
    too_long: list[ReadError] = []

    def feed() -> Iterator[str]:
        while line := again.popleft() if again else next(unread, None):
            if isinstance(line, ReadError):
                too_long.append(line)
                continue
            of_row.append(line)
            # Bytes that are not UTF-8 pass through as surrogates: only their own row is lost.
            yield line.raw.decode("utf-8", errors="surrogateescape")

    parser = csv.reader(feed(), strict=True)
    while True:
        of_row.clear()
        yield from too_long
        too_long.clear()
        try:
            cells = next(parser)
        except StopIteration:
            yield from too_long
            return
        except csv.Error as error:
            again.extendleft(reversed(of_row[1:]))
            parser = csv.reader(feed(), strict=True)
            yield file.error(f"not a CSV row: {error}", of_row[0].number)
            continue
        if problem := _decoding_problem(of_row):
            yield file.error(problem, of_row[0].number)
        elif cells:
            yield of_row[0].number, cells


def _decoding_problem(lines: Iterable[Line]) -> str | None:
    for line in lines:
        try:
            line.raw.decode("utf-8")
        except UnicodeDecodeError as error:
            return not_utf8(line.raw[error.start], line.offset + error.start)
    return None


def read_markdown(file: SourceFile, stream: IO[bytes]) -> Iterator[Record]:
    """The only record of a Markdown file; its front matter ends in the first MiB."""
    text, rest = read_text(file, stream)
    values, body = split_front_matter(text)
    if "title" in values:
        values["title"] = str(values["title"])  # also where it is a year
    yield Record({**values, "text": body}, rest=rest)


def read_plain(file: SourceFile, stream: IO[bytes]) -> Iterator[Record]:
    """The only record of a text file."""
    text, rest = read_text(file, stream)
    yield Record({"text": text}, rest=rest)
