"""Batches of the four kinds of training rows: which rows share a batch, and its tensors."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from random import Random
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import torch
from sentence_transformers import SentenceTransformer
from sentence_transformers.base.sampler import DefaultBatchSampler
from sentence_transformers.sentence_transformer.data_collator import SentenceTransformerDataCollator

from logic_export.data.contradictions.groups import ContradictionGroup
from logic_export.data.set_examples import SetExample
from logic_export.data.tiers.examples import TieredExample
from logic_export.data.triplets import Triplet
from logic_export.dense_retrieval import Encode
from logic_export.losses import DISTRACTOR, NEGATIVE, POSITIVE, pack_labels
from logic_export.training.encoding import TextRoles, tokenize_column
from logic_export.training.query_relations import find_relations
from logic_retrievers.queries.expressions import Expression

Batches: TypeAlias = list[list[int]]
Plan: TypeAlias = Callable[[Any, int], Callable[[Random], Batches]]
Row: TypeAlias = Mapping[str, Any]
Tensors: TypeAlias = dict[str, torch.Tensor]


class EpochBatchSampler(DefaultBatchSampler):
    """Draws the batches of every epoch from seed and epoch alone, so that a run can resume.

    Args:
        dataset: the rows.
        batch_size: rows of a batch.
        args, kwargs: see :class:`DefaultBatchSampler`.
        plan: from dataset and batch size, a function from randomness to all batches of an epoch,
            as indices of rows.
    """

    def __init__(
        self, dataset: Any, batch_size: int, *args: Any, plan: Plan, **kwargs: Any
    ) -> None:
        super().__init__(dataset, batch_size, *args, **kwargs)
        self._draw = plan(dataset, batch_size)

    def __iter__(self) -> Iterator[list[int]]:
        yield from self._batches()

    def __len__(self) -> int:
        return len(self._batches())

    def _batches(self) -> Batches:
        return self._draw(Random(f"{self.seed} {self.epoch}"))


class Collator(SentenceTransformerDataCollator):
    """Makes the tensors of a batch.

    Args:
        model: gives the tokenizer.
        roles: lengths and prefixes of queries and documents.
    """

    def __init__(self, model: SentenceTransformer, roles: TextRoles) -> None:
        super().__init__(preprocess_fn=model.preprocess)
        self._tokenizer, self._roles = model.tokenizer, roles


def fill_batches(
    groups: Sequence[tuple[str, set[str], list[int]]], size: int, random: Random
) -> Batches:
    """Fill batches with whole groups; the groups of a batch have one source and share no text.

    Texts of one source have similar lengths, and its in-batch negatives are of the same kind. A
    text in two groups of a batch would be a positive of one and a negative of the other.

    Args:
        groups: (source, texts, indices) each.
        size: least number of indices in a batch; groups are never split.
        random: draws the order of groups and batches.
    """
    order = list(groups)
    random.shuffle(order)
    open_by_source: dict[str, list[_OpenBatch]] = {}
    batches = []
    for source, texts, members in order:
        open_batches = open_by_source.setdefault(source, [])
        batch = next((b for b in open_batches if not b.texts & texts), None)
        if batch is None:
            batch = _OpenBatch()
            open_batches.append(batch)
        batch.indices += members
        batch.texts |= texts
        if len(batch.indices) >= size:
            batches.append(batch.indices)
            open_batches.remove(batch)
    batches += [batch.indices for unfinished in open_by_source.values() for batch in unfinished]
    random.shuffle(batches)
    return batches


@dataclass(eq=False, slots=True)
class _OpenBatch:
    """A batch that is not full yet, with its texts."""

    indices: list[int] = field(default_factory=list)
    texts: set[str] = field(default_factory=set)


# Triplets


def triplet_plan(dataset: Any, size: int) -> Callable[[Random], Batches]:
    """Keep triplets over the same two passages (a mirrored pair) in one batch.

    Each passage is encoded once then, as positive of one query and negative of the other.
    """
    groups: dict[tuple[str, frozenset[str]], tuple[set[str], list[int]]] = {}
    for index, row in enumerate(dataset):
        passages = frozenset((row["satisfying"], row["violating"])) - {""}
        texts, members = groups.setdefault((row["source"], passages), (set(passages), []))
        texts.add(row["query"])
        members.append(index)
    filled = [(source, texts, members) for (source, _), (texts, members) in groups.items()]
    return lambda random: fill_batches(filled, size, random)


class TripletCollator(Collator):
    """``query_*``, ``document_*`` (each document once), and ``label``: row of each positive."""

    def __call__(self, features: Sequence[Row]) -> Tensors:
        satisfying = [row["satisfying"] for row in features]
        violating = [row["violating"] for row in features if row["violating"]]
        documents = list(dict.fromkeys(satisfying + violating))
        row_of = {text: index for index, text in enumerate(documents)}
        return {
            **self._roles.tokenize(self._tokenizer, [row["query"] for row in features], documents),
            "label": torch.tensor([row_of[text] for text in satisfying]),
        }


def triplet_row(triplet: Triplet) -> dict[str, str]:
    """A table row of strings; a missing violating passage becomes an empty string."""
    return {**asdict(triplet), "violating": triplet.violating or ""}


# Contradiction groups

# a batch's texts by length, so that statements are not padded to the length of passages
PARTS = ("short", "long")


def contradiction_plan(dataset: Any, size: int) -> Callable[[Random], Batches]:
    """One group per row; a contradiction in one group must not be a negative in another."""
    groups = [
        (str(row["source"]), {*row["left"], *row["right"]}, [index])
        for index, row in enumerate(dataset)
    ]
    return lambda random: fill_batches(groups, size, random)


class ContradictionCollator(Collator):
    """``short_*`` and ``long_*``, and ``label``: (group, side) of every text."""

    def __call__(self, features: Sequence[Row]) -> Tensors:
        texts = [
            (text, group, side)
            for group, row in enumerate(features)
            for side, name in enumerate(("left", "right"))
            for text in row[name]
        ]
        texts.sort(key=lambda entry: len(entry[0]))
        third = max(1, len(texts) // 3)
        batch = {"label": torch.tensor([[group, side] for _, group, side in texts])}
        length, prefix = self._roles.lengths[1], self._roles.prefixes[1]
        for part, entries in zip(PARTS, (texts[:third], texts[third:]), strict=True):
            part_texts = [text for text, _, _ in entries]
            batch |= tokenize_column(self._tokenizer, part, part_texts, length, prefix)
        return batch


def group_row(group: ContradictionGroup) -> dict[str, Any]:
    """A table row."""
    return {"left": list(group.left), "right": list(group.right), "source": group.source}


# Set queries


def set_plan(dataset: Any, size: int, *, random_share: float) -> Callable[[Random], Batches]:
    """Mix whole groups and single queries as LogiCoL does.

    A group holds queries over the same atoms with different operators. Whole groups are drawn until
    they hold ``random_share`` of the queries; these are batched individually, in random order. The
    other batches are filled with whole groups. A batch holds one source, since it is unknown
    whether documents of another source satisfy a query.

    Args:
        dataset: rows with a source and a group.
        size: queries of a batch; at least that many with groups, which are never split.
        random_share: alpha of the paper, 0 to 1.
    """
    sources: dict[str, dict[str, list[int]]] = {}
    for index, (source, group) in enumerate(zip(dataset["source"], dataset["group"], strict=True)):
        sources.setdefault(source, {}).setdefault(group, []).append(index)

    def draw(random: Random) -> Batches:
        batches = []
        for by_group in sources.values():
            groups = list(by_group.values())
            random.shuffle(groups)
            wanted = random_share * sum(map(len, groups))
            loose: list[int] = []
            while len(loose) < wanted:
                loose += groups.pop()
            random.shuffle(loose)
            batches += [loose[start : start + size] for start in range(0, len(loose), size)]
            batch: list[int] = []
            for group in groups:
                batch += random.sample(group, len(group))
                if len(batch) >= size:
                    batches.append(batch)
                    batch = []
            if batch:
                batches.append(batch)
        random.shuffle(batches)
        return batches

    return draw


class SetCollator(Collator):
    """``query_*``, ``document_*`` (one answer of each query), and ``label``: :func:`pack_labels`.

    The draw of an answer depends on the batch itself (queries and order): it differs nearly every
    epoch and is the same in a resumed run.

    Args:
        model: gives the tokenizer.
        roles: lengths and prefixes of queries and documents.
        documents: source -> id -> text, of all satisfying documents.
        seed: seeds the draws.
    """

    def __init__(
        self,
        model: SentenceTransformer,
        roles: TextRoles,
        documents: Mapping[str, Mapping[str, str]],
        seed: int,
    ) -> None:
        super().__init__(model, roles)
        self._documents, self._seed = documents, seed

    def __call__(self, features: Sequence[Row]) -> Tensors:
        queries = [row["query"] for row in features]
        random = Random("\n".join([str(self._seed), *queries]))
        ids = list(dict.fromkeys(random.choice(row["satisfying"]) for row in features))
        texts = [self._documents[features[0]["source"]][name] for name in ids]
        positives, unknown = (
            torch.tensor([[name in labelled for name in ids] for labelled in ids_by_query])
            for ids_by_query in (
                [set(row[label]) for row in features] for label in ("satisfying", "neutral")
            )
        )
        related = find_relations([Expression.parse(row["expression"]) for row in features])
        return {
            **self._roles.tokenize(self._tokenizer, queries, texts),
            "label": pack_labels(positives, unknown, *related),
        }


def set_query_row(example: SetExample) -> dict[str, Any]:
    """A table row; the documents are kept outside."""
    return {
        "query": example.query,
        "expression": str(example.expression),
        "group": example.group,
        "satisfying": list(example.satisfying),
        "neutral": list(example.neutral),
        "source": example.source,
    }


# Tiered queries

# file of a run with frozen documents: one vector per passage of its data
VECTORS = "document_vectors.npy"

# rows of passages -> the ``document_*`` features of a batch
DocumentFeatures: TypeAlias = Callable[[Sequence[int]], Tensors]


def tier_plan(dataset: Any, size: int) -> Callable[[Random], Batches]:
    """Random batches; no passage is another query's negative."""
    count = len(dataset)

    def draw(random: Random) -> Batches:
        order = list(range(count))
        random.shuffle(order)
        return [order[start : start + size] for start in range(0, count, size)]

    return draw


class TierCollator(Collator):
    """``query_*``, ``document_*`` (each passage once), and ``label``: (queries, passages) tiers.

    Args:
        model: gives the tokenizer.
        roles: lengths and prefixes of queries and documents.
        documents: makes the features of the passages.
    """

    def __init__(
        self, model: SentenceTransformer, roles: TextRoles, documents: DocumentFeatures
    ) -> None:
        super().__init__(model, roles)
        self._documents = documents

    def __call__(self, features: Sequence[Row]) -> Tensors:
        passages = list(dict.fromkeys(passage for row in features for passage in row["documents"]))
        column = {passage: index for index, passage in enumerate(passages)}
        tiers = torch.zeros(len(features), len(passages), dtype=torch.long)
        for line, row in zip(tiers, features, strict=True):
            line[[column[passage] for passage in row["documents"]]] = torch.tensor(row["tiers"])
        queries = [row["query"] for row in features]
        length, prefix = self._roles.lengths[0], self._roles.prefixes[0]
        return {
            **tokenize_column(self._tokenizer, "query", queries, length, prefix),
            **self._documents(passages),
            "label": tiers,
        }


def unique_passages(examples: Sequence[TieredExample]) -> list[str]:
    """Each passage once, in order of first occurrence."""
    return list(dict.fromkeys(text for example in examples for text in example.passages))


def tier_rows(examples: Sequence[TieredExample]) -> list[dict[str, Any]]:
    """``query``, ``documents`` (rows of :func:`unique_passages`) and the tier of each."""
    row_of = {text: index for index, text in enumerate(unique_passages(examples))}
    return [
        {
            "query": example.query,
            "documents": [row_of[text] for text in example.passages],
            "tiers": [POSITIVE] * len(example.positives)
            + [DISTRACTOR] * len(example.distractors)
            + [NEGATIVE] * len(example.negatives),
        }
        for example in examples
    ]


def write_vectors(path: Path, passages: Sequence[str], encode: Encode) -> None:
    """Write the passages' vectors, float32 of shape (passages, dimension), atomically."""
    partial = path.with_name(path.name + ".partial")
    with partial.open("wb") as file:
        np.save(file, encode(passages).astype(np.float32, copy=False))
    partial.replace(path)


def stored_vectors(path: Path) -> DocumentFeatures:
    """Vectors that :func:`write_vectors` stored, memory-mapped."""
    vectors: npt.NDArray[np.float32] = np.load(path, mmap_mode="r")
    return lambda rows: {"document_sentence_embedding": torch.from_numpy(vectors[list(rows)])}
