"""Corpora cleaned: conflicts found, decided, and hidden where that is decided; nothing deleted.

findings.py   what is found; differences/, kinds.py, questions/: two texts told apart
comparing.py  passages against their topical neighbours; gathering.py: the pairs worth a look
telling.py    pairs become findings; resolving.py: findings become decisions; all pure
acting.py     decisions are written down and done; ledger.py, quarantine.py
rules.py      what is judged by; steps.py: all of it in order; cleaner.py: in one class
screening.py  what a hook hands on; report/: for people and for other programs

The names load on first use.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from logic_retrievers.lazy import lazy

if TYPE_CHECKING:
    from logic_retrievers.cleaning.cleaner import CorpusCleaner
    from logic_retrievers.cleaning.findings import Difference, Finding, Kind
    from logic_retrievers.cleaning.ledger import Entry, Ledger
    from logic_retrievers.cleaning.quarantine import Held, Quarantine, Restored, Verified
    from logic_retrievers.cleaning.report import failing, write_report
    from logic_retrievers.cleaning.result import Cleaned, Decision
    from logic_retrievers.cleaning.screening import Screened

_HOMES = {
    "Cleaned": "result",
    "CorpusCleaner": "cleaner",
    "Decision": "result",
    "Difference": "findings",
    "Entry": "ledger",
    "Finding": "findings",
    "Held": "quarantine",
    "Kind": "findings",
    "Ledger": "ledger",
    "Quarantine": "quarantine",
    "Restored": "quarantine",
    "Screened": "screening",
    "Verified": "quarantine",
    "failing": "report",
    "write_report": "report",
}

__all__ = [
    "Cleaned",
    "CorpusCleaner",
    "Decision",
    "Difference",
    "Entry",
    "Finding",
    "Held",
    "Kind",
    "Ledger",
    "Quarantine",
    "Restored",
    "Screened",
    "Verified",
    "failing",
    "write_report",
]


__getattr__ = lazy(__name__, _HOMES)


def __dir__() -> list[str]:
    return __all__
