"""SparseCL's cleaning experiment on ConflictQA: corrupt a corpus, clean it, and search it.

python -m benchmarks.cleaning [--part test] [--background 10000] [resolutions] [sweep]

Every question is a query; the passages of its one side are the clean corpus, over a background of
films and SciFact abstracts, and passages of its other side are injected. Both directions are run
and taken together. Everything goes through the product: an index, the cleaner, hidden passages, a
search by topical vectors. The part with a trusted passage is the report's
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
from logic_retrievers import PassageIndex
from logic_retrievers.evaluation import bootstrap


def main() -> None:
    """Measure and publish."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", nargs="*", default=["resolutions", "sweep"])
    parser.add_argument("--part", default="test")
    parser.add_argument("--background", type=int, default=10_000)
    options = parser.parse_args()
    experiments = {"resolutions": resolutions, "sweep": sweep}
    for name in options.what:
        rows = experiments[name](options.part, options.background)
        publish(f"cleaning, {name}, ConflictQA {options.part}", rows)


def resolutions(part: str, background: int) -> list[dict[str, Any]]:
    """Resolutions without trusted passages, with one injected passage per question."""
    return _run_directions(
        part,
        background,
        1,
        {
            "annotate": lambda _: {"resolution": "annotate"},
            "prefer_majority": prefer_majority,
            "prefer_newest": lambda _: {"resolution": "prefer_newest"},
            "prefer_source": prefer_source,
            "newest, then majority": lambda _: {"resolution": ("prefer_newest", "prefer_majority")},
            "quarantine_all": lambda _: {"resolution": "quarantine_all"},
        },
    )


def sweep(part: str, background: int) -> list[dict[str, Any]]:
    """Majority resolution with a growing share of questions and number of injected passages."""
    rows = []
    for most, share in ((1, 0.1), (1, 0.25), (1, 0.5), (1, 1.0), (2, 1.0), (9, 1.0)):
        cleaners: Cleaners = {
            "prefer_majority": prefer_majority,
            "the same, one publisher one voice": lambda _: {
                "resolution": "prefer_majority",
                "date_key": "none",
                "source_key": "publisher",
            },
        }
        for row in _run_directions(part, background, most, cleaners, share):
            rows.append({"injected a question": most, "questions": share, **row})
    return rows


def _run_directions(
    part: str, background: int, most: int, cleaners: Cleaners, share: float = 1.0
) -> list[dict[str, Any]]:
    """Rows for the clean, the corrupted, and each cleaned corpus, both directions together."""
    questions = load_questions(part)
    outcomes = run_experiment(
        partial(open_background, background), questions, most, cleaners, share
    )
    groups = [question.text for question in questions] * 2
    return [_row(name, outcomes, groups) for name in outcomes]


def open_background(background: int) -> PassageIndex:
    """An in-memory index of background passages, with cached vectors."""
    return open_background_index(cached_encoder(), background_texts(background))


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
        "injected hidden": "-",
        "clean hidden": "-",
        "background hidden": "-",
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
