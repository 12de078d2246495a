"""How the weight of the sparsity changes contradiction retrieval, and by what margin it wins."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

from logic_retrievers.evaluation import bootstrap
from logic_retrievers.evaluation.contradictions import Candidates, ndcg
from logic_retrievers.report.artefacts import Curve, Curves, Figure, Histograms, Row, Table
from logic_retrievers.report.cells import shown
from logic_retrievers.report.significance import corrected, paired_p

Values = npt.NDArray[np.float64]

ALPHAS = tuple(float(one) for one in np.linspace(0, 10, 21))
BINS = 50
DIGITS = 5


def alpha_figure(
    found: Mapping[str, Sequence[Candidates]],
    groups: Mapping[str, Sequence[str]],
    chosen: float,
    seed: int,
) -> Figure:
    """nDCG@10 over alpha, one line a part, the chosen value as an upright line.

    Args:
        found: part -> candidates of its queries.
        groups: part -> one label a query.
        chosen: alpha in use.
        seed: of the bands.
    """
    lines = {
        part: _line(np.column_stack([ndcg(some, a) for a in ALPHAS]), groups[part], seed)
        for part, some in found.items()
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
    columns = zip(*bootstrap(values, groups, seed=seed), strict=True)
    mean, low, high = (tuple(round(one, DIGITS) for one in column) for column in columns)
    return Curve(x=ALPHAS, y=mean, low=low, high=high)


def margins(
    found: Sequence[Candidates], groups: Sequence[str], alpha: float, seed: int
) -> tuple[Figure, Table]:
    """Score of the best right passage minus that of the best wrong one, by both scores.

    Args:
        found: candidates of each query; those without a right one among them have no margin.
        groups: one label a query.
        alpha: weight of the sparsity.
        seed: of the intervals.
    """
    both = {
        "cosine": np.array([_margin(one, one.cosines) for one in found]),
        "cosine + alpha * Hoyer": np.array(
            [_margin(one, one.cosines + alpha * one.sparsities) for one in found]
        ),
    }
    known = ~np.isnan(both["cosine"])
    every = np.concatenate([values[known] for values in both.values()])
    edges = np.histogram_bin_edges(every, BINS)
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


def _margin(one: Candidates, scores: Values) -> float:
    if one.right.all() or not one.right.any():
        return float("nan")
    return float(scores[one.right].max() - scores[~one.right].max())


def _margin_table(both: Mapping[str, Values], groups: Sequence[str], seed: int) -> Table:
    above = {
        label: np.where(np.isnan(values), np.nan, (values > 0).astype(float))
        for label, values in both.items()
    }
    first, *others = above
    ps = corrected([paired_p(above[one] - above[first], groups, seed) for one in others])
    rows = []
    for label, p in zip(both, [None, *ps], strict=True):
        mean, share = bootstrap(np.column_stack([both[label], above[label]]), groups, seed=seed)
        rows.append(Row(cells=(label, shown(mean), shown(share, p))))
    return Table(
        name="contradiction-margins-table",
        title="Margins, ConflictQA test",
        columns=("scored by", "mean margin", "queries with a margin over 0"),
        rows=tuple(rows),
        baseline=first,
        notes=("Queries of which no right passage is among the 1,000 candidates are left out.",),
        better={"mean margin": "higher", "queries with a margin over 0": "higher"},
    )
