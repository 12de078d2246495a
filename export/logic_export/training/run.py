"""One training run: from a recipe to a folder with the model, its figures and its card."""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import torch
from datasets import Dataset as Rows
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

from logic_export.recipe import (
    CompatibilityLossSettings,
    LogicallyInformedSettings,
    Recipe,
    SparseContrastiveSettings,
    TieredSettings,
    TrainingSettings,
)
from logic_export.training.batches import EpochBatchSampler
from logic_export.training.coder import CompatibilityTask
from logic_export.training.encoding import load_trainable
from logic_export.training.logicol import SetQueryTask
from logic_export.training.lore import TierTask
from logic_export.training.run_folder import (
    MODEL,
    TrainingSet,
    last_checkpoint,
    prepare_folder,
    write_card,
)
from logic_export.training.sparsecl import ContradictionTask
from logic_export.training.task import SCORE, Development, Measured, Task

TASKS: Mapping[type, type[Task[Any]]] = {
    CompatibilityLossSettings: CompatibilityTask,
    SparseContrastiveSettings: ContradictionTask,
    LogicallyInformedSettings: SetQueryTask,
    TieredSettings: TierTask,
}


def select_task(recipe: Recipe) -> Task[Any]:
    """Make the task that a recipe's loss belongs to."""
    return TASKS[type(recipe.loss)](recipe, recipe.loss)


@dataclass(frozen=True, slots=True)
class Trained:
    """The result of a run."""

    model: Path  # folder of the best checkpoint, as sentence-transformers loads it
    base: Measured  # development figures before training
    best: Measured  # figures of the best checkpoint
    sets: tuple[TrainingSet, ...]


class _Trainer(SentenceTransformerTrainer):
    """Measures on every process, so that all of them select the same checkpoint."""

    def __init__(self, development: Development, **settings: Any) -> None:
        super().__init__(evaluator=development, **settings)
        self._development = development

    def evaluate(self, *_: Any, **__: Any) -> dict[str, float]:
        """Measure the development figures, in place of the evaluation loss."""
        figures = {f"eval_{name}": value for name, value in self._development(self.model).items()}
        self.model.train()
        self.log(figures)
        self.control = self.callback_handler.on_evaluate(
            self.args, self.state, self.control, figures
        )
        return figures


class MetricsLog(TrainerCallback):
    """Appends everything that the trainer logs, one JSON object per line, with its step.

    A resumed run first drops the lines beyond its checkpoint, since those steps are repeated.
    """

    def __init__(self, path: Path) -> None:
        self._path = path

    def on_train_begin(self, args: Any, state: Any, control: Any, **_: Any) -> None:  # noqa: ARG002
        if not self._path.is_file():
            return
        lines = []
        for line in self._path.read_text("utf-8").splitlines():
            try:
                if json.loads(line)["step"] <= state.global_step:
                    lines.append(line)
            except ValueError:
                break  # the process died while it wrote this line
        self._path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")

    def on_log(self, args: Any, state: Any, control: Any, logs: Any = None, **_: Any) -> None:  # noqa: ARG002
        if not state.is_world_process_zero:
            return
        row = {"step": state.global_step, **(logs or {})}
        with self._path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(row) + "\n")


class MeasureAfterLastEpoch(TrainerCallback):
    """Measures and saves after the last epoch, unless that step was measured already.

    The last epoch may end a few steps before the trainer expects it to. The trainer counts as many
    batches in every epoch as in the first, but groups fill batches unevenly.
    """

    def on_epoch_end(
        self, args: TrainingArguments, state: TrainerState, control: TrainerControl, **_: Any
    ) -> None:
        last = (state.epoch or 0) > args.num_train_epochs - 0.5
        measured = any(
            row["step"] == state.global_step and f"eval_{SCORE}" in row for row in state.log_history
        )
        if last and not measured:
            control.should_evaluate = control.should_save = True


def train(recipe: Recipe, out: Path, *, quiet: bool = False) -> Trained:
    """Run a recipe, or resume an interrupted run of it; ``quiet`` shows no progress bar.

    ``out`` gets ``recipe.json``, ``data.jsonl.gz`` (the sampled rows), ``metrics.jsonl`` and
    ``checkpoints``. Set queries add ``documents.jsonl.gz``, and frozen documents add
    ``document_vectors.npy``. At the end, ``model`` (a query encoder if documents are frozen),
    ``card.json`` and the model card ``README.md`` replace the checkpoints. A run that was killed
    resumes from its last complete checkpoint and ends with the same weights. For several GPUs,
    start the program under ``torchrun`` or ``accelerate launch``.

    Raises:
        ConfigurationError: ``out`` holds a different recipe's run or other files, or the recipe
            needs something that this machine or model lacks.
        ReadError: training data are missing or malformed.
    """
    task = select_task(recipe)
    arguments = SentenceTransformerTrainingArguments(
        **common_arguments(recipe.training, out, recipe.seed, recipe.evaluation.every, quiet=quiet),
        batch_sampler=partial(EpochBatchSampler, plan=task.plan),
        logging_steps=10,
    )
    with arguments.main_process_first(local=False):  # other processes read its files
        prepare_folder(out, recipe)
        rows, sets = task.rows(out)
        checkpoint = last_checkpoint(out / "checkpoints")
    model = load_trainable(recipe.model)
    measured = out / "base.json"
    development = task.development()
    if measured.is_file():
        base = json.loads(measured.read_text("utf-8"))
    else:
        base = development.measure(model)
        if arguments.process_index == 0:
            unfinished = measured.with_name(measured.name + ".partial")
            unfinished.write_text(json.dumps(base), encoding="utf-8")
            unfinished.replace(measured)
    development.base = base
    callbacks = [MeasureAfterLastEpoch(), MetricsLog(out / "metrics.jsonl")]
    if recipe.evaluation.patience is not None:
        callbacks.append(EarlyStoppingCallback(recipe.evaluation.patience))
    trainer = _Trainer(
        development,
        model=model,
        args=arguments,
        train_dataset=Rows.from_list(rows),
        loss=task.loss(model),
        data_collator=task.collator(model, out),
        callbacks=callbacks,
    )
    trainer.train(resume_from_checkpoint=str(checkpoint) if checkpoint else None)
    trained = Trained(out / MODEL, base, development.measure(model), tuple(sets))
    if arguments.process_index == 0:
        model.save(str(trained.model), create_model_card=False)
        write_card(out, recipe, trained.base, trained.best, sets)
        shutil.rmtree(out / "checkpoints")
    return trained


def common_arguments(
    settings: TrainingSettings, out: Path, seed: int, every: int, *, quiet: bool
) -> dict[str, Any]:
    """Return the trainer's arguments that encoders and judges share."""
    decay = "linear" if settings.schedule == "linear" else "constant_with_warmup"
    return {
        "output_dir": str(out / "checkpoints"),
        "num_train_epochs": settings.epochs,
        "per_device_train_batch_size": settings.batch_size,
        "learning_rate": settings.learning_rate,
        "lr_scheduler_type": decay,
        "warmup_steps": settings.warmup,
        "weight_decay": settings.weight_decay,
        "max_grad_norm": settings.gradient_norm,
        "bf16": settings.precision == "bf16",
        "seed": seed,
        "eval_strategy": "steps",
        "eval_steps": every,
        "save_strategy": "steps",
        "save_steps": every,
        "save_total_limit": 1,
        "load_best_model_at_end": True,
        "metric_for_best_model": f"eval_{SCORE}",
        "greater_is_better": True,
        "report_to": "none",
        "disable_tqdm": quiet,
        "use_cpu": not torch.cuda.is_available(),
        "dataloader_pin_memory": torch.cuda.is_available(),
    }
