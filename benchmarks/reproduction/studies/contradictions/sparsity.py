"""Sparsity of the difference of two texts: random, agreeing, and contradicting pairs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from random import Random

import numpy as np
import numpy.typing as npt
from logic_export.data.contradictions.groups import ContradictionGroup

from benchmarks.common.contradiction_pools import Pairs, pairs_by_kind
from benchmarks.reproduction.artefacts import Figure, Histograms, Row, Scatter, Table
from benchmarks.reproduction.studies.contradictions.published import MEDIANS
from benchmarks.reproduction.table_cells import estimate_cell
from benchmarks.reproduction.workbench import Workbench
from benchmarks.statistics.resampling import Places, resample
from logic_retrievers.contradiction.settings import CONTRADICTION, TOPICAL, VECTORS
from logic_retrievers.scoring import sparsity

Values = npt.NDArray[np.float64]

SPACES: Mapping[str, str] = {"before training": TOPICAL, "after training": CONTRADICTION}
"""The shipped heads share a trunk; the topical vector is what the contradiction head began as."""

BINS = 60
POINTS = 200
"""Of each kind in the scatter."""

DIGITS = 5


def sparsity_artefacts(
    bench: Workbench, groups: Sequence[ContradictionGroup]
) -> tuple[Figure, Table, Figure]:
    """Histograms of the Hoyer sparsity, their medians, and cosine against sparsity.

    Args:
        bench: encoder and seed.
        groups: sides of the questions whose passages are paired.
    """
    kinds = pairs_by_kind(groups, bench.seed)
    texts = list(
        dict.fromkeys(t for kind_pairs in kinds.values() for pair in kind_pairs.pairs for t in pair)
    )
    place = {text: row for row, text in enumerate(texts)}
    rows = bench.encoder.encode_documents(texts, VECTORS)
    places = {
        kind: np.array(
            [(place[text], place[other]) for text, other in kind_pairs.pairs], dtype=np.intp
        )
        for kind, kind_pairs in kinds.items()
    }
    sparsities = {
        title: {
            kind: _sparsities(rows[name], rows_of_kind) for kind, rows_of_kind in places.items()
        }
        for title, name in SPACES.items()
    }
    cosines = {
        kind: np.einsum(
            "ij,ij->i", rows[TOPICAL][rows_of_kind[:, 0]], rows[TOPICAL][rows_of_kind[:, 1]]
        )
        for kind, rows_of_kind in places.items()
    }
    return (
        _histograms(sparsities),
        _medians(sparsities, kinds, rows[CONTRADICTION].shape[1], bench.seed),
        _scatter(sparsities, cosines, bench.seed),
    )


def _sparsities(rows: npt.NDArray[np.float32], places: npt.NDArray[np.intp]) -> Values:
    """Hoyer of each pair; NaN for copies."""
    return np.array([sparsity(rows[a], rows[b : b + 1])[0] for a, b in places], dtype=np.float64)


def _histograms(sparsities: Mapping[str, Mapping[str, Values]]) -> Figure:
    all_values = np.concatenate(
        [values for kinds in sparsities.values() for values in kinds.values()]
    )
    edges = np.histogram_bin_edges(all_values[~np.isnan(all_values)], BINS)
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
                    kind: tuple(np.histogram(values[~np.isnan(values)], edges)[0].tolist())
                    for kind, values in kinds.items()
                }
                for title, kinds in sparsities.items()
            },
        ),
    )


def _median(values: Values, places: Places) -> list[float]:
    return [float(np.nanmedian(values[places]))]


def _medians(
    sparsities: Mapping[str, Mapping[str, Values]],
    kinds: Mapping[str, Pairs],
    dimension: int,
    seed: int,
) -> Table:
    rows = []
    for title, values_of in sparsities.items():
        for kind, values in values_of.items():
            resampled = resample(
                partial(_median, values),
                kinds[kind].groups,
                seed=seed,
            )
            (median,) = resampled.estimates()
            low, high = np.nanquantile(values, [0.25, 0.75])
            rows.append(
                Row(
                    cells=(
                        title,
                        kind,
                        int((~np.isnan(values)).sum()),
                        estimate_cell(median),
                        f"{low:.3f} to {high:.3f}",
                    )
                )
            )
    note = (
        "Xu et al. 2024, SparseCL, medians before and after training; 768 dimensions; what agrees "
        "are paraphrases by a language model there"
    )
    for title, medians in MEDIANS.items():
        rows += [
            Row(cells=(title, kind, None, median, None), origin="published", note=note)
            for kind, median in medians.items()
        ]
    noise = (1 - np.sqrt(2 / np.pi)) * np.sqrt(dimension) / (np.sqrt(dimension) - 1)
    return Table(
        name="hoyer-medians",
        title="Median Hoyer sparsity of differences, ConflictQA test",
        columns=("head", "pairs", "how many", "median", "middle half"),
        rows=tuple(rows),
        notes=(
            "Agreeing are passages of one side here, which say different things for the same "
            "answer, and not paraphrases as in the paper. Intervals by question.",
            f"Gaussian noise of {dimension} dimensions has {noise:.3f}.",
        ),
    )


def _scatter(
    sparsities: Mapping[str, Mapping[str, Values]], cosines: Mapping[str, Values], seed: int
) -> Figure:
    random = Random(seed)
    sample = {
        kind: sorted(random.sample(range(len(values)), min(POINTS, len(values))))
        for kind, values in cosines.items()
    }
    return Figure(
        name="cosine-against-hoyer",
        title="Cosine against Hoyer sparsity",
        caption=(
            f"{POINTS} pairs of each kind, drawn at random from ConflictQA's test part. What an "
            "axis keeps apart, it can tell; F adds alpha times the upright axis to the other."
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
