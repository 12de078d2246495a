"""Pools for contradiction retrieval (SparseCL): ConflictQA over all its parts, and ArguAna."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random

from logic_export.contradiction_retrieval import (
    ContradictionPool,
    ScoredCandidates,
    build_pool,
    nearest_candidates,
)
from logic_export.data.contradictions.conflictqa import groups_of_questions, load_conflictqa
from logic_export.data.contradictions.groups import ContradictionGroup
from logic_export.data.contradictions.paraphrases import paraphrase

from logic_retrievers.conflicts.settings import VECTORS
from logic_retrievers.encoders import Encoder
from logic_retrievers.evaluation.datasets import existing_folder
from logic_retrievers.evaluation.rows import json_rows, read_qrels
from logic_retrievers.scoring import Sparsity

PARTS = ("train", "dev", "test")
# Number of random pairs of passages from different questions.
STRANGERS = 4000


@dataclass(frozen=True, slots=True)
class LabelledPool:
    """A pool, and the resampling group of each query."""

    pool: ContradictionPool
    groups: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Pairs:
    """Pairs of texts of one kind, and the resampling group of each pair."""

    pairs: tuple[tuple[str, str], ...]
    groups: tuple[str, ...]


def conflictqa_parts() -> dict[str, list[ContradictionGroup]]:
    """Return the groups of every part of ConflictQA."""
    return {part: groups_of_questions(load_conflictqa(part)) for part in PARTS}


def conflictqa_pool(
    parts: Mapping[str, Sequence[ContradictionGroup]], part: str, copies: int = 0
) -> LabelledPool:
    """Build a pool with one part's passages as queries and all parts' passages as candidates.

    Args:
        parts: groups of every part.
        part: the part whose passages are the queries.
        copies: number of rule-made paraphrases of each passage, added to its side. Paraphrases on
            the query's own side confuse. Paraphrases on the opposite side contradict the query as
            the originals do, and are right.
    """
    more = [add_paraphrases(group, copies) for group in parts[part]]
    rest = [group for name in parts if name != part for group in parts[name]]
    whole = build_pool(more, rest)
    query_texts = {text for group in parts[part] for text in group.texts}
    query_numbers = [
        n for n, (query, _) in enumerate(whole.queries) if whole.texts[query] in query_texts
    ]
    pool = ContradictionPool(
        whole.texts,
        tuple(whole.queries[n] for n in query_numbers),
        tuple(whole.agreeing[n] for n in query_numbers),
    )
    # The pool lists the passages of a question next to each other.
    groups = tuple(str(n) for n, group in enumerate(parts[part]) for _ in group.texts)
    return LabelledPool(pool, groups)


def add_paraphrases(group: ContradictionGroup, copies: int) -> ContradictionGroup:
    """Add ``copies`` paraphrases of every text to its side of the group."""
    left, right = (
        tuple(
            dict.fromkeys(
                version
                for text in side
                for version in (
                    text,
                    *(paraphrase(text, Random(f"{n} {text}")) for n in range(copies)),
                )
            )
        )
        for side in (group.left, group.right)
    )
    return replace(group, left=left, right=tuple(text for text in right if text not in left))


def arguana_pool(folder: str = "arguana_dev") -> LabelledPool:
    """Build ArguAna's pool: each argument is a query, and a candidate for all others."""
    place = existing_folder(Path(folder))
    documents = {row.id(): row.text("text") for row in json_rows(place / "corpus.jsonl")}
    query_texts = {row.id(): row.text("text") for row in json_rows(place / "queries.jsonl")}
    rows: dict[str, int] = {}
    for text in (*documents.values(), *query_texts.values()):
        rows.setdefault(text, len(rows))
    queries = tuple(
        (rows[query_texts[label.query]], (rows[documents[label.document]],))
        for label in read_qrels(place / "qrels" / "dev.tsv")
    )
    groups = tuple(str(n) for n in range(len(queries)))
    return LabelledPool(ContradictionPool(tuple(rows), queries, tuple(() for _ in queries)), groups)


def find_candidates(
    encoder: Encoder, pool: ContradictionPool, measure: Sparsity = "hoyer"
) -> list[ScoredCandidates]:
    """Find each query's candidates by the topical and contradiction vectors."""
    vectors = encoder.encode_documents(list(pool.texts), VECTORS)
    return nearest_candidates(pool, vectors["topical"], vectors["contradiction"], measure)


def pairs_by_kind(groups: Sequence[ContradictionGroup], seed: int = 0) -> dict[str, Pairs]:
    """Make random pairs, pairs of the same side, and pairs of opposite sides."""
    random = Random(seed)
    strangers = [random.sample(range(len(groups)), 2) for _ in range(STRANGERS)]
    rows: dict[str, list[tuple[str, str, str]]] = {
        "random": [
            (random.choice(groups[a].texts), random.choice(groups[b].texts), str(a))
            for a, b in strangers
        ],
        "agreeing": [
            (text, other, str(n))
            for n, group in enumerate(groups)
            for side in (group.left, group.right)
            for i, text in enumerate(side)
            for other in side[:i]
        ],
        "contradicting": [
            (text, other, str(n))
            for n, group in enumerate(groups)
            for text in group.left
            for other in group.right
        ],
    }
    return {
        kind: Pairs(tuple((a, b) for a, b, _ in triples), tuple(label for _, _, label in triples))
        for kind, triples in rows.items()
    }
