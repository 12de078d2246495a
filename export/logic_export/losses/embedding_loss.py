"""The base of the losses: a module that encodes a batch, and cosines between embeddings."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Generic, TypeAlias, TypeVar

import torch
from sentence_transformers import SentenceTransformer
from torch import Tensor, nn

from logic_export.recipe import LossSettings

Features: TypeAlias = dict[str, Tensor]
S = TypeVar("S", bound=LossSettings)


class EmbeddingLoss(nn.Module, Generic[S]):
    """A loss over the embeddings of a batch; ``settings`` are the recipe's table for it."""

    def __init__(self, model: SentenceTransformer, settings: S) -> None:
        super().__init__()
        self.model = model
        self.settings = settings

    def embed(self, features: Iterable[Features]) -> list[Tensor]:
        """Encode each part of a batch; a part given as ``sentence_embedding`` stays as it is."""
        return [
            part["sentence_embedding"]
            if "sentence_embedding" in part
            else self.model(part)["sentence_embedding"]
            for part in features
        ]


def widened(vectors: Tensor) -> Tensor:
    """Convert to at least float32: bf16 keeps two digits, which differences would lose."""
    return vectors.to(torch.promote_types(vectors.dtype, torch.float32))


def cosine_matrix(queries: Tensor, documents: Tensor) -> Tensor:
    """Compute cosines of vectors of any length: shape (queries, documents), at least float32."""
    left, right = (
        nn.functional.normalize(widened(vectors), dim=-1) for vectors in (queries, documents)
    )
    return left @ right.T
