"""The metrics of a run as JSON lines."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from transformers import TrainerCallback


class MetricsLog(TrainerCallback):
    """Appends what the trainer logs, one object a line, with ``step`` and ``epoch``.

    A resumed run first drops the lines beyond its checkpoint: those steps are taken again.

    Args:
        path: the file.
    """

    def __init__(self, path: Path) -> None:
        self._path = path

    def on_train_begin(self, args: Any, state: Any, control: Any, **_: Any) -> None:  # noqa: ARG002
        """Keeps the lines up to the step that the run goes on from."""
        if not self._path.is_file():
            return
        kept = []
        for line in self._path.read_text("utf-8").splitlines():
            try:
                if json.loads(line)["step"] <= state.global_step:
                    kept.append(line)
            except ValueError:
                break  # the process died while it wrote this line
        self._path.write_text("".join(f"{line}\n" for line in kept), encoding="utf-8")

    def on_log(
        self,
        args: Any,  # noqa: ARG002
        state: Any,
        control: Any,  # noqa: ARG002
        logs: dict[str, Any] | None = None,
        **_: Any,
    ) -> None:
        """One line."""
        if not state.is_world_process_zero:
            return
        row = {"step": state.global_step, **(logs or {})}
        with self._path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(row) + "\n")
