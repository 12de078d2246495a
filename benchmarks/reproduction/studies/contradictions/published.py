"""Published figures of SparseCL (Xu et al. 2024), as rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from benchmarks.reproduction.artefacts import Row

_PAPER = "Xu et al. 2024, SparseCL"
_RETRIEVAL: Mapping[str, Mapping[str, tuple[float, float]]] = {
    "BGE-base": {"ArguAna": (0.658, 0.704), "MSMARCO": (0.600, 0.909), "HotpotQA": (0.595, 0.967)},
    "BGE-base, contrastively trained": {
        "ArguAna": (0.687, 0.722),
        "MSMARCO": (0.564, 0.883),
        "HotpotQA": (0.562, 0.965),
    },
    "GTE-large": {"ArguAna": (0.725, 0.797), "MSMARCO": (0.603, 0.953), "HotpotQA": (0.597, 0.977)},
}
"""Encoder -> corpus -> nDCG@10 of cosine and of cosine + alpha * Hoyer."""

_SPARSITY = {"cosine": 0.657, "+ l2/l1": 0.675, "+ kappa4": 0.684, "+ Hoyer": 0.704}
_PARAPHRASES = {
    "cosine": (0.561, 0.355, 0.267),
    "cosine + alpha * Hoyer": (0.682, 0.679, 0.675),
}
MEDIANS: Mapping[str, Mapping[str, float]] = {
    "before training": {"random": 0.212, "agreeing": 0.211, "contradicting": 0.211},
    "after training": {"random": 0.212, "agreeing": 0.281, "contradicting": 0.632},
}
"""Median Hoyer sparsity, of an encoder with 768 dimensions; what agrees are paraphrases there."""

_CLEANING: Mapping[str, tuple[float, float, float, float, float, str]] = {
    "HotpotQA": (0.676, 0.567, 0.652, 0.443, 0.020, "78 %"),
    "MSMARCO": (0.435, 0.381, 0.414, 0.413, 0.040, "61 %"),
}
"""Corpus -> nDCG@10 of C+, C- and cleaned, corruption before and after, what was recovered."""


def retrieval_rows(corpora: Sequence[str]) -> list[Row]:
    """Cells: scored by, alpha, nDCG@10, gain."""
    rows = []
    for corpus in corpora:
        for encoder, figures in _RETRIEVAL.items():
            plain, score = figures[corpus]
            note = (
                f"{_PAPER}, main table, {corpus}, {encoder}; their queries and pools (paraphrases "
                "and contradictions by a language model), heads trained on data of their own; the "
                "gain is the difference of the two printed figures"
            )
            own = f"{encoder}: cosine ({corpus})"
            other = f"{encoder}: cosine + alpha * Hoyer ({corpus})"
            rows += [
                Row(cells=(own, None, plain, None), origin="published", note=note),
                Row(
                    cells=(other, None, score, round(score - plain, 3)),
                    origin="published",
                    note=note,
                ),
            ]
    return rows


def sparsity_rows() -> list[Row]:
    """Cells: scored by, alpha, nDCG@10, gain; by measure of sparsity, on ArguAna."""
    note = f"{_PAPER}, table of sparsity measures, ArguAna, BGE-base; another cut of ArguAna"
    return [
        Row(
            cells=(
                f"BGE-base: {name} (ArguAna, by measure)",
                None,
                value,
                None if name == "cosine" else round(value - _SPARSITY["cosine"], 3),
            ),
            origin="published",
            note=note,
        )
        for name, value in _SPARSITY.items()
    ]


def paraphrase_rows(columns: int) -> list[Row]:
    """Cells: scored by, then none to three paraphrases; the paper has no figure for none there."""
    note = (
        f"{_PAPER}, table of paraphrases in ArguAna's pool; paraphrases of the query alone, by a "
        "language model"
    )
    return [
        Row(
            cells=(f"{label} (ArguAna)", *(None,) * (columns - len(values)), *values),
            origin="published",
            note=note,
        )
        for label, values in _PARAPHRASES.items()
    ]


def cleaning_rows() -> list[Row]:
    """Cells: corpus, nDCG@10, corruption, share of the ten, recovered, three dashes."""
    rows = []
    for corpus, (whole, corrupt, cleaned, before, after, recovered) in _CLEANING.items():
        note = (
            f"{_PAPER}, table of corpus cleaning, {corpus}; one paraphrase of each passage trusted "
            "and its top 3 removed; the paper calls the corruption Recall@10 in one place and "
            "share of the top 10 in another, and it stands under Recall@10 here"
        )
        cells: tuple[tuple[str, float, float | None, str | None], ...] = (
            (f"clean ({corpus})", whole, None, None),
            (f"corrupted ({corpus})", corrupt, before, None),
            (f"SparseCL, top 3 of each trusted ({corpus})", cleaned, after, recovered),
        )
        rows += [
            Row(
                cells=(label, value, corruption, None, share, None, None, None),
                origin="published",
                note=note,
            )
            for label, value, corruption, share in cells
        ]
    return rows
