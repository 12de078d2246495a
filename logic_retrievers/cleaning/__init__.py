"""Corpora cleaned: conflicts found, decided, and hidden if so decided; nothing is deleted.

settings.py            what a cleaning compares, by what it decides, and whom it trusts
candidate_pairs.py     the pairs worth classifying; neighbours.py finds and scores them
pair_reading.py        the pairs that a cross-encoder reads
classification.py      how two passages relate: pairs become findings; differences/ and pair_rules/
neighbour_groups.py    pairs judged together with the neighbours of their passages
finding_resolution.py  findings become decisions
pipeline.py            these stages in order; cleaner.py: CorpusCleaner
ledger.py              what was decided; known_ledger.py: what the collection knows of it
quarantine.py          the hidden passages
result.py              what a cleaning returns; report/ writes it for people and programs,
                       explanation.py says it in a sentence

The names load on first use.
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
