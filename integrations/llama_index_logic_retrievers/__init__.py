"""LlamaIndex components over the engine of logic-retrievers.

A policy ranks the candidates of a query. A judge reads texts and corrects scores. Evidence gives
the reasons for a result's rank. A resolution decides which of two contradicting passages stays.
"""

from __future__ import annotations

from logic_retrievers.errors import MissingExtraError

try:
    import llama_index.core  # noqa: F401 - imported only to check that it is installed
except ModuleNotFoundError as error:
    if error.name not in {"llama_index", "llama_index.core"}:
        raise
    raise MissingExtraError("llama-index-core", "llama-index") from error

from llama_index_logic_retrievers.cleaner import CorpusCleaner
from llama_index_logic_retrievers.contradiction_filter import (
    ContradictionFilter,
    ContradictionFilterEvent,
)
from llama_index_logic_retrievers.contradiction_retriever import ContradictionRetriever
from llama_index_logic_retrievers.existing import aopen_index_over, open_index_over
from llama_index_logic_retrievers.judges import as_judge
from llama_index_logic_retrievers.models import LLMReader, LogicEmbeddings, encoder_of
from llama_index_logic_retrievers.reranker import CompatibilityReranker
from llama_index_logic_retrievers.retriever import ConstraintRetriever
from llama_index_logic_retrievers.store import LogicVectorStore

__all__ = [
    "CompatibilityReranker",
    "ConstraintRetriever",
    "ContradictionFilter",
    "ContradictionFilterEvent",
    "ContradictionRetriever",
    "CorpusCleaner",
    "LLMReader",
    "LogicEmbeddings",
    "LogicVectorStore",
    "aopen_index_over",
    "as_judge",
    "encoder_of",
    "open_index_over",
]
