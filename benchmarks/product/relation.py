"""Measure classification of pairs: contradiction, or different scope, version or wording.

python -m benchmarks.product.relation PART [--bundle DIR] [--no-judge] [--wrong]

The pairs are labelled by hand (``benchmarks/data``). ``--wrong`` lists the misclassified pairs of a
dev file, except every third pair of dev3, which was kept aside while rules were made. Tests are
read once per reported configuration.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from logic_export.judge.rows import OWN_PAIRS

from benchmarks.common.output import publish, with_interval
from benchmarks.common.statistics import wilson_interval
from logic_retrievers import ContradictionScorer
from logic_retrievers.conflicts.candidate_pairs import CandidatePair
from logic_retrievers.conflicts.cleaning.classification import classify_pair
from logic_retrievers.conflicts.cleaning.result import Finding, Kind
from logic_retrievers.conflicts.cleaning.settings import CleaningSettings, ReadThresholds
from logic_retrievers.evaluation.rows import json_rows
from logic_retrievers.judging import RELATIONS, OnnxRelation, default_relation
from logic_retrievers.judging.relation import conflict_share, pair_texts
from logic_retrievers.types import Passage

DATA = Path(__file__).parents[1] / "data"
PARTS: Mapping[str, str | Path] = {
    **{part: f"versions_{part}.jsonl.gz" for part in ("dev", "dev2", "dev3", "test")},
    **{part: f"{part}.jsonl.gz" for part in ("natural_dev", "natural_test", "relations_test")},
    "mined_test": "mined_test.jsonl.gz",
    "relations_dev": OWN_PAIRS["relations_dev"],
    "mined_dev": OWN_PAIRS["relations_mined_dev"],
    "short_dev": OWN_PAIRS["relations_short_dev"],
}
# Every third row of dev3 was kept aside while rules were made.
ASIDE_STEP = 3

NOTHING = "unrelated"
KINDS = (*(kind.value for kind in Kind), NOTHING)
LEGITIMATE = (Kind.SCOPE.value, Kind.SUPERSEDED.value)
CONTRADICTION = Kind.CONTRADICTION.value


@dataclass(frozen=True, slots=True)
class ClassifiedPair:
    """A labelled pair, its finding, and the kind that the cross-encoder read."""

    row: Mapping[str, Any]
    finding: Finding | None
    read: str | None

    @property
    def label(self) -> str:
        """The true kind."""
        return str(self.row["label"])

    @property
    def kind(self) -> str:
        """The kind as classified."""
        return NOTHING if self.finding is None else self.finding.kind.value


def main() -> None:
    """Measure and publish."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("part", choices=PARTS)
    parser.add_argument("--wrong", action="store_true", help="list the misclassified pairs (dev)")
    parser.add_argument("--no-judge", action="store_true", help="vectors and metadata alone")
    parser.add_argument("--bundle", help="with relation, in place of the shipped one")
    options = parser.parse_args()
    read = OnnxRelation(options.bundle) if options.bundle else default_relation()
    pairs = classify_pairs(load_pairs(options.part), None if options.no_judge else read)
    name = f"pairs {options.part}{', without a judge' * options.no_judge}"
    publish(name, confusion(pairs), pairs=len(pairs))
    publish(f"{name}, shares", shares(pairs))
    publish(f"{name}, aspects", aspects(pairs))
    if options.wrong and not options.part.endswith("test"):
        for place, pair in enumerate(pairs):
            if pair.kind != pair.label and not is_kept_aside(options.part, place):
                reason = "" if pair.finding is None else pair.finding.reason
                print(pair.row["id"], pair.label, pair.row["aspect"], "->", pair.kind, reason)


def is_kept_aside(part: str, place: int) -> bool:
    """Whether a row was kept aside; look only at shares over such rows, not at the rows."""
    return part == "dev3" and place % ASIDE_STEP == ASIDE_STEP - 1


def load_pairs(part: str) -> list[dict[str, Any]]:
    """Load the labelled pairs."""
    return [dict(row.fields) for row in json_rows(DATA / PARTS[part])]


def classify_pairs(
    rows: Sequence[Mapping[str, Any]], read: OnnxRelation | None
) -> list[ClassifiedPair]:
    """Classify every pair with the shipped vectors and, if given, a cross-encoder."""
    scorer = ContradictionScorer()
    scores = scorer.score([(row["one"]["text"], row["other"]["text"]) for row in rows])
    passages = [
        (
            Passage("one", row["one"]["text"], row["one"]["metadata"]),
            Passage("other", row["other"]["text"], row["other"]["metadata"]),
        )
        for row in rows
    ]
    relations: Sequence[tuple[float, ...] | None] = [None] * len(rows)
    if read is not None:
        relations = read([pair_texts(*pair, ("date", "version", "source")) for pair in passages])
    thresholds = None
    if read is not None:
        thresholds = ReadThresholds(read.constants["threshold"], read.constants["hide_above"])
    settings = CleaningSettings(document_key="title")
    classified = []
    for row, pair, score, relation in zip(rows, passages, scores, relations, strict=True):
        own = score.probability or 0.0
        judged = None if relation is None else conflict_share(relation)
        candidate = CandidatePair(0, 1, score.cosine, score.score, own, judged, relation)
        found = classify_pair(*pair, candidate, settings, scorer.constants.threshold, thresholds)
        classified.append(ClassifiedPair(row, found, None if relation is None else _kind(relation)))
    return classified


def _kind(relation: Sequence[float]) -> str:
    """Return the likeliest kind; both orders of two states count as one kind."""
    contradiction, superseded, supersedes, *others = relation
    kinds = (Kind.CONTRADICTION, Kind.SUPERSEDED, *RELATIONS[3:])
    shares = (contradiction, superseded + supersedes, *others)
    return str(max(zip(shares, kinds, strict=True))[1])


def confusion(pairs: Sequence[ClassifiedPair]) -> list[dict[str, Any]]:
    """Make a table with one row per label and one column per predicted kind."""
    counts = Counter((pair.label, pair.kind) for pair in pairs)
    labels = [kind for kind in KINDS if any(pair.label == kind for pair in pairs)]
    return [{"label": label, **{kind: counts[label, kind] for kind in KINDS}} for label in labels]


def shares(pairs: Sequence[ClassifiedPair]) -> list[dict[str, Any]]:
    """Compute the main shares, with Wilson intervals."""
    legitimate = [pair for pair in pairs if pair.label in LEGITIMATE]
    contradictions = [pair for pair in pairs if pair.label == CONTRADICTION]
    predicted = [pair for pair in pairs if pair.kind == CONTRADICTION]
    figures = {
        "legitimate, as scope or superseded": [pair.kind in LEGITIMATE for pair in legitimate],
        "legitimate, as labelled": [pair.kind == pair.label for pair in legitimate],
        "legitimate, as contradiction": [pair.kind == CONTRADICTION for pair in legitimate],
        "contradictions, recall": [pair.kind == CONTRADICTION for pair in contradictions],
        "contradictions, precision": [pair.label == CONTRADICTION for pair in predicted],
        "all, as labelled": [pair.kind == pair.label for pair in pairs],
        "all, read as labelled": [pair.read == pair.label for pair in pairs],
    }
    return [
        {
            "figure": name,
            "of": len(right),
            "share (95 %)": with_interval(
                wilson_interval(sum(right), len(right)) if right else None
            ),
        }
        for name, right in figures.items()
    ]


def aspects(pairs: Sequence[ClassifiedPair]) -> list[dict[str, Any]]:
    """Count correct classifications per label and aspect."""
    correct: dict[tuple[str, str], list[bool]] = {}
    for pair in pairs:
        correct.setdefault((pair.label, pair.row["aspect"]), []).append(pair.kind == pair.label)
    return [
        {"label": label, "aspect": aspect, "pairs": len(right), "as labelled": sum(right)}
        for (label, aspect), right in correct.items()
    ]


if __name__ == "__main__":
    main()
