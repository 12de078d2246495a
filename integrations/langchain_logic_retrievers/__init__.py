"""LangChain components over the engine of logic-retrievers.

A policy ranks the candidates of a query. A judge reads texts and corrects scores. Evidence gives
the reasons for a result's rank. A resolution decides which of two contradicting passages stays.
"""

from __future__ import annotations

from logic_retrievers.errors import MissingExtraError

try:
    import langchain_core  # noqa: F401 - imported only to check that it is installed
except ModuleNotFoundError as error:
    if error.name != "langchain_core":
        raise
    raise MissingExtraError("langchain-core", "langchain") from error

from langchain_logic_retrievers.cleaner import CorpusCleaner
from langchain_logic_retrievers.contradiction_filter import ContradictionFilter
from langchain_logic_retrievers.contradiction_retriever import ContradictionRetriever
from langchain_logic_retrievers.documents import document_key
from langchain_logic_retrievers.existing import aopen_index_over, open_index_over
from langchain_logic_retrievers.judges import as_judge
from langchain_logic_retrievers.models import ChatModelReader, LogicEmbeddings, encoder_of
from langchain_logic_retrievers.reranker import CompatibilityReranker
from langchain_logic_retrievers.retriever import ConstraintRetriever
from langchain_logic_retrievers.store import LogicVectorStore

__all__ = [
    "ChatModelReader",
    "CompatibilityReranker",
    "ConstraintRetriever",
    "ContradictionFilter",
    "ContradictionRetriever",
    "CorpusCleaner",
    "LogicEmbeddings",
    "LogicVectorStore",
    "aopen_index_over",
    "as_judge",
    "document_key",
    "encoder_of",
    "open_index_over",
]
