"""Read rows of benchmark files: JSON objects and relevance judgements, with file and line."""

from __future__ import annotations

import gzip
import json
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from logic_retrievers.errors import ReadError


@dataclass(frozen=True, slots=True)
class Row:
    """A JSON object with its file and line, which every error message names."""

    fields: dict[str, Any]
    path: Path
    line: int

    def error(self, problem: str) -> ReadError:
        return ReadError(problem, file=str(self.path), line=self.line)

    def text(self, name: str) -> str:
        """Return the string in a field. An absent or null ``title`` counts as empty."""
        value = self.fields.get(name)
        if value is None and name == "title":
            return ""
        if not isinstance(value, str):
            raise self.error(f"{name!r} must be a string, found {type(value).__name__}")
        return self._validate_text(value, name)

    def id(self, name: str = "_id") -> str:
        return self._validate_id(self.fields.get(name), name)

    def ids(self, name: str) -> tuple[str, ...]:
        """Return the list of document ids in a field. An absent or null list counts as empty."""
        values = self.fields.get(name)
        if values is None:
            return ()
        if not isinstance(values, list):
            raise self.error(f"{name!r} must be a list of document ids")
        return tuple(self._validate_id(value, name) for value in values)

    def with_fields(self, fields: dict[str, Any]) -> Row:
        return Row(fields, self.path, self.line)

    def _validate_id(self, value: object, name: str) -> str:
        if isinstance(value, int) and not isinstance(value, bool):
            value = str(value)
        if not isinstance(value, str) or not value or any(c in value for c in "\t\r\n\0"):
            raise self.error(f"{name!r} needs ids: integers, or strings of one line without tabs")
        return self._validate_text(value, name)

    def _validate_text(self, value: str, name: str) -> str:
        try:
            value.encode("utf-8")  # JSON allows lone surrogates; tokenizers and trec_eval crash
        except UnicodeEncodeError:
            raise self.error(f"{name!r} holds half of a surrogate pair; repair it") from None
        return value


class Qrel(NamedTuple):
    """A relevance judgement, one line of a qrels file."""

    query: str
    document: str
    grade: int
    line: int


def json_rows(path: Path) -> Iterator[Row]:
    """Read the objects of a JSON Lines file, plain or gzip, and skip blank lines.

    Raises:
        ReadError: the file cannot be read, or a line is not a JSON object.
    """
    for number, line in _content_lines(path):
        try:
            fields = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise ReadError(f"not valid JSON: {error}", file=str(path), line=number) from None
        if not isinstance(fields, dict):
            raise ReadError("expected a JSON object", file=str(path), line=number)
        yield Row(fields, path, number)


def read_qrels(path: Path) -> Iterator[Qrel]:
    """Read lines ``query-id TAB corpus-id TAB score`` of a file, with or without a header.

    Only tabs separate columns, because ids may hold spaces.

    Raises:
        ReadError: the file cannot be read, or a line has a different form.
    """
    for position, (number, line) in enumerate(_content_lines(path)):
        columns = line.rstrip("\r\n").split("\t")
        if len(columns) != 3:
            problem = f"expected query-id, corpus-id and score, found {len(columns)} column(s)"
            raise ReadError(f"{problem} between tabs", file=str(path), line=number)
        query, document, score = columns
        try:
            grade = float(score)
        except ValueError:
            grade = float("nan")
        if grade.is_integer():
            yield Qrel(query, document, int(grade), number)
        elif position:  # the first line may be a header
            raise ReadError(f"the score {score!r} is not an integer", file=str(path), line=number)


def _content_lines(path: Path) -> Iterator[tuple[int, str]]:
    """Yield number and text of each non-blank line of a UTF-8 file.

    Only a line feed ends a line. ``str.splitlines`` would also break texts at U+2028.
    """
    number = 0
    try:
        with gzip.open(path, "rb") if path.suffix == ".gz" else path.open("rb") as file:
            for number, raw in enumerate(file, start=1):
                line = raw.decode("utf-8-sig")
                if line.strip():
                    yield number, line
    except UnicodeDecodeError as error:
        raise ReadError(f"not UTF-8: {error.reason}", file=str(path), line=number) from None
    except (OSError, EOFError, zlib.error) as error:
        raise ReadError(f"cannot be read: {error}", file=str(path)) from error
