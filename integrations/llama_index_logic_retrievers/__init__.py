"""LlamaIndex over the engine of logic-retrievers: types are translated, work is delegated.

ConstraintRetriever       a retriever that respects what a query rules out
CompatibilityReranker     the same rules over any other retriever's nodes
ContradictionFilter       keeps contradictions out of any retriever's nodes
ContradictionFilterEvent  its decisions, for tracers
ContradictionRetriever    what a collection holds against a statement
CorpusCleaner             finds conflicts before nodes are stored
LogicVectorStore          stores nodes with all named vectors
LogicEmbeddings           one named vector, as LlamaIndex's embedding model
open_index_over           the index over an existing QdrantVectorStore (aopen_index_over: async)
encoder_of                any LlamaIndex embedding model as an encoder
LLMReader                 any LLM as a reader of the RAG probe
"""

from __future__ import annotations

from logic_retrievers.errors import MissingExtraError

try:
    import llama_index.core  # noqa: F401 - only to learn whether it is there
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
    "encoder_of",
    "open_index_over",
]
