"""Losses of CoDeR, LORE, LogiCoL and SparseCL, as functions of embeddings and as modules."""

from logic_export.losses.coder import CompatibilityLoss, compatibility_loss
from logic_export.losses.logicol import (
    LogicallyInformedLoss,
    exclusion_loss,
    pack_labels,
    set_contrastive_loss,
    subset_loss,
)
from logic_export.losses.lore import DISTRACTOR, NEGATIVE, POSITIVE, TieredLoss, tiered_loss
from logic_export.losses.sparsecl import SparseContrastiveLoss, sparse_contrastive_loss

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
