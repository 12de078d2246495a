"""Batches of tiered queries: their passages as stored vectors or as tokens, and their tensors."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from random import Random
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import torch
from sentence_transformers import SentenceTransformer
from sentence_transformers.sentence_transformer.data_collator import SentenceTransformerDataCollator

from logic_export.data.tiers.examples import TieredExample
from logic_export.dense_retrieval import Encode
from logic_export.losses import DISTRACTOR, NEGATIVE, POSITIVE
from logic_export.training.encoding import tokenize_column
from logic_export.training.triplet_batches import EpochBatchSampler


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


VECTORS = "document_vectors.npy"
"""File in the folder of a run with frozen documents: one row per passage of its data."""

DocumentFeatures: TypeAlias = Callable[[Sequence[int]], dict[str, torch.Tensor]]
"""Rows of passages -> the ``document_*`` features of a batch."""


def write_vectors(path: Path, passages: Sequence[str], encode: Encode) -> None:
    """Writes the passages' vectors, float32 of shape (passages, dimension), atomically."""
    partial = path.with_name(path.name + ".partial")
    with partial.open("wb") as file:
        np.save(file, encode(passages).astype(np.float32, copy=False))
    partial.replace(path)


def stored_vectors(path: Path) -> DocumentFeatures:
    """Vectors that :func:`write_vectors` stored, memory-mapped."""
    vectors: npt.NDArray[np.float32] = np.load(path, mmap_mode="r")
    return lambda places: {"document_sentence_embedding": torch.from_numpy(vectors[list(places)])}


def tokenized_passages(
    passages: Sequence[str], tokenizer: Any, length: int, prefix: str
) -> DocumentFeatures:
    """Passages as tokens, for the trained model to encode.

    Args:
        passages: all of a run.
        tokenizer: the model's.
        length: most tokens of a passage.
        prefix: put before every passage.
    """
    return lambda rows: tokenize_column(
        tokenizer, "document", [passages[row] for row in rows], length, prefix
    )


def cache_encoder(encode: Encode) -> Encode:
    """An unchanging encoder that encodes the same texts only once."""
    cache: dict[tuple[str, ...], npt.NDArray[np.float32]] = {}

    def cached(texts: Sequence[str]) -> npt.NDArray[np.float32]:
        key = tuple(texts)
        if key not in cache:
            cache[key] = encode(texts)
        return cache[key]

    return cached


class TierBatchSampler(EpochBatchSampler):
    """Random batches, reshuffled every epoch; no passage is another query's negative."""

    def __init__(self, dataset: Any, batch_size: int, *args: Any, **kwargs: Any) -> None:
        super().__init__(dataset, batch_size, *args, **kwargs)
        self._rows = len(dataset)

    def _batches(self, random: Random) -> list[list[int]]:
        order = list(range(self._rows))
        random.shuffle(order)
        return [order[start : start + self._size] for start in range(0, self._rows, self._size)]


class TierCollator(SentenceTransformerDataCollator):
    """Tokens of a batch's queries, each passage once, and the tiers.

    Args:
        model: its tokenizer.
        documents: makes the features of the passages.
        length: most tokens of a query.
        prefix: put before every query.
    """

    def __init__(
        self, model: SentenceTransformer, documents: DocumentFeatures, length: int, prefix: str
    ) -> None:
        super().__init__(preprocess_fn=model.preprocess)
        self._tokenizer = model.tokenizer
        self._documents, self._length, self._prefix = documents, length, prefix

    def __call__(self, features: Sequence[Mapping[str, Any]]) -> dict[str, torch.Tensor]:
        """``query_*`` and ``document_*`` features, and ``label``, shape (queries, passages)."""
        passages = list(dict.fromkeys(passage for row in features for passage in row["documents"]))
        column = {passage: index for index, passage in enumerate(passages)}
        tiers = torch.zeros(len(features), len(passages), dtype=torch.long)
        for line, row in zip(tiers, features, strict=True):
            line[[column[passage] for passage in row["documents"]]] = torch.tensor(row["tiers"])
        queries = [row["query"] for row in features]
        return {
            **tokenize_column(self._tokenizer, "query", queries, self._length, self._prefix),
            **self._documents(passages),
            "label": tiers,
        }
