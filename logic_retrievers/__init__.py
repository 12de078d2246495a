"""Retrieval that respects what a query rules out.

The public names load on first use, so that importing the package stays cheap.
"""

from __future__ import annotations

from importlib.metadata import version

from logic_retrievers.lazy_imports import lazy_names

_MODULES = {
    "cleaning": "CorpusCleaner",
    "contradiction": (
        "ContradictionFilter ContradictionScorer ContradictionSearch "
        "ContradictionSettings PairScore"
    ),
    "documents": "Splitter read_documents",
    "encoders": (
        "CachedEncoder CombinedEncoder Encoder FunctionEncoder OnnxEncoder RecentEncoder "
        "SentenceTransformerEncoder VectorSpec"
    ),
    "errors": "LogicRetrieversError",
    "index": "IngestReport PassageIndex",
    "policies": (
        "AutoPolicy BooleanPolicy BooleanSettings CoderUnionPolicy CompatibilityPolicy "
        "ExclusionPolicy ExclusionSettings ExpressionPolicy Policy SequentialPolicy "
        "TopicalPolicy UnionPolicy"
    ),
    "queries": "And Atom Decomposer Expression Not Or ParsedQuery QueryParser RuleParser",
    "rerank": "Reranker",
    "search": "Engine",
    "types": "Evidence Hit Passage",
}

__version__ = version("logic-retrievers")
__getattr__, __all__ = lazy_names(__name__, _MODULES, "__version__")
