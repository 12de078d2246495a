"""One training run: from a recipe to a folder with the model, its figures and its card."""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from datasets import Dataset as Rows
from pydantic import ValidationError
from sentence_transformers import (
    SentenceTransformerTrainer,
    SentenceTransformerTrainingArguments,
)
from transformers import EarlyStoppingCallback

from logic_export.recipe import Recipe, RecipeTable
from logic_export.training.callbacks import MeasureAfterLastEpoch, MetricsLog
from logic_export.training.development import SCORE, Development, Figures, Measured
from logic_export.training.encoding import load_trainable
from logic_export.training.run_folder import CARD, MODEL, RECIPE, TrainingSet, write_card
from logic_export.training.tasks import Task, select_task
from logic_retrievers.errors import ConfigurationError


@dataclass(frozen=True, slots=True)
class Trained:
    """The result of a run.

    Args:
        model: folder of the best checkpoint, as sentence-transformers loads it.
        base, best: development figures before training and of the best checkpoint.
        sets: what it was trained on.
    """

    model: Path
    base: Measured
    best: Measured
    sets: tuple[TrainingSet, ...]


class _Trainer(SentenceTransformerTrainer):
    """Measures on every process, so that all of them select the same checkpoint."""

    def __init__(self, development: Development, **settings: Any) -> None:
        super().__init__(evaluator=development, **settings)
        self._development = development

    def evaluate(self, *_: Any, **__: Any) -> dict[str, float]:
        """The development figures, in place of the evaluation loss."""
        figures = {f"eval_{name}": value for name, value in self._development(self.model).items()}
        self.model.train()
        self.log(figures)
        self.control = self.callback_handler.on_evaluate(
            self.args, self.state, self.control, figures
        )
        return figures


def train(recipe: Recipe, out: Path, *, quiet: bool = False) -> Trained:
    """Runs a recipe, or resumes an interrupted run of it.

    ``out`` gets ``recipe.json``, ``data.jsonl.gz`` (the sampled rows; for set queries also
    ``documents.jsonl.gz``, with frozen documents also ``document_vectors.npy``),
    ``metrics.jsonl``, ``checkpoints``, and at the end ``model`` (a query encoder where documents
    are frozen), ``card.json`` and the model card ``README.md``. A run that was killed resumes from
    its last complete checkpoint and ends with the same weights. For several GPUs start it under
    ``torchrun`` or ``accelerate launch``.

    Args:
        recipe: the settings.
        out: a new folder, or that of an interrupted run of the same recipe.
        quiet: no progress bar.

    Raises:
        ConfigurationError: ``out`` holds another recipe's run or something else, or the recipe
        needs
            what this machine or model does not have.
        ReadError: training data are missing or malformed.
    """
    task = select_task(recipe)
    arguments = _arguments(recipe, out, task, quiet)
    with arguments.main_process_first(local=False):  # the other processes read what it wrote
        prepare_folder(out, recipe)
        rows, sets = task.rows(out)
        checkpoint = last_checkpoint(out / "checkpoints")
    model = load_trainable(recipe.model)
    development = task.development(_read_measured(out / "base.json"))
    if development.base is None:
        development.base = development.measure(model)
        if arguments.process_index == 0:
            _write_measured(out / "base.json", development.base)
    trainer = _Trainer(
        development,
        model=model,
        args=arguments,
        train_dataset=Rows.from_list(rows),
        loss=task.loss(model),
        data_collator=task.collator(model, out),
        callbacks=[
            MeasureAfterLastEpoch(),
            MetricsLog(out / "metrics.jsonl"),
            *_early_stopping(recipe),
        ],
    )
    trainer.train(resume_from_checkpoint=str(checkpoint) if checkpoint else None)
    trained = Trained(out / MODEL, dict(development.base), development.measure(model), tuple(sets))
    if arguments.process_index == 0:
        model.save(str(trained.model), create_model_card=False)
        write_card(out, recipe, trained.base, trained.best, sets)
        shutil.rmtree(out / "checkpoints")
    return trained


def prepare_folder(out: Path, recipe: RecipeTable) -> None:
    """Creates the run's folder, or checks that it holds a run of this recipe."""
    mark = out / RECIPE
    if (out / CARD).exists():
        raise ConfigurationError(f"{out} holds a finished run; name another folder, or remove it")
    if mark.is_file():
        if not _holds_recipe(mark, recipe):
            raise ConfigurationError(
                f"{out} holds a run of another recipe; name another folder, or remove it"
            )
        return
    if out.exists() and any(out.iterdir()):
        raise ConfigurationError(f"{out} is not empty; name a new folder")
    out.mkdir(parents=True, exist_ok=True)
    mark.write_text(recipe.model_dump_json(indent=2), encoding="utf-8")


def _holds_recipe(mark: Path, recipe: RecipeTable) -> bool:
    """Whether a file holds this recipe; settings newer than the file count as defaults."""
    kind = type(recipe)
    wanted = kind.model_validate_json(recipe.model_dump_json())
    try:
        return kind.model_validate_json(mark.read_bytes()) == wanted
    except ValidationError:
        return False


def _arguments(
    recipe: Recipe, out: Path, task: Task, quiet: bool
) -> SentenceTransformerTrainingArguments:
    run = recipe.training
    return SentenceTransformerTrainingArguments(
        output_dir=str(out / "checkpoints"),
        num_train_epochs=run.epochs,
        per_device_train_batch_size=run.batch_size,
        learning_rate=run.learning_rate,
        lr_scheduler_type="linear" if run.schedule == "linear" else "constant_with_warmup",
        warmup_steps=run.warmup,
        weight_decay=run.weight_decay,
        max_grad_norm=run.gradient_norm,
        bf16=run.precision == "bf16",
        seed=recipe.seed,
        batch_sampler=task.sampler,
        logging_steps=10,
        eval_strategy="steps",
        eval_steps=recipe.evaluation.every,
        save_strategy="steps",
        save_steps=recipe.evaluation.every,
        save_total_limit=1,
        load_best_model_at_end=True,
        metric_for_best_model=f"eval_{SCORE}",
        greater_is_better=True,
        report_to="none",
        disable_tqdm=quiet,
        use_cpu=not torch.cuda.is_available(),
        dataloader_pin_memory=torch.cuda.is_available(),
    )


def _early_stopping(recipe: Recipe) -> list[EarlyStoppingCallback]:
    patience = recipe.evaluation.patience
    return [] if patience is None else [EarlyStoppingCallback(patience)]


def last_checkpoint(folder: Path) -> Path | None:
    """The newest complete checkpoint; the trainer writes its state file last."""
    checkpoints = []
    for path in folder.glob("checkpoint-*"):
        try:
            step = json.loads((path / "trainer_state.json").read_text("utf-8"))["global_step"]
            checkpoints.append((int(step), path))
        except (OSError, ValueError, KeyError):
            shutil.rmtree(path)  # killed while it was written
    return max(checkpoints)[1] if checkpoints else None


def _read_measured(path: Path) -> Measured | None:
    if not path.is_file():
        return None
    measured: Measured = json.loads(path.read_text("utf-8"))
    return measured


def _write_measured(path: Path, measured: Mapping[str, Figures]) -> None:
    partial = path.with_name(path.name + ".partial")
    partial.write_text(json.dumps(measured), encoding="utf-8")
    partial.replace(path)
