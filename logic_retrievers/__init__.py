"""Retrieval that respects what a query rules out.

The public names load on first use, so that importing the package stays cheap.
"""

from __future__ import annotations

from importlib.metadata import version
from typing import TYPE_CHECKING

from logic_retrievers.lazy_imports import lazy_getattr

if TYPE_CHECKING:
    from logic_retrievers.cleaning import CorpusCleaner
    from logic_retrievers.contradiction import (
        ContradictionFilter,
        ContradictionScorer,
        ContradictionSearch,
        ContradictionSettings,
        PairScore,
    )
    from logic_retrievers.documents import Splitter, read_documents
    from logic_retrievers.encoders import (
        CachedEncoder,
        CombinedEncoder,
        Encoder,
        FunctionEncoder,
        OnnxEncoder,
        RecentEncoder,
        SentenceTransformerEncoder,
        VectorSpec,
    )
    from logic_retrievers.errors import LogicRetrieversError
    from logic_retrievers.index import IngestReport, PassageIndex
    from logic_retrievers.policies import (
        AutoPolicy,
        BooleanPolicy,
        BooleanSettings,
        CoderUnionPolicy,
        CompatibilityPolicy,
        ExclusionPolicy,
        ExclusionSettings,
        ExpressionPolicy,
        Policy,
        SequentialPolicy,
        TopicalPolicy,
        UnionPolicy,
    )
    from logic_retrievers.queries import (
        And,
        Atom,
        Decomposer,
        Expression,
        Not,
        Or,
        ParsedQuery,
        QueryParser,
        RuleParser,
    )
    from logic_retrievers.rerank import Reranker
    from logic_retrievers.search import Engine
    from logic_retrievers.types import Evidence, Hit, Passage

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

__all__ = [
    "And",
    "Atom",
    "AutoPolicy",
    "BooleanPolicy",
    "BooleanSettings",
    "CachedEncoder",
    "CoderUnionPolicy",
    "CombinedEncoder",
    "CompatibilityPolicy",
    "ContradictionFilter",
    "ContradictionScorer",
    "ContradictionSearch",
    "ContradictionSettings",
    "CorpusCleaner",
    "Decomposer",
    "Encoder",
    "Engine",
    "Evidence",
    "ExclusionPolicy",
    "ExclusionSettings",
    "Expression",
    "ExpressionPolicy",
    "FunctionEncoder",
    "Hit",
    "IngestReport",
    "LogicRetrieversError",
    "Not",
    "OnnxEncoder",
    "Or",
    "PairScore",
    "ParsedQuery",
    "Passage",
    "PassageIndex",
    "Policy",
    "QueryParser",
    "RecentEncoder",
    "Reranker",
    "RuleParser",
    "SentenceTransformerEncoder",
    "SequentialPolicy",
    "Splitter",
    "TopicalPolicy",
    "UnionPolicy",
    "VectorSpec",
    "__version__",
    "read_documents",
]

__version__ = version("logic-retrievers")


__getattr__ = lazy_getattr(__name__, _MODULES)
