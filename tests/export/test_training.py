"""Training runs: learning, resuming, averaging, and the card."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from logic_export.bundles.export import BundleLabel, add_heads, export_bundle
from logic_export.bundles.heads import find_head
from logic_export.losses import (
    CompatibilityLoss,
    LogicallyInformedLoss,
    SparseContrastiveLoss,
    TieredLoss,
)
from logic_export.recipe import read_recipe
from logic_export.training.average_checkpoints import average_runs
from logic_export.training.logicol import ANSWER_RECALL, VIOLATION
from logic_export.training.lore import DISTRACTORS, POSITIVES, VECTORS
from logic_export.training.run import MeasureAfterLastEpoch, Trained, train
from logic_export.training.sparsecl import ALPHA, COSINE, NDCG
from small_recipes import (
    changed,
    compatibility_recipe,
    contradiction_recipe,
    set_recipe,
    tier_recipe,
    weights,
)
from torch import nn
from transformers import TrainerControl, TrainerState, TrainingArguments

from logic_retrievers.errors import ConfigurationError


def trunk_recipe(model: Path, folder: Path) -> Path:
    """Write a recipe over triplets for one layer above a trunk; an epoch has 12 steps."""
    changes = [("dropout = 0.1", "dropout = 0.1\nshared_layers = 1"), ("epochs = 2", "epochs = 1")]
    return changed(compatibility_recipe(model, folder), *changes)


def killed(recipe: Path, out: Path) -> None:
    """Run in a process that is killed and leaves a half-written checkpoint."""
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
    """Ends a run in the middle."""


def ended(recipe: Path, out: Path, loss: type[nn.Module], monkeypatch) -> None:
    """End a run at its sixth step; rewrite its folder as of a version with fewer settings."""
    forward, steps = loss.forward, []

    def ends(self, features, labels):
        if len(steps) == 5:
            raise Ended
        steps.append(1)
        return forward(self, features, labels)

    with monkeypatch.context() as patch:
        patch.setattr(loss, "forward", ends)
        with pytest.raises(Ended):
            train(read_recipe(recipe), out, quiet=True)
    every = read_recipe(recipe).evaluation.every
    assert [p.name for p in (out / "checkpoints").iterdir()] == [f"checkpoint-{every}"]
    settings = json.loads((out / "recipe.json").read_text())
    del settings["training"]["gradient_norm"]
    (out / "recipe.json").write_text(json.dumps(settings))


# recipe, loss, number of rows, number of measurements, figures of the development set
RUNS = {
    "compatibility": (trunk_recipe, CompatibilityLoss, 48, 3, {"constraint", "R@5"}),
    "contradiction": (contradiction_recipe, SparseContrastiveLoss, 24, 3, {NDCG, COSINE, ALPHA}),
    "sets": (set_recipe, LogicallyInformedLoss, 75, 3, {ANSWER_RECALL, VIOLATION}),
    "tiers": (tier_recipe, TieredLoss, 60, 4, {POSITIVES, DISTRACTORS}),
}


@pytest.fixture(scope="module")
def whole(small_model_folder: Path, tmp_path_factory: pytest.TempPathFactory):
    """Make a finished run of a recipe; return the recipe's file too."""
    made: dict[str, tuple[Path, Trained]] = {}

    def finished(name: str) -> tuple[Path, Trained]:
        if name not in made:
            folder = tmp_path_factory.mktemp(name)
            path = RUNS[name][0](small_model_folder, folder)
            made[name] = path, train(read_recipe(path), folder / "run", quiet=True)
        return made[name]

    return finished


@pytest.mark.slow
@pytest.mark.parametrize("name", RUNS)
def test_a_run_that_was_ended_goes_on_to_the_same_weights(
    whole, name: str, tmp_path: Path, monkeypatch
):
    """A resumed run must neither start again nor draw different batches."""
    (_, loss, rows, measured, figures), (path, expected) = RUNS[name], whole(name)
    recipe, out = read_recipe(path), tmp_path / "ended"
    if name == "compatibility":
        killed(path, out)
    else:
        ended(path, out, loss, monkeypatch)
    assert not (out / "card.json").exists()
    made = (out / VECTORS).stat().st_mtime_ns if recipe.frozen_documents else None

    resumed = train(recipe, out, quiet=True)

    left, right = weights(expected.model), weights(resumed.model)
    assert left.keys() == right.keys()
    for weight, values in left.items():
        np.testing.assert_array_equal(values, right[weight])
    assert (resumed.best, resumed.base) == (expected.best, expected.base)
    assert resumed.sets == expected.sets
    before = weights(Path(recipe.model.base))
    moved = {weight for weight, values in left.items() if (values != before[weight]).any()}
    # a head with changed embeddings or lower layers could not share the trunk
    frozen = ("embeddings", "layer.0.") if recipe.model.shared_layers else ("embeddings",)
    assert moved
    assert not [weight for weight in moved if any(part in weight for part in frozen)]
    logged = [json.loads(line) for line in (out / "metrics.jsonl").read_text().splitlines()]
    assert [row["step"] for row in logged] == sorted(row["step"] for row in logged)
    assert sum("eval_score" in row for row in logged) == measured
    card = json.loads((out / "card.json").read_text())
    assert card["sets"][0]["rows"] == rows
    assert card["recipe"] == recipe.model_dump(mode="json")
    assert card["queries_only"] == recipe.frozen_documents
    assert [set(found) for found in card["best"].values()] == [figures]
    kind = "query encoder" if recipe.frozen_documents else "encoder"
    text = (out / "README.md").read_text()
    for said in (f"The `{recipe.head}` {kind}", "CC0-1.0", "may be handed on"):
        assert said in text
    if recipe.frozen_documents:
        assert (out / VECTORS).stat().st_mtime_ns == made
    with pytest.raises(ConfigurationError, match="finished run"):
        train(recipe, out, quiet=True)


@pytest.mark.slow
def test_two_processes_train_one_model(small_model_folder: Path, tmp_path: Path):
    """Uncoordinated processes would train twice and overwrite each other's files."""
    recipe = trunk_recipe(small_model_folder, tmp_path)
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
    command += ["--standalone", str(script), str(recipe), str(out)]
    environment = {**os.environ, "PYTHONWARNINGS": "ignore", "CUDA_VISIBLE_DEVICES": ""}
    done = subprocess.run(
        command, env=environment, capture_output=True, text=True, timeout=240, check=False
    )
    assert done.returncode == 0, done.stderr[-2000:]
    logged = [json.loads(line) for line in (out / "metrics.jsonl").read_text().splitlines()]
    assert max(row["step"] for row in logged) == 6  # of 12 with one process
    assert (out / "card.json").is_file()


def test_another_recipe_is_not_continued(small_model_folder: Path, tmp_path: Path):
    """Continuing a different recipe would mix two runs that pass for one."""
    recipe = read_recipe(compatibility_recipe(small_model_folder, tmp_path))
    for name, file, content, fault in (
        ("run", "recipe.json", recipe.model_copy(update={"seed": 5}).model_dump_json(), "another"),
        ("full", "mine.txt", "keep", "not empty"),
    ):
        (tmp_path / name).mkdir()
        (tmp_path / name / file).write_text(content)
        with pytest.raises(ConfigurationError, match=fault):
            train(recipe, tmp_path / name, quiet=True)


def at_the_end_of_an_epoch(epoch: float, log: list[dict[str, float]]) -> TrainerControl:
    """Return the callback's requests at step 9, where the trainer still expects a tenth step."""
    state = TrainerState(epoch=epoch, global_step=9, max_steps=10, log_history=log)
    control = TrainerControl()
    MeasureAfterLastEpoch().on_epoch_end(TrainingArguments(num_train_epochs=2), state, control)
    assert control.should_evaluate == control.should_save
    return control


def test_the_last_model_is_measured_where_the_last_epoch_has_fewer_batches():
    """The last model is often the best, since the learning rate is low, so it must be saved."""
    before = [{"step": 5, "eval_score": 0.1}]
    assert at_the_end_of_an_epoch(1.9, before).should_save
    assert not at_the_end_of_an_epoch(0.95, before).should_save
    assert not at_the_end_of_an_epoch(1.9, [*before, {"step": 9, "eval_score": 0.2}]).should_save


@pytest.mark.slow
def test_runs_are_averaged_and_strangers_are_not(whole, tmp_path: Path):
    path, first = whole("compatibility")
    recipe = read_recipe(path).model_copy(update={"seed": 1})
    second = train(recipe, tmp_path / "second", quiet=True).model.parent
    runs = [first.model.parent, second]
    assert first.base == json.loads((second / "card.json").read_text())["base"]

    found = average_runs(runs, tmp_path / "mean")

    *trained, mean = (weights(folder / "model") for folder in (*runs, tmp_path / "mean"))
    trained_on = {name for name in mean if not np.array_equal(trained[0][name], trained[1][name])}
    assert 0 < len(trained_on) < len(mean)
    for name in mean:
        assert mean[name] == pytest.approx(np.mean([one[name] for one in trained], 0), abs=1e-6)
        assert name in trained_on or np.array_equal(mean[name], trained[0][name])
    card = json.loads((tmp_path / "mean" / "card.json").read_text())
    assert (card["averaged"], card["sets"][0]["rows"]) == (2, 96)
    assert card["best"].keys() == found.keys()
    assert "mean of 2 runs" in (tmp_path / "mean" / "README.md").read_text()
    card["recipe"]["training"]["epochs"] = 5
    (second / "card.json").write_text(json.dumps(card))
    for refused, out, fault in (
        (runs, "mean", "exists"),
        (runs[:1], "new", "two finished runs"),
        ([runs[0], tmp_path], "new", "no finished run"),
        (runs, "new", "another recipe"),
    ):
        with pytest.raises(ConfigurationError, match=fault):
            average_runs(refused, tmp_path / out)
    (second / "model").rename(second / "moved")
    with pytest.raises(ConfigurationError, match="no folder 'model'"):
        average_runs(runs, tmp_path / "new")


@pytest.mark.slow
def test_a_query_encoder_learns_what_is_not_asked_for(small_model_folder: Path, tmp_path: Path):
    """A falling loss is not enough: figures on questions in new wordings must improve."""
    path = changed(
        tier_recipe(small_model_folder, tmp_path),
        ("epochs = 2", "epochs = 10"),
        ("every = 3", "every = 25"),
        ("2e-3", "4e-3"),
    )
    trained = train(read_recipe(path), tmp_path / "run", quiet=True)
    ((base, best),) = zip(trained.base.values(), trained.best.values(), strict=True)
    assert best[POSITIVES] >= base[POSITIVES] + 0.2
    assert best[DISTRACTORS] <= base[DISTRACTORS] - 0.1
    source = find_head("topical", str(tmp_path / "run"))
    label = BundleLabel("mine", "MIT", "here", {"NOTICE": ""})
    for refused in (
        lambda: export_bundle(tmp_path / "out", label, [source]),
        lambda: add_heads(tmp_path / "none", [source], tmp_path / "out"),
    ):
        with pytest.raises(ConfigurationError, match="export-query-encoder"):
            refused()
