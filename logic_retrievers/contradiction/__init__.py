"""Contradictions: scored, searched for, and kept out of a context.

scorer.py                 pairs of texts; pair_scores.py: cosine, sparsity, F, probability
search.py                 stored passages that contradict a statement; ranking.py orders them
filter.py                 the three stages below, for a list of passages
candidate_pairs.py        passages, trusted passages (trusted_passages.py), and their pairs
pair_judge.py             what reads two texts at once: the bundle's cross-encoder, a user's model
conflict_resolution.py    who stays and who is dropped; filter_result.py: the evidence
resolution_strategies.py  annotate, prefer_newest (dates.py), prefer_source,
                          prefer_majority (stance_groups.py), drop_both
settings.py               the constants of a contradiction vector

The names load on first use: the constants alone need no Qdrant.
"""

from __future__ import annotations

from logic_retrievers.lazy_imports import lazy_names

_MODULES = {
    "conflict_resolution": "Conflict",
    "filter": "ContradictionFilter",
    "filter_result": "FilterResult",
    "pair_judge": "PairJudge",
    "pair_scores": "PairScore",
    "scorer": "ContradictionScorer",
    "search": "ContradictionSearch",
    "settings": "ContradictionSettings",
}

__getattr__, __all__ = lazy_names(__name__, _MODULES)
