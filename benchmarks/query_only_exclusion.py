"""Gain of exclusion queries from a new query encoder alone, beside the compatibility head.

python -m benchmarks.query_only_exclusion FILE.query.onnx

The file comes from ``export/recipes/query-encoder-exclusion.toml`` and ``export-query-encoder``;
the stored vectors are those of the shipped bundle throughout.
"""

from __future__ import annotations

import argparse
import warnings
from pathlib import Path

from benchmarks.common.dataset_search import evaluate_policy, index_dataset
from benchmarks.common.output import cached_encoder, publish, with_interval
from logic_retrievers.errors import LongTextWarning
from logic_retrievers.evaluation import compare, load_dataset

SETS = ("excluir", "nevir", "boolquestions_not", "msmarco_small")
SHOWN = ("paired_accuracy", "R@1", "R@5", "V@5", "FVR", "MRR@10", "NegRecall@10", "nDCG@10")


def main() -> None:
    """Measure and publish."""
    warnings.simplefilter("ignore", LongTextWarning)
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", type=Path)
    options = parser.parse_args()
    publish("query-only exclusion", [row for name in SETS for row in rows(name, options.file)])


def rows(name: str, file: Path) -> list[dict[str, object]]:
    """A set under both query encoders, with and without the compatibility head."""
    dataset = load_dataset(name)
    with index_dataset(dataset, cached_encoder()) as index:
        results = {
            policy: evaluate_policy(dataset, index, policy)
            for policy in ("topical", "compatibility")
        }
        results["auto"] = evaluate_policy(dataset, index, "auto")
        index.use_query_encoder(file)
        results["topical, query-only"] = evaluate_policy(dataset, index, "topical")
        results["auto, query-only"] = evaluate_policy(dataset, index, "auto")
    gains = compare(results["topical"], results, ["R@5"])
    return [
        {
            "data set": dataset.name,
            "system": label,
            **{m: with_interval(result.estimates.get(m)) for m in SHOWN},
            "R@5, gain": with_interval(gains[label]["R@5"].difference if label in gains else None),
        }
        for label, result in results.items()
    ]


if __name__ == "__main__":
    main()
