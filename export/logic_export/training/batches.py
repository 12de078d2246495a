"""Decides which training rows share a batch. :class:`Collator` is the base of all collators."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any, TypeAlias

import torch
from sentence_transformers import SentenceTransformer
from sentence_transformers.base.sampler import DefaultBatchSampler
from sentence_transformers.sentence_transformer.data_collator import SentenceTransformerDataCollator

from logic_export.training.encoding import TextRoles

Batches: TypeAlias = list[list[int]]
Draw: TypeAlias = Callable[[Random], Batches]
Plan: TypeAlias = Callable[[Any, int], Draw]
Row: TypeAlias = Mapping[str, Any]
Tensors: TypeAlias = dict[str, torch.Tensor]


class EpochBatchSampler(DefaultBatchSampler):
    """Draws the batches of every epoch from seed and epoch alone, so that a run can resume.

    ``plan`` takes a table and a batch size and returns a function that draws all batches of an
    epoch, as row indices. Other arguments are those of :class:`DefaultBatchSampler`.
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
    """Makes the tensors of a batch, with the model's tokenizer."""

    def __init__(self, model: SentenceTransformer, roles: TextRoles) -> None:
        super().__init__(preprocess_fn=model.preprocess)
        self._tokenizer, self._roles = model.tokenizer, roles


def fill_batches(
    groups: Sequence[tuple[str, set[str], list[int]]], size: int, random: Random
) -> Batches:
    """Fill batches with whole groups of (source, texts, indices), ``size`` indices or more.

    Texts of one source have similar lengths and make negatives of the same kind, so a batch has one
    source. A text in two groups would be a positive in one and a negative in the other, so the
    groups of a batch share no text. Batches that no further group can fill are smaller.
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
