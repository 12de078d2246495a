"""The model of a run before its first step."""

from __future__ import annotations

from typing import Any

import torch
from sentence_transformers import SentenceTransformer

from logic_export.loading import open_model
from logic_export.recipe import Model
from logic_retrievers.errors import ConfigurationError


def prepared(settings: Model) -> SentenceTransformer:
    """The base model, its tables and shared layers frozen.

    Raises:
        ConfigurationError: no such model, no BERT-like encoder, or not as many layers as are to be
            shared.
    """
    model = open_model(settings.base)
    transformer: Any = model[0].auto_model
    layers = getattr(getattr(transformer, "encoder", None), "layer", None)
    if layers is None or not hasattr(transformer, "embeddings"):
        raise ConfigurationError(
            f"{settings.base!r} is no BERT-like encoder with embeddings and encoder layers"
        )
    if settings.shared_layers >= len(layers):
        raise ConfigurationError(
            f"model.shared_layers is {settings.shared_layers}; {settings.base!r} has "
            f"{len(layers)} layers, and at least one must be trained"
        )
    for module in model.modules():
        if isinstance(module, torch.nn.Dropout):
            module.p = settings.dropout
    model.model_card_data.generate_widget_examples = False  # the card is ours
    for frozen in (transformer.embeddings, *layers[: settings.shared_layers]):
        frozen.requires_grad_(False)
    return model
