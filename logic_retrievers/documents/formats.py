"""Readers of JSONL, CSV, Markdown and text: each yields records, or an error for each bad row."""

from __future__ import annotations

import csv
import json
import re
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import IO, Any, NoReturn, TypeAlias

from logic_retrievers.documents.files import Line, SourceFile, not_utf8, read_lines, read_text
from logic_retrievers.errors import ReadError

TEXT_KEYS = ("text", "page_content", "contents")

LONGEST_CELL = 2**24
"""Characters; Python's own limit of 131,072 is shorter than real documents."""

_FRONT_MATTER = re.compile(r"---[ \t]*\r?\n(.*?\n)??---[ \t]*(?:\r?\n|\Z)", re.DOTALL)
_ENTRY = re.compile(r"([\w.-]+)[ \t]*:(?:[ \t]+(.*))?")
_ITEM = re.compile(r"[ \t]*-[ \t]+(.*)")


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


def read_jsonl(file: SourceFile, stream: IO[bytes] | None = None) -> Iterator[Record | ReadError]:
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

    An empty cell counts as absent. Where a quote is never closed, the row that opens it is an error
    and reading continues on the next line, so that the quote does not swallow the rest.

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
            pairs = zip(columns, cells, strict=True)
            # An empty text is kept, so that it is reported as empty and not as a missing column.
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
    yield Record({**values, "text": body}, rest=rest)


def split_front_matter(text: str) -> tuple[dict[str, Any], str]:
    """Front matter and the rest.

    Understands the part of YAML that is common there: ``key: value``, ``key: [a, b]``, a key with
    ``- item`` lines below, and comments; values stay strings. Front matter with anything else stays
    in the text, so that nothing is lost.
    """
    match = _FRONT_MATTER.match(text)
    if match is None:
        return {}, text
    values: dict[str, Any] = {}
    key = ""
    for line in (match[1] or "").splitlines():
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        if entry := _ENTRY.fullmatch(line):
            key = entry[1]
            values[key] = _parse_value((entry[2] or "").strip())
        elif (item := _ITEM.fullmatch(line)) and key and isinstance(values[key] or [], list):
            values[key] = [*(values[key] or []), _unquote(item[1])]
        else:
            return {}, text
    return values, text[match.end() :]


def _parse_value(text: str) -> str | list[str]:
    if text.startswith("[") and text.endswith("]"):
        return [_unquote(part) for part in text[1:-1].split(",") if part.strip()]
    return _unquote(text)


def _unquote(text: str) -> str:
    text = text.strip()
    if len(text) > 1 and text[0] == text[-1] and text[0] in "\"'":
        return text[1:-1]
    return text


def read_plain(file: SourceFile, stream: IO[bytes]) -> Iterator[Record]:
    """The only record of a text file."""
    text, rest = read_text(file, stream)
    yield Record({"text": text}, rest=rest)
