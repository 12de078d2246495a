"""The model before training, and how queries and documents are tokenised and encoded."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import torch
from sentence_transformers import SentenceTransformer

from logic_export.dense_retrieval import Encode
from logic_export.models import open_model
from logic_export.recipe import ModelSettings
from logic_retrievers.errors import ConfigurationError


def load_trainable(settings: ModelSettings) -> SentenceTransformer:
    """Load the base model with its embeddings and shared layers frozen.

    A model that is missing, is not a BERT-like encoder, or has too few layers raises
    :class:`ConfigurationError`.
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
    model.model_card_data.generate_widget_examples = False  # a run writes its own card
    for frozen in (transformer.embeddings, *layers[: settings.shared_layers]):
        frozen.requires_grad_(False)
    return model


class TextRole(NamedTuple):
    """How the texts of one side (queries or documents) are read."""

    length: int  # largest number of tokens
    prefix: str  # put before every text

    def tokenize(
        self, tokenizer: Any, column: str, texts: Sequence[str]
    ) -> dict[str, torch.Tensor]:
        """Tokenize one column of a batch into features named ``{column}_*``."""
        tokens = tokenizer(
            [self.prefix + text for text in texts],
            padding=True,
            truncation=True,
            max_length=self.length,
            return_tensors="pt",
        )
        return {f"{column}_{name}": value for name, value in tokens.items()}

    def encoder(self, model: SentenceTransformer) -> Encode:
        """Make a function from texts, truncated as in training, to vectors of length 1."""

        def encode(texts: Sequence[str]) -> Any:
            before, model.max_seq_length = model.max_seq_length, self.length
            try:
                return model.encode(
                    [self.prefix + text for text in texts],
                    batch_size=64,
                    normalize_embeddings=True,
                    show_progress_bar=False,
                )
            finally:
                model.max_seq_length = before

        return encode


class TextRoles(NamedTuple):
    """The roles of a recipe's queries and documents."""

    query: TextRole
    document: TextRole

    @classmethod
    def of(cls, model: ModelSettings) -> TextRoles:
        return cls(
            TextRole(model.query_tokens, model.query_prefix),
            TextRole(model.document_tokens, model.document_prefix),
        )

    def tokenize(
        self, tokenizer: Any, queries: Sequence[str], documents: Sequence[str]
    ) -> dict[str, torch.Tensor]:
        """Make the features ``query_*`` and ``document_*`` of a batch."""
        return {
            **self.query.tokenize(tokenizer, "query", queries),
            **self.document.tokenize(tokenizer, "document", documents),
        }
