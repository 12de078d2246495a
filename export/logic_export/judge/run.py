"""One training run of a pair judge: from a recipe to a folder with the model and its card."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any, Generic, TypeVar

import numpy as np
import torch
from datasets import Dataset
from peft import LoraConfig, PeftModel, TaskType, get_peft_model
from torch import nn
from torch.utils.data import SequentialSampler
from transformers import (
    AutoConfig,
    AutoModelForSequenceClassification,
    AutoModelForTokenClassification,
    AutoTokenizer,
    DataCollatorWithPadding,
    EvalPrediction,
    PreTrainedModel,
    PreTrainedTokenizerBase,
    Trainer,
    TrainingArguments,
)

from logic_export.judge.builders import JUDGE_ROWS
from logic_export.judge.constraint import CONSTRAINT_ROWS
from logic_export.judge.constraint_training import (
    CONSTRAINT_LABELS,
    ConstraintCollator,
    constraint_dataset,
    constraint_figures,
    constraint_loss,
)
from logic_export.judge.rows import JudgeRow
from logic_export.models import find_model
from logic_export.recipe import JudgeModelSettings, JudgeRecipe
from logic_export.training.run import MeasureAfterLastEpoch, MetricsLog, common_arguments
from logic_export.training.run_folder import CARD, MODEL, last_checkpoint, prepare_folder
from logic_export.training.training_data import RowFormat, build_set, sample_training_data
from logic_retrievers.errors import ConfigurationError
from logic_retrievers.judging import LABELS, RELATIONS, VERDICTS

# no token types, since the trunk shared with the encoders has none
INPUTS = ["input_ids", "attention_mask"]

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class _Task(Generic[T]):
    """The parts of a run that depend on what the model learns."""

    rows: RowFormat[T]
    dataset: Callable[[Sequence[T], PreTrainedTokenizerBase, int], Dataset]
    collator: Callable[[PreTrainedTokenizerBase], Callable[..., Any]]
    loss: Callable[..., torch.Tensor]
    # number of rows of each set -> function that measures all development rows
    metrics: Callable[[Mapping[str, int]], Callable[[EvalPrediction], dict[str, float]]]


def _select_task(settings: JudgeModelSettings) -> _Task[Any]:
    if settings.labels == "constraint":
        return _Task(
            CONSTRAINT_ROWS,
            constraint_dataset,
            ConstraintCollator,
            constraint_loss,
            constraint_figures,
        )
    return _Task(
        JUDGE_ROWS,
        _tokenized,
        partial(DataCollatorWithPadding, pad_to_multiple_of=8),
        soft_cross_entropy,
        _accuracies,
    )


def train_judge(recipe: JudgeRecipe, out: Path, *, quiet: bool = False) -> dict[str, float]:
    """Run a recipe, or resume an interrupted run of it; ``quiet`` shows no progress bar.

    ``out`` gets ``recipe.json``, ``data.jsonl.gz``, ``metrics.jsonl``, ``checkpoints``, and at the
    end ``model`` (as transformers loads it) and ``card.json``.

    Returns:
        Development set -> accuracy of the best checkpoint; for a constraint, the shares that
        :func:`constraint_figures` names.

    Raises:
        ConfigurationError: ``out`` holds a different run or other files, the recipe needs a model
            that is missing, or a set has no row.
        ReadError: training data are missing or malformed.
    """
    prepare_folder(out, recipe)
    task = _select_task(recipe.model)
    rows, sets = sample_training_data(recipe.data, recipe.seed, out, task.rows)
    checkpoint = last_checkpoint(out / "checkpoints")
    model, tokenizer = load_judge(recipe)
    parts = {d.label: build_set(d, recipe.seed, task.rows)[0] for d in recipe.evaluation.sets}
    trainer = _JudgeTrainer(
        model=model,
        args=TrainingArguments(
            **common_arguments(
                recipe.training, out, recipe.seed, recipe.evaluation.every, quiet=quiet
            ),
            per_device_eval_batch_size=64,
            train_sampling_strategy="group_by_length",
            length_column_name="length",
            logging_steps=50,
            label_names=["labels"],  # Trainer cannot find them with LoRA
        ),
        data_collator=task.collator(tokenizer),
        train_dataset=task.dataset(rows, tokenizer, recipe.model.tokens),
        eval_dataset=task.dataset(
            [row for part in parts.values() for row in part], tokenizer, recipe.model.tokens
        ),
        compute_loss_func=task.loss,
        compute_metrics=task.metrics({name: len(part) for name, part in parts.items()}),
        callbacks=[MeasureAfterLastEpoch(), MetricsLog(out / "metrics.jsonl")],
    )
    trainer.train(resume_from_checkpoint=str(checkpoint) if checkpoint else None)
    figures = trainer.evaluate()
    # a development set has one figure or several, all named with the set's name first
    measured = {name.removeprefix("eval_"): value for name, value in figures.items()}
    best = {name: value for name, value in measured.items() if name.startswith(tuple(parts))}
    if isinstance(model, PeftModel):
        model = model.merge_and_unload()
    model.save_pretrained(out / MODEL)
    tokenizer.save_pretrained(out / MODEL)
    card = {
        "name": recipe.name,
        "ships": recipe.ships,
        "sets": [asdict(dataset) for dataset in sets],
        "best": best,
        "recipe": recipe.model_dump(),
    }
    (out / CARD).write_text(json.dumps(card, indent=2) + "\n", encoding="utf-8")
    shutil.rmtree(out / "checkpoints")
    return best


_LABELS = {
    "judgement": LABELS,
    "verdict": VERDICTS,
    "relation": RELATIONS,
    "constraint": CONSTRAINT_LABELS,
}


class _JudgeTrainer(Trainer):
    """Evaluates rows in their order; sorting by length, as in training, would mix up the sets."""

    def _get_eval_sampler(self, eval_dataset: Dataset) -> SequentialSampler:
        return SequentialSampler(eval_dataset)


def load_judge(recipe: JudgeRecipe) -> tuple[PreTrainedModel | PeftModel, PreTrainedTokenizerBase]:
    """Load the model to train, with the recipe's labels, and its tokenizer.

    A base that does not exist or cannot be fetched is a :class:`ConfigurationError`.
    """
    folder = find_model(recipe.model.base)
    settings = recipe.model
    labels = _LABELS[settings.labels]
    of_tokens = settings.labels == "constraint"
    kind = AutoModelForTokenClassification if of_tokens else AutoModelForSequenceClassification
    try:
        config = AutoConfig.from_pretrained(folder)
        config.num_labels = len(labels)
        config.id2label = dict(enumerate(labels))
        config.label2id = {label: number for number, label in enumerate(labels)}
        config.hidden_dropout_prob = config.attention_probs_dropout_prob = settings.dropout
        torch.manual_seed(recipe.seed)  # seeds the classifier's first weights
        # on a CPU "eager" is a third faster than PyTorch's own attention
        model = kind.from_pretrained(
            folder, config=config, attn_implementation="eager", ignore_mismatched_sizes=True
        )
        tokenizer = AutoTokenizer.from_pretrained(folder)
    except OSError as error:
        raise ConfigurationError(
            f"no model can be loaded from {settings.base!r}: {str(error).splitlines()[0]}"
        ) from error
    if settings.frozen_embeddings:
        model.base_model.embeddings.requires_grad_(False)
    for layer in model.base_model.encoder.layer[: settings.frozen_layers]:
        layer.requires_grad_(False)
    tokenizer.model_input_names = INPUTS
    return _with_low_rank(model, settings) if settings.rank else model, tokenizer


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


def soft_cross_entropy(
    outputs: Mapping[str, torch.Tensor],
    labels: torch.Tensor,
    num_items_in_batch: torch.Tensor | int | None = None,
) -> torch.Tensor:
    """Return the mean cross entropy of a batch; targets are probabilities, (batch, labels).

    ``num_items_in_batch`` counts the values in the labels of all devices and accumulated batches.
    """
    total = nn.functional.cross_entropy(outputs["logits"].float(), labels, reduction="sum")
    return total / (
        len(labels) if num_items_in_batch is None else num_items_in_batch / labels.shape[1]
    )


def _tokenized(
    rows: Sequence[JudgeRow], tokenizer: PreTrainedTokenizerBase, tokens: int
) -> Dataset:
    encoded = tokenizer(
        [row.premise for row in rows],
        [row.hypothesis for row in rows],
        truncation="longest_first",
        max_length=tokens,
    )
    columns = {name: encoded[name] for name in INPUTS}
    lengths = [len(ids) for ids in columns["input_ids"]]
    return Dataset.from_dict({**columns, "labels": [row.target for row in rows], "length": lengths})


def _accuracies(sizes: Mapping[str, int]) -> Callable[[EvalPrediction], dict[str, float]]:
    """Make a function that measures each development set's accuracy, and their mean, ``score``."""

    def measure(prediction: EvalPrediction) -> dict[str, float]:
        right = np.argmax(prediction.predictions, axis=1) == np.argmax(prediction.label_ids, axis=1)
        parts = np.split(right, np.cumsum([*sizes.values()])[:-1])
        figures = {name: float(part.mean()) for name, part in zip(sizes, parts, strict=True)}
        return {**figures, "score": float(np.mean([*figures.values()]))}

    return measure
