"""Score contradictions, search for them, and keep them out of a context.

The score F of two passages comes from two vectors of each. Topical vectors tell what a text is
about. Contradiction vectors of two texts that contradict each other differ in few coordinates. A
judge is a model that reads both texts of a pair. Candidates are worth a closer look. A conflict is
a pair whose probability of a contradiction reaches the threshold. A trusted passage, which the user
vouches for, always stays; by default what contradicts it goes. A resolution (or strategy, such as
"keep the newest") decides the others. Passages that agree on a question have the same stance.
"""

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
