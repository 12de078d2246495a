"""Clean corpora: find conflicts, decide them, and hide the passages that lose. None is deleted.

A finding is two passages and how they relate. A decision says what follows for the two. Hidden
passages are in quarantine: they stay stored, with a flag that keeps them out of searches. The
ledger is a log of all decisions. To examine a passage is to compare it with its neighbours, the
passages that are topically nearest. ``contradiction/__init__.py`` explains further words.
"""

from __future__ import annotations

from logic_retrievers.lazy_imports import lazy_names

_MODULES = {
    "cleaner": "CorpusCleaner",
    "explanation": "explain",
    "ledger": "Entry Ledger",
    "quarantine": "Quarantine QuarantinedPassage Restored Verified",
    "report": "failing_decisions write_report",
    "result": "CleaningResult Decision Difference Finding Kind ScreeningResult",
    "settings": "CleaningSettings",
}

__getattr__, __all__ = lazy_names(__name__, _MODULES)
