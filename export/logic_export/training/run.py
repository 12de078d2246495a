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
from transformers import (
    EarlyStoppingCallback,
    TrainerCallback,
    TrainerControl,
    TrainerState,
    TrainingArguments,
)

from logic_export.recipe import Recipe
from logic_export.training.card import TrainingSet, write_card
from logic_export.training.development import SCORE, Development, Figures, Measured
from logic_export.training.folder import CARD, MODEL, RECIPE
from logic_export.training.log import MetricsLog
from logic_export.training.model import prepared
from logic_export.training.tasks import Task, task_of
from logic_retrievers.errors import ConfigurationError


@dataclass(frozen=True, slots=True)
class Trained:
    """What a run left behind.

    Args:
        model: folder of the best checkpoint, as sentence-transformers loads it.
        base, best: development figures before training and of the model kept.
        sets: what it was trained on.
    """

    model: Path
    base: Measured
    best: Measured
    sets: tuple[TrainingSet, ...]


class _Trainer(SentenceTransformerTrainer):
    """Measures on every process, so that all of them keep the same model."""

    def __init__(self, development: Development, **settings: Any) -> None:
        super().__init__(evaluator=development, **settings)
        self._development = development

    def evaluate(self, *_: Any, **__: Any) -> dict[str, float]:
        """The development figures, in place of the evaluation loss."""
        found = {f"eval_{name}": value for name, value in self._development(self.model).items()}
        self.model.train()
        self.log(found)
        self.control = self.callback_handler.on_evaluate(self.args, self.state, self.control, found)
        return found


class MeasuredAtTheEnd(TrainerCallback):
    """Measures and saves after the last epoch, which may end a few steps before the trainer thinks.

    It counts on as many batches in every epoch as in the first, but groups fill them unevenly.
    """

    def on_epoch_end(
        self,
        args: TrainingArguments,
        state: TrainerState,
        control: TrainerControl,
        **_: Any,
    ) -> None:
        """Asks for both, once the last epoch is over and unless it is done already."""
        last = (state.epoch or 0) > args.num_train_epochs - 0.5
        measured = any(
            row["step"] == state.global_step and f"eval_{SCORE}" in row for row in state.log_history
        )
        if last and not measured:
            control.should_evaluate = control.should_save = True


def train(recipe: Recipe, out: Path, *, quiet: bool = False) -> Trained:
    """Runs a recipe, or goes on with a run of it that was interrupted.

    ``out`` gets ``recipe.json``, ``data.jsonl.gz`` (the rows as drawn; for set queries also
    ``documents.jsonl.gz``, with frozen documents also ``document_vectors.npy``),
    ``metrics.jsonl``, ``checkpoints``, and at the end ``model`` (a query encoder where documents
    are frozen), ``card.json`` and the model card ``README.md``. A run that was killed goes on from
    its last whole checkpoint and ends with the same weights. For several GPUs start it under
    ``torchrun`` or ``accelerate launch``.

    Args:
        recipe: what to do.
        out: a new folder, or that of an interrupted run of the same recipe.
        quiet: no progress bar.

    Raises:
        ConfigurationError: ``out`` holds another recipe's run or something else; or the recipe asks
            for what this machine or model does not have.
        ReadError: training data are missing or malformed.
    """
    task = task_of(recipe)
    arguments = _arguments(recipe, out, task, quiet)
    with arguments.main_process_first(local=False):  # the others find what it wrote
        _claim(out, recipe)
        rows, sets = task.rows(out)
        checkpoint = _last_checkpoint(out / "checkpoints")
    model = prepared(recipe.model)
    development = task.development(_remembered(out / "base.json"))
    if development.base is None:
        development.base = development.measure(model)
        if arguments.process_index == 0:
            _remember(out / "base.json", development.base)
    trainer = _Trainer(
        development,
        model=model,
        args=arguments,
        train_dataset=Rows.from_list(rows),
        loss=task.loss(model),
        data_collator=task.collator(model, out),
        callbacks=[MeasuredAtTheEnd(), MetricsLog(out / "metrics.jsonl"), *_stopping(recipe)],
    )
    trainer.train(resume_from_checkpoint=str(checkpoint) if checkpoint else None)
    trained = Trained(out / MODEL, dict(development.base), development.measure(model), tuple(sets))
    if arguments.process_index == 0:
        model.save(str(trained.model), create_model_card=False)
        write_card(out, recipe, trained.base, trained.best, sets)
        shutil.rmtree(out / "checkpoints")
    return trained


def _claim(out: Path, recipe: Recipe) -> None:
    """Makes the folder the recipe's own, or sees that it is."""
    mark = out / RECIPE
    if (out / CARD).exists():
        raise ConfigurationError(f"{out} holds a finished run; name another folder, or remove it")
    if mark.is_file():
        if not _is(mark, recipe):
            raise ConfigurationError(
                f"{out} holds a run of another recipe; name another folder, or remove it"
            )
        return
    if out.exists() and any(out.iterdir()):
        raise ConfigurationError(f"{out} is not empty; name a new folder")
    out.mkdir(parents=True, exist_ok=True)
    mark.write_text(recipe.model_dump_json(indent=2), encoding="utf-8")


def _is(mark: Path, recipe: Recipe) -> bool:
    """Whether a file says the recipe; settings that are newer than the file have their defaults."""
    wanted = Recipe.model_validate_json(recipe.model_dump_json())
    try:
        return Recipe.model_validate_json(mark.read_bytes()) == wanted
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


def _stopping(recipe: Recipe) -> list[EarlyStoppingCallback]:
    patience = recipe.evaluation.patience
    return [] if patience is None else [EarlyStoppingCallback(patience)]


def _last_checkpoint(folder: Path) -> Path | None:
    """The newest checkpoint that is whole; the trainer writes its state file last."""
    found = []
    for path in folder.glob("checkpoint-*"):
        try:
            step = json.loads((path / "trainer_state.json").read_text("utf-8"))["global_step"]
            found.append((int(step), path))
        except (OSError, ValueError, KeyError):
            shutil.rmtree(path)  # killed while it was written
    return max(found)[1] if found else None


def _remembered(path: Path) -> Measured | None:
    if not path.is_file():
        return None
    found: Measured = json.loads(path.read_text("utf-8"))
    return found


def _remember(path: Path, found: Mapping[str, Figures]) -> None:
    partial = path.with_name(path.name + ".partial")
    partial.write_text(json.dumps(found), encoding="utf-8")
    partial.replace(path)
