"""SparseCL's cleaning experiment on ConflictQA without trusted passages, by resolution.

python -m benchmarks.product.cleaning [--part test] [--background 10000] [--judge]

Every question is a query. The clean corpus holds the passages of one side of each question, over a
background of films and SciFact abstracts. A passage of the other side is injected. Both directions
are run and pooled. The report measures cleaning with a trusted passage
(``python -m benchmarks report OUT --study cleaning``).
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from benchmarks.common.corpus_corruption import (
    CLEAN,
    CORRUPTED,
    Cleaners,
    Outcome,
    background_texts,
    load_questions,
    open_background_index,
    prefer_majority,
    prefer_source,
    run_experiment,
)
from benchmarks.common.output import cached_encoder, publish, with_interval
from logic_retrievers.evaluation import bootstrap

RESOLUTIONS: Cleaners = {
    "annotate": lambda _: {"resolution": "annotate", "judge": None},
    "prefer_newest": lambda _: {"resolution": "prefer_newest", "judge": None},
    "prefer_majority": prefer_majority,
    "prefer_source": prefer_source,
    "quarantine_all": lambda _: {"resolution": "quarantine_all", "judge": None},
}


def main() -> None:
    """Measure and publish."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--part", default="test")
    parser.add_argument("--background", type=int, default=10_000)
    parser.add_argument("--judge", action="store_true", help="the shipped cross-encoder reads too")
    options = parser.parse_args()
    questions, background = load_questions(options.part), background_texts(options.background)
    open_index = partial(open_background_index, cached_encoder(), background)
    cleaners = {
        name: lambda corpus, settings=settings: {**settings(corpus), "judge": "auto"}
        for name, settings in RESOLUTIONS.items()
    }
    outcomes = run_experiment(open_index, questions, 1, cleaners if options.judge else RESOLUTIONS)
    groups = [question.text for question in questions] * 2
    rows = [_row(name, outcomes, groups) for name in outcomes]
    judged = ", judged" * options.judge
    publish(f"cleaning, resolutions{judged}, ConflictQA {options.part}", rows)


def _row(name: str, outcomes: Mapping[str, Outcome], groups: Sequence[str]) -> dict[str, Any]:
    outcome = outcomes[name]
    columns = np.column_stack([outcome.figures.ndcg, outcome.figures.recall, outcome.figures.share])
    ndcg, recall, share = bootstrap(columns, groups)
    row: dict[str, Any] = {
        "corpus": name,
        "nDCG@10": with_interval(ndcg),
        "injected, Recall@10": with_interval(recall),
        "injected, share of the 10": with_interval(share),
        "recovered": "-",
        **{f"{kind} hidden": "-" for kind in outcome.total},
        "pairs": "-",
    }
    if name not in (CLEAN, CORRUPTED):
        whole, corrupt = (
            float(np.mean(outcomes[kind].figures.ndcg)) for kind in (CLEAN, CORRUPTED)
        )
        row["recovered"] = f"{(ndcg.mean - corrupt) / (whole - corrupt):.1%}"
        for kind, total in outcome.total.items():
            hidden = outcome.hidden[kind]
            row[f"{kind} hidden"] = f"{hidden} of {total} ({hidden / max(1, total):.2%})"
        row["pairs"] = outcome.compared
    return row


if __name__ == "__main__":
    main()
