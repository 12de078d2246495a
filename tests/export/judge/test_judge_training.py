"""A small training run of a judge: its files, how it resumes, and what it refuses."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
import torch
from logic_export.judge import run as running
from logic_export.judge.run import load_judge, soft_cross_entropy, train_judge
from logic_export.recipe import read_judge_recipe
from small_judges import SmallJudge, development_set
from small_recipes import weights
from transformers import AutoModelForSequenceClassification, AutoTokenizer

from logic_retrievers.errors import ConfigurationError, ReadError
from logic_retrievers.judging import LABELS

pytestmark = pytest.mark.slow


class Ended(BaseException):
    """Ends a run in the middle."""


def logged(run: Path) -> list[dict[str, float]]:
    return [json.loads(line) for line in (run / "metrics.jsonl").read_text().splitlines()]


def test_a_run_leaves_a_judge_and_its_card(small_judge: SmallJudge):
    run = small_judge.run
    card = json.loads((run / "card.json").read_text())
    name = development_set(small_judge.recipe)
    assert card["name"] == "small-judge"
    assert card["ships"] is True
    assert [one["rows"] for one in card["sets"]] == [24]
    assert card["sets"][0]["licence"] == "CC0-1.0"
    assert card["best"].keys() == {name}
    assert card["recipe"]["model"]["base"] == str(small_judge.base)
    measured = [row[f"eval_{name}"] for row in logged(run) if f"eval_{name}" in row]
    assert card["best"][name] == max(measured)
    assert not (run / "checkpoints").exists()
    model = AutoModelForSequenceClassification.from_pretrained(run / "model")
    assert tuple(model.config.id2label[number] for number in range(3)) == LABELS
    assert AutoTokenizer.from_pretrained(run / "model")("quiet room")["input_ids"]


def test_development_rows_are_evaluated_in_their_order():
    """Grouping by length, as in training, would count rows for the wrong set."""
    trainer = running._JudgeTrainer.__new__(running._JudgeTrainer)
    rows = [{"length": length} for length in (9, 1, 5, 2, 7)]
    assert list(trainer._get_eval_sampler(rows)) == [0, 1, 2, 3, 4]


def test_embeddings_stay_and_layers_are_trained(small_judge: SmallJudge):
    """A judge with changed embeddings could not share the encoders' trunk."""
    before, after = weights(small_judge.base), weights(small_judge.run / "model")
    own = {name.removeprefix("bert."): values for name, values in after.items()}
    moved = {name for name in before if not np.array_equal(before[name], own[name])}
    assert any("layer.0." in name for name in moved)
    assert any("layer.1." in name for name in moved)
    assert not any("embeddings" in name for name in moved)


def test_a_recipe_says_what_stays_as_it_is(small_judge: SmallJudge):
    recipe = read_judge_recipe(small_judge.recipe)
    changes = {"frozen_embeddings": False, "frozen_layers": 1}
    model, _ = load_judge(
        recipe.model_copy(update={"model": recipe.model.model_copy(update=changes)})
    )
    frozen = {name for name, weight in model.named_parameters() if not weight.requires_grad}
    assert frozen
    assert all("layer.0." in name for name in frozen)


def test_an_interrupted_run_goes_on(
    small_judge: SmallJudge, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    """A resumed run must not start again, nor rebuild rows, whose files may have changed."""
    recipe, out, steps = read_judge_recipe(small_judge.recipe), tmp_path / "run", []

    def ends(*args, **kwargs):
        if torch.is_grad_enabled():
            if len(steps) == 6:
                raise Ended
            steps.append(1)
        return soft_cross_entropy(*args, **kwargs)

    with monkeypatch.context() as patch:
        patch.setattr(running, "soft_cross_entropy", ends)
        with pytest.raises(Ended):
            train_judge(recipe, out, quiet=True)
    assert [path.name for path in (out / "checkpoints").iterdir()] == ["checkpoint-4"]
    other = recipe.model_copy(update={"seed": 5})
    with pytest.raises(ConfigurationError, match="another recipe"):
        train_judge(other, out, quiet=True)
    stored = (out / "data.jsonl.gz").read_bytes()

    best = train_judge(recipe, out, quiet=True)

    assert (out / "data.jsonl.gz").read_bytes() == stored
    card = json.loads((out / "card.json").read_text())
    assert card["best"] == best
    assert card["sets"] == json.loads((small_judge.run / "card.json").read_text())["sets"]
    name = f"eval_{development_set(small_judge.recipe)}"
    measured, whole = (
        [(row["step"], row[name]) for row in logged(run) if name in row]
        for run in (out, small_judge.run)
    )
    assert measured == whole
    left, right = weights(out / "model"), weights(small_judge.run / "model")
    for weight, values in left.items():
        np.testing.assert_array_equal(values, right[weight])
    with pytest.raises(ConfigurationError, match="finished run"):
        train_judge(recipe, out, quiet=True)


def test_what_cannot_be_trained_is_said(small_judge: SmallJudge, tmp_path: Path):
    recipe = read_judge_recipe(small_judge.recipe)
    (tmp_path / "empty.jsonl").write_text("")
    empty = recipe.data[0].model_copy(update={"options": {"path": str(tmp_path / "empty.jsonl")}})
    missing = recipe.data[0].model_copy(update={"options": {"path": "nowhere.jsonl"}})
    base = recipe.model.model_copy(update={"base": str(tmp_path / "no-model")})
    for number, (update, error, words) in enumerate(
        (
            ({"data": (missing,)}, ReadError, "no such file"),
            ({"data": (recipe.data[0], empty)}, ConfigurationError, "gave no row"),
            (
                {"evaluation": recipe.evaluation.model_copy(update={"sets": (empty,)})},
                ConfigurationError,
                "gave no row",
            ),
            ({"model": base}, ConfigurationError, "no model can be loaded"),
        )
    ):
        with pytest.raises(error, match=words):
            train_judge(recipe.model_copy(update=update), tmp_path / str(number), quiet=True)


def test_the_loss_is_the_mean_over_all_pairs_of_a_step():
    """Accumulated batches of different sizes must be weighted by their number of pairs."""
    logits = torch.randn(5, 3, generator=torch.Generator().manual_seed(0))
    labels = torch.softmax(torch.randn(5, 3, generator=torch.Generator().manual_seed(1)), dim=1)
    expected = -(labels * logits.log_softmax(1)).sum(1).mean()
    torch.testing.assert_close(soft_cross_entropy({"logits": logits}, labels), expected)
    parts = [
        soft_cross_entropy({"logits": logits[part]}, labels[part], torch.tensor(labels.numel()))
        for part in (slice(2), slice(2, 5))
    ]
    torch.testing.assert_close(sum(parts), expected)
