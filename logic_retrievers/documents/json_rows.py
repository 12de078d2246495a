"""Rows of JSON: an object on each line (JSONL), a list of objects, or objects on several lines."""

from __future__ import annotations

import codecs
import json
import re
from collections.abc import Iterator
from typing import IO, NoReturn

from logic_retrievers.documents.files import (
    LONGEST_LINE,
    SourceFile,
    read_blocks,
    read_lines,
    undecodable,
)
from logic_retrievers.documents.formats import Record
from logic_retrievers.errors import ReadError

_NO_LINES = re.compile(r"\s*(?:\[\s*(?:\{|\Z)|\{[ \t\r]*\n)")
"""How a file begins that is a list, or whose first object goes on in the next line."""
_BETWEEN = re.compile(r"[\s,]*")


def read_jsonl(file: SourceFile, stream: IO[bytes]) -> Iterator[Record | ReadError]:
    """A record or an error for every line that is not blank; one line in memory at a time.

    A file that begins with a list, or with an object of several lines, is read as such.
    """
    decoder = codecs.getincrementaldecoder(file.format.encoding)("ignore")
    begin = decoder.decode(stream.read(4096)).removeprefix("\ufeff")
    stream.seek(0)
    if _NO_LINES.match(begin):
        try:
            is_json = next(_read_values(file, stream), None) is not None
        except ReadError:
            is_json = False  # a bad first line costs no good one
        stream.seek(0)
        if is_json:
            yield from read_json(file, stream)
            return
    for line in read_lines(file, stream):
        if isinstance(line, ReadError):
            yield line
        elif line.raw.strip():
            try:
                row = line.raw.decode("utf-8")
            except UnicodeDecodeError as error:
                problem = undecodable(file, line.raw[error.start], line.offset + error.start)
                yield file.error(problem, line.number)
            else:
                yield _parse(row, file, line.number)


def read_json(file: SourceFile, stream: IO[bytes]) -> Iterator[Record | ReadError]:
    """A record or an error for every object of a list, or of a sequence; one in memory at a time.

    Their default ids count the objects. What is no JSON ends the file.
    """
    try:
        for number, (value, line) in enumerate(_read_values(file, stream), start=1):
            yield _parse(value, file, line, number)
    except ReadError as error:
        yield error


def _read_values(file: SourceFile, stream: IO[bytes]) -> Iterator[tuple[str, int]]:
    """Each value's JSON and its first line.

    Raises:
        ReadError: what follows is no JSON, or too long.
    """
    decode = json.JSONDecoder().raw_decode
    blocks = read_blocks(file, stream)
    text, place, line = next(blocks, ""), 0, 1
    is_list = is_whole = False
    while True:
        between = _BETWEEN.match(text, place)
        place = between.end() if between else place
        line += between[0].count("\n") if between else 0
        if text.startswith("]" if is_list else "[", place):
            is_list, place = not is_list, place + 1
            continue
        problem, at = "it ends too early", len(text)
        if place < len(text):
            try:
                _, end = decode(text, place)
                if end < len(text) or is_whole:
                    yield text[place:end], line
                    line += text.count("\n", place, end)
                    place = end
                    continue
            except json.JSONDecodeError as error:
                problem, at = error.msg, error.pos
            except (ValueError, RecursionError) as error:
                problem, at = str(error), place
        elif is_whole and not is_list:
            return
        if is_whole or len(text) - place > LONGEST_LINE:
            raise file.error(f"not valid JSON: {problem}", line + text.count("\n", place, at))
        text, place = text[place:], 0
        size = len(text)
        while len(text) <= 2 * size and not is_whole:  # a long object is not tried at each block
            block = next(blocks, "")
            text, is_whole = text + block, not block


def _parse(row: str, file: SourceFile, line: int, number: int | None = None) -> Record | ReadError:
    try:
        values = json.loads(row, parse_constant=_refuse_constant)
        if "\\ud" in row.lower():  # JSON can escape lone surrogates, which nothing accepts
            json.dumps(values, ensure_ascii=False).encode("utf-8")
    except UnicodeEncodeError:
        problem = "an escape is half a character (a lone surrogate, \\ud800 to \\udfff)"
    except json.JSONDecodeError as error:
        problem = f"not valid JSON: {error.msg} at character {error.pos + 1}"
    except (ValueError, RecursionError) as error:
        problem = f"not valid JSON: {error}"
    else:
        if isinstance(values, dict):
            return Record(values, line, number=number)
        problem = f"a row must be an object, not {type(values).__name__}"
    return file.error(problem, line)


def _refuse_constant(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is not a JSON number")
