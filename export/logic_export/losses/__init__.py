"""Losses: the mathematics over embeddings apart from the module that encodes a batch."""

from logic_export.losses.compatibility import CompatibilityLoss, compatibility_loss

__all__ = ["CompatibilityLoss", "compatibility_loss"]
