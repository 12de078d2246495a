"""SparseCL's cleaning experiment on ConflictQA: a corpus corrupted, cleaned, and searched.

python -m benchmarks.cleaning [--part test] [--background 10000] [policies] [sweep]

Every question is a query; the passages of its one side are the clean corpus, over a background of
films and SciFact abstracts, and passages of its other side are injected. Both directions are run
and taken together. Everything goes through the product: an index, the cleaner, hidden passages, a
search by topical vectors.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.report import publish, with_interval
from logic_retrievers import CachedEncoder, PassageIndex
from logic_retrievers.encoders import default_encoder
from logic_retrievers.evaluation import bootstrap
from logic_retrievers.report.cleaning_ways import by_majority, by_source, one_each, top_three
from logic_retrievers.report.corruption import (
    CLEAN,
    CORRUPTED,
    Outcome,
    Ways,
    background_texts,
    experiment,
    questions_of,
)
from logic_retrievers.report.corruption import opened as opened_with

CACHE = Path(".bench") / "cleaning_vectors.sqlite"


def main() -> None:
    """Measure and publish."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", nargs="*", default=["trusted", "policies", "sweep"])
    parser.add_argument("--part", default="test")
    parser.add_argument("--background", type=int, default=10_000)
    options = parser.parse_args()
    asked = {"trusted": trusted, "policies": policies, "sweep": sweep}
    for name in options.what:
        rows = asked[name](options.part, options.background)
        publish(f"cleaning, {name}, ConflictQA {options.part}", rows)


def trusted(part: str, background: int) -> list[dict[str, Any]]:
    """One clean passage of each question is trusted; the whole other side is injected."""
    return _both(
        part,
        background,
        9,
        {
            "top 3 of each (SparseCL)": top_three,
            "by threshold": one_each,
        },
    )


def policies(part: str, background: int) -> list[dict[str, Any]]:
    """Nobody is trusted; one passage is injected for each question."""
    return _both(
        part,
        background,
        1,
        {
            "annotate": lambda _: {"policy": "annotate"},
            "prefer_majority": by_majority,
            "prefer_newest": lambda _: {"policy": "prefer_newest"},
            "prefer_source": by_source,
            "newest, then majority": lambda _: {"policy": ("prefer_newest", "prefer_majority")},
            "quarantine_all": lambda _: {"policy": "quarantine_all"},
        },
    )


def sweep(part: str, background: int) -> list[dict[str, Any]]:
    """By majority alone: more and more of the questions, and of the other side's passages."""
    rows = []
    for most, share in ((1, 0.1), (1, 0.25), (1, 0.5), (1, 1.0), (2, 1.0), (9, 1.0)):
        ways: Ways = {
            "prefer_majority": by_majority,
            "the same, one publisher one voice": lambda _: {
                "policy": "prefer_majority",
                "date_key": "none",
                "source_key": "publisher",
            },
        }
        for row in _both(part, background, most, ways, share):
            rows.append({"injected a question": most, "questions": share, **row})
    return rows


def _both(
    part: str, background: int, most: int, ways: Ways, share: float = 1.0
) -> list[dict[str, Any]]:
    """Both directions together: a row for the clean, the corrupted, and each cleaned corpus."""
    questions = questions_of(part)
    found = experiment(partial(opened, background), questions, most, ways, share)
    groups = [question.text for question in questions] * 2
    return [_row(name, found, groups) for name in found]


def opened(background: int) -> PassageIndex:
    """An index in memory with so many passages that belong to no question; vectors are kept."""
    CACHE.parent.mkdir(exist_ok=True)
    return opened_with(CachedEncoder(default_encoder(), CACHE), background_texts(background))


def _row(name: str, found: Mapping[str, Outcome], groups: Sequence[str]) -> dict[str, Any]:
    one = found[name]
    columns = np.column_stack([one.ranked.ndcg, one.ranked.recall, one.ranked.share])
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
        whole, corrupt = (float(np.mean(found[kind].ranked.ndcg)) for kind in (CLEAN, CORRUPTED))
        row["recovered"] = f"{(ndcg.mean - corrupt) / (whole - corrupt):.1%}"
        for kind, total in one.total.items():
            gone = one.hidden[kind]
            row[f"{kind} hidden"] = f"{gone} of {total} ({gone / max(1, total):.2%})"
        row["pairs"] = one.compared
    return row


if __name__ == "__main__":
    main()
