"""Compare ``auto`` with plain search and baselines, on users' queries and the papers' sets.

python -m benchmarks.product.user_queries [--part dev] [--set new-domains|clusters|strangers]

``tests/queries`` holds the users' queries and labels: ``users``, ``users_new_domains`` and
``clusters`` (see the READMEs there). Read the test parts only when a version is finished; nothing
may be chosen on them.
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from benchmarks.common.dataset_search import AnyPolicy, engine_search, index_dataset
from benchmarks.common.exclusion_baselines import exclusion_baselines
from benchmarks.common.output import cached_encoder, publish, with_interval
from logic_retrievers import PassageIndex
from logic_retrievers.errors import LongTextWarning
from logic_retrievers.evaluation import Dataset, Query, bootstrap, load_dataset
from logic_retrievers.judging import default_judge
from logic_retrievers.policies import AutoPolicy, ConstraintSettings

QUERIES = Path(__file__).parents[2] / "tests" / "queries"
SETS: Mapping[str, Sequence[Path | str]] = {
    "users": (QUERIES / "users", "excluir", "boolquestions_not"),
    "new-domains": (QUERIES / "users_new_domains",),
    "clusters": (QUERIES / "clusters",),
    "strangers": (QUERIES / "strangers",),
}
DEPTH = 100
# Maximum places that the first satisfying passage may lose against plain search.
PUSHED_DOWN = 2
KINDS: Mapping[str, str] = {
    "A": "exclusions",
    "B": "properties",
    "C": "negative facts",
    "D": "no constraint",
    "E": "several constraints",
    "F": "wanted positively",
}
# applies only the judge's verdicts to the hits of plain search
_PLAIN_JUDGED = AutoPolicy(
    settings=ConstraintSettings(compatibility_weight=0, penalty=0), base="topical"
)
METRICS = ("MRR", "R@1", "V@3", "V@5", "right above all violating", "pushed down", "buried")


def main() -> None:
    """Measure and publish."""
    warnings.simplefilter("ignore", LongTextWarning)
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--part", default="test", choices=("dev", "test"))
    parser.add_argument("--set", default="users", choices=tuple(SETS), help="users: papers' too")
    options = parser.parse_args()
    rows: list[dict[str, object]] = []
    for folder in SETS[options.set]:
        dataset = load_dataset(folder, options.part)
        with index_dataset(dataset, cached_encoder(), lexical=True) as index:
            rows += _rows(dataset, index)
    publish(f"user queries, {options.set}, {options.part}", rows)


def _rows(dataset: Dataset, index: PassageIndex) -> list[dict[str, object]]:
    systems: dict[str, AnyPolicy] = {
        "plain search": "topical",
        "hybrid": "hybrid",
        **exclusion_baselines(cached_encoder()),
    }
    texts = [query.text for query in dataset.queries]
    searches = {
        name: engine_search(index, policy, texts, judge=None) for name, policy in systems.items()
    }
    searches["auto without a judge"] = engine_search(index, "auto", texts, judge=None)
    if default_judge() is not None:
        searches |= {
            "judge alone": engine_search(index, "judge", texts),
            "plain search + gate * judge": engine_search(index, _PLAIN_JUDGED, texts),
            "auto, base topical": engine_search(index, AutoPolicy(base="topical"), texts),
            "auto": engine_search(index, "auto", texts),
        }
    ranked = {
        name: [[d for d, _ in ranking] for ranking in lists(texts, DEPTH)]
        for name, lists in searches.items()
    }
    rows: list[dict[str, object]] = []
    kinds = sorted({str(query.extra.get("kind", "")) for query in dataset.queries})
    for kind in kinds:
        places = [i for i, q in enumerate(dataset.queries) if q.extra.get("kind", "") == kind]
        for name, lists in ranked.items():
            values = [
                query_metrics(dataset.queries[i], lists[i], ranked["plain search"][i])
                for i in places
            ]
            estimates = bootstrap(values)
            row: dict[str, object] = {
                "queries": f"{kind} {KINDS[kind]}" if kind else dataset.name,
                "n": len(places),
                "system": name,
            }
            row |= {
                metric: with_interval(None if np.isnan(estimate.mean) else estimate)
                for metric, estimate in zip(METRICS, estimates, strict=True)
            }
            row["same list as plain"] = float(
                np.mean([lists[i] == ranked["plain search"][i] for i in places])
            )
            rows.append(row)
    return rows


def query_metrics(query: Query, ranked: Sequence[str], plain: Sequence[str]) -> list[float]:
    """Compute one value for each of :data:`METRICS`; NaN if no passage is labelled violating."""
    right, before = first_rank(ranked, query), first_rank(plain, query)
    labelled = bool(query.violating)
    violating = next((i for i, d in enumerate(ranked, 1) if d in query.violating), DEPTH + 1)
    return [
        1 / right if right <= DEPTH else 0.0,
        float(right == 1),
        float(violating <= 3) if labelled else np.nan,
        float(violating <= 5) if labelled else np.nan,
        float(right < violating) if labelled else np.nan,
        float(right > before + PUSHED_DOWN),
        float(before <= 3 and right > 10),
    ]


def first_rank(ranked: Sequence[str], query: Query) -> int:
    """Return the rank of the first satisfying passage; one past the list if there is none."""
    return next((i for i, d in enumerate(ranked, 1) if d in query.grades), DEPTH + 1)


if __name__ == "__main__":
    main()
