"""One training run of a pair judge: from a recipe to a folder with the model and its card."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import torch
from datasets import Dataset
from peft import LoraConfig, PeftModel, TaskType, get_peft_model
from torch import nn
from torch.utils.data import SequentialSampler
from transformers import (
    AutoConfig,
    AutoModelForSequenceClassification,
    AutoTokenizer,
    DataCollatorWithPadding,
    EvalPrediction,
    PreTrainedModel,
    PreTrainedTokenizerBase,
    Trainer,
    TrainingArguments,
)

from logic_export.judge.builders import build_judge_rows
from logic_export.judge.recipe import JudgeRecipe
from logic_export.judge.rows import JudgeRow, read_judge_rows, unique_rows, write_judge_rows
from logic_export.models import find_model
from logic_export.training.callbacks import MetricsLog
from logic_export.training.run import last_checkpoint, prepare_folder
from logic_export.training.run_folder import CARD, DATA, MODEL, TrainingSet
from logic_retrievers.errors import ConfigurationError
from logic_retrievers.judging import LABELS, PAIR_KINDS

INPUTS = ["input_ids", "attention_mask"]
"""No token types: the trunk that the judge shares with encoders has none, and a separator does."""


def train_judge(recipe: JudgeRecipe, out: Path, *, quiet: bool = False) -> dict[str, float]:
    """Runs a recipe, or resumes an interrupted run of it.

    ``out`` gets ``recipe.json``, ``data.jsonl.gz``, ``metrics.jsonl``, ``checkpoints``, and at the
    end ``model`` (as transformers loads it) and ``card.json``.

    Args:
        recipe: the settings.
        out: a new folder, or that of an interrupted run of the same recipe.
        quiet: no progress bar.

    Returns:
        Development set -> accuracy of the best checkpoint.

    Raises:
        ConfigurationError: ``out`` holds something else, or the recipe needs what is not there.
        ReadError: training data are missing or malformed.
    """
    prepare_folder(out, recipe)
    rows, sets = _training_rows(recipe, out)
    checkpoint = last_checkpoint(out / "checkpoints")
    model, tokenizer = load_judge(recipe)
    parts = {d.label: build_judge_rows(d, recipe.seed) for d in recipe.evaluation.sets}
    if empty := [name for name, part in parts.items() if not part]:
        raise ConfigurationError(f"the development set {empty[0]!r} has no row")
    trainer = _JudgeTrainer(
        model=model,
        args=_arguments(recipe, out, quiet),
        data_collator=DataCollatorWithPadding(tokenizer, pad_to_multiple_of=8),
        train_dataset=_tokenized(rows, tokenizer, recipe.model.tokens),
        eval_dataset=_tokenized(
            [row for part in parts.values() for row in part], tokenizer, recipe.model.tokens
        ),
        compute_loss_func=soft_cross_entropy,
        compute_metrics=_accuracies({name: len(part) for name, part in parts.items()}),
        callbacks=[MetricsLog(out / "metrics.jsonl")],
    )
    trainer.train(resume_from_checkpoint=str(checkpoint) if checkpoint else None)
    figures = trainer.evaluate()
    best = {name: figures[f"eval_{name}"] for name in parts}
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
    """Evaluates rows in their order: by length, as in training, they would change their sets."""

    def _get_eval_sampler(self, eval_dataset: Dataset) -> SequentialSampler:
        return SequentialSampler(eval_dataset)


def load_judge(recipe: JudgeRecipe) -> tuple[PreTrainedModel | PeftModel, PreTrainedTokenizerBase]:
    """The model to train, with the recipe's labels, and its tokenizer.

    Raises:
        ConfigurationError: no such base, or it cannot be fetched.
    """
    folder = find_model(recipe.model.base)
    try:
        return _load_judge(recipe, folder)
    except OSError as error:
        raise ConfigurationError(
            f"no model can be loaded from {recipe.model.base!r}: {str(error).splitlines()[0]}"
        ) from error


def _load_judge(
    recipe: JudgeRecipe, folder: str
) -> tuple[PreTrainedModel | PeftModel, PreTrainedTokenizerBase]:
    config = AutoConfig.from_pretrained(folder)
    labels = LABELS if recipe.model.labels == "judgement" else PAIR_KINDS
    config.num_labels = len(labels)
    config.id2label = dict(enumerate(labels))
    config.label2id = {label: number for number, label in enumerate(labels)}
    config.hidden_dropout_prob = config.attention_probs_dropout_prob = recipe.model.dropout
    torch.manual_seed(recipe.seed)  # of the classifier's first weights
    model = AutoModelForSequenceClassification.from_pretrained(
        folder, config=config, attn_implementation="eager", ignore_mismatched_sizes=True
    )  # on a CPU a third faster than PyTorch's own attention
    if recipe.model.frozen_embeddings:
        model.base_model.embeddings.requires_grad_(False)
    for layer in model.base_model.encoder.layer[: recipe.model.frozen_layers]:
        layer.requires_grad_(False)
    tokenizer = AutoTokenizer.from_pretrained(folder)
    tokenizer.model_input_names = INPUTS
    return _with_low_rank(model, recipe) if recipe.model.rank else model, tokenizer


def _with_low_rank(model: PreTrainedModel, recipe: JudgeRecipe) -> PeftModel:
    """The model with LoRA on all matrices above the frozen layers; the classifier learns whole."""
    layers = range(recipe.model.frozen_layers, model.config.num_hidden_layers)
    numbers = "|".join(map(str, layers))
    settings = LoraConfig(
        task_type=TaskType.SEQ_CLS,
        r=recipe.model.rank,
        lora_alpha=recipe.model.rank,
        target_modules=rf".*\.layer\.({numbers})\..*(query|key|value|dense)|.*pooler\.dense",
    )
    return get_peft_model(model, settings)


def soft_cross_entropy(
    outputs: Mapping[str, torch.Tensor],
    labels: torch.Tensor,
    num_items_in_batch: torch.Tensor | int | None = None,
) -> torch.Tensor:
    """Cross entropy towards probabilities, mean over the batch.

    Args:
        outputs: with ``logits``, shape (batch, number of labels).
        labels: of the same shape, rows sum to 1.
        num_items_in_batch: of all devices and accumulated batches; of this batch where None.
    """
    total = nn.functional.cross_entropy(outputs["logits"].float(), labels, reduction="sum")
    return total / (
        len(labels) if num_items_in_batch is None else num_items_in_batch / labels.shape[1]
    )


def _training_rows(recipe: JudgeRecipe, out: Path) -> tuple[list[JudgeRow], list[TrainingSet]]:
    """The rows of a recipe and their sets, sampled once and stored for a resumed run."""
    file, counts = out / DATA, out / "sets.json"
    if counts.is_file():
        sets = [TrainingSet(**row) for row in json.loads(counts.read_text("utf-8"))]
        return read_judge_rows(file), sets
    rows, sets = [], []
    for dataset in recipe.data:
        built = build_judge_rows(dataset, recipe.seed)
        if not built:
            raise ConfigurationError(f"the set {dataset.label!r} has no row")
        sets.append(TrainingSet(dataset.label, dataset.licence, dataset.ships, len(built)))
        rows += built
    rows = unique_rows(rows)
    write_judge_rows(file, rows)
    counts.write_text(json.dumps([asdict(row) for row in sets]), encoding="utf-8")
    return rows, sets


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
    """Accuracy of each development set, and their mean under ``score``."""

    def measure(prediction: EvalPrediction) -> dict[str, float]:
        right = np.argmax(prediction.predictions, axis=1) == np.argmax(prediction.label_ids, axis=1)
        parts = np.split(right, np.cumsum([*sizes.values()])[:-1])
        figures = {name: float(part.mean()) for name, part in zip(sizes, parts, strict=True)}
        return {**figures, "score": float(np.mean([*figures.values()]))}

    return measure


def _arguments(recipe: JudgeRecipe, out: Path, quiet: bool) -> TrainingArguments:
    run = recipe.training
    settings: dict[str, Any] = {"lr_scheduler_type": "linear"}
    if run.schedule == "constant":
        settings["lr_scheduler_type"] = "constant_with_warmup"
    return TrainingArguments(
        output_dir=str(out / "checkpoints"),
        num_train_epochs=run.epochs,
        per_device_train_batch_size=run.batch_size,
        per_device_eval_batch_size=64,
        learning_rate=run.learning_rate,
        warmup_steps=run.warmup,
        weight_decay=run.weight_decay,
        max_grad_norm=run.gradient_norm,
        bf16=run.precision == "bf16",
        seed=recipe.seed,
        train_sampling_strategy="group_by_length",
        length_column_name="length",
        logging_steps=50,
        eval_strategy="steps",
        eval_steps=recipe.evaluation.every,
        save_strategy="steps",
        save_steps=recipe.evaluation.every,
        save_total_limit=1,
        load_best_model_at_end=True,
        metric_for_best_model="eval_score",
        greater_is_better=True,
        label_names=["labels"],  # which it cannot find out with LoRA
        report_to="none",
        disable_tqdm=quiet,
        use_cpu=not torch.cuda.is_available(),
        dataloader_pin_memory=torch.cuda.is_available(),
        **settings,
    )
