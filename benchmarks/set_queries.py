"""Set queries over films: Boolean retrieval beside the whole query, BM25 and other rules.

python -m benchmarks.set_queries [--part dev|test] [--folder FOLDER] [--queries N]

The queries are built from the shared data (``logic-retrievers set-queries``), with gold
expressions; "in words" has what the parser reads from the sentence. Constants are from dev.
"""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path

import numpy as np
from logic_export.studies.sets.pool import film_sets, gold
from logic_export.studies.sets.systems import HYBRID, TRAINED, in_words, stated, whole

from benchmarks.report import OUT, publish, with_interval
from logic_retrievers import (
    BooleanSettings,
    CachedEncoder,
    Engine,
    Passage,
    PassageIndex,
)
from logic_retrievers.encoders import default_encoder
from logic_retrievers.evaluation import Result, compare, evaluate, load_dataset
from logic_retrievers.evaluation.breakdown import compare_by, templates
from logic_retrievers.evaluation.datasets import Dataset
from logic_retrievers.policies import CompatibilityPolicy, TopicalPolicy
from logic_retrievers.report.bm25 import bm25
from logic_retrievers.report.exhaustive import Choose, Exhaustive, evaluated

CACHE = OUT / "set_vectors.sqlite"
DEPTH = 1000
SHOWN = ("P@1", "R@5", "R@20", "R@100", "R@1000", "violation_rate")
CHECKED = 20


def main() -> None:
    """Measure and publish."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--part", choices=("dev", "test"), default="test")
    parser.add_argument("--folder", type=Path, default=OUT / "film_sets")
    parser.add_argument("--queries", type=int, help="only so many, evenly spaced")
    options = parser.parse_args()
    dataset = _some(load_dataset(film_sets(options.folder), options.part), options.queries)
    corpus = Exhaustive(dataset.documents, CachedEncoder(default_encoder(), CACHE))
    check(corpus, dataset)
    results = {
        name: evaluated(dataset, corpus, choose, name, DEPTH) for name, choose in SYSTEMS.items()
    }
    results["BM25"] = evaluate(dataset, bm25(dataset), DEPTH, policy="BM25")
    name = f"set queries, films {options.part}"
    publish(name, overall(results), queries=len(dataset.queries), films=len(dataset.documents))
    publish(f"{name}, by template", by_template(results, dataset))
    publish(f"{name}, gains", gains(results, dataset))


SYSTEMS: dict[str, Choose] = {
    "whole query, topical": lambda _: TopicalPolicy(),
    "whole query, compatibility": lambda _: CompatibilityPolicy(),
    "whole query, both": whole(TRAINED),
    "whole query, hybrid": whole(HYBRID),
    "decompose-then-ensemble": stated(BooleanSettings(combination="ensemble")),
    "set operations": stated(BooleanSettings(combination="sets")),
    "calibrated, topical alone": stated(vectors=()),
    "calibrated": stated(),
    "calibrated, hybrid": stated(vectors=HYBRID),
    "calibrated, in words": in_words(TRAINED),
    "calibrated, hybrid, in words": in_words(HYBRID),
}


def check(corpus: Exhaustive, dataset: Dataset) -> None:
    """The engine gives the same lists: else the figures are none of the package's.

    Raises:
        SystemExit: a list that differs.
    """
    queries = dataset.queries[:: max(1, len(dataset.queries) // CHECKED)][:CHECKED]
    near = {name for query in queries for name in (*query.grades, *query.violating)}
    some = sorted({*near, *corpus.ids[:2000]})
    small = {name: dataset.documents[name] for name in some}
    encoder = CachedEncoder(default_encoder(), CACHE)
    ours = Exhaustive(small, encoder)
    with PassageIndex.open("films", encoder, vectors=TRAINED, lexical=True) as index:
        index.add([Passage(name, text) for name, text in small.items()])
        engine = Engine(index, "boolean")
        for query in queries:
            theirs = [hit.passage.id for hit in engine.search(gold(query), 50)]
            found = ours.search(stated(vectors=HYBRID)(query), query.text, 50)
            if set(theirs[:20]) - {name for name, _ in found[:25]}:
                raise SystemExit(f"the engine ranks {query.text!r} otherwise")


def overall(results: dict[str, Result]) -> list[dict[str, str]]:
    """A row a system."""
    return [
        {"system": name, **{m: with_interval(result.estimates.get(m)) for m in SHOWN}}
        for name, result in results.items()
    ]


def by_template(results: dict[str, Result], dataset: Dataset) -> list[dict[str, str]]:
    """R@100 of every system under every template, and the rate of violations."""
    labels = templates(dataset.queries)
    rows = []
    for name, result in results.items():
        row = {"R@100": name}
        for template in dict.fromkeys(labels.values()):
            values = [v for q, v in result.per_query["R@100"].items() if labels[q] == template]
            row[template] = f"{np.mean(values):.3f}"
        for template in dict.fromkeys(labels.values()):
            rates = [
                v for q, v in result.per_query["violation_rate"].items() if labels[q] == template
            ]
            if rates:
                row[f"violations, {template}"] = f"{np.mean(rates):.3f}"
        rows.append(row)
    return rows


def gains(results: dict[str, Result], dataset: Dataset) -> list[dict[str, str]]:
    """Paired differences: ours over what it is compared with."""
    labels = templates(dataset.queries)
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
        found = compare(results[than], results[better])
        least = compare_by(results[than], results[better], labels)
        worst = min(least, key=lambda template: least[template]["R@100"].mean)
        rows.append(
            {
                "system": better,
                "over": than,
                "R@100": with_interval(found["R@100"]),
                "violation_rate": with_interval(found["violation_rate"]),
                "least gain, R@100": f"{worst} {with_interval(least[worst]['R@100'])}",
            }
        )
    return rows


def _some(dataset: Dataset, count: int | None) -> Dataset:
    if count is None:
        return dataset
    places = np.linspace(0, len(dataset.queries) - 1, count).astype(int)
    return replace(dataset, queries=tuple(dataset.queries[place] for place in places))


if __name__ == "__main__":
    main()
