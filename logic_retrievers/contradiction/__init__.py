"""Contradictions: scored, searched for, and kept out of a context.

The names load on first use: the constants alone need no Qdrant.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from logic_retrievers.lazy import lazy

if TYPE_CHECKING:
    from logic_retrievers.contradiction.filtered import Conflict, Filtered
    from logic_retrievers.contradiction.filtering import ContradictionFilter
    from logic_retrievers.contradiction.opinions import SecondOpinion
    from logic_retrievers.contradiction.pairs import PairScore
    from logic_retrievers.contradiction.scorer import ContradictionScorer
    from logic_retrievers.contradiction.search import ContradictionSearch
    from logic_retrievers.contradiction.settings import ContradictionSettings

_HOMES = {
    "Conflict": "filtered",
    "ContradictionFilter": "filtering",
    "ContradictionScorer": "scorer",
    "ContradictionSearch": "search",
    "ContradictionSettings": "settings",
    "Filtered": "filtered",
    "PairScore": "pairs",
    "SecondOpinion": "opinions",
}

__all__ = [
    "Conflict",
    "ContradictionFilter",
    "ContradictionScorer",
    "ContradictionSearch",
    "ContradictionSettings",
    "Filtered",
    "PairScore",
    "SecondOpinion",
]


__getattr__ = lazy(__name__, _HOMES)


def __dir__() -> list[str]:
    return __all__
