"""Loads the model that a judge is trained from, with the classifier and labels of its recipe."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from peft import LoraConfig, PeftModel, TaskType, get_peft_model
from safetensors import SafetensorError
from transformers import (
    AutoConfig,
    AutoModelForSequenceClassification,
    AutoModelForTokenClassification,
    AutoTokenizer,
    PretrainedConfig,
    PreTrainedModel,
    PreTrainedTokenizerBase,
)

from logic_export.judge.constraint_training import CONSTRAINT_LABELS
from logic_export.models import find_model
from logic_export.recipe import JudgeModelSettings, JudgeRecipe
from logic_retrievers.errors import ConfigurationError
from logic_retrievers.judging import LABELS, RELATIONS, VERDICTS

_LABELS = {
    "judgement": LABELS,
    "verdict": VERDICTS,
    "relevance": ("relevance",),
    "relation": RELATIONS,
    "constraint": CONSTRAINT_LABELS,
}


def load_judge(recipe: JudgeRecipe) -> tuple[PreTrainedModel | PeftModel, PreTrainedTokenizerBase]:
    """Load the model to train, with the recipe's labels, and its tokenizer.

    A classifier of the base stays if it has as many labels; known labels in another order are
    brought into the recipe's.

    Raises:
        ConfigurationError: the base does not exist, cannot be fetched or is no encoder, or lacks
            the layers that the recipe freezes.
    """
    folder = find_model(recipe.model.base)
    settings = recipe.model
    labels = _LABELS[settings.labels]
    of_tokens = settings.labels == "constraint"
    kind = AutoModelForTokenClassification if of_tokens else AutoModelForSequenceClassification
    try:
        config = AutoConfig.from_pretrained(folder)
        own = _own_labels(config)
        _relabel(config, labels)
        if settings.dropout is not None:
            config.hidden_dropout_prob = config.attention_probs_dropout_prob = settings.dropout
        torch.manual_seed(recipe.seed)  # seeds the classifier's first weights
        # on a CPU "eager" is a third faster than PyTorch's own attention
        model = kind.from_pretrained(
            folder, config=config, attn_implementation="eager", ignore_mismatched_sizes=True
        )
        tokenizer = AutoTokenizer.from_pretrained(folder)
    except (OSError, ValueError, ImportError, SafetensorError) as error:
        raise ConfigurationError(
            f"no model can be loaded from {settings.base!r}: {str(error).splitlines()[0]}"
        ) from error
    if tokenizer.pad_token_id is None:
        raise ConfigurationError(
            f"{settings.base!r} has no padding token: a judge's base is an encoder"
        )
    _reorder_classifier(model, own, labels)
    _freeze(model, settings)
    # saved with the model, so that it reads no more in use than in training
    tokenizer.model_max_length = min(settings.tokens, tokenizer.model_max_length)
    if not settings.token_types:
        tokenizer.model_input_names = ["input_ids", "attention_mask"]
    return _with_low_rank(model, settings) if settings.rank else model, tokenizer


def _own_labels(config: PretrainedConfig) -> tuple[str, ...]:
    return tuple(str(label).lower() for _, label in sorted((config.id2label or {}).items()))


def _relabel(config: PretrainedConfig, labels: Sequence[str]) -> None:
    config.num_labels = len(labels)
    config.id2label = dict(enumerate(labels))
    config.label2id = {label: number for number, label in enumerate(labels)}
    # a base may name another activation, which sentence-transformers would apply to the scores
    activation = "activation.Sigmoid" if len(labels) == 1 else "linear.Identity"
    config.sentence_transformers = {"activation_fn": f"torch.nn.modules.{activation}"}


def _reorder_classifier(model: PreTrainedModel, own: Sequence[str], labels: Sequence[str]) -> None:
    """Bring the rows of a classifier of :data:`LABELS` or :data:`VERDICTS` into their order."""
    known = next((names for names in (LABELS, VERDICTS) if sorted(names) == sorted(own)), None)
    if known is None or labels not in (LABELS, VERDICTS):
        return
    last = [
        part
        for part in model.modules()
        if isinstance(part, torch.nn.Linear) and part.out_features == len(labels)
    ][-1]
    rows = [own.index(name) for name in known]
    last.weight.data = last.weight.data[rows]
    if last.bias is not None:
        last.bias.data = last.bias.data[rows]


def _freeze(model: PreTrainedModel, settings: JudgeModelSettings) -> None:
    parts: Any = model.base_model
    try:
        if settings.frozen_embeddings:
            parts.embeddings.requires_grad_(False)
        if settings.frozen_layers:
            for layer in parts.encoder.layer[: settings.frozen_layers]:
                layer.requires_grad_(False)
    except AttributeError as error:
        raise ConfigurationError(
            f"{settings.base!r} names its layers in another way than BERT ({error}): set "
            "frozen_embeddings = false and frozen_layers = 0"
        ) from error


def _with_low_rank(model: PreTrainedModel, settings: JudgeModelSettings) -> PeftModel:
    """Add LoRA to all matrices above the frozen layers; the classifier is trained in full."""
    layers = range(settings.frozen_layers, model.config.num_hidden_layers)
    numbers = "|".join(map(str, layers))
    return get_peft_model(
        model,
        LoraConfig(
            task_type=TaskType.TOKEN_CLS if settings.labels == "constraint" else TaskType.SEQ_CLS,
            r=settings.rank,
            lora_alpha=settings.rank,
            target_modules=rf".*\.layer\.({numbers})\..*(query|key|value|dense)|.*pooler\.dense",
        ),
    )
