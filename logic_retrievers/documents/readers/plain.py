"""Text: the whole file is one document."""

from __future__ import annotations

from collections.abc import Iterator

from logic_retrievers.documents.files import SourceFile
from logic_retrievers.documents.readers.decoding import read_text
from logic_retrievers.documents.record import Record


def read_plain(file: SourceFile) -> Iterator[Record]:
    """The only record of a text file."""
    yield Record({"text": read_text(file)})
