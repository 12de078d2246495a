"""Bytes to text, with the place of what is not UTF-8."""

from __future__ import annotations

import codecs
import gzip
from collections.abc import Iterator
from contextlib import nullcontext
from dataclasses import dataclass
from typing import IO, cast

from logic_retrievers.documents.files import SourceFile

UTF16_MARKS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


@dataclass(frozen=True, slots=True)
class Line:
    """A line of a file with its end, its 1-based number and the offset of its first byte."""

    raw: bytes
    number: int
    offset: int


def read_lines(file: SourceFile, stream: IO[bytes] | None = None) -> Iterator[Line]:
    """The lines of a file, one at a time; a byte-order mark is left out.

    Args:
        file: which one; what messages name.
        stream: of a file that is open already (standard input); it stays open.

    Raises:
        ReadError: the file is UTF-16.
    """
    offset = 0
    with _open(file) if stream is None else nullcontext(stream) as opened:
        for number, raw in enumerate(opened, start=1):
            if number == 1:
                raw, offset = _without_mark(raw, file)
            yield Line(raw, number, offset)
            offset += len(raw)


def read_text(file: SourceFile) -> str:
    """The text of a whole file, line ends as they are; a byte-order mark is left out.

    Raises:
        ReadError: the file is not UTF-8.
    """
    with _open(file) as stream:
        raw, skipped = _without_mark(stream.read(), file)
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        problem = not_utf8(raw[error.start], skipped + error.start)
        raise file.error(problem, line) from None


def not_utf8(byte: int, offset: int) -> str:
    """What to tell about a byte that is not UTF-8 at this offset in the file."""
    return (
        f"byte 0x{byte:02X} at offset {offset} is not UTF-8; "
        "convert the file, for example: iconv -f WINDOWS-1252 -t UTF-8 OLD > NEW"
    )


def _open(file: SourceFile) -> IO[bytes]:
    if file.path.suffix.lower() == ".gz":
        return cast("IO[bytes]", gzip.open(file.path, "rb"))
    return file.path.open("rb")


def _without_mark(raw: bytes, file: SourceFile) -> tuple[bytes, int]:
    if raw.startswith(UTF16_MARKS):
        raise file.error("is UTF-16; convert it: iconv -f UTF-16 -t UTF-8 OLD > NEW")
    bare = raw.removeprefix(codecs.BOM_UTF8)
    return bare, len(raw) - len(bare)
