"""A training run: resuming, choosing, averaging and the card."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

for needed in ("sentence_transformers", "datasets", "accelerate"):
    pytest.importorskip(needed, reason="the extra train")

from logic_export.losses import (  # noqa: E402
    CompatibilityLoss,
    LogicallyInformedLoss,
    SparseContrastiveLoss,
)
from logic_export.recipe import read_recipe  # noqa: E402
from logic_export.training.average_checkpoints import average_runs  # noqa: E402
from logic_export.training.development import (  # noqa: E402
    ALPHA,
    ANSWER_RECALL,
    COSINE,
    NDCG,
    VIOLATION,
)
from logic_export.training.run import MeasureAfterLastEpoch, train  # noqa: E402
from small_recipes import compatibility_recipe, contradiction_recipe, set_recipe, weights  # noqa: E402
from torch import nn  # noqa: E402
from transformers import TrainerControl, TrainerState, TrainingArguments  # noqa: E402

from logic_retrievers.errors import ConfigurationError  # noqa: E402

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::FutureWarning")


@pytest.fixture
def recipe_file(small_model_folder: Path, tmp_path: Path) -> Path:
    return compatibility_recipe(small_model_folder, tmp_path)


def killed(recipe: Path, out: Path, loss: type[nn.Module], monkeypatch) -> None:
    """A run in a process that is killed, and that leaves a checkpoint half written."""
    main = "from logic_export.cli import main; main()"
    command = [sys.executable, "-c", main, "train", str(recipe), "--out", str(out), "--quiet"]
    environment = {**os.environ, "PYTHONWARNINGS": "ignore"}
    process = subprocess.Popen(command, env=environment, stderr=subprocess.DEVNULL)
    deadline = time.monotonic() + 200
    while not list(out.glob("checkpoints/checkpoint-*/trainer_state.json")):
        assert process.poll() is None, "it ended before it could be killed"
        assert time.monotonic() < deadline
        time.sleep(0.01)
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert list((out / "checkpoints").iterdir())
    broken = out / "checkpoints" / "checkpoint-99"
    broken.mkdir()
    (broken / "model.safetensors").write_bytes(b"killed while it was written")


class Ended(BaseException):
    """What ends a run in its middle."""


def ended(recipe: Path, out: Path, loss: type[nn.Module], monkeypatch) -> None:
    """A run that ends at its seventh step."""
    forward, steps = loss.forward, []

    def ends(self, features, labels):
        if len(steps) == 6:
            raise Ended
        steps.append(1)
        return forward(self, features, labels)

    with monkeypatch.context() as patch:
        patch.setattr(loss, "forward", ends)
        with pytest.raises(Ended):
            train(read_recipe(recipe), out, quiet=True)
    assert [p.name for p in (out / "checkpoints").iterdir()] == ["checkpoint-4"]


@dataclass(frozen=True)
class Run:
    """A run to end and to go on with, and what its card says.

    Args:
        recipe: writes it.
        end: starts the run and ends it.
        loss: of the recipe.
        rows: that it is trained on.
        measured: how often.
        settings: of the loss.
        figures: of its development set.
    """

    recipe: Callable[[Path, Path], Path]
    end: Callable[..., None]
    loss: type[nn.Module]
    rows: int
    measured: int
    settings: dict[str, object]
    figures: set[str]


RUNS = {
    "compatibility": Run(
        compatibility_recipe,
        killed,
        CompatibilityLoss,
        48,
        6,
        {"name": "compatibility", "beta": 20.0},
        {"constraint", "R@5"},
    ),
    "contradiction": Run(
        contradiction_recipe,
        ended,
        SparseContrastiveLoss,
        24,
        3,
        {"name": "sparse_contrastive", "temperature": 0.1, "measure": "hoyer"},
        {NDCG, COSINE, ALPHA},
    ),
    "sets": Run(
        set_recipe,
        ended,
        LogicallyInformedLoss,
        75,
        3,
        {"name": "logically_informed", "random_share": 0.4},
        {ANSWER_RECALL, VIOLATION},
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("run", RUNS.values(), ids=RUNS)
def test_a_run_that_was_ended_goes_on_to_the_same_weights(
    run: Run, small_model_folder: Path, tmp_path: Path, monkeypatch
):
    """A run that silently starts again, or goes on with other batches, cannot be repeated."""
    path = run.recipe(small_model_folder, tmp_path)
    recipe, out = read_recipe(path), tmp_path / "ended"
    whole = train(recipe, tmp_path / "whole", quiet=True)
    run.end(path, out, run.loss, monkeypatch)
    assert not (out / "card.json").exists()

    resumed = train(recipe, out, quiet=True)

    left, right = weights(whole.model), weights(resumed.model)
    assert left.keys() == right.keys()
    for name, values in left.items():
        np.testing.assert_array_equal(values, right[name])
    assert (resumed.best, resumed.base, resumed.sets) == (whole.best, whole.base, whole.sets)
    before = weights(Path(recipe.model.base))
    assert any(not np.array_equal(values, before[name]) for name, values in left.items())
    logged = [json.loads(line) for line in (out / "metrics.jsonl").read_text().splitlines()]
    assert [row["step"] for row in logged] == sorted(row["step"] for row in logged)
    assert sum("eval_score" in row for row in logged) == run.measured
    card = json.loads((out / "card.json").read_text())
    assert card["sets"][0]["rows"] == run.rows
    assert card["recipe"]["loss"].items() >= run.settings.items()
    (figures,) = card["best"].values()
    assert set(figures) == run.figures
    assert f"The `{recipe.head}` encoder" in (out / "README.md").read_text()
    with pytest.raises(ConfigurationError, match="finished run"):
        train(recipe, out, quiet=True)


@pytest.mark.slow
def test_two_processes_train_one_model(recipe_file: Path, tmp_path: Path):
    """Processes that do not know of each other train twice, and write over each other's files."""
    script = tmp_path / "together.py"
    script.write_text(
        "import sys\n"
        "from pathlib import Path\n"
        "from logic_export.recipe import read_recipe\n"
        "from logic_export.training.run import train\n"
        "train(read_recipe(Path(sys.argv[1])), Path(sys.argv[2]), quiet=True)\n"
    )
    out = tmp_path / "run"
    command = [sys.executable, "-m", "torch.distributed.run", "--nproc-per-node=2"]
    command += ["--standalone", str(script), str(recipe_file), str(out)]
    environment = {**os.environ, "PYTHONWARNINGS": "ignore", "CUDA_VISIBLE_DEVICES": ""}
    done = subprocess.run(
        command, env=environment, capture_output=True, text=True, timeout=240, check=False
    )
    assert done.returncode == 0, done.stderr[-2000:]
    logged = [json.loads(line) for line in (out / "metrics.jsonl").read_text().splitlines()]
    assert max(row["step"] for row in logged) == 12  # of 24 with one process
    assert (out / "card.json").is_file()


@pytest.mark.slow
def test_only_what_is_above_the_trunk_is_trained(recipe_file: Path, tmp_path: Path):
    """A head whose tables moved could not share them, and nobody would know before the export."""
    recipe = read_recipe(recipe_file)
    recipe = recipe.model_copy(
        update={"model": recipe.model.model_copy(update={"shared_layers": 1})}
    )
    trained = train(recipe, tmp_path / "run", quiet=True)
    before, after = weights(Path(recipe.model.base)), weights(trained.model)
    moved = {name for name, values in before.items() if not np.array_equal(values, after[name])}
    assert moved
    assert all("layer.1." in name for name in moved)
    card = (tmp_path / "run" / "README.md").read_text()
    assert "CC0-1.0" in card
    assert "may be handed on" in card
    with pytest.raises(ConfigurationError, match="at least one must be trained"):
        train(
            recipe.model_copy(
                update={"model": recipe.model.model_copy(update={"shared_layers": 2})}
            ),
            tmp_path / "none",
            quiet=True,
        )


def test_another_recipe_is_not_continued(recipe_file: Path, tmp_path: Path):
    """Half of one run and half of another would pass for either."""
    recipe = read_recipe(recipe_file)
    out = tmp_path / "run"
    out.mkdir()
    (out / "recipe.json").write_text(
        recipe.model_copy(update={"seed": 5}).model_dump_json(indent=2)
    )
    with pytest.raises(ConfigurationError, match="another recipe"):
        train(recipe, out, quiet=True)
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "mine.txt").write_text("keep")
    with pytest.raises(ConfigurationError, match="not empty"):
        train(recipe, tmp_path / "full", quiet=True)


def at_the_end_of_an_epoch(epoch: float, log: list[dict[str, float]]) -> TrainerControl:
    """What the callback asks for at step 9, where the trainer itself waits for a tenth."""
    state = TrainerState(epoch=epoch, global_step=9, max_steps=10, log_history=log)
    control = TrainerControl()
    MeasureAfterLastEpoch().on_epoch_end(TrainingArguments(num_train_epochs=2), state, control)
    assert control.should_evaluate == control.should_save
    return control


def test_the_last_model_is_measured_where_the_last_epoch_has_fewer_batches():
    """It is often the best, for its learning rate has come down, and could not be kept."""
    before = [{"step": 5, "eval_score": 0.1}]
    assert at_the_end_of_an_epoch(1.9, before).should_save
    assert not at_the_end_of_an_epoch(0.95, before).should_save
    assert not at_the_end_of_an_epoch(1.9, [*before, {"step": 9, "eval_score": 0.2}]).should_save


@pytest.mark.slow
def test_runs_are_averaged_and_strangers_are_not(recipe_file: Path, tmp_path: Path):
    recipe = read_recipe(recipe_file)
    runs = [tmp_path / f"run{seed}" for seed in (0, 1, 2)]
    for seed, run in enumerate(runs):
        train(recipe.model_copy(update={"seed": seed}), run, quiet=True)

    found = average_runs(runs, tmp_path / "mean")

    *trained, mean = (weights(folder / "model") for folder in (*runs, tmp_path / "mean"))
    trained_on = {name for name in mean if not np.array_equal(trained[0][name], trained[1][name])}
    assert 0 < len(trained_on) < len(mean)
    for name in mean:
        assert mean[name] == pytest.approx(np.mean([one[name] for one in trained], 0), abs=1e-6)
        assert name in trained_on or np.array_equal(mean[name], trained[0][name])
    card = json.loads((tmp_path / "mean" / "card.json").read_text())
    assert (card["averaged"], card["sets"][0]["rows"]) == (3, 144)
    assert card["best"].keys() == found.keys()
    assert "mean of 3 runs" in (tmp_path / "mean" / "README.md").read_text()
    with pytest.raises(ConfigurationError, match="exists"):
        average_runs(runs, tmp_path / "mean")
    with pytest.raises(ConfigurationError, match="two finished runs"):
        average_runs(runs[:1], tmp_path / "alone")
    with pytest.raises(ConfigurationError, match="no finished run"):
        average_runs([runs[0], tmp_path], tmp_path / "none")
    card["recipe"]["training"]["epochs"] = 5
    (runs[1] / "card.json").write_text(json.dumps(card))
    with pytest.raises(ConfigurationError, match="another recipe"):
        average_runs(runs, tmp_path / "strangers")
    (runs[2] / "model").rename(runs[2] / "moved")
    with pytest.raises(ConfigurationError, match="no folder 'model'"):
        average_runs([runs[0], runs[2]], tmp_path / "none")
