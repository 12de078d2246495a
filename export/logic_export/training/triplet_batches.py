"""Batches of triplets: which of them share a batch, and its tensors."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from random import Random
from typing import Any

import torch
from sentence_transformers import SentenceTransformer
from sentence_transformers.base.sampler import DefaultBatchSampler
from sentence_transformers.sentence_transformer.data_collator import SentenceTransformerDataCollator

from logic_export.data.triplets import Triplet
from logic_export.training.encoding import TextRoles


def group_triplets(triplets: Sequence[Triplet], size: int, random: Random) -> list[list[int]]:
    """Batches as indices of triplets, every triplet once.

    Triplets over the same two passages (a mirrored pair) stay together: each passage is encoded
    once and is positive for one query and negative for the other. A batch holds one source, so that
    texts have similar lengths and in-batch negatives are of the same kind. Groups that share a
    query or a passage go into different batches, or a positive of one would be a negative of the
    other.

    Args:
        triplets: all of them.
        size: least triplets per batch; groups are never split.
        random: the order of groups and batches.
    """
    groups: dict[tuple[str, frozenset[str | None]], list[int]] = {}
    for index, row in enumerate(triplets):
        key = (row.source, frozenset((row.satisfying, row.violating)))
        groups.setdefault(key, []).append(index)
    return fill_batches(
        [
            (source, {*passages, *(triplets[index].query for index in members)} - {None}, members)
            for (source, passages), members in groups.items()
        ],
        size,
        random,
    )


def fill_batches(
    groups: Sequence[tuple[str, set[str | None] | set[str], list[int]]], size: int, random: Random
) -> list[list[int]]:
    """Batches of groups; the groups of a batch have one source and share no text.

    Args:
        groups: (source, texts, indices) each.
        size: least indices per batch; groups are never split.
        random: the order of groups and batches.
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
    """A batch that is not full yet, with its queries and passages."""

    indices: list[int] = field(default_factory=list)
    texts: set[str | None] = field(default_factory=set)


class EpochBatchSampler(DefaultBatchSampler):
    """A sampler of batches that are drawn anew every epoch, from seed and epoch alone."""

    def __init__(self, dataset: Any, batch_size: int, *args: Any, **kwargs: Any) -> None:
        super().__init__(dataset, batch_size, *args, **kwargs)
        self._size = batch_size

    def __iter__(self) -> Iterator[list[int]]:
        yield from self._batches(self._random())

    def __len__(self) -> int:
        return len(self._batches(self._random()))

    def _random(self) -> Random:
        return Random(f"{self.seed} {self.epoch}")

    @abstractmethod
    def _batches(self, random: Random) -> list[list[int]]:
        """All batches of an epoch, as indices of rows."""


class GroupedBatchSampler(EpochBatchSampler):
    """:func:`group_triplets` as the trainer's batch sampler; reshuffled every epoch."""

    def __init__(self, dataset: Any, batch_size: int, *args: Any, **kwargs: Any) -> None:
        super().__init__(dataset, batch_size, *args, **kwargs)
        self._triplets = [_read_triplet(row) for row in dataset]

    def _batches(self, random: Random) -> list[list[int]]:
        return group_triplets(self._triplets, self._size, random)


class TripletCollator(SentenceTransformerDataCollator):
    """Tokens of a batch: its queries, each document once, and the positive of each query.

    Args:
        model: its tokenizer.
        lengths, prefixes: see :class:`TextRoles`.
    """

    def __init__(
        self, model: SentenceTransformer, lengths: tuple[int, int], prefixes: tuple[str, str]
    ) -> None:
        super().__init__(preprocess_fn=model.preprocess)
        self._tokenizer = model.tokenizer
        self._roles = TextRoles(lengths, prefixes)

    def __call__(self, features: Sequence[Mapping[str, Any]]) -> dict[str, torch.Tensor]:
        """``query_*`` and ``document_*`` features, and ``label``, the row of each positive."""
        triplets = [_read_triplet(row) for row in features]
        documents = list(
            dict.fromkeys(
                [row.satisfying for row in triplets]
                + [row.violating for row in triplets if row.violating is not None]
            )
        )
        row_of = {text: index for index, text in enumerate(documents)}
        return {
            **self._roles.tokenize(self._tokenizer, [row.query for row in triplets], documents),
            "label": torch.tensor([row_of[row.satisfying] for row in triplets]),
        }


def triplet_row(triplet: Triplet) -> dict[str, str]:
    """A table row of strings; a missing violating passage becomes an empty string."""
    return {**asdict(triplet), "violating": triplet.violating or ""}


def _read_triplet(row: Mapping[str, Any]) -> Triplet:
    return Triplet(row["query"], row["satisfying"], row["violating"] or None, row["source"])
