"""Encoders trained on set queries, compared with each other and with rules (LogiCoL's ablations).

python -m benchmarks.set_training NAME=RUN [NAME=RUN ...] [--queries 420] [--documents 10000]

The first run is the baseline. Films of the test part in one pool: queries
evenly over the templates, their variants (the same atoms under other operators), all films that
any of these labels, and others up to the number asked for. Runs come from
``export/recipes/set-queries-minilm.toml`` with other weights and shares.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from benchmarks.common.boolean_baselines import ENSEMBLE
from benchmarks.common.dataset_search import bm25_search
from benchmarks.common.exact_collection import ChoosePolicy, ExactCollection, evaluate_exact
from benchmarks.common.output import OUT, cached_encoder, publish, with_interval
from benchmarks.common.plots import label_figure, score_figure
from benchmarks.common.query_templates import query_templates
from benchmarks.reproduction.studies.sets.consistency import ATOMS, Consistency, consistency
from benchmarks.reproduction.studies.sets.pool import FilmPool, film_pool, film_sets, gold
from benchmarks.reproduction.studies.sets.systems import (
    HYBRID,
    gold_expression,
    join_encoders,
    single_vector,
    whole_query,
)
from benchmarks.set_queries import DEPTH, by_template
from benchmarks.statistics.consistency import complementary_pairs
from logic_retrievers import (
    CombinedEncoder,
    SentenceTransformerEncoder,
)
from logic_retrievers.evaluation import EvaluationResult, compare, evaluate
from logic_retrievers.evaluation.datasets import Dataset
from logic_retrievers.evaluation.result import estimates_by_label
from logic_retrievers.evaluation.statistics import Estimate
from logic_retrievers.policies import CompatibilityPolicy

NAME = "set training, films test"
ALL = "all"
COHERENCE = "cosine of the queries of one group"
CORRELATION = "correlation of A and B with A and not B"
SHOWN = ("R@5", "R@20", "R@100", "R@1000", "violation_rate")

Estimates = Mapping[str, Mapping[str, Estimate]]
"""Label (template, number of atoms) -> measure -> estimate."""


def main() -> None:
    """Measure, draw and publish."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("runs", nargs="+", metavar="NAME=RUN")
    parser.add_argument("--queries", type=int, default=420)
    parser.add_argument("--documents", type=int, default=10_000)
    parser.add_argument("--plots", type=Path, default=OUT)
    options = parser.parse_args()
    runs = dict(run.split("=", 1) for run in options.runs)
    pool = film_pool(film_sets(OUT / "film_sets"), options.queries, options.documents)
    test_set, both = pool.test_set, pool.all_queries
    variants = replace(test_set, queries=both.queries[len(test_set.queries) :])
    shipped = ExactCollection(test_set.documents, cached_encoder())
    encoders = {"base encoder": (shipped, "topical")} | {
        name: (ExactCollection(test_set.documents, encoder(run)), "compatibility")
        for name, run in runs.items()
    }
    results = {
        name: evaluate_exact(test_set, corpus, single_vector(vector), name, DEPTH)
        for name, (corpus, vector) in encoders.items()
    }
    in_variants = {
        name: evaluate_exact(variants, corpus, single_vector(vector), name, 100)
        for name, (corpus, vector) in encoders.items()
    }
    consistent = {
        name: estimates(pool, consistency(pool, *vectors)) for name, vectors in encoders.items()
    }
    ruled = {
        "BM25": evaluate(test_set, bm25_search(test_set), DEPTH, policy="BM25"),
        **{
            name: evaluate_exact(test_set, shipped, choose, name, DEPTH)
            for name, choose in RULES.items()
        },
        **{
            f"calibrated over {name}": evaluate_exact(
                test_set, encoders[name][0], gold_expression(), name, DEPTH
            )
            for name in runs
        },
    }
    publish(
        f"{NAME}, encoders",
        [
            {
                "encoder": name,
                **figures(results[name]),
                **variant_figures(in_variants[name], consistent[name]),
            }
            for name in encoders
        ],
        queries=len(test_set.queries),
        variants=len(variants.queries),
        films=len(test_set.documents),
    )
    publish(
        f"{NAME}, rules", [{"system": name, **figures(result)} for name, result in ruled.items()]
    )
    publish(f"{NAME}, by template", by_template({**results, **ruled}, test_set))
    first, *others = runs
    gains = compare(results[first], results)
    variant_gains = compare(in_variants[first], in_variants, ["R@100"])
    publish(
        f"{NAME}, gains over {first}",
        [
            {
                "encoder": name,
                **format_estimates(
                    {metric: gain.difference for metric, gain in gains[name].items()}
                ),
                "variants, R@100": with_interval(variant_gains[name]["R@100"].difference),
            }
            for name in others
        ],
    )
    draw(options.plots, test_set, results, consistent)
    pair = complementary_pairs(both.queries)[0]
    panels = {
        name: tuple(encoders[name][0].scores(encoders[name][1], query.text) for query in pair)
        for name in dict.fromkeys(("base encoder", first, list(runs)[-1]))
    }
    score_figure(panels).savefig(options.plots / "set_scores.png", dpi=110)


RULES: dict[str, ChoosePolicy] = {
    "shipped compatibility, whole query": lambda _: CompatibilityPolicy(),
    "hybrid, whole query": whole_query(HYBRID),
    "decompose-then-ensemble": gold_expression(ENSEMBLE),
    "calibrated": gold_expression(),
    "calibrated, hybrid": gold_expression(vectors=HYBRID),
}


def encoder(run: str) -> CombinedEncoder:
    """A trained encoder as the compatibility vector beside the shipped topical one."""
    model = SentenceTransformerEncoder(Path(run) / "model")
    return join_encoders(cached_encoder(), cached_encoder(model))


def estimates(pool: FilmPool, consistency_values: Consistency) -> Estimates:
    """Coherence of the groups by template, and correlation of complementary queries by atoms."""
    of_group: dict[str, str] = {}
    for query in pool.all_queries.queries:  # the query itself comes before its variants
        of_group.setdefault(str(query.group), str(query.template))
    coherence = {COHERENCE: consistency_values.coherence}
    atoms = {
        pair.without.id: ATOMS[len(gold(pair.without).atoms)]
        for pair in complementary_pairs(pool.all_queries.queries)
    }
    return {
        **estimates_by_label(
            coherence, {name: of_group[name] for name in consistency_values.coherence}
        ),
        **estimates_by_label(coherence, dict.fromkeys(consistency_values.coherence, ALL)),
        **estimates_by_label({CORRELATION: consistency_values.correlation}, atoms),
    }


def figures(result: EvaluationResult) -> dict[str, str]:
    """Formatted figures of a result."""
    return format_estimates(result.estimates)


def format_estimates(estimates: Mapping[str, Estimate]) -> dict[str, str]:
    """Means and intervals."""
    return {name: with_interval(estimates.get(name)) for name in SHOWN}


def variant_figures(in_variants: EvaluationResult, estimates_: Estimates) -> dict[str, str]:
    """Figures over variants: recall, coherence of the conjunctions, correlations."""
    return {
        "variants, R@100": with_interval(in_variants.estimates["R@100"]),
        "coherence": with_interval(estimates_[ALL][COHERENCE]),
        **{
            f"r, {label}": with_interval(estimates_[label][CORRELATION])
            for label in ATOMS.values()
            if label in estimates_
        },
    }


def draw(
    folder: Path,
    dataset: Dataset,
    results: Mapping[str, EvaluationResult],
    consistent: Mapping[str, Estimates],
) -> None:
    """Bars by template and by number of atoms."""
    folder.mkdir(parents=True, exist_ok=True)
    labels = query_templates(dataset.queries)
    by_label = {
        name: estimates_by_label(result.per_query, labels, result.groups)
        for name, result in results.items()
    }
    for file, column, measure in (
        ("set_recall", by_label, "R@100"),
        ("set_violations", by_label, "violation_rate"),
        ("set_coherence", consistent, COHERENCE),
        ("set_correlation", consistent, CORRELATION),
    ):
        label_figure(column, measure).savefig(folder / f"{file}.png", dpi=110)


if __name__ == "__main__":
    main()
