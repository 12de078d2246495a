"""Score contradictions, search for them, keep them out of a context, and clean corpora of them.

One pipeline: candidate pairs -> probability from the vectors, or from a judge -> resolution.
:class:`ContradictionFilter` applies the pipeline to a list of passages, ``cleaning`` to a corpus,
where metadata that the user declared come first.

The score F of two passages comes from two vectors of each passage. Topical vectors encode the
subject of a text. If two texts contradict each other, their contradiction vectors differ in few
coordinates. A judge is a model that reads both texts of a pair. A candidate pair may be a conflict.
A conflict is a pair whose probability of a contradiction reaches the threshold; for the package's
judge, two states of one thing count too. The user vouches for a trusted passage, which always
stays. By default, passages that contradict a trusted passage are dropped. A resolution (or
strategy, such as "keep the newest") decides the conflicts without a trusted passage. Passages that
agree on a question have the same stance.
"""

from __future__ import annotations

from logic_retrievers.lazy_imports import lazy_names

_MODULES = {
    "cleaning.cleaner": "CorpusCleaner",
    "cleaning.explanation": "explain",
    "cleaning.ledger": "Entry Ledger",
    "cleaning.quarantine": "Quarantine QuarantinedPassage Restored Verified",
    "cleaning.report": "failing_decisions write_report",
    "cleaning.result": "CleaningResult Decision Difference Finding Kind ScreeningResult",
    "cleaning.settings": "CleaningSettings",
    "conflict_resolution": "Conflict",
    "filter": "ContradictionFilter",
    "filter_result": "FilterResult",
    "pair_judge": "PairJudge",
    "scorer": "ContradictionScorer PairScore",
    "search": "ContradictionSearch",
    "settings": "ContradictionSettings",
}

__getattr__, __all__ = lazy_names(__name__, _MODULES)
