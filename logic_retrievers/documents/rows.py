"""Read JSON and CSV, whose rows become passages, and Markdown and text."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Iterator
from itertools import chain
from typing import IO, Any

import yaml

from logic_retrievers.documents.files import (
    ID_KEYS,
    LONGEST_LINE,
    TEXT_KEYS,
    Problem,
    Record,
    SourceFile,
    bad_byte,
    find_columns,
    name_columns,
    read_lines,
    read_text,
)
from logic_retrievers.errors import InputError
from logic_retrievers.validation import plain_value

MAX_COLUMNS = 1_000
LONGEST_FRONT_MATTER = 2**14  # characters; PyYAML reads about 50,000 a second

_LIST = re.compile(r"\ufeff?\s*\[\s*(?:\{|\Z)")
_BETWEEN = re.compile(r"[\s,]*")
# "007", "+47" and numbers that a float cannot hold stay texts, so that no digit is lost.
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]{0,14})(?:\.[0-9]{1,15})?")
_FRONT_MATTER = re.compile(r"---[ \t]*\r?\n(.*?\n)??---[ \t]*(?:\r?\n|\Z)", re.DOTALL)
_TEXT_WITH_COLON = re.compile(r"^([\w.-]+):[ \t]+([^\s\[{\"'|>&*!#].*:[ \t].*)$", re.M)


def read_jsonl(file: SourceFile, stream: IO[bytes]) -> Iterator[Record | Problem]:
    """Yield a record or a problem for every non-blank line, with one line in memory at a time.

    Raises:
        Problem: the file begins as a list does.
    """
    is_first = True
    for number, row in enumerate(read_lines(file, stream), start=1):
        if is_first and _LIST.match(row):
            raise Problem("not JSONL but a list; name the file .json", number)
        if len(row) > LONGEST_LINE:
            yield _too_long(number)
        elif row.strip():
            is_first = False
            yield _parse(file, row, number, number)


def _too_long(line: int) -> Problem:
    return Problem(f"longer than {LONGEST_LINE:,} characters; left out", line)


def read_json(file: SourceFile, stream: IO[bytes]) -> Iterator[Record | Problem]:
    """Yield a record or a problem for every object of a list, or of a sequence without brackets.

    Reading ends at the first syntax error. Default ids number the objects.
    """
    text = read_text(file, stream)
    decode = json.JSONDecoder().raw_decode
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
        except (ValueError, RecursionError) as error:
            at = getattr(error, "pos", place)
            bad = text[place : text.find("\n", at) + 1 or len(text)]
            problem = f"not valid JSON: {getattr(error, 'msg', error)}"
            raise bad_byte(bad, file, line) or Problem(
                problem, line + text.count("\n", place, at)
            ) from None
        number += 1
        yield _parse(file, text[place:end], number, line)
        line, place = line + text.count("\n", place, end), end


def _parse(file: SourceFile, row: str, number: int, line: int) -> Record | Problem:
    if problem := bad_byte(row, file, line):
        return problem
    try:
        values = json.loads(row)
    except (ValueError, RecursionError) as error:
        place = f" at character {error.pos + 1}" if isinstance(error, json.JSONDecodeError) else ""
        return Problem(f"not valid JSON: {getattr(error, 'msg', error)}{place}", line)
    if isinstance(values, dict):
        return Record(values, number, line)
    return Problem(f"a row must be an object, not {type(values).__name__}", line)


def read_csv(file: SourceFile, stream: IO[bytes]) -> Iterator[Record | Problem]:
    """Yield a record or a problem for every non-blank row, with one row in memory at a time.

    An empty cell counts as absent, and a cell that is a number becomes one. An unclosed quote turns
    the rest of the file into one bad row. At more than 16 MiB of that row, reading ends.

    Raises:
        Problem: the header is missing, too wide, or lacks a required column.
    """
    # Python's own limit, 131,072 characters, is shorter than real documents. The limit is global
    # in the process, so never lower it.
    csv.field_size_limit(max(csv.field_size_limit(), LONGEST_LINE))
    rows = _read_rows(file, stream)
    header = next(rows, None)
    if header is None:
        raise Problem("is empty; the first row must name the columns")
    if isinstance(header, Problem):
        raise header
    columns = [cell.strip() for cell in header[1]]
    if len(columns) > MAX_COLUMNS:
        raise Problem(f"{len(columns):,} columns; at most {MAX_COLUMNS:,} are read", header[0])
    for place, name in enumerate(columns):
        if name and name in columns[:place]:
            raise Problem(f"two columns are called {name!r}; rename one", header[0])
    # Text, id and source stay texts even if all digits, and are kept even if empty.
    named = {
        *name_columns(dict.fromkeys(columns), file.format, header[0]),
        *find_columns(columns, ID_KEYS, file.format.id_column),
    }
    for row in rows:
        if isinstance(row, Problem):
            yield row
            continue
        number, cells = row
        values = {
            name: cell if name in named or name.lower() == "title" else read_number(cell)
            for name, cell in zip(columns, cells, strict=True)
            if name and (cell or name in named)
        }
        yield Record(values, number, number)


def _read_rows(file: SourceFile, stream: IO[bytes]) -> Iterator[tuple[int, list[str]] | Problem]:
    """Yield the header and all rows as wide as the header, each with its first line's number."""
    lines = enumerate(read_lines(file, stream), start=1)
    header = next((line for line in lines if line[1].strip()), None)
    if header is None:
        return
    start = last = size = 0  # first line, last line and characters of a row

    def feed() -> Iterator[str]:
        nonlocal start, last, size
        for last, line in chain([header], lines):
            start, size = start or last, size + len(line)
            if size > LONGEST_LINE:  # do not read the rest of the cell as rows
                raise Problem(
                    f"a row of more than {LONGEST_LINE:,} characters, if its quotes are closed; "
                    "what follows is not read",
                    start,
                )
            yield line

    delimiter = file.format.delimiter or _find_delimiter(header[1], file)
    rows = csv.reader(feed(), delimiter=delimiter, strict=True)
    width = 0
    while True:
        start = size = 0
        try:
            cells = next(rows, None)
        except csv.Error as error:
            yield Problem(f"not a CSV row: {error}; left out up to line {last}", start)
            continue
        if cells is None:
            return
        if cells:
            width = width or len(cells)
            problem = bad_byte(delimiter.join(cells), file, start)
            if problem is None and len(cells) != width:
                wrong = f"{len(cells)} cells where the header has {width}"
                if len(cells) > width:
                    wrong += f"; put quotes around a cell with line ends or {delimiter!r}"
                problem = Problem(wrong, start)
            yield problem or (start, cells)


def _find_delimiter(header: str, file: SourceFile) -> str:
    """Return the delimiter that separates the text column, else the one for the most columns."""
    if file.path.suffix.lower() == ".tsv":
        return "\t"

    def rate(mark: str) -> tuple[bool, int]:
        columns = [cell.strip() for cell in next(csv.reader([header], delimiter=mark))]
        return bool(find_columns(columns, TEXT_KEYS, file.format.text_column)), len(columns)

    return max(",;\t|", key=rate)


def read_plain(file: SourceFile, stream: IO[bytes]) -> Iterator[Record]:
    """Yield a text file as one record."""
    text = read_text(file, stream)
    if problem := bad_byte(text, file, 1):
        raise problem
    yield Record({"text": text})


def read_markdown(file: SourceFile, stream: IO[bytes]) -> Iterator[Record]:
    """Yield a Markdown file as one record."""
    for record in read_plain(file, stream):
        values, body = split_front_matter(record.values["text"])
        if "title" in values:
            values["title"] = str(values["title"])  # front matter may hold a number, such as a year
        yield Record({**values, "text": body})


def read_number(text: str) -> int | float | str:
    """Convert a text to a number if it is one; otherwise return the text."""
    if _NUMBER.fullmatch(text) is None:
        return text
    return float(text) if "." in text else int(text)


def split_front_matter(text: str) -> tuple[dict[str, Any], str]:
    """Split front matter (YAML between two lines of three dashes) from the rest.

    Numbers, ``true`` and ``false`` become typed values. All else (``no``, ``007``, dates, ...)
    stays text. A key without a value is left out. A text with a colon needs no quotes. YAML that is
    malformed, too long, nested too deeply, has aliases, or is not a mapping with text keys stays in
    the text, so that nothing is lost.
    """
    match = _FRONT_MATTER.match(text)
    source = (match and match[1]) or ""
    if match is None or len(source) > LONGEST_FRONT_MATTER:
        return {}, text
    for candidate in (source, _TEXT_WITH_COLON.sub(_quoted, source)):
        try:
            loaded = yaml.load(candidate, _Loader)  # a SafeLoader
            values = plain_value({} if loaded is None else loaded, "front matter")
        except (yaml.YAMLError, InputError, ValueError, RecursionError):
            continue
        if isinstance(values, dict) and all(isinstance(key, str) for key in loaded or ()):
            present = {key: value for key, value in values.items() if value is not None}
            return present, text[match.end() :]
    return {}, text


def _quoted(match: re.Match[str]) -> str:
    return f"{match[1]}: {json.dumps(match[2].rstrip(), ensure_ascii=False)}"


class _Loader(yaml.SafeLoader):
    """Reads texts, JSON's numbers, ``true`` and ``false``, but no aliases, which grow unbounded."""

    yaml_implicit_resolvers: dict[str, list[tuple[str, re.Pattern[str]]]] = {}  # noqa: RUF012

    def compose_node(self, parent: yaml.Node | None, index: Any) -> yaml.Node | None:
        if self.check_event(yaml.AliasEvent):
            raise yaml.YAMLError("aliases are not read")
        return super().compose_node(parent, index)

    def construct_number(self, node: yaml.ScalarNode) -> int | float | str:
        return read_number(node.value)  # "1:30" is not read in base 60, nor "010" in base 8


for _tag, _pattern in (
    ("null", r"~|null|"),
    ("bool", r"true|false"),
    ("float", _NUMBER.pattern),
):
    _Loader.add_implicit_resolver(
        f"tag:yaml.org,2002:{_tag}", re.compile(rf"(?:{_pattern})\Z"), None
    )
_Loader.add_constructor("tag:yaml.org,2002:float", _Loader.construct_number)
