"""Losses: functions over embeddings, and modules that encode a batch and apply them."""

from logic_export.losses.compatibility import CompatibilityLoss, compatibility_loss
from logic_export.losses.logically_informed import (
    LogicallyInformedLoss,
    exclusion_loss,
    pack_labels,
    set_contrastive_loss,
    subset_loss,
)
from logic_export.losses.sparse_contrastive import SparseContrastiveLoss, sparse_contrastive_loss
from logic_export.losses.tiered import DISTRACTOR, NEGATIVE, POSITIVE, TieredLoss, tiered_loss

__all__ = [
    "DISTRACTOR",
    "NEGATIVE",
    "POSITIVE",
    "CompatibilityLoss",
    "LogicallyInformedLoss",
    "SparseContrastiveLoss",
    "TieredLoss",
    "compatibility_loss",
    "exclusion_loss",
    "pack_labels",
    "set_contrastive_loss",
    "sparse_contrastive_loss",
    "subset_loss",
    "tiered_loss",
]
