"""Measure the cleaner's false alarms without contradictions, and its recall of planted ones.

python -m benchmarks.product.cleaning_alarms [--films 34375] [--judge | --bundle DIR]

Nothing is planted in Cranfield, the films and the passages of users' queries (many variants of one
thing). Every contradiction reported there counts as false, though some may be real. In ConflictQA
one passage of the other side is planted for every question, in both directions. The passage counts
as found if the cleaner reports a contradiction with a passage of its question.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Sequence
from itertools import combinations
from pathlib import Path
from typing import Any, Literal, TypeAlias

from scipy.stats import chi2

from benchmarks.common.corpus_corruption import (
    add_clean_passages,
    inject,
    load_questions,
    open_background_index,
    swap_sides,
)
from benchmarks.common.output import cached_encoder, publish, with_interval
from logic_retrievers import Passage, PassageIndex
from logic_retrievers.conflicts import CleaningResult, CorpusCleaner, Kind
from logic_retrievers.evaluation import bootstrap, data_folder
from logic_retrievers.evaluation.rows import json_rows
from logic_retrievers.judging import OnnxRelation

USERS = Path(__file__).parents[2] / "tests" / "queries" / "users" / "corpus.jsonl.gz"
Judge: TypeAlias = OnnxRelation | Literal["auto"] | None
CORPORA = {
    "users": str(USERS),
    "Cranfield": "cranfield/corpus.jsonl.gz",
    "films": "wikipedia_movies/corpus.jsonl.gz",
}


def main() -> None:
    """Measure and publish."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--films", type=int, default=34_375)
    parser.add_argument("--judge", action="store_true", help="the shipped cross-encoder reads too")
    parser.add_argument("--bundle", help="with a cross-encoder, in place of the shipped one")
    options = parser.parse_args()
    judge: Judge = "auto" if options.judge else None
    if options.bundle:
        judge = OnnxRelation(options.bundle)
    publish("cleaning, planted", [planted_recall(part, judge) for part in ("dev", "test")])
    most = {"films": options.films}
    publish(
        "cleaning, false alarms", [false_alarms(name, most.get(name), judge) for name in CORPORA]
    )


def planted_recall(part: str, judge: Judge) -> dict[str, Any]:
    """Measure the recall of planted passages, with both directions pooled."""
    is_found: list[bool] = []
    own = other_question = others = 0
    one_way = load_questions(part)
    for questions in (one_way, [swap_sides(question) for question in one_way]):
        with open_background_index(cached_encoder(), []) as index:
            corpus = add_clean_passages(index, questions)
            inject(corpus, 1)
            cleaned = CorpusCleaner(index, judge=judge).clean()
        pairs = {frozenset(pair) for pair in _contradictions(cleaned)}
        clean = [{frozenset(pair) for pair in combinations(ids, 2)} for ids in corpus.clean]
        across = [
            {frozenset((bad, good)) for bad in injected for good in ids}
            for injected, ids in zip(corpus.injected, corpus.clean, strict=True)
        ]
        is_found += [bool(pairs & pair_set) for pair_set in across]
        own += sum(len(pairs & pair_set) for pair_set in clean)
        other_question += sum(map(len, clean))
        others += len(pairs - frozenset().union(*clean, *across))
    return {
        "part": part,
        "threshold": cleaned.threshold,
        "planted": len(is_found),
        "found": with_interval(bootstrap(is_found, [q.text for q in one_way] * 2)[0]),
        "pairs of one side, flagged": f"{own} of {other_question}",
        "pairs of two questions, flagged": others,
    }


def false_alarms(name: str, most: int | None, judge: Judge) -> dict[str, Any]:
    """Count contradictions in a corpus without planted ones, with the exact Poisson interval."""
    encoder = cached_encoder()
    texts = [row.text("text") for row in json_rows(data_folder() / CORPORA[name])][:most]
    with PassageIndex.open("a", encoder, vectors=("topical", "contradiction")) as index:
        index.add(Passage(str(n), text) for n, text in enumerate(texts) if text.strip())
        cleaned = CorpusCleaner(index, judge=judge).clean()
    count, thousands = len(_contradictions(cleaned)), cleaned.examined / 1000
    low, high = poisson_interval(count)
    kinds = Counter(decision.finding.kind.value for decision in cleaned.decisions)
    for decision in cleaned.of_kind(Kind.CONTRADICTION)[:10]:
        finding = decision.finding
        print(f"  {name} {finding.one} {finding.other} {finding.probability:.2f} {finding.reason}")
    return {
        "corpus": name,
        "passages": cleaned.examined,
        "pairs": cleaned.compared,
        "contradictions": count,
        "per 1,000 passages": f"{count / thousands:.2f} ({low / thousands:.2f} to"
        f" {high / thousands:.2f})",
        "other findings": ", ".join(f"{kind} {n}" for kind, n in sorted(kinds.items())),
        "s": round(cleaned.seconds),
    }


def poisson_interval(count: int) -> tuple[float, float]:
    """Compute the exact 95 % interval for the expectation of a count (Garwood 1936)."""
    low = 0.0 if count == 0 else float(chi2.ppf(0.025, 2 * count)) / 2
    return low, float(chi2.ppf(0.975, 2 * count + 2)) / 2


def _contradictions(cleaned: CleaningResult) -> Sequence[set[str]]:
    return [{d.finding.one, d.finding.other} for d in cleaned.of_kind(Kind.CONTRADICTION)]


if __name__ == "__main__":
    main()
