"""Which triplets meet in a batch, and the tensors of a batch."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from random import Random
from typing import Any

import torch
from sentence_transformers import SentenceTransformer
from sentence_transformers.base.sampler import DefaultBatchSampler
from sentence_transformers.sentence_transformer.data_collator import SentenceTransformerDataCollator

from logic_export.data.triplets import Triplet
from logic_export.training.roles import Roles


def grouped_batches(triplets: Sequence[Triplet], size: int, random: Random) -> list[list[int]]:
    """Indices of the triplets of each batch, every triplet once.

    Triplets over the same two passages (a mirrored pair) stay together: each passage is encoded
    once and stands on both sides. A batch holds one source, so that lengths are alike and the other
    documents of the batch are negatives of the same kind. Groups that share a query or a passage
    are kept apart: what satisfies a query in one of them would be its negative in the other.

    Args:
        triplets: all of them.
        size: triplets of a batch, at least; a group is not torn apart to keep it.
        random: the order of groups and batches.
    """
    groups: dict[tuple[str, frozenset[str | None]], list[int]] = {}
    for index, row in enumerate(triplets):
        key = (row.source, frozenset((row.satisfying, row.violating)))
        groups.setdefault(key, []).append(index)
    return filled(
        [
            (source, {*passages, *(triplets[index].query for index in members)} - {None}, members)
            for (source, passages), members in groups.items()
        ],
        size,
        random,
    )


def filled(
    groups: Sequence[tuple[str, set[str | None] | set[str], list[int]]], size: int, random: Random
) -> list[list[int]]:
    """Batches of groups of one source that share no text.

    Args:
        groups: source, texts, and what goes into the batch.
        size: of a batch, at least; a group is not torn apart to keep it.
        random: the order of groups and batches.
    """
    order = list(groups)
    random.shuffle(order)
    filling: dict[str, list[_Filling]] = {}
    batches = []
    for source, texts, members in order:
        open_batches = filling.setdefault(source, [])
        batch = next((b for b in open_batches if not b.texts & texts), None)
        if batch is None:
            batch = _Filling()
            open_batches.append(batch)
        batch.indices += members
        batch.texts |= texts
        if len(batch.indices) >= size:
            batches.append(batch.indices)
            open_batches.remove(batch)
    batches += [batch.indices for left in filling.values() for batch in left]
    random.shuffle(batches)
    return batches


@dataclass(eq=False, slots=True)
class _Filling:
    """A batch that is not full yet, and its queries and passages."""

    indices: list[int] = field(default_factory=list)
    texts: set[str | None] = field(default_factory=set)


class GroupedBatchSampler(DefaultBatchSampler):
    """:func:`grouped_batches` in the place where the trainer asks for batches; new every epoch."""

    def __init__(self, dataset: Any, batch_size: int, *args: Any, **kwargs: Any) -> None:
        super().__init__(dataset, batch_size, *args, **kwargs)
        self._size = batch_size
        self._triplets = [_triplet(row) for row in dataset]

    def __iter__(self) -> Iterator[list[int]]:
        yield from self._batches()

    def __len__(self) -> int:
        return len(self._batches())

    def _batches(self) -> list[list[int]]:
        return grouped_batches(self._triplets, self._size, Random(f"{self.seed} {self.epoch}"))


class TripletCollator(SentenceTransformerDataCollator):
    """Tokens of a batch: its queries, each of its documents once, and which document is whose.

    Args:
        model: its tokenizer.
        lengths, prefixes: see :class:`Roles`.
    """

    def __init__(
        self, model: SentenceTransformer, lengths: tuple[int, int], prefixes: tuple[str, str]
    ) -> None:
        super().__init__(preprocess_fn=model.preprocess)
        self._tokenizer = model.tokenizer
        self._roles = Roles(lengths, prefixes)

    def __call__(self, features: Sequence[Mapping[str, Any]]) -> dict[str, torch.Tensor]:
        """``query_*`` and ``document_*`` features, and ``label``, the row of each positive."""
        triplets = [_triplet(row) for row in features]
        documents = list(
            dict.fromkeys(
                [row.satisfying for row in triplets]
                + [row.violating for row in triplets if row.violating is not None]
            )
        )
        place = {text: index for index, text in enumerate(documents)}
        return {
            **self._roles.features(self._tokenizer, [row.query for row in triplets], documents),
            "label": torch.tensor([place[row.satisfying] for row in triplets]),
        }


def to_row(triplet: Triplet) -> dict[str, str]:
    """A row of a table of strings: no violating passage is an empty one there."""
    return {**asdict(triplet), "violating": triplet.violating or ""}


def _triplet(row: Mapping[str, Any]) -> Triplet:
    return Triplet(row["query"], row["satisfying"], row["violating"] or None, row["source"])
