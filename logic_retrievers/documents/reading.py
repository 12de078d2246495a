"""Passages from a file or a folder, and a record of what could not be read."""

from __future__ import annotations

import codecs
import os
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import IO, Literal, TypeAlias, TypeVar, get_args

from logic_retrievers.documents.converter import CONVERTERS, Converter
from logic_retrievers.documents.csv_rows import read_csv
from logic_retrievers.documents.files import (
    FileListing,
    SourceFile,
    TextFormat,
    find_files,
    open_file,
    portable_name,
)
from logic_retrievers.documents.formats import (
    ID_KEYS,
    TEXT_KEYS,
    Record,
    RecordReader,
    find_columns,
    join_keys,
    no_text,
    read_markdown,
    read_plain,
)
from logic_retrievers.documents.json_rows import read_json, read_jsonl
from logic_retrievers.errors import ConfigurationError, InputError, ReadError, shown
from logic_retrievers.types import Passage
from logic_retrievers.validation import storable

T = TypeVar("T")
OnError = Literal["collect", "raise"]
PassageText: TypeAlias = tuple[Passage, Iterator[str]]

READERS: dict[str, RecordReader] = {
    ".jsonl": read_jsonl,
    ".jsonl.gz": read_jsonl,
    ".json": read_json,
    ".csv": read_csv,
    ".tsv": read_csv,
    ".md": read_markdown,
    ".markdown": read_markdown,
    ".txt": read_plain,
    **CONVERTERS,
}


def read_documents(
    path: str | os.PathLike[str],
    *,
    on_error: OnError = "collect",
    root: str | os.PathLike[str] | None = None,
    text_column: str | None = None,
    id_column: str | None = None,
    source_column: str | None = None,
    delimiter: str | None = None,
    encoding: str = "utf-8",
    follow_links: bool = False,
) -> DocumentReader:
    """Opens a file or a folder: JSON, CSV, Markdown, text, PDF, Word (.docx), HTML and EPUB.

        documents = read_documents("handbook/")
        for passage in documents:
            ...
        for error in documents.errors:
            ...  # handbook/faq.jsonl:12: not valid JSON ...

    Every passage's ``source`` is the path of its file relative to ``root``, for the rows of JSON
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
        text_column: of JSON and CSV; by default the first of ``text``, ``page_content``,
            ``contents``, ``content``, ``body``, ``description``, ``passage`` and ``document``, in
            any case.
        id_column: of JSON and CSV; by default ``_id`` or ``id``, in any case.
        source_column: of JSON and CSV, whose values are the sources of rows. Indexing the file
            again then removes no source whose rows have all gone.
        delimiter: of CSV; by default the one of ``,``, ``;``, tab and ``|`` that separates the
            text's column from others, and a tab for ``.tsv``.
        encoding: of JSON, CSV, Markdown and text, and of web pages that declare none.
        follow_links: whether links may lead out of the folder.

    Raises:
        ReadError: there is no such path, or no file of a readable format.
        ConfigurationError: ``path`` is outside of ``root``, or a setting that cannot work.
    """
    if on_error not in get_args(OnError):
        raise ConfigurationError(f"on_error is {on_error!r}; use 'collect' or 'raise'")
    text_format = _check_format(text_column, id_column, source_column, delimiter, encoding)
    start = Path(path)
    try:
        start.stat()
    except OSError as error:
        raise ReadError(f"cannot be read: {error.strerror}", file=str(start)) from None
    base = Path(root) if root is not None else start if start.is_dir() else start.parent
    try:
        name = portable_name(start.relative_to(base))
    except ValueError:
        raise ConfigurationError(f"{start} is not inside the root {base}") from None
    if start.is_dir():
        listing = find_files(
            start, base, _is_readable, follow_links=follow_links, text_format=text_format
        )
    else:
        file = SourceFile(start, name, format=text_format)
        listing = FileListing([file] if _is_readable(start.name) else [])
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
            because they were not read this time. Where the caller named ``source_column``, all
            sources after any error: what was lost may be of each.
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
        sources: set[str] = set()
        with Converter() as converter:
            for file, size in zip(self.files, self._sizes, strict=True):
                errors: list[ReadError] = []
                items = _read_passages(self._read_records(file, converter), file, seen, errors)
                for item in chain(_until_error(items, file, errors), errors):
                    if isinstance(item, ReadError):
                        self.incomplete.add(file.name)
                        self._report(item)
                    else:
                        if file.format.source_column is not None:
                            sources.add(item[0].source or file.name)
                        yield item
                self._bytes_before += size
        if self.errors:
            self.incomplete |= sources

    def _read_records(self, file: SourceFile, converter: Converter) -> Iterator[Record | ReadError]:
        try:
            file.name.encode("utf-8")
        except UnicodeEncodeError:
            raise file.error("the file's name is not UTF-8; rename it") from None
        name = file.path.name.lower()
        ending, reader = next(item for item in READERS.items() if name.endswith(item[0]))
        if ending in CONVERTERS:
            reader = converter.read
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
    except UnicodeError:
        errors.append(file.error(f"is not {file.format.encoding} from some point on"))
    except (OSError, EOFError, zlib.error) as error:
        cause = getattr(error, "strerror", None) or error
        problem = f"cannot be read from some point on: {cause}; rows before it are kept"
        errors.append(file.error(problem))


def to_passage(record: Record, file: SourceFile) -> Passage | ReadError:
    """The passage that a record describes, or an error that says what is wrong with it.

    ``_id`` or else ``id`` gives the id; where both are absent or empty, the position does:
    ``notes/a.jsonl#3`` for a row, ``notes/a.md`` for a file. The first of ``TEXT_KEYS`` gives the
    text; a ``title`` is put on a line before it, unless the text begins with it. The entries of a
    ``metadata`` object become metadata, and so do the other keys (the title too); where both have a
    name, the object's entry wins. The names that the caller gave are those of rows.
    """
    values = dict(record.values)
    named = TextFormat() if record.line is None else file.format
    texts = find_columns(values, TEXT_KEYS, named.text_column)
    if not texts:
        return file.error(no_text(values, named.text_column), record.line)
    text_key = texts[0]
    text = values.pop(text_key)
    if not isinstance(text, str):
        return file.error(
            f"{text_key!r} is of type {type(text).__name__}; it must be a string", record.line
        )
    if not text.strip() and not record.rest:
        return file.error(f"{text_key!r} is empty", record.line)
    for name in (named.id_column, named.source_column):
        if name is not None and name not in record.values:
            return file.error(f"no {name!r} among {join_keys(record.values)}", record.line)
    place = "" if record.line is None else f"#{record.number or record.line}"
    ids = find_columns(values, ID_KEYS, named.id_column)
    sources = [named.source_column] if named.source_column else []
    names: list[str] = []
    for keys, default in ((ids, file.name + place), (sources, file.name)):
        present = [key for key in keys if record.values[key] not in (None, "")]
        for key in present[:1] or keys[:1]:
            values.pop(key, None)
        value = record.values[present[0]] if present else default
        if not isinstance(value, str | int) or isinstance(value, bool):
            return file.error(
                f"{present[0]!r} is of type {type(value).__name__}; it must be a string or a whole "
                "number",
                record.line,
            )
        names.append(str(value))
    metadata = values.pop("metadata") if isinstance(values.get("metadata"), dict) else {}
    title = next((values[key] for key in find_columns(values, ["title"], None)), None)
    passage = Passage(
        id=names[0],
        text=_prepend_title(title, text),
        metadata={**values, **metadata},
        source=names[1],
    )
    try:
        return storable(passage)
    except InputError as error:
        return file.error(str(error), record.line)


def _check_format(
    text_column: str | None,
    id_column: str | None,
    source_column: str | None,
    delimiter: str | None,
    encoding: str,
) -> TextFormat:
    """The format of rows and texts.

    Raises:
        ConfigurationError: no such encoding, or a delimiter that cannot be one.
    """
    try:
        "".encode(encoding)
        encoding = codecs.lookup(encoding).name
        if encoding in ("idna", "punycode"):  # of host names: they decode no text in blocks
            raise LookupError
    except (LookupError, ValueError, TypeError):
        raise ConfigurationError(
            f"encoding is {shown(encoding)}; use one that Python knows: utf-8, cp1252, cp932, ..."
        ) from None
    delimiter = "\t" if delimiter == r"\t" else delimiter  # as a shell hands it over
    if delimiter is not None and not _is_delimiter(delimiter):
        raise ConfigurationError(f"delimiter is {shown(delimiter)}; use one character")
    return TextFormat(text_column, id_column, source_column, delimiter, encoding)


def _is_delimiter(value: object) -> bool:
    return isinstance(value, str) and len(value) == 1 and value not in '"\r\n'


def _prepend_title(title: object, text: str) -> str:
    if not isinstance(title, str) or not title.strip():
        return text
    has_title = text.lstrip("# \t\r\n").startswith(title.strip())
    return text if has_title else f"{title.strip()}\n{text}"
