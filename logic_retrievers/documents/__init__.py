"""From files to passages: readers of JSONL, CSV, Markdown and text; a splitter of long ones."""

from logic_retrievers.documents.reading import Reading, read_documents
from logic_retrievers.documents.splitting import Splitter, split_passage

__all__ = ["Reading", "Splitter", "read_documents", "split_passage"]
