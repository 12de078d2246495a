"""Set queries over films: Boolean retrieval next to the whole query, BM25 and other rules.

python -m benchmarks.product.set_queries [--part dev|test] [--folder FOLDER] [--queries N]

The queries are built from the shared data (``logic-export data set-queries``), with gold
expressions; "in words" has what the parser reads from the sentence. Constants are from dev.
"""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path

import numpy as np

from benchmarks.common.boolean_baselines import ENSEMBLE, SETS
from benchmarks.common.dataset_search import bm25_search, query_templates
from benchmarks.common.exact_collection import ChoosePolicy, ExactCollection, evaluate_exact
from benchmarks.common.output import OUT, cached_encoder, publish, with_interval
from benchmarks.papers.logicol_systems import (
    DENSE,
    HYBRID,
    film_sets,
    gold_expression,
    parsed_query,
    single_vector,
    spread_evenly,
    whole_query,
)
from logic_retrievers.evaluation import (
    Dataset,
    EvaluationResult,
    compare,
    evaluate,
    load_dataset,
)

DEPTH = 1000
SHOWN = ("P@1", "R@5", "R@20", "R@100", "R@1000", "violation_rate")


def main() -> None:
    """Measure and publish."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--part", choices=("dev", "test"), default="test")
    parser.add_argument("--folder", type=Path, default=OUT / "film_sets")
    parser.add_argument("--queries", type=int, help="only so many, evenly spaced")
    options = parser.parse_args()
    dataset = load_dataset(film_sets(options.folder), options.part)
    if options.queries:
        dataset = replace(dataset, queries=spread_evenly(dataset.queries, options.queries))
    corpus = ExactCollection(dataset.documents, cached_encoder())
    results = {
        name: evaluate_exact(dataset, corpus, choose, name, DEPTH)
        for name, choose in SYSTEMS.items()
    }
    results["BM25"] = evaluate(dataset, bm25_search(dataset), DEPTH, policy="BM25")
    name = f"set queries, films {options.part}"
    publish(name, overall(results), queries=len(dataset.queries), films=len(dataset.documents))
    publish(f"{name}, by template", by_template(results, dataset))
    publish(f"{name}, gains", gains(results))


SYSTEMS: dict[str, ChoosePolicy] = {
    "whole query, topical": single_vector("topical"),
    "whole query, compatibility": single_vector("compatibility"),
    "whole query, both": whole_query(DENSE),
    "whole query, hybrid": whole_query(HYBRID),
    "decompose-then-ensemble": gold_expression(ENSEMBLE),
    "set operations": gold_expression(SETS),
    "calibrated, topical alone": gold_expression(vectors=()),
    "calibrated": gold_expression(),
    "calibrated, hybrid": gold_expression(vectors=HYBRID),
    "calibrated, in words": parsed_query(DENSE),
    "calibrated, hybrid, in words": parsed_query(HYBRID),
}


def overall(results: dict[str, EvaluationResult]) -> list[dict[str, str]]:
    """A row per system."""
    return [
        {"system": name, **{m: with_interval(result.estimates.get(m)) for m in SHOWN}}
        for name, result in results.items()
    ]


def by_template(results: dict[str, EvaluationResult], dataset: Dataset) -> list[dict[str, str]]:
    """R@100 and violation rate of every system per template."""
    labels = query_templates(dataset.queries)
    rows = []
    for name, result in results.items():
        row = {"system": name}
        for metric in ("R@100", "violation_rate"):
            for template in dict.fromkeys(labels.values()):
                values = [v for q, v in result.per_query[metric].items() if labels[q] == template]
                if values:
                    row[f"{metric}, {template}"] = f"{np.mean(values):.3f}"
        rows.append(row)
    return rows


def gains(results: dict[str, EvaluationResult]) -> list[dict[str, str]]:
    """Paired differences of ours from other systems."""
    rows = []
    for better, than in (
        ("calibrated", "whole query, topical"),
        ("calibrated", "whole query, both"),
        ("calibrated", "decompose-then-ensemble"),
        ("calibrated, hybrid", "whole query, hybrid"),
        ("calibrated, hybrid", "BM25"),
        ("calibrated, in words", "calibrated"),
        ("calibrated, hybrid, in words", "calibrated, hybrid"),
    ):
        gain = compare(results[than], {better: results[better]})[better]
        figures = {m: with_interval(gain[m].difference) for m in ("R@100", "violation_rate")}
        rows.append({"system": better, "over": than, **figures})
    return rows


if __name__ == "__main__":
    main()
