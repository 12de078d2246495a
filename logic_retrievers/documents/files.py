"""Files on disk: which ones a folder holds, in the same order on every machine, and their text."""

from __future__ import annotations

import codecs
import gzip
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import IO, cast

from logic_retrievers.errors import ReadError
from logic_retrievers.paths import is_file, is_folder

UTF16_MARKS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)

FIRST_BLOCK, BLOCK = 2**20, 2**16
"""Bytes of a text that are read at a time: a file of up to 1 MiB is read whole."""
LONGEST_LINE = 2**24
"""Bytes of a row of JSONL or a line of CSV; a packed file of 1.5 MB can hold one of gigabytes."""


@dataclass(frozen=True, slots=True)
class SourceFile:
    """A file to read.

    Args:
        path: on disk; shown in messages.
        name: its path relative to the root, with forward slashes: the ``source`` of its passages
            and the stem of their default ids. Neither changes when the root is moved.
    """

    path: Path
    name: str

    def error(self, problem: str, line: int | None = None) -> ReadError:
        """A ReadError that names this file."""
        return ReadError(problem, file=str(self.path), line=line)


@dataclass(slots=True)
class FileListing:
    """The readable files under a path, the number of others by extension, and errors."""

    files: list[SourceFile] = field(default_factory=list)
    skipped: Counter[str] = field(default_factory=Counter)
    errors: list[ReadError] = field(default_factory=list)


def find_files(folder: Path, root: Path, is_readable: Callable[[str], bool]) -> FileListing:
    """Walks a folder recursively, in the order of names.

    Hidden files and folders are skipped. Links are followed; each real folder is entered once, so
    a link back to a parent is no endless loop.

    Names are relative to ``root``.
    """
    listing = FileListing()
    for path in _walk(folder, set(), listing.errors):
        if is_readable(path.name):
            listing.files.append(SourceFile(path, path.relative_to(root).as_posix()))
        else:
            listing.skipped[path.suffix.lower()] += 1
    return listing


def _walk(folder: Path, entered: set[tuple[int, int]], errors: list[ReadError]) -> Iterator[Path]:
    try:
        status = folder.stat()
        children = sorted(folder.iterdir(), key=lambda child: child.name)
    except OSError as error:
        errors.append(ReadError(f"cannot list this folder: {error.strerror}", file=str(folder)))
        return
    if (status.st_dev, status.st_ino) in entered:
        return
    entered.add((status.st_dev, status.st_ino))
    for child in children:
        if child.name.startswith("."):
            continue
        if is_folder(child):
            yield from _walk(child, entered, errors)
        else:
            yield child


@dataclass(frozen=True, slots=True)
class Line:
    """A line of a file with its line end, its 1-based number and the offset of its first byte."""

    raw: bytes
    number: int
    offset: int


def read_lines(file: SourceFile, stream: IO[bytes]) -> Iterator[Line | ReadError]:
    """The lines of a file, one at a time, without a byte-order mark; an error for one too long.

    Raises:
        ReadError: the file is UTF-16.
    """
    offset = 0
    lines = iter(lambda: stream.readline(LONGEST_LINE + 1), b"")
    for number, raw in enumerate(lines, start=1):
        if number == 1:
            raw, offset = _remove_mark(raw, file)
        if len(raw) > LONGEST_LINE:
            yield file.error(f"longer than {LONGEST_LINE:,} bytes; left out", number)
            while raw and not raw.endswith(b"\n"):
                offset += len(raw)
                raw = stream.readline(BLOCK)
        else:
            yield Line(raw, number, offset)
        offset += len(raw)


def read_text(file: SourceFile, stream: IO[bytes]) -> tuple[str, Iterable[str]]:
    """The text of a file, without a byte-order mark; line ends stay as they are.

    Of a file of more than 1 MiB the text's beginning, and blocks of what follows. Such a file is
    read to its end before, so that one with a bad byte is an error and not half a text.

    Raises:
        ReadError: the file is not UTF-8.
    """
    blocks = _decode(file, stream)
    first, second = next(blocks, ""), next(blocks, "")
    if not second:
        return first, ()
    with open_file(file) as same:
        visible = sum(not block.isspace() for block in _decode(file, same))
    return (first, chain([second], blocks)) if visible else ("", ())


def _decode(file: SourceFile, stream: IO[bytes]) -> Iterator[str]:
    decoder = codecs.getincrementaldecoder("utf-8")()
    first, end = _remove_mark(stream.read(FIRST_BLOCK), file)
    lines = 1
    for raw in chain([first], iter(lambda: stream.read(BLOCK), b""), [b""]):
        end += len(raw)
        try:
            text = decoder.decode(raw, final=not raw)
        except UnicodeDecodeError as error:  # its object begins with a character's bytes so far
            offset = end - len(error.object) + error.start
            lines += error.object.count(b"\n", 0, error.start)
            raise file.error(not_utf8(error.object[error.start], offset), lines) from None
        lines += raw.count(b"\n")
        if text:
            yield text


def not_utf8(byte: int, offset: int) -> str:
    """The error message for a byte that is not UTF-8, at an offset in the file."""
    return (
        f"byte 0x{byte:02X} at offset {offset} is not UTF-8; "
        "convert the file, for example: iconv -f WINDOWS-1252 -t UTF-8 OLD > NEW"
    )


def open_file(file: SourceFile) -> IO[bytes]:
    """The content of a file, unpacked.

    Raises:
        ReadError: a pipe, which would block, a device, which may never end, or a dead link.
    """
    if not is_file(file.path):
        raise file.error("not a regular file, or a link to nothing")
    if file.path.suffix.lower() == ".gz":
        return cast("IO[bytes]", gzip.open(file.path, "rb"))
    return file.path.open("rb")


def _remove_mark(raw: bytes, file: SourceFile) -> tuple[bytes, int]:
    """The bytes without a UTF-8 byte-order mark, and its length."""
    if raw.startswith(UTF16_MARKS):
        raise file.error("is UTF-16; convert it: iconv -f UTF-16 -t UTF-8 OLD > NEW")
    unmarked = raw.removeprefix(codecs.BOM_UTF8)
    return unmarked, len(raw) - len(unmarked)
