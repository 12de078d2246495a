"""Losses: the mathematics over embeddings apart from the module that encodes a batch."""

from logic_export.losses.compatibility import CompatibilityLoss, compatibility_loss
from logic_export.losses.exclusion import exclusion_loss
from logic_export.losses.logically_informed import LogicallyInformedLoss, packed_labels
from logic_export.losses.set_contrastive import set_contrastive_loss
from logic_export.losses.sparse_contrastive import (
    SparseContrastiveLoss,
    sparse_contrastive_loss,
)
from logic_export.losses.subset import subset_loss
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
    "packed_labels",
    "set_contrastive_loss",
    "sparse_contrastive_loss",
    "subset_loss",
    "tiered_loss",
]
