"""Files on disk: which ones a folder holds, in the same order on every machine, and their text."""

from __future__ import annotations

import codecs
import gzip
import io
import os
import stat
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import IO, cast

from logic_retrievers.errors import ReadError
from logic_retrievers.files import is_file, is_folder

LEADS_OUT = (
    "is a link out of the folder that is read; name what it leads to, or follow such links "
    "(follow_links=True, --follow-links)"
)
UTF16_MARKS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)

FIRST_BLOCK, BLOCK = 2**20, 2**16
"""Bytes of a text that are read at a time: a file of up to 1 MiB is read whole."""
LONGEST_LINE = 2**24
"""Bytes of a row of JSONL or a line of CSV; a packed file of 1.5 MB can hold one of gigabytes."""
OUTPUT_PER_BYTE, LEAST_LIMIT = 100, 2**20
"""Bytes of text that a file may give for each of its own; real ones, packed, give 5 to 20."""


@dataclass(frozen=True, slots=True)
class TextFormat:
    """How texts and rows are written, where the caller says so; see :func:`read_documents`."""

    text_column: str | None = None
    id_column: str | None = None
    source_column: str | None = None
    delimiter: str | None = None
    encoding: str = "utf-8"


@dataclass(frozen=True, slots=True)
class SourceFile:
    """A file to read.

    Args:
        path: on disk; shown in messages.
        name: its path relative to the root, with forward slashes: the ``source`` of its passages
            and the stem of their default ids. Neither changes when the root is moved.
        inside: the folder that it must lie in, where a link must not lead out of it.
        format: how its text is written.
    """

    path: Path
    name: str
    inside: Path | None = None
    format: TextFormat = TextFormat()

    def error(self, problem: str, line: int | None = None) -> ReadError:
        """A ReadError that names this file."""
        return ReadError(problem, file=str(self.path), line=line)


@dataclass(slots=True)
class FileListing:
    """The readable files under a path, the number of others by extension, and errors."""

    files: list[SourceFile] = field(default_factory=list)
    skipped: Counter[str] = field(default_factory=Counter)
    errors: list[ReadError] = field(default_factory=list)


def find_files(
    folder: Path,
    root: Path,
    is_readable: Callable[[str], bool],
    *,
    follow_links: bool = False,
    text_format: TextFormat = TextFormat(),
) -> FileListing:
    """Walks a folder recursively, in the order of names.

    Hidden files and folders are skipped. Links inside the folder are followed, those that lead out
    of it are errors without ``follow_links``; each real folder is entered once, so a link back to a
    parent is no endless loop.

    Names are relative to ``root``.
    """
    listing = FileListing()
    inside = None if follow_links else Path(os.path.realpath(folder))
    for path in _walk(folder, inside, set(), listing.errors):
        if is_readable(path.name):
            name = portable_name(path.relative_to(root))
            listing.files.append(SourceFile(path, name, inside, text_format))
        else:
            listing.skipped[path.suffix.lower()] += 1
    return listing


def portable_name(path: Path) -> str:
    """A relative path with forward slashes, the same whatever encoding this process has for names.

    Names that are not UTF-8 are as the system gives them.
    """
    name = path.as_posix()
    try:
        return os.fsencode(name).decode("utf-8")
    except UnicodeError:
        return name


def _leads_out(path: Path, inside: Path) -> bool:
    try:
        is_junction = getattr(path.lstat(), "st_reparse_tag", 0) != 0
    except OSError:  # it went meanwhile
        return False
    is_link = is_junction or path.is_symlink()
    return is_link and not Path(os.path.realpath(path)).is_relative_to(inside)


def _walk(
    folder: Path, inside: Path | None, entered: set[tuple[int, int]], errors: list[ReadError]
) -> Iterator[Path]:
    try:
        status = folder.stat()
        children = sorted(folder.iterdir(), key=lambda child: os.fsencode(child.name))
    except OSError as error:
        errors.append(ReadError(f"cannot list this folder: {error.strerror}", file=str(folder)))
        return
    if (status.st_dev, status.st_ino) in entered:
        return
    entered.add((status.st_dev, status.st_ino))
    for child in children:
        if child.name.startswith("."):
            continue
        if not is_folder(child):
            yield child
        elif inside is not None and _leads_out(child, inside):
            errors.append(ReadError(LEADS_OUT, file=str(child)))
        else:
            yield from _walk(child, inside, entered, errors)


@dataclass(frozen=True, slots=True)
class Line:
    """A line of a file with its line end, its 1-based number and the offset of its first byte."""

    raw: bytes
    number: int
    offset: int


def read_lines(file: SourceFile, stream: IO[bytes]) -> Iterator[Line | ReadError]:
    """The lines of a file, one at a time, without a byte-order mark; an error for one too long.

    Raises:
        ReadError: the file is UTF-16, or unpacks to too much.
    """
    offset, limit = 0, longest_output(file.path.stat().st_size)
    with _line_reader(file.format.encoding, stream) as read_line:
        lines = iter(lambda: read_line(LONGEST_LINE + 1), b"")
        for number, raw in enumerate(lines, start=1):
            if number == 1:
                raw, offset = _remove_mark(raw, file)
            if len(raw) > LONGEST_LINE:
                yield file.error(f"longer than {LONGEST_LINE:,} bytes; left out", number)
                while raw and not raw.endswith(b"\n"):
                    offset += len(raw)
                    raw = read_line(BLOCK)
            else:
                yield Line(raw, number, offset)
            offset += len(raw)
            _check_output(offset, limit, file)


def _check_output(size: int, limit: int, file: SourceFile) -> None:
    if size > limit:
        raise file.error(f"unpacks to more than {OUTPUT_PER_BYTE} times its size; unpack it")


@contextmanager
def _line_reader(encoding: str, stream: IO[bytes]) -> Iterator[Callable[[int], bytes]]:
    """Reads the next line as UTF-8; bytes that are not of the encoding stay as they are."""
    if encoding == "utf-8":
        yield stream.readline
        return
    text = io.TextIOWrapper(stream, encoding, "surrogateescape", newline="\n")
    try:
        yield lambda size: text.readline(size).encode("utf-8", "surrogateescape")
    finally:
        text.detach()  # else it closes the stream


def read_text(file: SourceFile, stream: IO[bytes]) -> tuple[str, Iterable[str]]:
    """The text of a file, without a byte-order mark; line ends stay as they are.

    Of a file of more than 1 MiB the text's beginning, and blocks of what follows. Such a file is
    read to its end before, so that one with a bad byte is an error and not half a text.

    Raises:
        ReadError: the file is not UTF-8.
    """
    blocks = read_blocks(file, stream)
    first, second = next(blocks, ""), next(blocks, "")
    if not second:
        return first, ()
    with open_file(file) as same:
        visible = sum(not block.isspace() for block in read_blocks(file, same))
    return (first, chain([second], blocks)) if visible else ("", ())


def read_blocks(file: SourceFile, stream: IO[bytes]) -> Iterator[str]:
    """The text of a file in blocks, without a byte-order mark.

    Raises:
        ReadError: a byte is not of the file's encoding, or it unpacks to too much.
    """
    limit = longest_output(file.path.stat().st_size)
    decoder = codecs.getincrementaldecoder(file.format.encoding)()
    first, end = _remove_mark(stream.read(FIRST_BLOCK), file)
    lines = 1
    for raw in chain([first], iter(lambda: stream.read(BLOCK), b""), [b""]):
        end += len(raw)
        _check_output(end, limit, file)
        try:
            text = decoder.decode(raw, final=not raw)
        except UnicodeDecodeError as error:  # its object begins with a character's bytes so far
            offset = end - len(error.object) + error.start
            lines += error.object.count(b"\n", 0, error.start)
            problem = undecodable(file, error.object[error.start], offset)
            raise file.error(problem, lines) from None
        lines += raw.count(b"\n")
        if text:
            yield text


def undecodable(file: SourceFile, byte: int, offset: int) -> str:
    """The error message for a byte that is not of the file's encoding, at an offset of it."""
    encoding = file.format.encoding
    if encoding != "utf-8":
        return f"byte 0x{byte:02X} is not {encoding}; name another encoding"
    return (
        f"byte 0x{byte:02X} at offset {offset} is not UTF-8; save it as UTF-8, or name its "
        "encoding, for example encoding='cp1252' (--encoding cp1252) or cp1251, cp932, gb18030"
    )


@contextmanager
def open_file(file: SourceFile) -> Iterator[IO[bytes]]:
    """The content of a file, unpacked.

    Raises:
        ReadError: a pipe, which would block, a device, which may never end, a dead link, or one
            that leads out of the folder.
    """
    if not is_file(file.path):
        raise file.error("not a regular file, or a link to nothing")
    # Whatever it was a moment ago, what was opened counts: a link or a pipe can take its place.
    with open(file.path, "rb", opener=_open_without_waiting) as stream:
        status = os.fstat(stream.fileno())
        if not stat.S_ISREG(status.st_mode):
            raise file.error("not a regular file")
        if file.inside is not None:
            place = Path(os.path.realpath(file.path))
            is_inside = place.is_relative_to(file.inside)
            if not is_inside or not os.path.samestat(place.stat(), status):
                raise file.error(LEADS_OUT)
        if file.path.suffix.lower() != ".gz":
            yield stream
            return
        with gzip.open(stream) as unpacked:
            yield cast("IO[bytes]", unpacked)


def _open_without_waiting(path: str, flags: int) -> int:
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))


def longest_output(size: int) -> int:
    """Bytes of text that a file of this size may give."""
    return max(LEAST_LIMIT, OUTPUT_PER_BYTE * size)


def _remove_mark(raw: bytes, file: SourceFile) -> tuple[bytes, int]:
    """The bytes without a UTF-8 byte-order mark, and the mark's length."""
    if raw.startswith(UTF16_MARKS) and file.format.encoding == "utf-8":
        raise file.error("is UTF-16; name it: encoding='utf-16' (--encoding utf-16)")
    unmarked = raw.removeprefix(codecs.BOM_UTF8)
    return unmarked, len(raw) - len(unmarked)
