"""JSONL: one JSON object a line, also compressed with gzip."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import IO, Any, NoReturn

from logic_retrievers.documents.files import SourceFile
from logic_retrievers.documents.readers.decoding import Line, not_utf8, read_lines
from logic_retrievers.documents.record import Record
from logic_retrievers.errors import ReadError


def read_jsonl(file: SourceFile, stream: IO[bytes] | None = None) -> Iterator[Record | ReadError]:
    """A record or an error for every line that is not blank; one line in memory at a time.

    Args:
        file: which one; what messages name.
        stream: of a file that is open already (standard input).
    """
    for line in read_lines(file, stream):
        if line.raw.strip():
            yield _record(line, file)


def _record(line: Line, file: SourceFile) -> Record | ReadError:
    try:
        values = json.loads(line.raw.decode("utf-8"), parse_constant=_refuse)
        _check_encodable(line.raw, values)
    except UnicodeDecodeError as error:
        problem = not_utf8(line.raw[error.start], line.offset + error.start)
    except UnicodeEncodeError:
        problem = "an escape stands for half a character (a lone surrogate, \\ud800 to \\udfff)"
    except json.JSONDecodeError as error:
        problem = f"not valid JSON: {error.msg} at character {error.pos + 1}"
    except (ValueError, RecursionError) as error:
        problem = f"not valid JSON: {error}"
    else:
        if isinstance(values, dict):
            return Record(values, line.number)
        problem = f"a row must be an object, not {type(values).__name__}"
    return file.error(problem, line.number)


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is not a JSON number")


def _check_encodable(raw: bytes, values: Any) -> None:
    """Refuses lone surrogates: JSON can escape them, but no encoder or server takes them."""
    if b"\\ud" in raw.lower():
        json.dumps(values, ensure_ascii=False).encode("utf-8")
