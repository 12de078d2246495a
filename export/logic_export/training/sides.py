"""Which groups of two sides meet in a batch, and the tensors of a batch."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from random import Random
from typing import Any

import torch
from sentence_transformers import SentenceTransformer
from sentence_transformers.base.sampler import DefaultBatchSampler
from sentence_transformers.sentence_transformer.data_collator import SentenceTransformerDataCollator

from logic_export.training.batches import filled
from logic_export.training.roles import features as features_of
from logic_retrievers.evaluation.sides import Sides

PARTS = ("short", "long")
"""A batch's texts by length, so that a statement is not padded to the length of a passage."""


class SidesBatchSampler(DefaultBatchSampler):
    """Batches of one source, whose groups share no text; new every epoch.

    What contradicts a text in one group would be its negative in the other.
    """

    def __init__(self, dataset: Any, batch_size: int, *args: Any, **kwargs: Any) -> None:
        super().__init__(dataset, batch_size, *args, **kwargs)
        self._size = batch_size
        self._groups = [(str(row["source"]), {*row["left"], *row["right"]}) for row in dataset]

    def __iter__(self) -> Iterator[list[int]]:
        yield from self._batches()

    def __len__(self) -> int:
        return len(self._batches())

    def _batches(self) -> list[list[int]]:
        groups = [(source, texts, [row]) for row, (source, texts) in enumerate(self._groups)]
        return filled(groups, self._size, Random(f"{self.seed} {self.epoch}"))


class SidesCollator(SentenceTransformerDataCollator):
    """Tokens of a batch's texts in two parts by length, and each one's group and side.

    Args:
        model: its tokenizer.
        length: most tokens of a text.
        prefix: put before every text.
    """

    def __init__(self, model: SentenceTransformer, length: int, prefix: str) -> None:
        super().__init__(preprocess_fn=model.preprocess)
        self._tokenizer = model.tokenizer
        self._length, self._prefix = length, prefix

    def __call__(self, features: Sequence[Mapping[str, Any]]) -> dict[str, torch.Tensor]:
        """``short_*`` and ``long_*`` features, and ``label``: (group, side) of every text."""
        texts = [
            (text, group, side)
            for group, row in enumerate(features)
            for side, name in enumerate(("left", "right"))
            for text in row[name]
        ]
        texts.sort(key=lambda one: len(one[0]))
        third = max(1, len(texts) // 3)
        found = {"label": torch.tensor([[group, side] for _, group, side in texts])}
        for part, some in zip(PARTS, (texts[:third], texts[third:]), strict=True):
            own = [text for text, _, _ in some]
            found |= features_of(self._tokenizer, part, own, self._length, self._prefix)
        return found


def to_row(group: Sides) -> dict[str, Any]:
    """A row of a table."""
    return {"left": list(group.left), "right": list(group.right), "source": group.source}
