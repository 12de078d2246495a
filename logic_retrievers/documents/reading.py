"""Passages from a file or a folder, and a record of what could not be read."""

from __future__ import annotations

import os
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import IO, Any, Literal, TypeAlias, TypeVar, get_args

from logic_retrievers.documents.archives import read_docx, read_epub
from logic_retrievers.documents.files import FileListing, SourceFile, find_files, open_file
from logic_retrievers.documents.formats import (
    ID_KEYS,
    TEXT_KEYS,
    Record,
    RecordReader,
    read_csv,
    read_jsonl,
    read_markdown,
    read_plain,
)
from logic_retrievers.documents.pdf import read_pdf
from logic_retrievers.documents.web_pages import read_html
from logic_retrievers.errors import ConfigurationError, InputError, MissingExtraError, ReadError
from logic_retrievers.types import Passage
from logic_retrievers.validation import storable

T = TypeVar("T")
OnError = Literal["collect", "raise"]
PassageText: TypeAlias = tuple[Passage, Iterator[str]]

READERS: dict[str, RecordReader] = {
    ".jsonl": read_jsonl,
    ".jsonl.gz": read_jsonl,
    ".csv": read_csv,
    ".md": read_markdown,
    ".markdown": read_markdown,
    ".txt": read_plain,
    ".pdf": read_pdf,
    ".docx": read_docx,
    ".html": read_html,
    ".htm": read_html,
    ".xhtml": read_html,
    ".epub": read_epub,
}


def read_documents(
    path: str | os.PathLike[str],
    *,
    on_error: OnError = "collect",
    root: str | os.PathLike[str] | None = None,
) -> DocumentReader:
    """Opens a file or a folder: JSONL, CSV, Markdown, text, PDF, Word (.docx), HTML and EPUB.

        documents = read_documents("handbook/")
        for passage in documents:
            ...
        for error in documents.errors:
            ...  # handbook/faq.jsonl:12: not valid JSON ...

    Every passage's ``source`` is the path of its file relative to ``root``, for the rows of JSONL
    and CSV too: with ``replace_sources=True`` indexing the file again removes the rows that are no
    longer in it, as well as the chunks of a document that became shorter.

    PDF, Word, HTML and EPUB need ``pip install 'logic-retrievers[files]'``; without it each such
    file is an error that says so. A PDF gives a passage for every page, whose metadata say its
    ``page``, an e-book one for every chapter.

    Args:
        path: the file or the folder; folders are read recursively.
        on_error: ``collect`` adds each bad row or file to :attr:`DocumentReader.errors` and
            continues; ``raise`` raises the first one.
        root: the folder that sources and default ids are relative to; by default ``path`` itself,
            or the folder of the file. Name a common parent where two folders in one collection
            hold files of the same name.

    Raises:
        ReadError: there is no such path, or no file of a readable format.
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
        listing = find_files(start, base, _is_readable)
    else:
        listing = FileListing([SourceFile(start, name)] if _is_readable(start.name) else [])
    if not listing.files:
        problem = "; ".join(map(str, listing.errors)) or f"no file ends in {', '.join(READERS)}"
        raise ReadError(f"nothing to read here: {problem}", file=str(start))
    return DocumentReader(listing, on_error)


class DocumentReader:
    """An iterable of passages, read lazily, row by row.

    The attributes report what was left out; they are filled during iteration. A second iteration
    reads the files again.

    Attributes:
        files: to be read, in this order.
        skipped: number of files in other formats, by extension.
        errors: bad rows and files so far.
        incomplete: sources of which an error lost a part. Their stored passages are not stale just
            because they were not read this time.
        total_bytes: size of all files, a ``.gz`` as it is packed; known at once.
    """

    def __init__(self, listing: FileListing, on_error: OnError) -> None:
        self.files: Sequence[SourceFile] = tuple(listing.files)
        self.skipped: Mapping[str, int] = dict(listing.skipped)
        self.errors: list[ReadError] = []
        self.incomplete: set[str] = set()
        self._listing_errors = tuple(listing.errors)
        self._on_error = on_error
        self._sizes = [
            file.path.stat().st_size if os.access(file.path, os.R_OK) else 0 for file in self.files
        ]
        self.total_bytes = sum(self._sizes)
        self._bytes_before = 0
        self._stream: IO[bytes] | None = None

    @property
    def read_bytes(self) -> int:
        """How many of ``total_bytes`` this iteration has read; grows within a file."""
        stream, position = self._stream, 0
        if stream is not None and not stream.closed:
            position = getattr(stream, "fileobj", stream).tell()  # of a .gz: in the packed file
        return min(self._bytes_before + position, self.total_bytes)

    def __iter__(self) -> Iterator[Passage]:
        for passage, text in self.parts():
            yield replace(passage, text="".join(text))

    def parts(self) -> Iterator[PassageText]:
        """Each passage with its text, which comes in blocks where it is that of a large file.

        Where such a file fails after some blocks (it was changed meanwhile, the disk is broken),
        the text ends, and the file is an error and ``incomplete``.
        """
        self._bytes_before = 0
        self.errors.clear()
        self.incomplete.clear()
        for error in self._listing_errors:
            self._report(error)
        seen: set[str] = set()
        for file, size in zip(self.files, self._sizes, strict=True):
            errors: list[ReadError] = []
            items = _read_passages(self._read_records(file), file, seen, errors)
            for item in chain(_until_error(items, file, errors), errors):
                if isinstance(item, ReadError):
                    self.incomplete.add(file.name)
                    self._report(item)
                else:
                    yield item
            self._bytes_before += size

    def _read_records(self, file: SourceFile) -> Iterator[Record | ReadError]:
        try:
            file.name.encode("utf-8")
        except UnicodeEncodeError:
            raise file.error("the file's name is not UTF-8; rename it") from None
        name = file.path.name.lower()
        reader = next(read for extension, read in READERS.items() if name.endswith(extension))
        with open_file(file) as self._stream:
            yield from reader(file, self._stream)

    def _report(self, error: ReadError) -> None:
        if self._on_error == "raise":
            raise error
        # A traceback and a context would keep the frames, and with them the whole row, in memory.
        error.__traceback__ = error.__context__ = None
        self.errors.append(error)


def _is_readable(name: str) -> bool:
    return name.lower().endswith(tuple(READERS))


def _read_passages(
    records: Iterable[Record | ReadError],
    file: SourceFile,
    seen: set[str],
    errors: list[ReadError],
) -> Iterator[PassageText | ReadError]:
    """The passages and errors of one file; ``errors`` takes one that ends a text.

    ``seen`` holds the ids of all files so far: in a collection the later of two passages with one
    id would silently replace the earlier one.
    """
    for record in records:
        if isinstance(record, ReadError):
            yield record
        elif isinstance(item := to_passage(record, file), ReadError):
            yield item
        elif item.id in seen:
            problem = f"the id {item.id!r} was used before; the first passage with it counts"
            yield file.error(problem, record.line)
        else:
            seen.add(item.id)
            yield item, _until_error(chain([item.text], record.rest), file, errors)


def _until_error(items: Iterable[T], file: SourceFile, errors: list[ReadError]) -> Iterator[T]:
    try:
        yield from items
    except ReadError as error:
        errors.append(error)
    except MissingExtraError as error:
        errors.append(file.error(str(error)))
    except (OSError, EOFError, zlib.error) as error:
        cause = getattr(error, "strerror", None) or error
        problem = f"cannot be read from some point on: {cause}; rows before it are kept"
        errors.append(file.error(problem))


def to_passage(record: Record, file: SourceFile) -> Passage | ReadError:
    """The passage that a record describes, or an error that says what is wrong with it.

    ``_id`` or else ``id`` gives the id; where both are absent or empty, the position does:
    ``notes/a.jsonl#3`` for a row, ``notes/a.md`` for a file. ``text``, ``page_content`` or
    ``contents`` gives the text; a ``title`` is put on a line before it, unless the text begins with
    it. The entries of a ``metadata`` object become metadata, and so do the other keys (the title
    too); where both have a name, the object's entry wins.
    """
    values = dict(record.values)
    text_key = _first_key(TEXT_KEYS, values)
    if text_key is None:
        return file.error(
            f"no text: looked for {_join_keys(TEXT_KEYS)} among {_join_keys(values)}", record.line
        )
    text = values.pop(text_key)
    if not isinstance(text, str):
        return file.error(
            f"{text_key!r} is of type {type(text).__name__}; it must be a string", record.line
        )
    if not text.strip() and not record.rest:
        return file.error(f"{text_key!r} is empty", record.line)
    id_key = _first_key(ID_KEYS, values)
    passage_id = None if id_key is None else values.pop(id_key)
    if passage_id is None or passage_id == "":
        passage_id = file.name if record.line is None else f"{file.name}#{record.line}"
    if not isinstance(passage_id, str | int) or isinstance(passage_id, bool):
        return file.error(
            f"{id_key!r} is of type {type(passage_id).__name__}; it must be a string or a whole "
            "number",
            record.line,
        )
    metadata = values.pop("metadata") if isinstance(values.get("metadata"), dict) else {}
    passage = Passage(
        id=str(passage_id),
        text=_prepend_title(values.get("title"), text),
        metadata={**values, **metadata},
        source=file.name,
    )
    try:
        return storable(passage)
    except InputError as error:
        return file.error(str(error), record.line)


def _first_key(keys: tuple[str, ...], values: Mapping[str, Any]) -> str | None:
    """The first key with a value; if none has one, the first that exists."""
    present = [key for key in keys if key in values]
    return next(
        (key for key in present if values[key] not in (None, "")), next(iter(present), None)
    )


def _prepend_title(title: object, text: str) -> str:
    if not isinstance(title, str) or not title.strip():
        return text
    has_title = text.lstrip("# \t\r\n").startswith(title.strip())
    return text if has_title else f"{title.strip()}\n{text}"


def _join_keys(keys: Iterable[str]) -> str:
    joined = ", ".join(map(repr, keys))
    return joined if len(joined) <= 200 else joined[:200] + " ..."
