"""One training run of a pair judge: from a recipe to a folder with the model and its card."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any, Generic, TypeAlias, TypeVar

import numpy as np
import torch
from datasets import Dataset
from peft import PeftModel
from torch import nn
from torch.utils.data import SequentialSampler
from transformers import (
    DataCollatorWithPadding,
    EvalPrediction,
    PreTrainedTokenizerBase,
    Trainer,
    TrainingArguments,
)

from logic_export.judge.base_model import load_judge
from logic_export.judge.builders import JUDGE_ROWS
from logic_export.judge.constraint import CONSTRAINT_ROWS
from logic_export.judge.constraint_training import (
    ConstraintCollator,
    constraint_dataset,
    constraint_figures,
    constraint_loss,
)
from logic_export.judge.rows import JudgeRow
from logic_export.recipe import JudgeModelSettings, JudgeRecipe
from logic_export.training.run import MeasureAfterLastEpoch, MetricsLog, common_arguments
from logic_export.training.run_folder import CARD, MODEL, last_checkpoint, prepare_folder
from logic_export.training.training_data import RowFormat, build_set, sample_training_data

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
    relevance = settings.labels == "relevance"
    return _Task(
        JUDGE_ROWS,
        partial(_tokenized, relevance=relevance),
        partial(DataCollatorWithPadding, pad_to_multiple_of=8),
        binary_cross_entropy if relevance else soft_cross_entropy,
        partial(_figures, _share_in_order if relevance else _accuracy),
    )


def train_judge(recipe: JudgeRecipe, out: Path, *, quiet: bool = False) -> dict[str, float]:
    """Run a recipe, or resume an interrupted run of it; ``quiet`` shows no progress bar.

    ``out`` gets ``recipe.json``, ``data.jsonl.gz``, ``metrics.jsonl``, ``checkpoints``, and at the
    end ``model`` (as transformers loads it) and ``card.json``.

    Returns:
        Development set -> accuracy of the best checkpoint; for relevance its ROC-AUC, for a
        constraint the shares that :func:`constraint_figures` names.

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


class _JudgeTrainer(Trainer):
    """Evaluates rows in their order; sorting by length, as in training, would mix up the sets."""

    def _get_eval_sampler(self, eval_dataset: Dataset) -> SequentialSampler:
        return SequentialSampler(eval_dataset)


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


def binary_cross_entropy(
    outputs: Mapping[str, torch.Tensor],
    labels: torch.Tensor,
    num_items_in_batch: torch.Tensor | int | None = None,
) -> torch.Tensor:
    """Return the mean binary cross entropy of a batch; targets are probabilities, (batch, 1).

    ``num_items_in_batch`` is as in :func:`soft_cross_entropy`.
    """
    total = nn.functional.binary_cross_entropy_with_logits(
        outputs["logits"].float(), labels, reduction="sum"
    )
    return total / (len(labels) if num_items_in_batch is None else num_items_in_batch)


def _tokenized(
    rows: Sequence[JudgeRow], tokenizer: PreTrainedTokenizerBase, tokens: int, *, relevance: bool
) -> Dataset:
    """Tokenize passage and query; for ``relevance`` the query first, as rerankers read it."""
    passages, queries = [row.premise for row in rows], [row.hypothesis for row in rows]
    encoded = tokenizer(
        *((queries, passages) if relevance else (passages, queries)),
        truncation="longest_first",
        max_length=min(tokens, tokenizer.model_max_length),
    )
    columns = {name: encoded[name] for name in tokenizer.model_input_names}
    lengths = [len(ids) for ids in columns["input_ids"]]
    # the first label is that of a passage that satisfies
    targets = [row.target[:1] if relevance else row.target for row in rows]
    return Dataset.from_dict({**columns, "labels": targets, "length": lengths})


Arrays: TypeAlias = tuple[np.ndarray, np.ndarray]  # logits and targets, one row a pair


def _figures(
    figure: Callable[[Arrays], float], sizes: Mapping[str, int]
) -> Callable[[EvalPrediction], dict[str, float]]:
    """Make a function that computes a figure of each development set, and their mean, ``score``."""

    def measure(prediction: EvalPrediction) -> dict[str, float]:
        ends = np.cumsum([*sizes.values()])[:-1]
        parts = (np.split(array, ends) for array in (prediction.predictions, prediction.label_ids))
        pairs = zip(sizes, zip(*parts, strict=True), strict=True)
        figures = {name: figure(part) for name, part in pairs}
        return {**figures, "score": float(np.mean([*figures.values()]))}

    return measure


def _accuracy(part: Arrays) -> float:
    logits, targets = part
    return float(np.mean(logits.argmax(axis=1) == targets.argmax(axis=1)))


def _share_in_order(part: Arrays) -> float:
    """Return the ROC-AUC: how often a satisfying passage scores above another one."""
    scores, is_right = part[0][:, 0], part[1][:, 0] > 0.5
    right, wrong = np.sort(scores[is_right]), scores[~is_right]
    below = np.searchsorted(right, wrong, "left") + np.searchsorted(right, wrong, "right")
    pairs = len(right) * len(wrong)
    return 1 - float(below.sum()) / (2 * pairs) if pairs else 0.0
