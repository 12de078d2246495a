"""What contradiction retrieval is measured on: ConflictQA among all its parts, and ArguAna."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random

from logic_retrievers.contradiction.settings import VECTORS
from logic_retrievers.encoders import Encoder
from logic_retrievers.evaluation.conflictqa import load_conflictqa, sides_of
from logic_retrievers.evaluation.contradictions import Candidates, Pool, candidates_of, pool_of
from logic_retrievers.evaluation.folders import existing_folder
from logic_retrievers.evaluation.paraphrases import paraphrase
from logic_retrievers.evaluation.rows import json_rows, judgements
from logic_retrievers.evaluation.sides import Sides
from logic_retrievers.scoring import Sparsity

PARTS = ("train", "dev", "test")
STRANGERS = 4000
"""Random pairs of passages of different questions."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A pool, and for each of its queries the label it is resampled by."""

    pool: Pool
    groups: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Pairs:
    """Pairs of texts of one kind, and for each the question it is resampled by."""

    pairs: tuple[tuple[str, str], ...]
    groups: tuple[str, ...]


def conflictqa_parts() -> dict[str, list[Sides]]:
    """The groups of every part of ConflictQA."""
    return {part: sides_of(load_conflictqa(part)) for part in PARTS}


def conflictqa_pool(parts: Mapping[str, Sequence[Sides]], part: str, copies: int = 0) -> Asked:
    """Passages of a part are queries, those of all parts candidates.

    Args:
        parts: groups of every part.
        part: which asks.
        copies: rule-made paraphrases of each of its passages that join the passage's side. Those
            of the query's own side confuse; those of the other side contradict it like their
            originals, and are right.
    """
    more = [said_again(group, copies) for group in parts[part]]
    rest = [group for name in parts if name != part for group in parts[name]]
    whole = pool_of(more, rest)
    asked = {text for group in parts[part] for text in group.texts}
    kept = [n for n, (query, _) in enumerate(whole.queries) if whole.texts[query] in asked]
    pool = Pool(
        whole.texts,
        tuple(whole.queries[n] for n in kept),
        tuple(whole.agreeing[n] for n in kept),
    )
    # pool_of's order: the passages of one question stand together
    groups = tuple(str(n) for n, group in enumerate(parts[part]) for _ in group.texts)
    return Asked(pool, groups)


def said_again(group: Sides, copies: int) -> Sides:
    """The group with so many paraphrases of every text on the text's own side."""
    left, right = (
        tuple(
            dict.fromkeys(
                one
                for text in side
                for one in (text, *(paraphrase(text, Random(f"{n} {text}")) for n in range(copies)))
            )
        )
        for side in (group.left, group.right)
    )
    return replace(group, left=left, right=tuple(text for text in right if text not in left))


def arguana_pool(folder: str = "arguana_dev") -> Asked:
    """Counter-arguments: arguments are queries and candidates, the query itself is left out."""
    place = existing_folder(Path(folder))
    documents = {row.id(): row.text("text") for row in json_rows(place / "corpus.jsonl")}
    said = {row.id(): row.text("text") for row in json_rows(place / "queries.jsonl")}
    rows: dict[str, int] = {}
    for text in (*documents.values(), *said.values()):
        rows.setdefault(text, len(rows))
    queries = tuple(
        (rows[said[one.query]], (rows[documents[one.document]],))
        for one in judgements(place / "qrels" / "dev.tsv")
    )
    groups = tuple(str(n) for n in range(len(queries)))
    return Asked(Pool(tuple(rows), queries, tuple(() for _ in queries)), groups)


def found_by(encoder: Encoder, pool: Pool, measure: Sparsity = "hoyer") -> list[Candidates]:
    """Candidates by an encoder's topical and contradiction vectors."""
    made = encoder.encode_documents(list(pool.texts), VECTORS)
    return candidates_of(pool, made["topical"], made["contradiction"], measure)


def pairs_by_kind(groups: Sequence[Sides], seed: int = 0) -> dict[str, Pairs]:
    """Passages of different questions, of one side, and of opposite sides."""
    random = Random(seed)
    strangers = [random.sample(range(len(groups)), 2) for _ in range(STRANGERS)]
    rows: dict[str, list[tuple[str, str, str]]] = {
        "random": [
            (random.choice(groups[a].texts), random.choice(groups[b].texts), str(a))
            for a, b in strangers
        ],
        "agreeing": [
            (one, other, str(n))
            for n, group in enumerate(groups)
            for side in (group.left, group.right)
            for i, one in enumerate(side)
            for other in side[:i]
        ],
        "contradicting": [
            (one, other, str(n))
            for n, group in enumerate(groups)
            for one in group.left
            for other in group.right
        ],
    }
    return {
        kind: Pairs(tuple((a, b) for a, b, _ in some), tuple(label for _, _, label in some))
        for kind, some in rows.items()
    }
