"""Records, their columns, and the readers of Markdown and text."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import IO, Any, TypeAlias

from logic_retrievers.documents.files import SourceFile, read_text
from logic_retrievers.documents.front_matter import split_front_matter
from logic_retrievers.errors import InputError, ReadError

TEXT_KEYS = (
    *("text", "page_content", "contents", "content", "body", "description", "passage"),
    "document",
)
"""Columns that hold the text, in any case: the first that there is."""
ID_KEYS = ("_id", "id")


@dataclass(frozen=True, slots=True)
class Record:
    """Named values of a row, or of a whole file.

    Args:
        values: as the file gives them.
        line: 1-based line where the row begins; ``None`` where the record is the whole file.
        number: of a row in a file whose rows have no line each, from 1.
        rest: what follows the value ``text``, in blocks, where a file is too large to be held.
    """

    values: Mapping[str, Any]
    line: int | None = None
    rest: Iterable[str] = ()
    number: int | None = None


RecordReader: TypeAlias = Callable[[SourceFile, IO[bytes]], Iterator[Record | ReadError]]


def find_columns(columns: Collection[str], known: Sequence[str], named: str | None) -> list[str]:
    """The column that the caller named, else those of the known ones, in any case, in their order.

    No column at all where there is none of these.
    """
    present = {column.lower(): column for column in columns} | {c: c for c in columns}
    return [present[name] for name in ([named] if named else known) if name in present]


def no_text(columns: Iterable[str], named: str | None) -> str:
    """The error message for columns among which there is none with the text."""
    return (
        f"no text: looked for {join_keys([named] if named else TEXT_KEYS)} among "
        f"{join_keys(columns)}; name the column: text_column='...' (--text-column)"
    )


def join_keys(keys: Iterable[str]) -> str:
    """Names for a message, not too many."""
    joined = ", ".join(map(repr, keys))
    return joined if len(joined) <= 200 else joined[:200] + " ..."


def read_markdown(file: SourceFile, stream: IO[bytes]) -> Iterator[Record]:
    """The only record of a Markdown file; its front matter ends in the first MiB."""
    text, rest = read_text(file, stream)
    try:
        values, body = split_front_matter(text)
    except InputError as error:
        raise file.error(str(error), 1) from None
    if "title" in values:
        values["title"] = str(values["title"])  # also where it is a year
    yield Record({**values, "text": body}, rest=rest)


def read_plain(file: SourceFile, stream: IO[bytes]) -> Iterator[Record]:
    """The only record of a text file."""
    text, rest = read_text(file, stream)
    yield Record({"text": text}, rest=rest)
