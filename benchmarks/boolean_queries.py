"""AND and NOT on two public sets: LIMIT's people, and the NOT questions of BoolQuestions.

python -m benchmarks.boolean_queries limit|boolquestions [--part dev|test]

LIMIT has gold expressions (two attributes that one person shares); BoolQuestions' are read from the
question by the parser. Constants are from the development sets.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from typing import Any

from benchmarks.report import OUT, publish, with_interval
from benchmarks.set_queries import CACHE
from logic_retrievers import CachedEncoder
from logic_retrievers.answering import AnyPolicy
from logic_retrievers.encoders import default_encoder
from logic_retrievers.evaluation import Result, compare, evaluate, load_dataset
from logic_retrievers.evaluation.breakdown import estimates_by, templates
from logic_retrievers.evaluation.datasets import Dataset
from logic_retrievers.evaluation.limit import limit_queries
from logic_retrievers.policies import BooleanPolicy, BooleanSettings
from logic_retrievers.report.bm25 import bm25
from logic_retrievers.report.studies.boolean_limit import violators_below
from logic_retrievers.report.through_engine import engine_search, indexed

PAIRS = 500


def main() -> None:
    """Measure and publish."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", choices=("limit", "boolquestions"))
    parser.add_argument("--part", choices=("dev", "test"), default="test")
    options = parser.parse_args()
    OUT.mkdir(exist_ok=True)
    if options.data == "limit":
        limit(limit_queries(load_dataset("limit_small"), PAIRS))
    else:
        boolquestions(load_dataset("boolquestions_not", options.part))


def limit(dataset: Dataset) -> None:
    """P@1 and violations by template, with gold expressions."""
    gold = [query.expression for query in dataset.queries]
    words = [query.text for query in dataset.queries]
    results = {"BM25": evaluate(dataset, bm25(dataset), len(dataset.documents), policy="BM25")}
    for name, lexical, queries, policy in (
        ("whole query, topical", False, words, "topical"),
        ("calibrated", False, gold, "boolean"),
        ("calibrated, hybrid", True, gold, "boolean"),
    ):
        results[name] = _searched(dataset, queries, policy, name, lexical=lexical)
    labels = templates(dataset.queries)
    rows: list[Mapping[str, Any]] = []
    for name, result in results.items():
        found = estimates_by(
            {**result.per_query, "all violators below": violators_below(dataset, result)},
            labels,
            result.groups,
        )
        for template, figures in found.items():
            row = {m: with_interval(figures.get(m)) for m in ("P@1", "all violators below")}
            rows.append({"system": name, "template": template, **row})
    publish("set queries, LIMIT", rows, queries=len(dataset.queries))


def boolquestions(dataset: Dataset) -> None:
    """MRR@10 and the recall of the explicit negatives."""
    words = [query.text for query in dataset.queries]
    policies: dict[str, AnyPolicy] = {
        "whole query, topical": "topical",
        "decompose-then-ensemble": BooleanPolicy(settings=BooleanSettings(combination="ensemble")),
        "set operations": BooleanPolicy(settings=BooleanSettings(combination="sets")),
        "`auto`": "auto",
        "calibrated": "boolean",
    }
    results = {
        name: _searched(dataset, words, policy, name, lexical=False, depth=10)
        for name, policy in policies.items()
    }
    results["calibrated, hybrid"] = _searched(
        dataset, words, "boolean", "calibrated, hybrid", lexical=True, depth=10
    )
    results["BM25"] = evaluate(dataset, bm25(dataset), 10, policy="BM25")
    baseline = results["whole query, topical"]
    rows = []
    for name, result in results.items():
        gain = compare(baseline, result)
        rows.append(
            {
                "system": name,
                "MRR@10": with_interval(result.estimates["MRR@10"]),
                "NegRecall@10": with_interval(result.estimates["NegRecall@10"]),
                "MRR@10, gain": with_interval(gain["MRR@10"]),
            }
        )
    publish(f"BoolQuestions NOT {dataset.name.rpartition('/')[2]}", rows, queries=len(words))


def _searched(
    dataset: Dataset,
    queries: Sequence[Any],
    policy: AnyPolicy,
    name: str,
    *,
    lexical: bool,
    depth: int | None = None,
) -> Result:
    encoder = CachedEncoder(default_encoder(), CACHE)
    with indexed(dataset, encoder, lexical=lexical) as index:
        search = engine_search(index, policy, queries)
        return evaluate(dataset, search, depth or len(dataset.documents), policy=name)


if __name__ == "__main__":
    main()
