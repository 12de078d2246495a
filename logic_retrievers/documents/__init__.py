"""Read files as passages, by extension, and split long passages."""

from logic_retrievers.documents.reading import DocumentReader, read_documents
from logic_retrievers.documents.splitting import Splitter

__all__ = ["DocumentReader", "Splitter", "read_documents"]
