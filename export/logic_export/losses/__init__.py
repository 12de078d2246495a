"""Losses of CoDeR, LORE, LogiCoL and SparseCL, as functions of embeddings and as modules.

To add a loss, add a ``LossSettings`` subclass with its own ``name`` to ``recipe.py`` and to the
union ``Loss`` there, which types ``Recipe.loss``. Add a module here with a subclass of
:class:`~logic_export.losses.embedding_loss.EmbeddingLoss` over these settings. Add a ``Task``
subclass in ``training/`` whose ``compute`` is that class, and map the settings to the task in
``TASKS`` of ``training/run.py``.
"""

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
