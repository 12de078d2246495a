"""Clean corpora: find and decide conflicts, and hide the passages that lose; none is deleted."""

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
