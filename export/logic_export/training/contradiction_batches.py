"""Batches of contradiction groups, and their tensors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random
from typing import Any

import torch
from sentence_transformers import SentenceTransformer
from sentence_transformers.sentence_transformer.data_collator import SentenceTransformerDataCollator

from logic_export.data.contradictions.groups import ContradictionGroup
from logic_export.training.encoding import tokenize_column
from logic_export.training.triplet_batches import EpochBatchSampler, fill_batches

PARTS = ("short", "long")
"""A batch's texts by length, so that statements are not padded to the length of passages."""


class ContradictionBatchSampler(EpochBatchSampler):
    """Batches of one source whose groups share no text; reshuffled every epoch.

    Otherwise a contradiction in one group would be a negative in another.
    """

    def __init__(self, dataset: Any, batch_size: int, *args: Any, **kwargs: Any) -> None:
        super().__init__(dataset, batch_size, *args, **kwargs)
        self._groups = [(str(row["source"]), {*row["left"], *row["right"]}) for row in dataset]

    def _batches(self, random: Random) -> list[list[int]]:
        groups = [(source, texts, [row]) for row, (source, texts) in enumerate(self._groups)]
        return fill_batches(groups, self._size, random)


class ContradictionCollator(SentenceTransformerDataCollator):
    """Tokens of a batch's texts in two parts by length, and the group and side of each text.

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
        texts.sort(key=lambda entry: len(entry[0]))
        third = max(1, len(texts) // 3)
        batch = {"label": torch.tensor([[group, side] for _, group, side in texts])}
        for part, entries in zip(PARTS, (texts[:third], texts[third:]), strict=True):
            part_texts = [text for text, _, _ in entries]
            batch |= tokenize_column(self._tokenizer, part, part_texts, self._length, self._prefix)
        return batch


def group_row(group: ContradictionGroup) -> dict[str, Any]:
    """A row of a table."""
    return {"left": list(group.left), "right": list(group.right), "source": group.source}
