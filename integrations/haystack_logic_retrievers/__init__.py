"""Haystack over the engine of logic-retrievers: types are translated, work is delegated.

ConstraintRetriever   a retriever that respects what a query rules out
CompatibilityRanker   the same rules over any other retriever's documents
ContradictionFilter   keeps contradictions out of any retriever's documents
LogicDocumentStore    stores documents with all named vectors; what DocumentWriter writes to

Importing this package puts it on the list of modules from which Haystack loads saved pipelines.
"""

from __future__ import annotations

from logic_retrievers.errors import MissingExtraError

try:
    import haystack  # noqa: F401 - only to learn whether it is there
except ModuleNotFoundError as error:
    if error.name != "haystack":
        raise
    raise MissingExtraError("haystack-ai", "haystack") from error

from haystack.core.serialization import allow_deserialization_module

from haystack_logic_retrievers.contradiction_filter import ContradictionFilter
from haystack_logic_retrievers.ranker import CompatibilityRanker
from haystack_logic_retrievers.retriever import ConstraintRetriever
from haystack_logic_retrievers.store import LogicDocumentStore

allow_deserialization_module(__name__)

__all__ = [
    "CompatibilityRanker",
    "ConstraintRetriever",
    "ContradictionFilter",
    "LogicDocumentStore",
]
