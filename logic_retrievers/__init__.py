"""Retrieval that respects what a query rules out.

The public names load on first use, so that importing the package stays cheap.

ONNX Runtime, from version 1.29 on, sends events to its maker from its own threads, and keeps a
device id and a queue of events under ``~/.cache/Microsoft``. ``ORT_DISABLE_TELEMETRY=1`` prevents
both, but only if it is set before a process first imports ONNX Runtime. So this module sets the
variable, unless it already has a value. An application must set it itself if it imports
``onnxruntime`` (or ``qdrant_client``, where fastembed is installed) before this package.
"""

from __future__ import annotations

import os
from importlib.metadata import version

from logic_retrievers.lazy_imports import lazy_names

os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")

_MODULES = {
    "conflicts": (
        "ContradictionFilter ContradictionScorer ContradictionSearch "
        "ContradictionSettings CorpusCleaner PairScore"
    ),
    "documents": "Splitter read_documents",
    "encoders": (
        "CachedEncoder CombinedEncoder Encoder EndpointEncoder FunctionEncoder OnnxEncoder "
        "RecentEncoder SentenceTransformerEncoder VectorSpec"
    ),
    "errors": "LogicRetrieversError",
    "fields": "Date Number Year",
    "index": "IngestReport PassageIndex",
    "judging": "ChatJudge CrossEncoderJudge JudgeSettings ModelJudge OnnxJudge RerankEndpoint",
    "policies": (
        "AutoPolicy BooleanPolicy BooleanSettings CoderUnionPolicy CompatibilityPolicy "
        "ConstraintPolicy ConstraintSettings ExpressionPolicy Policy SequentialPolicy "
        "TopicalPolicy UnionPolicy"
    ),
    "queries": "And Atom ConstraintParser Decomposer Expression Not Or ParsedQuery QueryParser",
    "rerank": "Reranker",
    "search": "Engine",
    "search_options": "SearchOptions",
    "types": "Evidence Hit Passage",
}

__version__ = version("logic-retrievers")
__getattr__, __all__ = lazy_names(__name__, _MODULES, "__version__")
