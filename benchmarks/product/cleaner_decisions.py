"""Measure what the cleaner lists and hides, end to end, by default and with ``prefer_newest``.

python -m benchmarks.product.cleaner_decisions {dev,test} [--bundle DIR] [--no-judge] [--wrong]

The first table cleans all passages of a file of labelled pairs as one corpus; a listed pair without
a label counts as wrong. The second cleans small corpora whose passages look alike without
contradicting. The third, with ``test``, cleans single pairs of kinds that cleaners often hide
wrongly. ``--wrong`` lists the errors of the second and third. Tests are read once per reported
configuration.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from typing import Any

from benchmarks.common.output import cached_encoder, publish
from benchmarks.product.relation import DATA, load_pairs
from logic_retrievers.conflicts import CleaningResult, CorpusCleaner, Kind
from logic_retrievers.evaluation.rows import json_rows
from logic_retrievers.judging import OnnxRelation
from logic_retrievers.types import Passage

CORPORA = {"dev": ("natural_dev", "relations_dev"), "test": ("natural_test", "relations_test")}
SIDES = ("one", "other")
CONFLICTS = (Kind.CONTRADICTION.value, Kind.SUPERSEDED.value)


def main() -> None:
    """Measure and publish."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("part", choices=CORPORA)
    parser.add_argument("--bundle", help="with relation, in place of the shipped one")
    parser.add_argument("--no-judge", action="store_true", help="vectors and metadata alone")
    parser.add_argument("--wrong", action="store_true", help="list what is wrong")
    options = parser.parse_args()
    judge: Any = None if options.no_judge else "auto"
    if options.bundle:
        judge = OnnxRelation(options.bundle)
    cleaner = CorpusCleaner(encoder=cached_encoder(), judge=judge, resolution="prefer_newest")
    name = f"cleaner{', without a judge' * options.no_judge}, {options.part}"
    found = [found_in_corpus(cleaner, part) for part in CORPORA[options.part]]
    publish(f"{name}, pairs of a corpus", found)
    publish(f"{name}, alike", [alike(cleaner, options.part, show=options.wrong)])
    if options.part == "test":
        publish(f"{name}, kinds of pairs", met_pairs(cleaner, show=options.wrong))


def found_in_corpus(cleaner: CorpusCleaner, part: str) -> dict[str, Any]:
    """Clean all passages of labelled pairs as one corpus; count the listed contradictions."""
    ids: dict[tuple[str, str], str] = {}
    passages, labels = [], {}
    for row in load_pairs(part):
        pair = []
        for side in SIDES:
            text, metadata = row[side]["text"], row[side]["metadata"]
            key = text, repr(sorted(metadata.items()))
            if key not in ids:
                ids[key] = f"p{len(ids)}"
                passages.append(Passage(ids[key], text, metadata))
            pair.append(ids[key])
        labels[frozenset(pair)] = row["label"]
    listed = [
        frozenset((decision.finding.one, decision.finding.other))
        for decision in cleaner.clean(passages).of_kind(Kind.CONTRADICTION)
    ]
    contradictions = [pair for pair, label in labels.items() if label == Kind.CONTRADICTION.value]
    right = len(set(listed) & set(contradictions))
    labelled = sum(pair in labels for pair in listed)
    return {
        "part": part,
        "passages": len(passages),
        "contradictions": len(contradictions),
        "found": round(right / len(contradictions), 3),
        "listed": len(listed),
        "precision": round(right / max(1, len(listed)), 3),
        "precision among labelled pairs": round(right / max(1, labelled), 3),
    }


def alike(cleaner: CorpusCleaner, part: str, *, show: bool) -> dict[str, Any]:
    """Clean corpora without contradictions; count what is listed and hidden."""
    corpora: dict[str, list[Passage]] = {}
    for row in json_rows(DATA / "alike.jsonl.gz"):
        fields = row.fields
        if fields["part"] == part:
            passage = Passage(fields["id"], fields["text"], fields["metadata"])
            corpora.setdefault(fields["corpus"], []).append(passage)
    results = [cleaner.clean(passages) for passages in corpora.values()]
    if show:
        for result in results:
            _show(result)
    return {
        "passages": sum(map(len, corpora.values())),
        "contradictions": sum(len(result.of_kind(Kind.CONTRADICTION)) for result in results),
        "superseded": sum(len(result.of_kind(Kind.SUPERSEDED)) for result in results),
        "hidden": sum(len(result.quarantined) for result in results),
    }


def met_pairs(cleaner: CorpusCleaner, *, show: bool) -> list[dict[str, Any]]:
    """Clean every pair alone; count the wrong decisions by kind."""
    rows: dict[str, dict[str, Any]] = {}
    for row in json_rows(DATA / "met_pairs.jsonl.gz"):
        pair = row.fields
        result = cleaner.clean([Passage(s, pair[s]["text"], pair[s]["metadata"]) for s in SIDES])
        counts = rows.setdefault(
            pair["kind"], {"kind": pair["kind"], "pairs": 0, "wrong": 0, "hidden wrongly": 0}
        )
        counts["pairs"] += 1
        is_right = _is_right(pair, result)
        counts["wrong"] += not is_right
        counts["hidden wrongly"] += _hides_wrongly(pair, result.quarantined)
        if show and not is_right:
            print(pair["id"], pair["label"], [pair[side]["text"] for side in SIDES])
            _show(result)
    return list(rows.values())


def _is_right(pair: Mapping[str, Any], result: CleaningResult) -> bool:
    """Whether the decisions suit the label.

    A conflict must be listed without hiding the newer text. No other pair may be listed as a
    contradiction or hidden.
    """
    kinds = [decision.finding.kind.value for decision in result.decisions]
    if pair["label"] in CONFLICTS:
        is_listed = any(kind in CONFLICTS for kind in kinds)
        return is_listed and not _hides_wrongly(pair, result.quarantined)
    return Kind.CONTRADICTION.value not in kinds and not result.quarantined


def _hides_wrongly(pair: Mapping[str, Any], hidden: Sequence[str]) -> bool:
    if pair["label"] == Kind.SUPERSEDED.value:
        return pair["newer"] in hidden
    return bool(hidden) and pair["label"] != Kind.CONTRADICTION.value


def _show(result: CleaningResult) -> None:
    for decision in result.decisions:
        finding = decision.finding
        if finding.kind.value in CONFLICTS:
            texts = [result.passages[name].text[:120] for name in (finding.one, finding.other)]
            print(" ", finding.kind.value, f"{finding.probability:.2f}", decision.action, texts)


if __name__ == "__main__":
    main()
