"""Trainer callbacks: a metrics log, and a measurement after the last epoch."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from transformers import (
    TrainerCallback,
    TrainerControl,
    TrainerState,
    TrainingArguments,
)

from logic_export.training.development import SCORE


class MetricsLog(TrainerCallback):
    """Appends what the trainer logs, one JSON object per line, with ``step`` and ``epoch``.

    A resumed run first drops the lines beyond its checkpoint, since those steps are repeated.

    Args:
        path: the file.
    """

    def __init__(self, path: Path) -> None:
        self._path = path

    def on_train_begin(self, args: Any, state: Any, control: Any, **_: Any) -> None:  # noqa: ARG002
        """Keeps the lines up to the step that the run resumes from."""
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

    def on_log(
        self,
        args: Any,  # noqa: ARG002
        state: Any,
        control: Any,  # noqa: ARG002
        logs: dict[str, Any] | None = None,
        **_: Any,
    ) -> None:
        """Appends one line."""
        if not state.is_world_process_zero:
            return
        row = {"step": state.global_step, **(logs or {})}
        with self._path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(row) + "\n")


class MeasureAfterLastEpoch(TrainerCallback):
    """Measures and saves after the last epoch, which may end a few steps before the trainer
    expects.

    The trainer expects as many batches in every epoch as in the first, but groups fill them
    unevenly.
    """

    def on_epoch_end(
        self,
        args: TrainingArguments,
        state: TrainerState,
        control: TrainerControl,
        **_: Any,
    ) -> None:
        """Requests both once the last epoch is over, unless that step was measured already."""
        last = (state.epoch or 0) > args.num_train_epochs - 0.5
        measured = any(
            row["step"] == state.global_step and f"eval_{SCORE}" in row for row in state.log_history
        )
        if last and not measured:
            control.should_evaluate = control.should_save = True
