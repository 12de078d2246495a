"""Score contradictions, search for them, and keep them out of a context."""

from __future__ import annotations

from logic_retrievers.lazy_imports import lazy_names

_MODULES = {
    "conflict_resolution": "Conflict",
    "filter": "ContradictionFilter",
    "filter_result": "FilterResult",
    "pair_judge": "PairJudge",
    "scorer": "ContradictionScorer PairScore",
    "search": "ContradictionSearch",
    "settings": "ContradictionSettings",
}

__getattr__, __all__ = lazy_names(__name__, _MODULES)
