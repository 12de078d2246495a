"""Logical consistency of an encoder, over complementary queries and groups of queries."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from benchmarks.common.exact_collection import ExactCollection, Scores
from benchmarks.papers.logicol_measures import (
    Complement,
    complementary_pairs,
    group_coherence,
    score_correlation,
)
from benchmarks.papers.logicol_systems import BASE, ROLES, FilmPool, gold, vector_of
from benchmarks.papers.published import LOGICOL_CORRELATIONS
from benchmarks.report.artefacts import Figure, Histograms, Measurement, Scatter, Table
from benchmarks.report.cells import absent_row, bars, column, system_rows

ATOMS = {2: "two atoms", 3: "three atoms"}
NEAREST = 100
BIN = 0.05
DECIMALS = 4


@dataclass(frozen=True, slots=True)
class Consistency:
    """Consistency measures of an encoder.

    Args:
        correlation: query with NOT -> Pearson's r between its scores and its complement's.
        coherence: group -> mean cosine of its queries.
    """

    correlation: Mapping[str, float]
    coherence: Mapping[str, float]


def consistency(pool: FilmPool, corpus: ExactCollection, vector: str) -> Consistency:
    """Compute both measures of one vector."""
    queries = [query for query in pool.all_queries.queries if query.group]
    vectors = corpus.vectors([query.text for query in queries], vector)
    return Consistency(
        {
            pair.without.id: score_correlation(*_scores(pair, corpus, vector), NEAREST)
            for pair in complementary_pairs(pool.all_queries.queries)
        },
        group_coherence(vectors, [str(query.group) for query in queries]),
    )


def consistency_table(pool: FilmPool, consistencies: Mapping[str, Consistency], seed: int) -> Table:
    """Show coherence and correlations, with published figures."""
    labels, groups = _pairs(pool)
    coherence = {name: consistency.coherence for name, consistency in consistencies.items()}
    columns: dict[str, Mapping[str, Measurement | None]] = {
        "coherence": column(coherence, {g: g for g in coherence[BASE]}, BASE, seed)
    }
    for label in ATOMS.values():
        of_label = {
            name: {q: r for q, r in consistency.correlation.items() if labels[q] == label}
            for name, consistency in consistencies.items()
        }
        columns[f"r, {label}"] = column(of_label, groups, BASE, seed)
    return Table(
        name="set-queries-consistency",
        title="Complementary queries, and queries of one group",
        columns=("encoder", *columns),
        rows=(
            *system_rows(list(consistencies), columns),
            *(
                absent_row(name, role, len(columns))
                for name, role in ROLES.items()
                if name not in consistencies
            ),
            *LOGICOL_CORRELATIONS,
        ),
        baseline=BASE,
        notes=(
            "r: Pearson's correlation of the scores of A AND B with those of A AND NOT B over the "
            f"{NEAREST} nearest films of either (the paper does not say whose); low is right, for "
            "the two exclude each other. Coherence: mean cosine of the queries of one group; "
            "high where an encoder sees the atoms and not what joins them.",
        ),
        better={f"r, {label}": "lower" for label in ATOMS.values()},
    )


def correlation_figure(
    pool: FilmPool, consistencies: Mapping[str, Consistency], seed: int
) -> Figure:
    """Draw bars of the correlations by number of atoms."""
    labels, groups = _pairs(pool)
    correlations = {name: consistency.correlation for name, consistency in consistencies.items()}
    return Figure(
        name="set-queries-correlation",
        title="Correlation of the scores of A AND B with those of A AND NOT B",
        caption="The two queries share no answer: the lower, the better they are told apart.",
        plot=bars(correlations, labels, groups, "Pearson's r", baseline=BASE, seed=seed),
    )


def coherence_figure(consistencies: Mapping[str, Consistency]) -> Figure:
    """Draw histograms of the coherence of groups."""
    values = {
        name: np.array(list(consistency.coherence.values()))
        for name, consistency in consistencies.items()
    }
    least = min(float(cosines.min()) for cosines in values.values())
    edges = BIN * np.arange(math.floor(least / BIN), round(1 / BIN) + 1)
    counts = {
        name: tuple(int(count) for count in np.histogram(np.minimum(cosines, 1), edges)[0])
        for name, cosines in values.items()
    }
    return Figure(
        name="set-queries-coherence",
        title="Coherence of the groups",
        caption=(
            "Mean cosine of the queries over the same atoms, under other operators. To the right, "
            "queries look alike whatever joins their atoms."
        ),
        plot=Histograms(
            x_label="mean cosine of a group's queries",
            edges=tuple(round(float(edge), DECIMALS) for edge in edges),
            panels={"groups": counts},
        ),
    )


def scores_figure(
    pool: FilmPool, corpora: Mapping[str, ExactCollection], consistencies: Mapping[str, Consistency]
) -> Figure:
    """Plot scores of films under two complementary queries, for each encoder."""
    pair = median_pair(
        complementary_pairs(pool.all_queries.queries), consistencies[BASE].correlation
    )
    panels = {name: _points(pair, corpus, vector_of(name)) for name, corpus in corpora.items()}
    return Figure(
        name="set-queries-scores",
        title="Scores under two queries that exclude each other",
        caption=(
            f"{pair.both.text!r} and {pair.without.text!r}, a pair whose correlation under the "
            f"base is the median one; the {NEAREST} nearest films of either, and all answers."
        ),
        plot=Scatter(x_label="score under A AND B", y_label="under A AND NOT B", panels=panels),
    )


def median_pair(pairs: list[Complement], correlation: Mapping[str, float]) -> Complement:
    """Choose the two-atom pair with correlation nearest to the median; the first of ties."""
    two = [pair for pair in pairs if len(gold(pair.without).atoms) == min(ATOMS)]
    values = np.array([correlation[pair.without.id] for pair in two])
    return two[int(np.nanargmin(np.abs(values - np.nanmedian(values))))]


def _points(
    pair: Complement, corpus: ExactCollection, vector: str
) -> dict[str, tuple[tuple[float, float], ...]]:
    both, without = _scores(pair, corpus, vector)
    near = {*np.argsort(-both, kind="stable")[:NEAREST].tolist()}
    near |= {*np.argsort(-without, kind="stable")[:NEAREST].tolist()}
    groups: dict[str, list[tuple[float, float]]] = {
        "other films": [],
        "answers of A AND B": [],
        "answers of A AND NOT B": [],
    }
    for place, film in enumerate(corpus.ids):
        label = "other films"
        if film in pair.both.grades:
            label = "answers of A AND B"
        elif film in pair.without.grades:
            label = "answers of A AND NOT B"
        elif place not in near:
            continue
        groups[label].append(
            (round(float(both[place]), DECIMALS), round(float(without[place]), DECIMALS))
        )
    return {label: tuple(points) for label, points in groups.items()}


def _scores(pair: Complement, corpus: ExactCollection, vector: str) -> tuple[Scores, Scores]:
    return corpus.scores(vector, pair.both.text), corpus.scores(vector, pair.without.text)


def _pairs(pool: FilmPool) -> tuple[dict[str, str], dict[str, str]]:
    """Map queries with NOT to their number of atoms, and to their group."""
    pairs = complementary_pairs(pool.all_queries.queries)
    return (
        {pair.without.id: ATOMS[len(gold(pair.without).atoms)] for pair in pairs},
        {pair.without.id: str(pair.without.group) for pair in pairs},
    )
