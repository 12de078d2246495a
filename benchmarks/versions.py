"""Legitimate differences and contradictions, told apart: another year, region or version, or not.

python -m benchmarks.versions dev|dev2|dev3|test [--wrong]

The pairs are labelled by hand (``benchmarks/data``). Rules were made on the dev files alone, those
of dev3 without every third of its pairs; test is read once a reported configuration. ``--wrong``
lists the pairs of a dev file that are told wrongly, the kept ones of dev3 left out.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.report import publish, with_interval
from logic_retrievers import ContradictionScorer
from logic_retrievers.cleaning.findings import Kind
from logic_retrievers.cleaning.kinds import Told, tell_apart
from logic_retrievers.evaluation.shares import wilson
from logic_retrievers.types import Passage

DATA = Path(__file__).parent / "data"
PARTS = ("dev", "dev2", "dev3", "test")
KEPT = 3
"""Every third row of dev3 was kept aside."""

NOTHING = "none"
KINDS = (*(kind.value for kind in Kind), NOTHING)
LEGITIMATE = (Kind.SCOPE.value, Kind.SUPERSEDED.value)
CONTRADICTION = Kind.CONTRADICTION.value


@dataclass(frozen=True, slots=True)
class Judged:
    """A labelled pair and what was told of it."""

    row: Mapping[str, Any]
    told: Told | None

    @property
    def label(self) -> str:
        """What it is."""
        return str(self.row["label"])

    @property
    def kind(self) -> str:
        """What it was told to be."""
        return NOTHING if self.told is None else self.told.kind.value


def main() -> None:
    """Measure and publish."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("part", choices=PARTS)
    parser.add_argument("--wrong", action="store_true", help="list the pairs told wrongly (dev)")
    options = parser.parse_args()
    judged = judge(rows_of(options.part))
    publish(f"versions {options.part}", confusion(judged), pairs=len(judged))
    publish(f"versions {options.part}, shares", shares(judged))
    publish(f"versions {options.part}, aspects", aspects(judged))
    if options.wrong and options.part != "test":
        for place, one in enumerate(judged):
            if one.kind != one.label and not kept(options.part, place):
                reason = "" if one.told is None else one.told.reason
                print(one.row["id"], one.label, one.row["aspect"], "->", one.kind, reason)


def kept(part: str, place: int) -> bool:
    """Whether a row was kept aside while rules were made: only its share may be looked at."""
    return part == "dev3" and place % KEPT == KEPT - 1


def rows_of(part: str) -> list[dict[str, Any]]:
    """The labelled pairs."""
    lines = (DATA / f"versions_{part}.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


def judge(rows: Sequence[Mapping[str, Any]]) -> list[Judged]:
    """Every pair told apart, with the vectors that come with the package."""
    scorer = ContradictionScorer()
    scores = scorer.score([(row["one"]["text"], row["other"]["text"]) for row in rows])
    return [
        Judged(
            row,
            tell_apart(
                Passage("one", row["one"]["text"], row["one"]["metadata"]),
                Passage("other", row["other"]["text"], row["other"]["metadata"]),
                probability=score.probability or 0.0,
                cosine=score.cosine,
                threshold=scorer.settings.threshold,
            ),
        )
        for row, score in zip(rows, scores, strict=True)
    ]


def confusion(judged: Sequence[Judged]) -> list[dict[str, Any]]:
    """A row a label, a column a kind that was told."""
    counts = Counter((one.label, one.kind) for one in judged)
    labels = [kind for kind in KINDS if any(one.label == kind for one in judged)]
    return [{"label": label, **{kind: counts[label, kind] for kind in KINDS}} for label in labels]


def shares(judged: Sequence[Judged]) -> list[dict[str, Any]]:
    """What matters of the table, with Wilson intervals."""
    legitimate = [one for one in judged if one.label in LEGITIMATE]
    contradictions = [one for one in judged if one.label == CONTRADICTION]
    told = [one for one in judged if one.kind == CONTRADICTION]
    figures = {
        "legitimate, told scope or superseded": [one.kind in LEGITIMATE for one in legitimate],
        "legitimate, told as they are": [one.kind == one.label for one in legitimate],
        "legitimate, told contradiction": [one.kind == CONTRADICTION for one in legitimate],
        "contradictions, recall": [one.kind == CONTRADICTION for one in contradictions],
        "contradictions, precision": [one.label == CONTRADICTION for one in told],
        "all, told as they are": [one.kind == one.label for one in judged],
    }
    return [
        {"figure": name, "of": len(right), "share (95 %)": with_interval(wilson(right))}
        for name, right in figures.items()
    ]


def aspects(judged: Sequence[Judged]) -> list[dict[str, Any]]:
    """Of every label and aspect, how many were told as they are."""
    found: dict[tuple[str, str], list[bool]] = {}
    for one in judged:
        found.setdefault((one.label, one.row["aspect"]), []).append(one.kind == one.label)
    return [
        {"label": label, "aspect": aspect, "pairs": len(right), "told so": sum(right)}
        for (label, aspect), right in found.items()
    ]


if __name__ == "__main__":
    main()
