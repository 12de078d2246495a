"""Passages from a file or a folder, and an account of what could not be read."""

from __future__ import annotations

import os
import zlib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Literal, get_args

from logic_retrievers.documents.files import Found, SourceFile, find_files
from logic_retrievers.documents.readers import READERS, reader_for
from logic_retrievers.documents.record import Record, to_passage
from logic_retrievers.errors import ConfigurationError, ReadError
from logic_retrievers.types import Passage

OnError = Literal["collect", "raise"]


def read_documents(
    path: str | os.PathLike[str],
    *,
    on_error: OnError = "collect",
    root: str | os.PathLike[str] | None = None,
) -> Reading:
    """Opens a JSONL, CSV, Markdown or text file, or a folder of them, for reading.

        reading = read_documents("handbook/")
        for passage in reading:
            ...
        for error in reading.errors:
            ...  # handbook/faq.jsonl:12: not valid JSON ...

    Every passage's ``source`` is the path of its file relative to ``root``, for the rows of JSONL
    and CSV too: indexing the file again then removes the rows that are no longer in it, as well as
    the chunks of a document that became shorter.

    Args:
        path: the file or the folder; folders are read recursively.
        on_error: ``collect`` keeps each bad row or file in :attr:`Reading.errors` and goes on;
            ``raise`` raises the first one.
        root: the folder that sources and default ids are relative to; by default ``path`` itself,
            or the folder of the file. Name a common parent where two folders in one collection
            hold files of the same name.

    Raises:
        ReadError: nothing is there, or nothing that has a reader.
        ConfigurationError: ``path`` is outside of ``root``, or ``on_error`` is unknown.
    """
    if on_error not in get_args(OnError):
        raise ConfigurationError(f"on_error is {on_error!r}; use 'collect' or 'raise'")
    start = Path(path)
    try:
        start.stat()
    except OSError as error:
        raise ReadError(f"cannot be read: {error.strerror}", file=str(start)) from None
    base = Path(root) if root is not None else start if start.is_dir() else start.parent
    try:
        name = start.relative_to(base).as_posix()
    except ValueError:
        raise ConfigurationError(f"{start} is not inside the root {base}") from None
    if start.is_dir():
        found = find_files(start, base, lambda name: reader_for(name) is not None)
    else:
        found = Found([SourceFile(start, name)] if reader_for(start.name) else [])
    if not found.files:
        problem = "; ".join(map(str, found.errors)) or f"no file ends in {', '.join(READERS)}"
        raise ReadError(f"nothing to read here: {problem}", file=str(start))
    return Reading(found, on_error)


class Reading:
    """An iterable of passages; read lazily, row by row.

    The attributes tell what was left out: they fill while it runs. Iterating again reads anew.

    Attributes:
        files: what is read, in this order.
        skipped: files without a reader: extension -> count.
        errors: bad rows and files met so far.
        incomplete: sources that lost something to an error. Do not take a passage of theirs for
            stale because this reading did not bring it.
    """

    def __init__(self, found: Found, on_error: OnError) -> None:
        self.files: Sequence[SourceFile] = tuple(found.files)
        self.skipped: Mapping[str, int] = dict(found.skipped)
        self.errors: list[ReadError] = []
        self.incomplete: set[str] = set()
        self._found_errors = tuple(found.errors)
        self._on_error = on_error

    def __iter__(self) -> Iterator[Passage]:
        self.errors.clear()
        self.incomplete.clear()
        for error in self._found_errors:
            self._record(error)
        seen: set[str] = set()
        for file in self.files:
            for item in _read(file, seen):
                if isinstance(item, ReadError):
                    self.incomplete.add(file.name)
                    self._record(item)
                else:
                    yield item

    def _record(self, error: ReadError) -> None:
        if self._on_error == "raise":
            raise error
        # A traceback and a context keep the frames, and with them the whole row, alive.
        error.__traceback__ = error.__context__ = None
        self.errors.append(error)


def _read(file: SourceFile, seen: set[str]) -> Iterator[Passage | ReadError]:
    """The items of one file; what makes it unreadable from some point on becomes the last item.

    ``seen`` holds the ids so far, of all files: in a collection the later of two would replace the
    earlier one in silence.
    """
    try:
        for record in _records(file):
            item = record if isinstance(record, ReadError) else to_passage(record, file)
            if isinstance(record, Record) and isinstance(item, Passage):
                if item.id in seen:
                    problem = (
                        f"the id {item.id!r} was used before; the first passage with it counts"
                    )
                    item = file.error(problem, record.line)
                else:
                    seen.add(item.id)
            yield item
    except ReadError as error:
        yield error
    except (OSError, EOFError, zlib.error) as error:
        cause = getattr(error, "strerror", None) or error
        yield file.error(f"cannot be read from some point on: {cause}; rows before it are kept")


def _records(file: SourceFile) -> Iterator[Record | ReadError]:
    if not file.path.is_file():  # a pipe would block, a dead link has nothing to say
        raise file.error("not a regular file, or a link to nothing")
    try:
        file.name.encode("utf-8")
    except UnicodeEncodeError:
        raise file.error("the file's name is not UTF-8; rename it") from None
    reader = reader_for(file.path.name)
    if reader is None:
        raise file.error(f"no reader; one of {', '.join(READERS)} is expected")
    return reader(file)
