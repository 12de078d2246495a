"""Similarities between the embeddings of a batch."""

from __future__ import annotations

from typing import Literal, TypeAlias

import torch
from torch import Tensor, nn

from logic_retrievers.scoring import Sparsity

Reduction: TypeAlias = Literal["sum", "mean"]


def cosine_matrix(queries: Tensor, documents: Tensor) -> Tensor:
    """Cosines, shape (queries, documents), in float32 at least; vectors need no unit length."""
    left, right = (
        nn.functional.normalize(
            vectors.to(torch.promote_types(vectors.dtype, torch.float32)), dim=-1
        )
        for vectors in (queries, documents)
    )
    return left @ right.T


Features: TypeAlias = dict[str, Tensor]


Similarity: TypeAlias = Sparsity | Literal["cosine"]
_EPSILON = 1e-12


def pairwise_similarities(embeddings: Tensor, measure: Similarity) -> Tensor:
    """Sparsity of every pairwise difference, or the cosines that plain contrastive training uses.

    Args:
        embeddings: shape (texts, dimension), rows of length 1.
        measure: as in :func:`logic_retrievers.scoring.sparsity`, or ``cosine``.

    Returns:
        Shape (texts, texts). The diagonal is meaningless.
    """
    if measure == "cosine":
        return torch.matmul(embeddings, embeddings.T)
    differences = embeddings[:, None] - embeddings[None]
    squares = differences.square().sum(-1) + _EPSILON  # the square root has no gradient at 0
    lengths, sums = squares.sqrt(), differences.abs().sum(-1) + _EPSILON
    if measure == "l2_l1":
        return lengths / sums
    if measure == "kappa4":
        return differences.pow(4).sum(-1) / squares.square()
    root = embeddings.shape[1] ** 0.5
    hoyer: Tensor = (root - sums / lengths) / (root - 1)
    return hoyer


def pairwise_distances(vectors: Tensor) -> Tensor:
    """Euclidean distances without gradient, shape (texts, texts)."""
    fixed = vectors.detach()  # computed by matrix products, identical rows would be 3e-4 apart
    return torch.cdist(fixed, fixed, compute_mode="donot_use_mm_for_euclid_dist")
