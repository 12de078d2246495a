"""Rows of the benchmark files: JSON objects and relevance judgements, each with file and line."""

from __future__ import annotations

import gzip
import json
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from logic_retrievers.errors import ReadError


@dataclass(frozen=True, slots=True)
class Row:
    """A JSON object with its file and line, which every error message names."""

    fields: dict[str, Any]
    path: Path
    line: int

    def error(self, problem: str) -> ReadError:
        """A ReadError that names this row's file and line."""
        return ReadError(problem, file=str(self.path), line=self.line)

    def text(self, name: str) -> str:
        """The string in a field; an absent or null ``title`` counts as empty."""
        value = self.fields.get(name)
        if value is None and name == "title":
            return ""
        if not isinstance(value, str):
            raise self.error(f"{name!r} must be a string, found {type(value).__name__}")
        return self._validate_text(value, name)

    def id(self, name: str = "_id") -> str:
        """The id in a field, as a string."""
        return self._validate_id(self.fields.get(name), name)

    def ids(self, name: str) -> tuple[str, ...]:
        """The list of document ids in a field; an absent or null one counts as empty."""
        values = self.fields.get(name)
        if values is None:
            return ()
        if not isinstance(values, list):
            raise self.error(f"{name!r} must be a list of document ids")
        return tuple(self._validate_id(value, name) for value in values)

    def with_fields(self, fields: dict[str, Any]) -> Row:
        """Other fields at the same place: a published row converted to our form."""
        return Row(fields, self.path, self.line)

    def _validate_id(self, value: object, name: str) -> str:
        if isinstance(value, int) and not isinstance(value, bool):
            value = str(value)
        if not isinstance(value, str) or not value or any(c in value for c in "\t\r\n\0"):
            raise self.error(f"{name!r} needs ids: integers, or strings of one line without tabs")
        return self._validate_text(value, name)

    def _validate_text(self, value: str, name: str) -> str:
        try:
            value.encode("utf-8")  # JSON lets half a pair through; tokenizers and trec_eval crash
        except UnicodeEncodeError:
            raise self.error(f"{name!r} holds half of a surrogate pair; repair it") from None
        return value


@dataclass(frozen=True, slots=True)
class Qrel:
    """A relevance judgement, one line of a qrels file."""

    query: str
    document: str
    grade: int
    line: int


def json_rows(path: Path) -> Iterator[Row]:
    """The objects of a JSON Lines file, plain or gzip; blank lines are skipped.

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
    """The lines ``query-id TAB corpus-id TAB score`` of a qrels file, with or without a header.

    Only tabs separate columns: ids may hold spaces.

    Raises:
        ReadError: the file cannot be read, or a line has another form.
    """
    may_be_header = True
    for number, line in _content_lines(path):
        columns = line.rstrip("\r\n").split("\t")
        if len(columns) != 3:
            raise ReadError(
                f"expected query-id, corpus-id and score separated by tabs, found {len(columns)} "
                "column(s)",
                file=str(path),
                line=number,
            )
        query, document, score = columns
        try:
            grade = float(score)
        except ValueError:
            grade = float("nan")
        if grade.is_integer():
            yield Qrel(query, document, int(grade), number)
        elif not may_be_header:
            raise ReadError(f"the score {score!r} is not an integer", file=str(path), line=number)
        may_be_header = False


def read_lines(path: Path) -> Iterator[tuple[int, str]]:
    """Numbered lines of a UTF-8 file, plain or gzip; only line feeds end them (texts hold U+2028).

    Raises:
        ReadError: the file cannot be read.
    """
    number = 0
    try:
        with gzip.open(path, "rb") if path.suffix == ".gz" else path.open("rb") as file:
            for number, raw in enumerate(file, start=1):
                yield number, raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ReadError(f"not UTF-8: {error.reason}", file=str(path), line=number) from None
    except (OSError, EOFError, zlib.error) as error:
        raise ReadError(f"cannot be read: {error}", file=str(path)) from error


def _content_lines(path: Path) -> Iterator[tuple[int, str]]:
    return ((number, line) for number, line in read_lines(path) if line.strip())
