"""Which reader takes a file, by its extension."""

from __future__ import annotations

from logic_retrievers.documents.archives import read_docx, read_epub
from logic_retrievers.documents.formats import (
    RecordReader,
    read_csv,
    read_jsonl,
    read_markdown,
    read_plain,
)
from logic_retrievers.documents.pdf import read_pdf
from logic_retrievers.documents.web_pages import read_html

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


def reader_for(name: str) -> RecordReader | None:
    """The reader of files with this extension; ``None`` if there is none."""
    for extension, reader in READERS.items():
        if name.lower().endswith(extension):
            return reader
    return None
