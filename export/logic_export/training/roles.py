"""How texts are cut and prefixed, by what they are to a search."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import torch
from sentence_transformers import SentenceTransformer

from logic_export.recipe import Model
from logic_export.retrieval import Encode
from logic_export.training.development import encoding


class Roles(NamedTuple):
    """Queries and documents, in this order.

    Args:
        lengths: most tokens of queries and of documents.
        prefixes: put before queries and before documents.
    """

    lengths: tuple[int, int]
    prefixes: tuple[str, str]

    @classmethod
    def of(cls, model: Model) -> Roles:
        """Those of a recipe's model."""
        return cls(
            (model.query_tokens, model.document_tokens),
            (model.query_prefix, model.document_prefix),
        )

    def features(
        self, tokenizer: Any, queries: Sequence[str], documents: Sequence[str]
    ) -> dict[str, torch.Tensor]:
        """``query_*`` and ``document_*`` features of a batch."""
        return {
            **features(tokenizer, "query", queries, self.lengths[0], self.prefixes[0]),
            **features(tokenizer, "document", documents, self.lengths[1], self.prefixes[1]),
        }

    def encodings(self, model: SentenceTransformer) -> tuple[Encode, Encode]:
        """How a model encodes queries, and how documents."""
        return (
            encoding(model, self.lengths[0], self.prefixes[0]),
            encoding(model, self.lengths[1], self.prefixes[1]),
        )


def features(
    tokenizer: Any, column: str, texts: Sequence[str], length: int, prefix: str
) -> dict[str, torch.Tensor]:
    """Features of one column of a batch, ``{column}_*``.

    Args:
        tokenizer: the model's.
        column: its name.
        texts: one a row.
        length: most tokens of a text.
        prefix: put before every text.
    """
    tokens = tokenizer(
        [prefix + text for text in texts],
        padding=True,
        truncation=True,
        max_length=length,
        return_tensors="pt",
    )
    return {f"{column}_{name}": value for name, value in tokens.items()}
