"""Encoders trained on set queries, beside each other and beside the rules: what LogiCoL's parts do.

python -m benchmarks.set_training NAME=RUN [NAME=RUN ...] [--queries 420] [--documents 10000]

The first run is what the others are compared with. Films of the test part in one pool: queries
evenly over the templates, their variants (the same atoms under other operators), all films that
any of these labels, and others up to the number asked for. Runs come from
``export/recipes/set-queries-minilm.toml`` with other weights and shares.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from logic_export.studies.sets.consistency import ATOMS, Consistency, consistency
from logic_export.studies.sets.pool import FilmPool, film_pool, film_sets, gold
from logic_export.studies.sets.systems import HYBRID, alone, beside, stated, whole

from benchmarks.report import OUT, publish, with_interval
from benchmarks.set_queries import CACHE, DEPTH, by_template
from logic_retrievers import (
    BooleanSettings,
    CachedEncoder,
    CombinedEncoder,
    SentenceTransformerEncoder,
)
from logic_retrievers.encoders import default_encoder
from logic_retrievers.evaluation import Result, compare, evaluate
from logic_retrievers.evaluation.breakdown import estimates_by, templates
from logic_retrievers.evaluation.consistency import complementary
from logic_retrievers.evaluation.datasets import Dataset
from logic_retrievers.evaluation.plots import label_figure, score_figure
from logic_retrievers.evaluation.statistics import Estimate
from logic_retrievers.policies import CompatibilityPolicy
from logic_retrievers.report.bm25 import bm25
from logic_retrievers.report.exhaustive import Choose, Exhaustive, evaluated

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
    asked, both = pool.asked, pool.everything
    variants = replace(asked, queries=both.queries[len(asked.queries) :])
    shipped = Exhaustive(asked.documents, CachedEncoder(default_encoder(), CACHE))
    encoders = {"base encoder": (shipped, "topical")} | {
        name: (Exhaustive(asked.documents, encoder(run)), "compatibility")
        for name, run in runs.items()
    }
    results = {
        name: evaluated(asked, corpus, alone(vector), name, DEPTH)
        for name, (corpus, vector) in encoders.items()
    }
    in_variants = {
        name: evaluated(variants, corpus, alone(vector), name, 100)
        for name, (corpus, vector) in encoders.items()
    }
    consistent = {name: estimates(pool, consistency(pool, *of)) for name, of in encoders.items()}
    ruled = {
        "BM25": evaluate(asked, bm25(asked), DEPTH, policy="BM25"),
        **{name: evaluated(asked, shipped, choose, name, DEPTH) for name, choose in RULES.items()},
        **{
            f"calibrated over {name}": evaluated(asked, encoders[name][0], stated(), name, DEPTH)
            for name in runs
        },
    }
    publish(
        f"{NAME}, encoders",
        [
            {"encoder": name, **figures(results[name]), **more(in_variants[name], consistent[name])}
            for name in encoders
        ],
        queries=len(asked.queries),
        variants=len(variants.queries),
        films=len(asked.documents),
    )
    publish(f"{NAME}, rules", [{"system": name, **figures(found)} for name, found in ruled.items()])
    publish(f"{NAME}, by template", by_template({**results, **ruled}, asked))
    first, *others = runs
    publish(
        f"{NAME}, gains over {first}",
        [
            {
                "encoder": name,
                **figures_of(compare(results[first], results[name])),
                "variants, R@100": with_interval(
                    compare(in_variants[first], in_variants[name])["R@100"]
                ),
            }
            for name in others
        ],
    )
    draw(options.plots, asked, results, consistent)
    pair = complementary(both.queries)[0]
    panels = {
        name: tuple(encoders[name][0].scores(encoders[name][1], query.text) for query in pair)
        for name in dict.fromkeys(("base encoder", first, list(runs)[-1]))
    }
    score_figure(panels).savefig(options.plots / "set_scores.png", dpi=110)


RULES: dict[str, Choose] = {
    "shipped compatibility, whole query": lambda _: CompatibilityPolicy(),
    "hybrid, whole query": whole(HYBRID),
    "decompose-then-ensemble": stated(BooleanSettings(combination="ensemble")),
    "calibrated": stated(),
    "calibrated, hybrid": stated(vectors=HYBRID),
}


def encoder(run: str) -> CombinedEncoder:
    """What a run trained, as the compatibility vector beside the shipped topical one."""
    model = SentenceTransformerEncoder(Path(run) / "model")
    return beside(CachedEncoder(default_encoder(), CACHE), CachedEncoder(model, CACHE))


def estimates(pool: FilmPool, found: Consistency) -> Estimates:
    """Coherence of the groups by template, and correlation of complementary queries by atoms."""
    of_group: dict[str, str] = {}
    for query in pool.everything.queries:  # the query itself comes before its variants
        of_group.setdefault(str(query.group), str(query.template))
    coherence = {COHERENCE: found.coherence}
    atoms = {
        pair.without.id: ATOMS[len(gold(pair.without).atoms)]
        for pair in complementary(pool.everything.queries)
    }
    return {
        **estimates_by(coherence, {name: of_group[name] for name in found.coherence}),
        **estimates_by(coherence, dict.fromkeys(found.coherence, ALL)),
        **estimates_by({CORRELATION: found.correlation}, atoms),
    }


def figures(result: Result) -> dict[str, str]:
    """What a table shows of a result."""
    return figures_of(result.estimates)


def figures_of(estimates: Mapping[str, Estimate]) -> dict[str, str]:
    """Means and intervals."""
    return {name: with_interval(estimates.get(name)) for name in SHOWN}


def more(in_variants: Result, found: Estimates) -> dict[str, str]:
    """What is measured over variants: recall, coherence of the conjunctions, correlations."""
    return {
        "variants, R@100": with_interval(in_variants.estimates["R@100"]),
        "coherence": with_interval(found[ALL][COHERENCE]),
        **{
            f"r, {label}": with_interval(found[label][CORRELATION])
            for label in ATOMS.values()
            if label in found
        },
    }


def draw(
    folder: Path,
    dataset: Dataset,
    results: Mapping[str, Result],
    consistent: Mapping[str, Estimates],
) -> None:
    """Bars by template and by number of atoms."""
    folder.mkdir(parents=True, exist_ok=True)
    labels = templates(dataset.queries)
    by_label = {
        name: estimates_by(result.per_query, labels, result.groups)
        for name, result in results.items()
    }
    for file, found, measure in (
        ("set_recall", by_label, "R@100"),
        ("set_violations", by_label, "violation_rate"),
        ("set_coherence", consistent, COHERENCE),
        ("set_correlation", consistent, CORRELATION),
    ):
        label_figure(found, measure).savefig(folder / f"{file}.png", dpi=110)


if __name__ == "__main__":
    main()
