"""Which queries in tiers meet in a batch, and the tensors of a batch."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from random import Random
from typing import Any

import torch
from sentence_transformers import SentenceTransformer
from sentence_transformers.base.sampler import DefaultBatchSampler
from sentence_transformers.sentence_transformer.data_collator import SentenceTransformerDataCollator

from logic_export.training.roles import features as features_of
from logic_export.training.tiers.documents import Documents


class TierBatchSampler(DefaultBatchSampler):
    """Batches at random, new every epoch: no passage is another query's negative."""

    def __init__(self, dataset: Any, batch_size: int, *args: Any, **kwargs: Any) -> None:
        super().__init__(dataset, batch_size, *args, **kwargs)
        self._rows, self._size = len(dataset), batch_size

    def __iter__(self) -> Iterator[list[int]]:
        order = list(range(self._rows))
        Random(f"{self.seed} {self.epoch}").shuffle(order)
        for start in range(0, self._rows, self._size):
            yield order[start : start + self._size]

    def __len__(self) -> int:
        return -(-self._rows // self._size)


class TierCollator(SentenceTransformerDataCollator):
    """Tokens of a batch's queries, each of its passages once, and the tier of each.

    Args:
        model: its tokenizer.
        documents: makes the features of the passages.
        length: most tokens of a query.
        prefix: put before every query.
    """

    def __init__(
        self, model: SentenceTransformer, documents: Documents, length: int, prefix: str
    ) -> None:
        super().__init__(preprocess_fn=model.preprocess)
        self._tokenizer = model.tokenizer
        self._documents, self._length, self._prefix = documents, length, prefix

    def __call__(self, features: Sequence[Mapping[str, Any]]) -> dict[str, torch.Tensor]:
        """``query_*`` and ``document_*`` features, and ``label``, shape (queries, passages)."""
        places = list(dict.fromkeys(place for row in features for place in row["documents"]))
        column = {place: index for index, place in enumerate(places)}
        tiers = torch.zeros(len(features), len(places), dtype=torch.long)
        for line, row in zip(tiers, features, strict=True):
            line[[column[place] for place in row["documents"]]] = torch.tensor(row["tiers"])
        queries = [row["query"] for row in features]
        return {
            **features_of(self._tokenizer, "query", queries, self._length, self._prefix),
            **self._documents(places),
            "label": tiers,
        }
