"""Losses: the mathematics over embeddings apart from the module that encodes a batch."""

from logic_export.losses.compatibility import CompatibilityLoss, compatibility_loss
from logic_export.losses.sparse_contrastive import (
    SparseContrastiveLoss,
    sparse_contrastive_loss,
)

__all__ = [
    "CompatibilityLoss",
    "SparseContrastiveLoss",
    "compatibility_loss",
    "sparse_contrastive_loss",
]
