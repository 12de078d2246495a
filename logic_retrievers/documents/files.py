"""Files on disk, the records that readers find in them, and the passages that they become."""

from __future__ import annotations

import codecs
import gzip
import io
import os
import re
import stat
from collections.abc import Callable, Collection, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, TypeAlias, cast

from logic_retrievers.errors import InputError, ReadError
from logic_retrievers.files import is_file, is_folder
from logic_retrievers.types import Passage
from logic_retrievers.validation import storable

LEADS_OUT = (
    "is a link out of the folder that is read; name what it leads to, or follow such links "
    "(follow_links=True, --follow-links)"
)
LONGEST_LINE = 2**24  # characters; a packed file of 1.5 MB can hold a row of gigabytes
LONGEST_TEXT = 100 * 2**20  # characters of a file that is held whole
# Characters that a file may give for each of its bytes; real ones, packed, give 5 to 20.
OUTPUT_PER_BYTE, LEAST_LIMIT = 100, 2**20

# Columns that hold the text, in any case: the first that there is.
TEXT_KEYS = (
    *("text", "page_content", "contents", "content", "body", "description", "passage"),
    "document",
)
ID_KEYS = ("_id", "id")
_BAD_BYTE = re.compile("[\udc80-\udcff]")


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
        path: on disk; shown in messages.
        name: its path relative to the root, with forward slashes: the ``source`` of its passages
            and the stem of their default ids. Neither changes when the root is moved.
        inside: the folder that no link to the file may lead out of.
        format: how its text is written.
    """

    path: Path
    name: str
    inside: Path | None = None
    format: TextFormat = TextFormat()

    def error(self, problem: str, line: int | None = None) -> ReadError:
        return ReadError(problem, file=str(self.path), line=line)


@dataclass(frozen=True, slots=True)
class Record:
    """Named values of a row, or of a whole file.

    Args:
        values: as the file gives them.
        line: 1-based line where the row begins; ``None`` where the record is the whole file.
        number: of a row in a file whose rows have no line each, from 1.
    """

    values: Mapping[str, Any]
    line: int | None = None
    number: int | None = None


RecordReader: TypeAlias = Callable[[SourceFile, IO[bytes]], Iterator[Record | ReadError]]


def walk(
    folder: Path, inside: Path | None, errors: list[ReadError], entered: set[tuple[int, int]]
) -> Iterator[Path]:
    """The files below a folder, in the order of names, without hidden ones.

    Each real folder is entered once, so a link back to a parent is no endless loop. A link to a
    folder that is not ``inside`` is one of the ``errors``.
    """
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
        elif inside is None or Path(os.path.realpath(child)).is_relative_to(inside):
            yield from walk(child, inside, errors, entered)
        else:
            errors.append(ReadError(LEADS_OUT, file=str(child)))


@contextmanager
def open_file(file: SourceFile) -> Iterator[IO[bytes]]:
    """The content of a file, unpacked.

    Raises:
        ReadError: a pipe, which would block, a device, which may never end, a dead link, or one
            that leads out of the folder.
        OSError: it cannot be opened.
    """
    if not is_file(file.path):
        raise file.error("not a regular file, or a link to nothing")
    # A link or a pipe can take the file's place at any moment: check the one that was opened.
    nonblocking = getattr(os, "O_NONBLOCK", 0)
    with open(
        file.path, "rb", opener=lambda path, flags: os.open(path, flags | nonblocking)
    ) as stream:
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


def longest_output(size: int) -> int:
    """Characters of text that a file of this size may give."""
    return max(LEAST_LIMIT, OUTPUT_PER_BYTE * size)


@contextmanager
def open_text(file: SourceFile, stream: IO[bytes], newline: str) -> Iterator[io.TextIOWrapper]:
    """The text of a file without a byte-order mark; bytes that are not text are lone surrogates.

    Raises:
        ReadError: it is UTF-16, and the caller did not say so.
    """
    encoding, begin = file.format.encoding, stream.read(3)
    if encoding == "utf-8" and begin.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        raise file.error("is UTF-16; name it: encoding='utf-16' (--encoding utf-16)")
    stream.seek(len(begin) if begin == codecs.BOM_UTF8 else 0)
    text = io.TextIOWrapper(stream, encoding, "surrogateescape", newline=newline)
    try:
        yield text
    finally:
        text.detach()  # else it closes the stream


def read_lines(
    file: SourceFile, stream: IO[bytes], newline: str = "\n"
) -> Generator[tuple[int, str] | ReadError, None, None]:
    """The lines of a file with their 1-based numbers; an error for one that is too long.

    With ``newline=""`` a carriage return ends a line too, as in an old Mac's files.
    """
    ends = "\n" if newline else ("\n", "\r")
    number, left = 0, longest_output(file.path.stat().st_size)
    with open_text(file, stream, newline) as text:
        while line := text.readline(LONGEST_LINE + 1):
            number += 1
            left -= len(line)
            if len(line) <= LONGEST_LINE:
                yield number, line
            else:
                yield file.error(f"longer than {LONGEST_LINE:,} characters; left out", number)
                while line and not line.endswith(ends):
                    line = text.readline(2**16)
                    left -= len(line)
            if left < 0:
                raise _unpacked(file)


def read_text(file: SourceFile, stream: IO[bytes]) -> str:
    """The whole text of a file; line ends stay as they are."""
    limit = min(LONGEST_TEXT, longest_output(file.path.stat().st_size))
    with open_text(file, stream, "") as text:
        content = text.read(limit + 1)
    if len(content) > LONGEST_TEXT:
        advice = "divide it, or save rows as JSONL"
        raise file.error(f"longer than {LONGEST_TEXT:,} characters; {advice}")
    if len(content) > limit:
        raise _unpacked(file)
    return content


def _unpacked(file: SourceFile) -> ReadError:
    return file.error(f"unpacks to more than {OUTPUT_PER_BYTE} times its size; unpack it")


def check_bytes(file: SourceFile, text: str, line: int) -> None:
    """Raises a ReadError for a byte that is not of the file's encoding."""
    found, encoding = _BAD_BYTE.search(text), file.format.encoding
    if found is not None:
        advice = "name another encoding"
        if encoding == "utf-8":
            advice = (
                "save it as UTF-8, or name its encoding, for example encoding='cp1252' "
                "(--encoding cp1252) or cp1251, cp932, gb18030"
            )
        byte = f"0x{ord(found[0]) - 0xDC00:02X}"
        raise file.error(f"byte {byte} is not {encoding}; {advice}", line)


def find_columns(columns: Collection[str], known: Sequence[str], named: str | None) -> list[str]:
    """The column that the caller named, else the known ones that there are, in any case."""
    present = {column.lower(): column for column in columns} | {c: c for c in columns}
    return [present[name] for name in ([named] if named else known) if name in present]


def no_text(columns: Iterable[str], named: str | None) -> str:
    """The error message for columns without the text."""
    return (
        f"no text: looked for {join_keys([named] if named else TEXT_KEYS)} among "
        f"{join_keys(columns)}; name the column: text_column='...' (--text-column)"
    )


def join_keys(keys: Iterable[str]) -> str:
    """Names for a message, not too many."""
    joined = ", ".join(map(repr, keys))
    return joined if len(joined) <= 200 else joined[:200] + " ..."


def to_passage(record: Record, file: SourceFile) -> Passage:
    """The passage that a record describes.

    ``_id`` or else ``id`` gives the id; where both are absent or empty, the position does:
    ``notes/a.jsonl#3`` for a row, ``notes/a.md`` for a file. The first of ``TEXT_KEYS`` gives the
    text; a ``title`` is put on a line before it, unless the text begins with it. The entries of a
    ``metadata`` object become metadata, and so do the other keys (the title too); where both have a
    name, the object's entry wins. Column names that the caller gave apply to rows alone.

    Raises:
        ReadError: it describes none.
    """
    values, line = dict(record.values), record.line
    named = TextFormat() if line is None else file.format
    texts = find_columns(values, TEXT_KEYS, named.text_column)
    if not texts:
        raise file.error(no_text(values, named.text_column), line)
    text = values.pop(texts[0])
    if not isinstance(text, str):
        raise file.error(f"{texts[0]!r} is of type {type(text).__name__}, not a string", line)
    if not text.strip():
        raise file.error(f"{texts[0]!r} is empty", line)
    for name in (named.id_column, named.source_column):
        if name is not None and name not in record.values:
            raise file.error(f"no {name!r} among {join_keys(record.values)}", line)
    place = "" if line is None else f"#{record.number or line}"
    ids = find_columns(values, ID_KEYS, named.id_column)
    sources = [named.source_column] if named.source_column else []
    names: list[str] = []
    for keys, default in ((ids, file.name + place), (sources, file.name)):
        present = [key for key in keys if record.values[key] not in (None, "")]
        for key in present[:1] or keys[:1]:
            values.pop(key, None)
        value = record.values[present[0]] if present else default
        if not isinstance(value, str | int) or isinstance(value, bool):
            kind = type(value).__name__
            raise file.error(f"{present[0]!r} is of type {kind}, not a string or integer", line)
        names.append(str(value))
    metadata = values.pop("metadata") if isinstance(values.get("metadata"), dict) else {}
    title = next((values[key] for key in find_columns(values, ["title"], None)), None)
    if isinstance(title, str) and (title := title.strip()):
        text = text if text.lstrip("# \t\r\n").startswith(title) else f"{title}\n{text}"
    try:
        return storable(Passage(names[0], text, {**values, **metadata}, names[1]))
    except InputError as error:
        raise file.error(str(error), line) from None
