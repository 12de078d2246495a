"""Haystack components over the engine of logic-retrievers.

Importing this package allows Haystack to load saved pipelines that use it.

A policy ranks the candidates of a query. A judge reads texts and corrects scores. Evidence gives
the reasons for a result's rank. A resolution decides which of two contradicting passages stays.
"""

from __future__ import annotations

from logic_retrievers.errors import MissingExtraError

try:
    import haystack  # noqa: F401 - imported only to check that it is installed
except ModuleNotFoundError as error:
    if error.name != "haystack":
        raise
    raise MissingExtraError("haystack-ai", "haystack") from error

from haystack.core.serialization import allow_deserialization_module

from haystack_logic_retrievers.contradiction_filter import ContradictionFilter
from haystack_logic_retrievers.judges import as_judge
from haystack_logic_retrievers.ranker import CompatibilityRanker
from haystack_logic_retrievers.retriever import ConstraintRetriever
from haystack_logic_retrievers.store import LogicDocumentStore

allow_deserialization_module(__name__)

__all__ = [
    "CompatibilityRanker",
    "ConstraintRetriever",
    "ContradictionFilter",
    "LogicDocumentStore",
    "as_judge",
]
