"""Readers of JSON and CSV, whose rows are passages, and of Markdown and text."""

from __future__ import annotations

import csv
import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import closing
from itertools import chain
from typing import IO, Any, NoReturn

import yaml

from logic_retrievers.documents.files import (
    ID_KEYS,
    LONGEST_LINE,
    TEXT_KEYS,
    Record,
    SourceFile,
    check_bytes,
    find_columns,
    join_keys,
    no_text,
    open_text,
    read_lines,
    read_text,
)
from logic_retrievers.errors import ReadError
from logic_retrievers.validation import MAX_DEPTH

MAX_COLUMNS = 1_000
LONGEST_FRONT_MATTER = 2**14  # characters; PyYAML reads some 50,000 a second

# How a file begins that is a list, or whose first object goes on in the next line.
_NO_LINES = re.compile(r"\s*(?:\[\s*(?:\{|\Z)|\{[ \t\r]*\n)")
_BEFORE_FIRST = re.compile(r"\s*\[?[\s,]*")
_BETWEEN = re.compile(r"[\s,]*")
_DELIMITERS = ",;\t|"
# "007", "+47" and numbers that a float cannot hold are texts: their digits are what counts.
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]{0,14})(?:\.[0-9]{1,15})?")
_FRONT_MATTER = re.compile(r"---[ \t]*\r?\n(.*?\n)??---[ \t]*(?:\r?\n|\Z)", re.DOTALL)
_TEXT_WITH_COLON = re.compile(r"^([\w.-]+):[ \t]+([^\s\[{\"'|>&*!#].*:[ \t].*)$", re.M)


def read_jsonl(file: SourceFile, stream: IO[bytes]) -> Iterator[Record | ReadError]:
    """A record or an error for every line that is not blank; one line in memory at a time.

    A file that begins with a list, or with an object of several lines, is read as such.
    """
    begin = stream.read(4096).decode(file.format.encoding, "ignore").removeprefix("\ufeff")
    stream.seek(0)
    if _NO_LINES.match(begin) and _begins_with_value(file, stream):
        yield from read_json(file, stream)
        return
    stream.seek(0)
    for line in read_lines(file, stream):
        if isinstance(line, ReadError):
            yield line
        elif line[1].strip():
            yield _parse(file, line[1], line[0])


def _begins_with_value(file: SourceFile, stream: IO[bytes]) -> bool:
    """Whether the first value of a list or a sequence is JSON; a bad line costs no good one."""
    with open_text(file, stream, "") as text:
        begin = text.read(LONGEST_LINE)
    stream.seek(0)
    before = _BEFORE_FIRST.match(begin)
    try:
        json.JSONDecoder().raw_decode(begin, before.end() if before else 0)
    except (ValueError, RecursionError):
        return False
    return True


def read_json(file: SourceFile, stream: IO[bytes]) -> Iterator[Record | ReadError]:
    """A record or an error for every object of a list, or of a sequence, up to a syntax error.

    Default ids count the objects.
    """
    text, decode = read_text(file, stream), json.JSONDecoder().raw_decode
    place, line, number, is_list = 0, 1, 0, False
    while True:
        if between := _BETWEEN.match(text, place):
            line, place = line + between[0].count("\n"), between.end()
        if text.startswith("]" if is_list else "[", place):
            is_list, place = not is_list, place + 1
            continue
        if place == len(text) and not is_list:
            return
        try:
            _, end = decode(text, place)
        except json.JSONDecodeError as error:
            at = line + text.count("\n", place, error.pos)
            end = text.find("\n", error.pos) + 1 or len(text)
            for read, row in enumerate(text[place:end].split("\n"), start=line):
                check_bytes(file, row, read)  # the cause, where there is one
            raise file.error(f"not valid JSON: {error.msg}", at) from None
        except (ValueError, RecursionError) as error:
            raise file.error(f"not valid JSON: {error}", line) from None
        number += 1
        yield _parse(file, text[place:end], line, number)
        line, place = line + text.count("\n", place, end), end


def _parse(file: SourceFile, row: str, line: int, number: int | None = None) -> Record | ReadError:
    try:
        check_bytes(file, row, line)
        values = json.loads(row, parse_constant=_refuse_constant)
    except ReadError as error:
        return error
    except json.JSONDecodeError as error:
        return file.error(f"not valid JSON: {error.msg} at character {error.pos + 1}", line)
    except (ValueError, RecursionError) as error:
        return file.error(f"not valid JSON: {error}", line)
    if isinstance(values, dict):
        return Record(values, line, number)
    return file.error(f"a row must be an object, not {type(values).__name__}", line)


def _refuse_constant(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is not a JSON number")


def read_csv(file: SourceFile, stream: IO[bytes]) -> Iterator[Record | ReadError]:
    """A record or an error for every row that is not blank; one row in memory at a time.

    An empty cell counts as absent, and a number as a number. A quote that is never closed makes one
    bad row of all that follows, up to 16 MiB, behind which the file is not read.

    Raises:
        ReadError: the header is missing, too wide, or lacks a column that is needed.
    """
    # Python's own limit, 131,072 characters, is shorter than real documents. It is global in the
    # process; it is only ever raised.
    csv.field_size_limit(max(csv.field_size_limit(), LONGEST_LINE))
    with closing(read_lines(file, stream, "")) as lines:
        yield from _read_table(file, lines)


def _read_table(
    file: SourceFile, lines: Iterator[tuple[int, str] | ReadError]
) -> Iterator[Record | ReadError]:
    first = next((line for line in lines if isinstance(line, ReadError) or line[1].strip()), None)
    if first is None:
        raise file.error("is empty; the first row must name the columns")
    if isinstance(first, ReadError):
        raise first
    delimiter = file.format.delimiter or _find_delimiter(first[1], file)
    rows = _read_rows(file, chain([first], lines), delimiter)
    header = next(rows)
    if isinstance(header, ReadError):
        raise header
    columns = [cell.strip() for cell in header[1]]
    kept = _check_header(columns, file)
    as_written = {*kept, *find_columns(columns, ["title"], None)}
    for row in rows:
        if isinstance(row, ReadError):
            yield row
            continue
        number, cells = row
        if len(cells) == len(columns):
            # An empty cell of these is kept, so that it is not reported as a missing column.
            values = {
                name: cell if name in as_written else read_number(cell)
                for name, cell in zip(columns, cells, strict=True)
                if name and (cell or name in kept)
            }
            yield Record(values, number)
        else:
            yield file.error(
                f"{len(cells)} cells where the header has {len(columns)}; "
                f"put quotes around a cell with line ends or {delimiter!r}",
                number,
            )


def _find_delimiter(header: str, file: SourceFile) -> str:
    """What separates the text's column from others, else what makes the most columns."""
    if file.path.suffix.lower() == ".tsv":
        return "\t"
    rows = {mark: next(csv.reader([header], delimiter=mark)) for mark in _DELIMITERS}
    columns = {mark: [cell.strip() for cell in row] for mark, row in rows.items()}
    named = file.format.text_column
    having = [mark for mark, names in columns.items() if find_columns(names, TEXT_KEYS, named)]
    return max(having or columns, key=lambda mark: len(columns[mark]))


def _check_header(columns: list[str], file: SourceFile) -> set[str]:
    """The columns of text, id and source, which are texts, even of digits alone."""
    if len(columns) > MAX_COLUMNS:
        raise file.error(f"{len(columns):,} columns; at most {MAX_COLUMNS:,} are read", 1)
    repeated = [name for name, count in Counter(columns).items() if name and count > 1]
    if repeated:
        raise file.error(f"two columns are called {repeated[0]!r}; rename one", 1)
    named = file.format
    texts = find_columns(columns, TEXT_KEYS, named.text_column)[:1]
    if not texts:
        raise file.error(no_text(columns, named.text_column), 1)
    given = [name for name in (named.id_column, named.source_column) if name is not None]
    for name in given:
        if name not in columns:
            raise file.error(f"no column {name!r}; the columns are {join_keys(columns)}", 1)
    return {*texts, *given, *find_columns(columns, ID_KEYS, named.id_column)}


def _read_rows(
    file: SourceFile, lines: Iterable[tuple[int, str] | ReadError], delimiter: str
) -> Iterator[tuple[int, list[str]] | ReadError]:
    """Rows with the number of their first line."""
    start = last = size = 0
    too_long: list[ReadError] = []

    def feed() -> Iterator[str]:
        nonlocal start, last, size
        for line in lines:
            if isinstance(line, ReadError):
                too_long.append(line)
                continue
            last, text = line
            start, size = start or last, size + len(text)
            if size > LONGEST_LINE:
                raise file.error(
                    f"a row of more than {LONGEST_LINE:,} characters, if its quotes are closed; "
                    "what follows is not read",
                    start,
                )
            yield text

    parser = csv.reader(feed(), delimiter=delimiter, strict=True)
    while True:
        start = size = 0
        try:
            cells = next(parser, None)
        except csv.Error as error:
            yield file.error(f"not a CSV row: {error}; left out up to line {last}", start)
            continue
        finally:
            yield from too_long
            too_long.clear()
        if cells is None:
            return
        try:
            for cell in cells:
                check_bytes(file, cell, start)
        except ReadError as error:
            yield error
            continue
        if cells:
            yield start, cells


def read_plain(file: SourceFile, stream: IO[bytes]) -> Iterator[Record]:
    """The only record of a text file."""
    text = read_text(file, stream)
    try:
        check_bytes(file, text, 1)
    except ReadError:
        for number, line in enumerate(text.split("\n"), start=1):
            check_bytes(file, line, number)
    yield Record({"text": text})


def read_markdown(file: SourceFile, stream: IO[bytes]) -> Iterator[Record]:
    """The only record of a Markdown file."""
    for record in read_plain(file, stream):
        values, body = split_front_matter(record.values["text"])
        if "title" in values:
            values["title"] = str(values["title"])  # also where it is a year
        yield Record({**values, "text": body})


def read_number(text: str) -> int | float | str:
    """The number that a text is, or the text."""
    if _NUMBER.fullmatch(text) is None:
        return text
    return float(text) if "." in text else int(text)


def split_front_matter(text: str) -> tuple[dict[str, Any], str]:
    """Front matter (YAML between two lines of three dashes) and the rest.

    Numbers, ``true`` and ``false`` are such values; ``no``, ``007``, dates and everything else are
    texts, and a key without a value is left out. A text with a colon need not be quoted. YAML that
    is no mapping, malformed, too long, nested too deeply, or refers to itself (anchors) stays in
    the text, so that nothing is lost.
    """
    match = _FRONT_MATTER.match(text)
    source = (match and match[1]) or ""
    if match is None or len(source) > LONGEST_FRONT_MATTER:
        return {}, text
    for candidate in (source, _TEXT_WITH_COLON.sub(_quoted, source)):
        try:
            values = yaml.load(candidate, _Loader)  # a SafeLoader
            json.dumps(values)  # an explicit tag can make a set, bytes or a date
        except (yaml.YAMLError, ValueError, TypeError, RecursionError):
            continue
        if values is None:
            return {}, text[match.end() :]
        if isinstance(values, dict) and all(isinstance(key, str) for key in values):
            present = {key: value for key, value in values.items() if value is not None}
            return present, text[match.end() :]
    return {}, text


def _quoted(match: re.Match[str]) -> str:
    return f"{match[1]}: {json.dumps(match[2].rstrip(), ensure_ascii=False)}"


class _Loader(yaml.SafeLoader):
    """Texts, JSON's numbers and ``true`` or ``false``; no aliases, which can grow without bound."""

    _depth = 0
    yaml_implicit_resolvers: dict[str, list[tuple[str, re.Pattern[str]]]] = {}  # noqa: RUF012

    def compose_node(self, parent: yaml.Node | None, index: Any) -> yaml.Node | None:
        if self.check_event(yaml.AliasEvent):
            raise yaml.YAMLError("aliases are not read")
        self._depth += 1  # no index takes deeper values, and PyYAML takes the square of the levels
        if self._depth > MAX_DEPTH:
            raise yaml.YAMLError("nested too deeply")
        node = super().compose_node(parent, index)
        self._depth -= 1
        return node

    def construct_number(self, node: yaml.ScalarNode) -> int | float | str:
        return read_number(node.value)  # "1:30" is no number of sixties, "010" no octal one


for _tag, _pattern, _first in (
    ("null", r"~|null|", ["~", "n", ""]),
    ("bool", r"true|false", ["t", "f"]),
    ("float", _NUMBER.pattern, [*"-0123456789"]),
):
    _Loader.add_implicit_resolver(
        f"tag:yaml.org,2002:{_tag}", re.compile(rf"(?:{_pattern})\Z"), _first
    )
_Loader.add_constructor("tag:yaml.org,2002:float", _Loader.construct_number)
