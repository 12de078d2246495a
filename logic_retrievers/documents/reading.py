"""Read the passages of a file or a folder, and record errors and skipped files."""

from __future__ import annotations

import codecs
import os
import zlib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import IO, Literal, get_args

from logic_retrievers.documents.converter import Converter
from logic_retrievers.documents.files import (
    Problem,
    RecordReader,
    SourceFile,
    TextFormat,
    list_files,
    open_file,
    to_passage,
)
from logic_retrievers.documents.formats import CONVERTERS
from logic_retrievers.documents.rows import (
    read_csv,
    read_json,
    read_jsonl,
    read_markdown,
    read_plain,
)
from logic_retrievers.errors import ConfigurationError, ReadError, shown
from logic_retrievers.types import Passage

OnError = Literal["collect", "raise"]

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
    """Open a file or a folder: JSON, CSV, Markdown, text, PDF, Word (.docx) and HTML.

    The ``source`` of every passage, rows included, is the path of the file relative to ``root``.
    So with ``replace_sources=True``, indexing a file again removes rows that are no longer in the
    file, and surplus chunks of a document that became shorter.

    PDF, Word and HTML need ``pip install 'logic-retrievers[files]'``; without the extra each such
    file gives an error that says so. A PDF gives a passage per page with ``page`` in its metadata.

    Args:
        path: the file or the folder; folders are read recursively.
        on_error: ``collect`` adds each bad row or file to :attr:`DocumentReader.errors`, which is
            complete once the iteration ends; ``raise`` raises the first one.
        root: the folder that sources and default ids are relative to; by default ``path`` itself,
            or the folder of the file. If two folders in one collection hold files of the same
            name, pass a common parent.
        text_column: column of the text in JSON and CSV; by default the first of ``text``,
            ``page_content``, ``contents``, ``content``, ``body``, ``description``, ``passage`` and
            ``document``, in any letter case.
        id_column: column of ids in JSON and CSV; by default ``_id`` or ``id``, in any letter case.
        source_column: column of JSON and CSV with the source of each row. Indexing the file again
            then keeps the stored rows of a source that is no longer in the file.
        delimiter: separator of the columns of CSV; by default the one of ``,``, ``;``, tab and
            ``|`` that separates the text column from others, and a tab for ``.tsv``.
        encoding: encoding of JSON, CSV, Markdown and text, and of web pages that declare none.
        follow_links: whether links may lead out of the folder.

    Raises:
        ReadError: the path does not exist, or holds no file of a readable format.
        ConfigurationError: ``path`` is outside of ``root``, or a setting cannot work.
    """
    if on_error not in get_args(OnError):
        raise ConfigurationError(f"on_error is {on_error!r}; use 'collect' or 'raise'")
    text_format = TextFormat(
        text_column, id_column, source_column, _check_delimiter(delimiter), _check(encoding)
    )
    start = Path(path)
    try:
        start.stat()
    except OSError as error:
        raise ReadError(f"cannot be read: {error.strerror}", file=str(start)) from None
    is_folder = start.is_dir()
    base = Path(root) if root is not None else start if is_folder else start.parent
    if not start.is_relative_to(base):
        raise ConfigurationError(f"{start} is not inside the root {base}")
    inside = Path(os.path.realpath(start)) if is_folder and not follow_links else None
    found, errors = list_files(start, inside) if is_folder else ([start], [])
    files: list[SourceFile] = []
    skipped: Counter[str] = Counter()
    for path_found in found:
        endings = [end for end in READERS if path_found.name.lower().endswith(end)]
        if not endings:
            skipped[path_found.suffix.lower()] += 1
            continue
        # the same name in every locale
        name = os.fsencode(path_found.relative_to(base).as_posix()).decode("utf-8", "replace")
        files.append(SourceFile(path_found, name, endings[0], inside, text_format))
    if not files:
        problem = "; ".join(map(str, errors)) or f"no file ends in {', '.join(READERS)}"
        raise ReadError(f"nothing to read here: {problem}", file=str(start))
    return DocumentReader(files, skipped, errors, on_error)


class DocumentReader:
    """An iterable of passages, read lazily, row by row.

    Iteration fills the attributes, which report what was left out. A second iteration reads the
    files again.

    Attributes:
        files: the files in reading order.
        skipped: number of files in other formats, by extension.
        errors: bad rows and files so far; complete once the iteration ends.
        incomplete: sources that an error left partly unread. A stored passage of such a source may
            be current although it was not read. With ``source_column``, any error makes all
            sources incomplete, because the lost row may belong to any source.
        total_bytes: size of all files on disk; known before the iteration.
    """

    def __init__(
        self,
        files: Sequence[SourceFile],
        skipped: Mapping[str, int],
        listing_errors: Sequence[ReadError],
        on_error: OnError,
    ) -> None:
        self.files = tuple(files)
        self.skipped = dict(skipped)
        self.errors: list[ReadError] = []
        self.incomplete: set[str] = set()
        self._listing_errors = tuple(listing_errors)
        self._on_error = on_error
        self._sizes = [
            file.path.stat().st_size if os.access(file.path, os.R_OK) else 0 for file in self.files
        ]
        self.total_bytes = sum(self._sizes)
        self._bytes_before = 0
        self._stream: IO[bytes] | None = None

    @property
    def read_bytes(self) -> int:
        """Number of bytes out of ``total_bytes`` read so far; also grows within a file."""
        stream, position = self._stream, 0
        if stream is not None and not stream.closed:
            position = getattr(stream, "fileobj", stream).tell()  # of the compressed file
        return min(self._bytes_before + position, self.total_bytes)

    def __iter__(self) -> Iterator[Passage]:
        self._bytes_before = 0
        self.errors.clear()
        self.incomplete.clear()
        for error in self._listing_errors:
            self._report(error)
        # In a collection, a later passage with the same id would replace the earlier passage.
        ids: set[str] = set()
        sources: set[str] = set()
        with closing(Converter()) as converter:
            for file, size in zip(self.files, self._sizes, strict=True):
                for item in self._read(file, converter, ids):
                    if isinstance(item, Passage):
                        ids.add(item.id)
                        sources.add(item.source or file.name)
                        yield item
                    else:
                        self.incomplete.add(file.name)
                        self._report(ReadError(str(item), file=str(file.path), line=item.line))
                self._bytes_before += size
        if self.errors and self.files[0].format.source_column is not None:
            self.incomplete |= sources

    def _read(
        self, file: SourceFile, converter: Converter, ids: set[str]
    ) -> Iterator[Passage | Problem]:
        read = converter.read if file.ending in CONVERTERS else READERS[file.ending]
        try:
            with open_file(file) as self._stream:
                for record in read(file, self._stream):
                    try:
                        if isinstance(record, Problem):
                            raise record
                        passage = to_passage(record, file)
                        if passage.id in ids:
                            used = f"the id {passage.id!r} was used before"
                            raise Problem(f"{used}; the first passage with it counts", record.line)
                    except Problem as problem:
                        yield problem
                    else:
                        yield passage
        except Problem as problem:
            yield problem
        except UnicodeError:
            yield Problem(f"is not {file.format.encoding} from some point on")
        except (OSError, EOFError, zlib.error) as error:
            cause = getattr(error, "strerror", None) or error
            yield Problem(f"cannot be read from some point on: {cause}; rows before it are kept")

    def _report(self, error: ReadError) -> None:
        if self._on_error == "raise":
            raise error
        self.errors.append(error)


def _check(encoding: str) -> str:
    try:
        "".encode(encoding)
        name = codecs.lookup(encoding).name
        if name in ("idna", "punycode"):  # for host names; they cannot decode text in blocks
            raise LookupError
    except (LookupError, ValueError, TypeError):
        raise ConfigurationError(
            f"encoding is {shown(encoding)}; use one that Python knows: utf-8, cp1252, cp932, ..."
        ) from None
    return name


def _check_delimiter(delimiter: str | None) -> str | None:
    mark = "\t" if delimiter == r"\t" else delimiter  # a shell passes "\t" as two characters
    if mark is None or (isinstance(mark, str) and len(mark) == 1 and mark not in '"\r\n'):
        return mark
    raise ConfigurationError(f"delimiter is {shown(delimiter)}; use one character")
