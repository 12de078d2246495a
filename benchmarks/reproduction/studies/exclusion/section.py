"""Exclusion queries: every system over the public sets, and over ordinary ones (CoDeR)."""

from __future__ import annotations

from collections.abc import Mapping

from benchmarks.reproduction.artefacts import Figure, Section, Table
from benchmarks.reproduction.comparison_tables import comparison_table
from benchmarks.reproduction.studies.base import Study
from benchmarks.reproduction.studies.exclusion import figures as figures
from benchmarks.reproduction.studies.exclusion.ordinary_sets import ordinary_table
from benchmarks.reproduction.studies.exclusion.published import PUBLISHED
from benchmarks.reproduction.studies.exclusion.reranker import reranker_table
from benchmarks.reproduction.studies.exclusion.systems import (
    AUTO,
    BASE,
    TRAINED,
    absent_systems,
    constrained_results,
    ordinary_results,
)
from benchmarks.reproduction.violation_ranks import add_pair_measures
from benchmarks.reproduction.workbench import Workbench
from logic_retrievers.evaluation import Dataset, EvaluationResult, load_dataset

_RANKS = ("R@1", "R@5", "R@10")
_VIOLATIONS = ("V@1", "V@2", "V@5", "V@10", "FVR")
_ORDER = ("MRR@10", "MAP@10", "nDCG@10")

CONSTRAINED: Mapping[str, tuple[str, ...]] = {
    "nevir": ("paired_accuracy", *_RANKS, *_VIOLATIONS, *_ORDER),
    "excluir": (*_RANKS, *_VIOLATIONS, *_ORDER, "dR@1", "dMRR@10", "right_rank"),
    "boolquestions_not": (*_RANKS, *_VIOLATIONS, *_ORDER, "NegRecall@10"),
    "negconstraint": (*_RANKS, "nDCG@5", *_ORDER),
    "coder_antonym": ("constraint_nDCG@10", *_RANKS, *_VIOLATIONS, "MRR@10", "MAP@10"),
}
"""Data set -> its metrics, the official ones included."""

ORDINARY = ("scifact", "cranfield", "msmarco_small")

FIGURES = ("excluir", "nevir", "boolquestions_not")
"""Sets with enough labelled queries for curves."""


def run(bench: Workbench) -> Section:
    """Makes the section."""
    artefacts: list[Table | Figure] = []
    curve_figures: list[Figure] = []
    survivals: list[tuple[Dataset, Mapping[str, EvaluationResult]]] = []
    for name, metrics in CONSTRAINED.items():
        bench.log(f"exclusion: {name}")
        dataset = load_dataset(name)
        results = constrained_results(bench, dataset)
        if "right_rank" in metrics:
            results = {
                label: add_pair_measures(dataset, result, bench.seed)
                for label, result in results.items()
            }
        artefacts.append(_table(bench, dataset, name, results, metrics))
        if name in FIGURES:
            curve_figures.append(figures.curves_figure(name, dataset, results, bench.seed))
            survivals.append((dataset, results))
    artefacts += curve_figures
    artefacts += figures.survival_artefacts(survivals, bench.seed)
    artefacts.append(figures.ranks_figure(survivals))
    bench.log("exclusion: a cross-encoder")
    artefacts.append(reranker_table(bench))
    for name in ORDINARY:
        bench.log(f"exclusion: {name}")
        dataset = load_dataset(name)
        artefacts.append(
            _table(
                bench, dataset, name, ordinary_results(bench, dataset), ("nDCG@10", "R@5", "R@10")
            )
        )
    artefacts.append(ordinary_table(bench, ORDINARY))
    return Section(name=STUDY.name, title=STUDY.title, text=_TEXT, artefacts=tuple(artefacts))


def _table(
    bench: Workbench,
    dataset: Dataset,
    name: str,
    results: Mapping[str, EvaluationResult],
    metrics: tuple[str, ...],
) -> Table:
    lacking = absent_systems(bench) if name in CONSTRAINED else {}
    return comparison_table(
        f"exclusion-{name.replace('_', '-')}",
        f"{dataset.name}: {len(dataset.queries)} queries over {len(dataset.documents)} documents",
        results,
        metrics,
        baseline=BASE,
        published=PUBLISHED.get(name, ()),
        absent=lacking,
        notes=_NOTES.get(name, ()),
        seed=bench.seed,
    )


_TEXT = (
    "Queries that rule something out, over the test parts of five public sets. V@k is the share of "
    "queries with a violating passage among the first k; FVR the rank of the first one, 11 where "
    "the first ten hold none; both are read beside the recall, for an empty list violates "
    "nothing. Intervals are 95 % of a bootstrap over queries (NevIR: over pairs); p-values are of "
    f"the difference from the {BASE}, corrected after Holm over the rows of a column.",
    "The shipped encoder is a MiniLM of 22.7M parameters, so the published rows, of encoders "
    "fifteen times its size, are no like for like. Rows named after CoDeR with a shipped head use "
    "its rules over our vectors; those without use an encoder that was trained by the second stage "
    "of its recipe on the train parts of NevIR and ExcluIR.",
    f"{AUTO} reads each query with a rule parser and takes the policy that it calls for; its "
    "constants come from train and dev parts, one set for all data.",
)

_NOTES: Mapping[str, tuple[str, ...]] = {
    "nevir": (
        "paired_accuracy: both queries of a pair rank their own document above the other one, in "
        "lists of 100 out of the pool of all documents; a tie is a failure.",
    ),
    "excluir": (
        "dR@1 and dMRR@10: what the satisfying passages have over the violating ones; right_rank: "
        "the satisfying passage stands above the violating one. The published pool holds 90,000 "
        "documents; here it is the cut's own.",
    ),
    "negconstraint": ("No violating labels, so no V@k.",),
    "coder_antonym": ("constraint_nDCG@10: gains 2, 1 and 0 for satisfying, neutral, violating.",),
}

STUDY = Study(
    name="exclusion",
    title="What a query rules out",
    data=(*CONSTRAINED, *ORDINARY),
    run=run,
    models=(*TRAINED, "cross-encoder"),
)
