"""Figures of contradiction retrieval: nDCG over alpha, and margins."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt
from logic_export.contradiction_retrieval import ScoredCandidates, ndcg

from benchmarks.reproduction.artefacts import Curve, Curves, Figure, Histograms, Row, Table
from benchmarks.reproduction.table_cells import estimate_cell, estimates_curve
from logic_retrievers.evaluation import bootstrap
from logic_retrievers.evaluation.statistics import holm, paired_bootstrap

Values = npt.NDArray[np.float64]

ALPHAS = tuple(float(alpha) for alpha in np.linspace(0, 10, 21))
BINS = 50
DIGITS = 5


def alpha_figure(
    candidates: Mapping[str, Sequence[ScoredCandidates]],
    groups: Mapping[str, Sequence[str]],
    chosen: float,
    seed: int,
) -> Figure:
    """nDCG@10 over alpha, a line per part, the chosen value as a vertical line.

    Args:
        candidates: part -> candidates of its queries.
        groups: part -> one resampling group per query.
        chosen: alpha in use.
        seed: of the bands.
    """
    lines = {
        part: _line(np.column_stack([ndcg(queries, a) for a in ALPHAS]), groups[part], seed)
        for part, queries in candidates.items()
    }
    values = [y for line in lines.values() for y in (*(line.low or ()), *(line.high or ()))]
    mark = Curve(x=(chosen, chosen), y=(min(values), max(values)))
    return Figure(
        name="contradiction-alpha",
        title="nDCG@10 of cosine + alpha * Hoyer, ConflictQA",
        caption=(
            f"The bundle's alpha of {chosen:g} was found on the dev part; at 0 it is the cosine "
            "alone. Bands are 95 % intervals by question."
        ),
        plot=Curves(
            x_label="alpha",
            y_label="nDCG@10",
            panels={"ConflictQA": {**lines, "alpha in use": mark}},
        ),
    )


def _line(values: Values, groups: Sequence[str], seed: int) -> Curve:
    return estimates_curve(ALPHAS, bootstrap(values, groups, seed=seed), DIGITS)


def margin_artefacts(
    candidates: Sequence[ScoredCandidates], groups: Sequence[str], alpha: float, seed: int
) -> tuple[Figure, Table]:
    """Score of the best right passage minus that of the best wrong one, by both scores.

    Args:
        candidates: of each query; a query without a right candidate has no margin.
        groups: one resampling group per query.
        alpha: weight of the sparsity.
        seed: of the intervals.
    """
    both = {
        "cosine": np.array([_margin(query, query.cosines) for query in candidates]),
        "cosine + alpha * Hoyer": np.array(
            [_margin(query, query.cosines + alpha * query.sparsities) for query in candidates]
        ),
    }
    known = ~np.isnan(both["cosine"])
    all_margins = np.concatenate([values[known] for values in both.values()])
    edges = np.histogram_bin_edges(all_margins, BINS)
    plot = Histograms(
        x_label="best right minus best wrong",
        edges=tuple(round(float(edge), DIGITS) for edge in edges),
        panels={
            label: {"queries": tuple(np.histogram(values[known], edges)[0].tolist())}
            for label, values in both.items()
        },
        marks={"no margin": 0.0},
    )
    caption = "Right of 0 the best passage is one that contradicts the query."
    figure = Figure(
        name="contradiction-margins",
        title="Margin between contradictions and all else, ConflictQA test",
        caption=f"{caption} The two scores have scales of their own.",
        plot=plot,
    )
    return figure, _margin_table(both, groups, seed)


def _margin(query: ScoredCandidates, scores: Values) -> float:
    if query.right.all() or not query.right.any():
        return float("nan")
    return float(scores[query.right].max() - scores[~query.right].max())


def _margin_table(both: Mapping[str, Values], groups: Sequence[str], seed: int) -> Table:
    above = {
        label: np.where(np.isnan(values), np.nan, (values > 0).astype(float))
        for label, values in both.items()
    }
    first, *others = above
    ps = holm(
        [paired_bootstrap(above[other] - above[first], groups, seed=seed)[0].p for other in others]
    )
    rows = []
    for label, p in zip(both, [None, *ps], strict=True):
        mean, share = bootstrap(np.column_stack([both[label], above[label]]), groups, seed=seed)
        rows.append(Row(cells=(label, estimate_cell(mean), estimate_cell(share, p))))
    return Table(
        name="contradiction-margins-table",
        title="Margins, ConflictQA test",
        columns=("scored by", "mean margin", "queries with a margin over 0"),
        rows=tuple(rows),
        baseline=first,
        notes=("Queries of which no right passage is among the 1,000 candidates are left out.",),
        better={"mean margin": "higher", "queries with a margin over 0": "higher"},
    )
