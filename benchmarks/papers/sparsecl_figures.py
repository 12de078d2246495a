"""Figures of contradiction retrieval: nDCG against alpha, margins, sparsity of differences."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random

import numpy as np
import numpy.typing as npt
from logic_export.contradiction_retrieval import ScoredCandidates, ndcg
from logic_export.data.contradictions.groups import ContradictionGroup

from benchmarks.common.statistics import bootstrap_statistic
from benchmarks.papers.published import median_rows
from benchmarks.papers.sparsecl_pools import Pairs, pairs_by_kind
from benchmarks.report.artefacts import Curve, Curves, Figure, Histograms, Row, Scatter, Table
from benchmarks.report.cells import estimate_cell, estimates_curve
from benchmarks.report.workbench import Workbench
from logic_retrievers.conflicts.settings import CONTRADICTION, TOPICAL, VECTORS
from logic_retrievers.evaluation import bootstrap
from logic_retrievers.evaluation.statistics import holm, paired_bootstrap
from logic_retrievers.scoring import sparsity

Values = npt.NDArray[np.float64]
# Head -> kind of pair -> value of each pair.
ByKind = Mapping[str, Mapping[str, Values]]

ALPHAS = tuple(float(alpha) for alpha in np.linspace(0, 10, 21))
MARGIN_BINS, SPARSITY_BINS = 50, 60
# Number of points of each kind in the scatter plot.
POINTS = 200
DIGITS = 5
# The shipped heads share a trunk; training of the contradiction head began at the topical head.
SPACES: Mapping[str, str] = {"before training": TOPICAL, "after training": CONTRADICTION}


def alpha_figure(
    candidates: Mapping[str, Sequence[ScoredCandidates]],
    groups: Mapping[str, Sequence[str]],
    chosen: float,
    seed: int,
) -> Figure:
    """Draw nDCG@10 against alpha, one line per part, with a vertical line at the chosen alpha."""
    lines = {}
    for part, queries in candidates.items():
        values = np.column_stack([ndcg(queries, alpha) for alpha in ALPHAS])
        lines[part] = estimates_curve(ALPHAS, bootstrap(values, groups[part], seed=seed), DIGITS)
    ends = [y for line in lines.values() for y in (*(line.low or ()), *(line.high or ()))]
    mark = Curve(x=(chosen, chosen), y=(min(ends), max(ends)))
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


def margin_artefacts(
    candidates: Sequence[ScoredCandidates], groups: Sequence[str], alpha: float, seed: int
) -> tuple[Figure, Table]:
    """Show the best right passage's score minus the best wrong passage's, by both scores.

    Args:
        candidates: candidates of each query; a query without a right candidate has no margin.
        groups: one resampling group per query.
        alpha: weight of the sparsity.
        seed: seeds the intervals.
    """
    both = {
        "cosine": np.array([_margin(query, query.cosines) for query in candidates]),
        "cosine + alpha * Hoyer": np.array(
            [_margin(query, query.cosines + alpha * query.sparsities) for query in candidates]
        ),
    }
    known = {label: values[~np.isnan(values)] for label, values in both.items()}
    edges = np.histogram_bin_edges(np.concatenate(list(known.values())), MARGIN_BINS)
    figure = Figure(
        name="contradiction-margins",
        title="Margin between contradictions and all else, ConflictQA test",
        caption=(
            "Right of 0 the best passage is one that contradicts the query. The two scores have "
            "scales of their own."
        ),
        plot=Histograms(
            x_label="best right minus best wrong",
            edges=tuple(round(float(edge), DIGITS) for edge in edges),
            panels={
                label: {"queries": tuple(np.histogram(values, edges)[0].tolist())}
                for label, values in known.items()
            },
            marks={"no margin": 0.0},
        ),
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


def sparsity_artefacts(
    bench: Workbench, groups: Sequence[ContradictionGroup]
) -> tuple[Figure, Table, Figure]:
    """Draw histograms of the Hoyer sparsity, their medians, and cosine against sparsity.

    Args:
        bench: holds encoder and seed.
        groups: the questions' sides, whose passages are paired.
    """
    kinds = pairs_by_kind(groups, bench.seed)
    texts = list(dict.fromkeys(t for of in kinds.values() for pair in of.pairs for t in pair))
    place = {text: row for row, text in enumerate(texts)}
    rows = bench.encoder.encode_documents(texts, VECTORS)
    places = {
        kind: [(place[text], place[other]) for text, other in of.pairs]
        for kind, of in kinds.items()
    }
    # Identical texts give NaN.
    sparsities = {
        title: {
            kind: np.array(
                [sparsity(rows[name][a], rows[name][b : b + 1])[0] for a, b in pairs],
                dtype=np.float64,
            )
            for kind, pairs in places.items()
        }
        for title, name in SPACES.items()
    }
    topical = rows[TOPICAL]
    cosines = {
        kind: np.einsum("ij,ij->i", *(topical[list(side)] for side in zip(*pairs, strict=True)))
        for kind, pairs in places.items()
    }
    dimension = rows[CONTRADICTION].shape[1]
    return (
        _histograms(sparsities),
        _medians(sparsities, kinds, dimension, bench.seed),
        _scatter(sparsities, cosines, bench.seed),
    )


def _histograms(sparsities: ByKind) -> Figure:
    values = {
        title: {kind: each[~np.isnan(each)] for kind, each in kinds.items()}
        for title, kinds in sparsities.items()
    }
    everything = [each for kinds in values.values() for each in kinds.values()]
    edges = np.histogram_bin_edges(np.concatenate(everything), SPARSITY_BINS)
    return Figure(
        name="hoyer-histograms",
        title="Hoyer sparsity of differences, before and after training",
        caption=(
            "Passages of ConflictQA's test part, of different questions, of one side of a question "
            "and of opposite sides. Where the three lie over one another, sparsity tells nothing."
        ),
        plot=Histograms(
            x_label="Hoyer sparsity of the difference",
            edges=tuple(round(float(edge), DIGITS) for edge in edges),
            panels={
                title: {
                    kind: tuple(np.histogram(each, edges)[0].tolist())
                    for kind, each in kinds.items()
                }
                for title, kinds in values.items()
            },
        ),
    )


def _medians(sparsities: ByKind, kinds: Mapping[str, Pairs], dimension: int, seed: int) -> Table:
    rows = []
    for title, values_of in sparsities.items():
        for kind, values in values_of.items():

            def median(places: npt.NDArray[np.intp], values: Values = values) -> float:
                return float(np.nanmedian(values[places]))

            estimate = bootstrap_statistic(median, kinds[kind].groups, seed=seed)
            low, high = np.nanquantile(values, [0.25, 0.75])
            count, half = int((~np.isnan(values)).sum()), f"{low:.3f} to {high:.3f}"
            rows.append(Row(cells=(title, kind, count, estimate_cell(estimate), half)))
    noise = (1 - np.sqrt(2 / np.pi)) * np.sqrt(dimension) / (np.sqrt(dimension) - 1)
    return Table(
        name="hoyer-medians",
        title="Median Hoyer sparsity of differences, ConflictQA test",
        columns=("head", "pairs", "how many", "median", "middle half"),
        rows=(*rows, *median_rows()),
        notes=(
            "Agreeing are passages of one side here, which say different things for the same "
            "answer, and not paraphrases as in the paper. Intervals by question.",
            f"Gaussian noise of {dimension} dimensions has {noise:.3f}.",
        ),
    )


def _scatter(sparsities: ByKind, cosines: Mapping[str, Values], seed: int) -> Figure:
    random = Random(seed)
    sample = {
        kind: sorted(random.sample(range(len(values)), min(POINTS, len(values))))
        for kind, values in cosines.items()
    }
    return Figure(
        name="cosine-against-hoyer",
        title="Cosine against Hoyer sparsity",
        caption=(
            f"{POINTS} pairs of each kind, drawn at random from ConflictQA's test part. F adds "
            "alpha times the upright axis to the other; an axis that separates the kinds helps."
        ),
        plot=Scatter(
            x_label="cosine (topical)",
            y_label="Hoyer sparsity",
            panels={
                title: {
                    kind: tuple(
                        (round(float(cosines[kind][n]), DIGITS), round(float(values[n]), DIGITS))
                        for n in sample[kind]
                        if not np.isnan(values[n])
                    )
                    for kind, values in values_of.items()
                }
                for title, values_of in sparsities.items()
            },
        ),
    )
