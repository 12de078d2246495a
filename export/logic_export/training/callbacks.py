"""Trainer callbacks: a metrics log, and a measurement after the last epoch."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from transformers import TrainerCallback, TrainerControl, TrainerState, TrainingArguments

from logic_export.training.development import SCORE


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

    The last epoch may end a few steps before the trainer expects: it counts as many batches in
    every epoch as in the first, but groups fill them unevenly.
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
