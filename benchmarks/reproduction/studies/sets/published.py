"""Published figures of LogiCoL."""

from __future__ import annotations

from benchmarks.reproduction.artefacts import Row

DIFFERS = (
    "LogiCoL (Shen et al. 2025): QUEST over Wikipedia, 1,727 test queries (11,854 with variants), "
    "E5 (BM25 where it is named); other queries, documents and encoders than ours"
)


def _row(name: str, *cells: float | None) -> Row:
    return Row(cells=(name, *cells), origin="published", note=DIFFERS)


SYSTEMS = (
    _row("BM25", None, None, 0.197, None, None, 0.093),
    _row("E5, zero-shot", None, None, 0.310, None, None, 0.150),
    _row("E5, supervised contrastive", 0.112, 0.225, 0.400, 0.703, None, 0.198),
    _row("E5, contrastive, all groups", None, None, 0.405, None, None, None),
    _row("E5, contrastive, mixed groups", None, None, 0.417, None, None, None),
    _row("E5, LogiCoL", None, None, 0.421, None, None, 0.219),
    _row("E5, decompose-then-ensemble", 0.095, 0.189, 0.314, 0.523, None, None),
)
"""R@5, R@20, R@100, R@1000, violation rate, and R@100 with variants."""

KINDS = (
    _row("E5, supervised contrastive", 0.269, 0.229, 0.189, 0.139),
    _row("E5, LogiCoL", 0.290, 0.272, 0.215, 0.139),
)
"""R@100 with variants, by what joins the atoms: nothing, AND, NOT, OR."""

CORRELATIONS = (
    _row("before LogiCoL", None, 0.88, 0.64),
    _row("LogiCoL", None, 0.13, -0.29),
)
"""Coherence, and Pearson's r of complementary queries of two and of three atoms."""
