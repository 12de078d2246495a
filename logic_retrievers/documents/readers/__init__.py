"""One reader a format: it yields records, and an error in the place of each bad row."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TypeAlias

from logic_retrievers.documents.files import SourceFile
from logic_retrievers.documents.readers.jsonl import read_jsonl
from logic_retrievers.documents.readers.markdown import read_markdown
from logic_retrievers.documents.readers.plain import read_plain
from logic_retrievers.documents.readers.table import read_csv
from logic_retrievers.documents.record import Record
from logic_retrievers.errors import ReadError

Reader: TypeAlias = Callable[[SourceFile], Iterator[Record | ReadError]]

READERS: dict[str, Reader] = {
    ".jsonl": read_jsonl,
    ".jsonl.gz": read_jsonl,
    ".csv": read_csv,
    ".md": read_markdown,
    ".markdown": read_markdown,
    ".txt": read_plain,
}


def reader_for(name: str) -> Reader | None:
    """The reader of files with such a name; ``None`` where there is none."""
    for extension, reader in READERS.items():
        if name.lower().endswith(extension):
            return reader
    return None
