"""Files on disk: which ones a folder holds, in the same order on every machine, and their text."""

from __future__ import annotations

import codecs
import gzip
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, cast

from logic_retrievers.errors import ReadError

UTF16_MARKS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


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
        if _is_folder(child):
            yield from _walk(child, entered, errors)
        else:
            yield child


def _is_folder(path: Path) -> bool:
    try:
        return path.is_dir()
    except OSError:  # reported when it is opened
        return False


@dataclass(frozen=True, slots=True)
class Line:
    """A line of a file with its line end, its 1-based number and the offset of its first byte."""

    raw: bytes
    number: int
    offset: int


def read_lines(file: SourceFile, stream: IO[bytes] | None = None) -> Iterator[Line]:
    """The lines of a file, one at a time, without a byte-order mark.

    ``stream`` is its content where it is open already (standard input); it stays open.

    Raises:
        ReadError: the file is UTF-16.
    """
    offset = 0
    with _open(file) if stream is None else nullcontext(stream) as lines:
        for number, raw in enumerate(lines, start=1):
            if number == 1:
                raw, offset = _remove_mark(raw, file)
            yield Line(raw, number, offset)
            offset += len(raw)


def read_text(file: SourceFile) -> str:
    """The text of a whole file, without a byte-order mark; line ends stay as they are.

    Raises:
        ReadError: the file is not UTF-8.
    """
    with _open(file) as stream:
        raw, skipped = _remove_mark(stream.read(), file)
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        problem = not_utf8(raw[error.start], skipped + error.start)
        raise file.error(problem, line) from None


def not_utf8(byte: int, offset: int) -> str:
    """The error message for a byte that is not UTF-8, at an offset in the file."""
    return (
        f"byte 0x{byte:02X} at offset {offset} is not UTF-8; "
        "convert the file, for example: iconv -f WINDOWS-1252 -t UTF-8 OLD > NEW"
    )


def _open(file: SourceFile) -> IO[bytes]:
    if file.path.suffix.lower() == ".gz":
        return cast("IO[bytes]", gzip.open(file.path, "rb"))
    return file.path.open("rb")


def _remove_mark(raw: bytes, file: SourceFile) -> tuple[bytes, int]:
    """The bytes without a UTF-8 byte-order mark, and its length."""
    if raw.startswith(UTF16_MARKS):
        raise file.error("is UTF-16; convert it: iconv -f UTF-16 -t UTF-8 OLD > NEW")
    unmarked = raw.removeprefix(codecs.BOM_UTF8)
    return unmarked, len(raw) - len(unmarked)
