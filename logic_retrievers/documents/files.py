"""List the files of a folder, read their text within limits, and make passages from records."""

from __future__ import annotations

import codecs
import gzip
import io
import os
import re
import stat
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, TypeAlias, cast

from logic_retrievers.errors import InputError, ReadError
from logic_retrievers.files import is_file
from logic_retrievers.types import Passage
from logic_retrievers.validation import storable

LONGEST_LINE = 2**24  # characters; a row in a compressed file of 1.5 MB can have gigabytes
LONGEST_TEXT = 100 * 2**20  # characters of a file that is read into memory whole
# Maximum characters per byte of a file; real compressed files have 5 to 20.
OUTPUT_PER_BYTE, LEAST_LIMIT = 100, 2**20

# Names of the text column, in any letter case; the first that exists is used.
TEXT_KEYS = (
    *("text", "page_content", "contents", "content", "body", "description", "passage"),
    "document",
)
ID_KEYS = ("_id", "id")

_LEADS_OUT = (
    "is a link out of the folder that is read; name what it leads to, or follow such links "
    "(follow_links=True, --follow-links)"
)
_UNPACKED = f"unpacks to more than {OUTPUT_PER_BYTE} times its size; unpack it"
_BAD_BYTE = re.compile("[\udc80-\udcff]")


class Problem(Exception):  # noqa: N818 - carries only a message
    """A fault of a row or a file with its remedy; becomes a ReadError."""

    def __init__(self, text: str, line: int | None = None) -> None:
        super().__init__(text)
        self.line = line


@dataclass(frozen=True, slots=True)
class TextFormat:
    """How texts and rows are written; see :func:`read_documents`."""

    text_column: str | None = None
    id_column: str | None = None
    source_column: str | None = None
    delimiter: str | None = None
    encoding: str = "utf-8"


@dataclass(frozen=True, slots=True)
class SourceFile:
    """A file to read.

    Args:
        path: path on disk; shown in messages.
        name: path relative to the root, with forward slashes. Passages get it as ``source`` and as
            the start of default ids, so neither changes when the root is moved.
        ending: extension in lower case; decides how the file is read.
        inside: folder that must hold the file once links are followed; None allows any place.
        format: encoding, columns and delimiter.
    """

    path: Path
    name: str
    ending: str
    inside: Path | None = None
    format: TextFormat = TextFormat()


@dataclass(frozen=True, slots=True)
class Record:
    """Named values of a row, or of a whole file.

    Args:
        values: the values as in the file.
        number: number of the row in its file, for the default id; ``None`` for a whole file.
        line: 1-based line where the row begins.
    """

    values: Mapping[str, Any]
    number: int | None = None
    line: int | None = None


RecordReader: TypeAlias = Callable[[SourceFile, IO[bytes]], Iterator[Record | Problem]]


def list_files(folder: Path, inside: Path | None) -> tuple[list[Path], list[ReadError]]:
    """Return the files below a folder in the order of names, and an error per unlisted folder.

    Hidden files and folders are left out. Each real folder is entered once, so a link to a
    parent does no harm. A link to a folder outside ``inside`` is an error.
    """
    files: list[Path] = []
    errors: list[ReadError] = []
    entered: set[str] = set()

    def report(error: OSError) -> None:
        problem = f"cannot list this folder: {error.strerror}"
        errors.append(ReadError(problem, file=str(error.filename)))

    for place, folders, names in os.walk(folder, onerror=report, followlinks=True):
        children = sorted((n for n in folders if not n.startswith(".")), key=os.fsencode)
        folders.clear()  # os.walk enters only folders that are added again
        if (real := os.path.realpath(place)) in entered:
            continue
        entered.add(real)
        files += [Path(place, name) for name in names if not name.startswith(".")]
        for name in children:
            target = Path(os.path.realpath(os.path.join(place, name)))  # noqa: PTH118
            if inside is None or target.is_relative_to(inside):
                folders.append(name)
            else:
                errors.append(ReadError(_LEADS_OUT, file=str(Path(place, name))))
    return sorted(files, key=lambda path: [os.fsencode(part) for part in path.parts]), errors


@contextmanager
def open_file(file: SourceFile) -> Iterator[IO[bytes]]:
    """Open a file; a compressed one is decompressed while it is read.

    Raises:
        Problem: the file is a pipe (reading may block), a device (may never end), a dead link or a
            link out of the folder, or cannot be opened.
    """
    if not is_file(file.path):
        raise Problem("not a regular file, or a link to nothing")
    # A link or a pipe can replace the file at any moment, so check the opened file.
    nonblocking = getattr(os, "O_NONBLOCK", 0)
    try:
        stream = open(  # noqa: SIM115 - closed below; only errors of this call are caught
            file.path, "rb", opener=lambda path, flags: os.open(path, flags | nonblocking)
        )
    except OSError as error:
        raise Problem(f"cannot be read: {error.strerror}") from None
    with stream:
        status = os.fstat(stream.fileno())
        if not stat.S_ISREG(status.st_mode):
            raise Problem("not a regular file")
        if file.inside is not None:
            place = Path(os.path.realpath(file.path))
            is_inside = place.is_relative_to(file.inside)
            if not is_inside or not os.path.samestat(place.stat(), status):
                raise Problem(_LEADS_OUT)
        if file.path.suffix.lower() == ".gz":
            with gzip.open(stream) as unpacked:
                yield cast("IO[bytes]", unpacked)
        else:
            yield stream


def longest_output(size: int) -> int:
    """Return the maximum characters of text for a file of this size."""
    return max(LEAST_LIMIT, OUTPUT_PER_BYTE * size)


def _open_text(file: SourceFile, stream: IO[bytes]) -> io.TextIOWrapper:
    """Decode a stream without its byte-order mark; undecodable bytes become lone surrogates.

    Line ends are kept.

    Raises:
        Problem: the text is UTF-16, but the encoding is UTF-8.
    """
    encoding, begin = file.format.encoding, stream.read(3)
    if encoding == "utf-8" and begin.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        raise Problem("is UTF-16; name it: encoding='utf-16' (--encoding utf-16)")
    stream.seek(len(begin) if begin == codecs.BOM_UTF8 else 0)
    return io.TextIOWrapper(stream, encoding, "surrogateescape", newline="")


def read_lines(file: SourceFile, stream: IO[bytes]) -> Iterator[str]:
    """Yield the lines of a file; long lines are cut to ``LONGEST_LINE + 1`` characters.

    A carriage return also ends a line, as in files of old Macs.
    """
    left = longest_output(os.fstat(stream.fileno()).st_size)
    with _open_text(file, stream) as text:
        while line := text.readline(LONGEST_LINE + 1):
            yield line
            left -= len(line)
            rest = line if len(line) > LONGEST_LINE else "\n"
            while rest and not rest.endswith(("\n", "\r")):
                rest = text.readline(2**16)
                left -= len(rest)
            if left < 0:
                raise Problem(_UNPACKED)


def read_text(file: SourceFile, stream: IO[bytes]) -> str:
    """Return the whole text of a file."""
    limit = min(LONGEST_TEXT, longest_output(os.fstat(stream.fileno()).st_size))
    with _open_text(file, stream) as text:
        content = text.read(limit + 1)
    if len(content) > LONGEST_TEXT:
        advice = "divide it, or save rows as JSONL"
        raise Problem(f"longer than {LONGEST_TEXT:,} characters; {advice}")
    if len(content) > limit:
        raise Problem(_UNPACKED)
    return content


def bad_byte(text: str, file: SourceFile, line: int) -> Problem | None:
    """Return a Problem for the first byte that the encoding cannot decode, if there is one."""
    if (found := _BAD_BYTE.search(text)) is None:
        return None
    advice, encoding = "name another encoding", file.format.encoding
    if encoding == "utf-8":
        advice = (
            "save it as UTF-8, or name its encoding, for example encoding='cp1252' "
            "(--encoding cp1252) or cp1251, cp932, gb18030"
        )
    byte = f"0x{ord(found[0]) - 0xDC00:02X}"
    return Problem(
        f"byte {byte} is not {encoding}; {advice}", line + text.count("\n", 0, found.start())
    )


def find_columns(columns: Iterable[str], known: Iterable[str], named: str | None) -> list[str]:
    """Return the ``named`` column; if None, the ``known`` ones (lower case) in any letter case."""
    present = {column.lower(): column for column in columns} | {c: c for c in columns}
    return [present[name] for name in ([named] if named else known) if name in present]


def name_columns(
    values: Mapping[str, Any], named: TextFormat, line: int | None
) -> tuple[str, str | None, str | None]:
    """Return the columns of the text, the id and the source.

    Raises:
        Problem: no column holds the text, or a column that the caller named is missing.
    """
    texts = find_columns(values, TEXT_KEYS, named.text_column)
    if not texts:
        looked_for = _join([named.text_column] if named.text_column else TEXT_KEYS)
        advice = "name the column: text_column='...' (--text-column)"
        raise Problem(f"no text: looked for {looked_for} among {_join(values)}; {advice}", line)
    ids = find_columns(values, ID_KEYS, named.id_column)
    sources = find_columns(values, (), named.source_column)
    for name, found in ((named.id_column, ids), (named.source_column, sources)):
        if name and not found:
            raise Problem(f"no {name!r} among {_join(values)}", line)
    ids.sort(key=lambda key: values[key] in (None, ""))  # a column with a value first
    return texts[0], next(iter(ids), None), next(iter(sources), None)


def _join(keys: Iterable[str]) -> str:
    """List the first few names for a message."""
    joined = ", ".join(map(repr, keys))
    return joined if len(joined) <= 200 else joined[:200] + " ..."


def to_passage(record: Record, file: SourceFile) -> Passage:
    """Make the passage that a record describes.

    ``_id`` or else ``id`` gives the id. If both are absent or empty, the id is the position:
    ``notes/a.jsonl#3`` for a row, ``notes/a.md`` for a file. The first of ``TEXT_KEYS`` gives the
    text. A ``title`` is put on a line before the text, unless the text begins with the title.
    The entries of a ``metadata`` object become metadata, and so do the other keys (the title too).
    If both have the same key, the object's entry wins. Column names that the caller gave apply to
    rows only.

    Raises:
        Problem: the record does not describe a passage.
    """
    values, line = record.values, record.line
    is_row = record.number is not None
    keys = name_columns(values, file.format if is_row else TextFormat(), line)
    text = values[keys[0]]
    if not isinstance(text, str):
        raise Problem(f"{keys[0]!r} is of type {type(text).__name__}, not a string", line)
    if not text.strip():
        raise Problem(f"{keys[0]!r} is empty", line)
    names = []
    for key, default in (
        (keys[1], f"{file.name}#{record.number}" if is_row else file.name),
        (keys[2], file.name),
    ):
        name = default if key is None or values[key] in (None, "") else values[key]
        if isinstance(name, bool) or not isinstance(name, str | int):
            kind = type(name).__name__
            raise Problem(f"{key!r} is of type {kind}, not a string or integer", line)
        names.append(str(name))
    metadata = {key: value for key, value in values.items() if key not in keys}
    title = next((metadata[key] for key in find_columns(metadata, ["title"], None)), None)
    if isinstance(title, str) and (title := title.strip()):
        text = text if text.lstrip("# \t\r\n").startswith(title) else f"{title}\n{text}"
    if isinstance(metadata.get("metadata"), dict):
        metadata |= metadata.pop("metadata")
    try:
        return storable(Passage(names[0], text, metadata, names[1]))
    except InputError as error:
        raise Problem(str(error), line) from None
