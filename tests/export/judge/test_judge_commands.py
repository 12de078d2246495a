"""Command lines of ``train-judge``, ``add-judge`` and ``measure-judge``."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from logic_export.cli.app import app
from logic_export.judge.finished_run import read_finished_run
from logic_export.judge.rows import write_judge_rows
from small_judges import SmallJudge, development_set, judge_recipe, rows
from small_recipes import changed
from typer.testing import CliRunner

from logic_retrievers.encoders import load_bundle
from logic_retrievers.errors import ConfigurationError

pytestmark = pytest.mark.slow


def call(*arguments: object, code: int = 0) -> str:
    """Return the command's output, joined in one line."""
    done = CliRunner().invoke(app, [str(a) for a in arguments], catch_exceptions=False)
    assert done.exit_code == code, done.output
    assert "Traceback" not in done.output
    return " ".join(done.output.split())


def with_card(run: Path, out: Path, **card: object) -> Path:
    """Copy a run, with changed fields in its card."""
    shutil.copytree(run, out)
    told = json.loads((run / "card.json").read_text())
    (out / "card.json").write_text(json.dumps({**told, **card}))
    return out


def test_train_judge(small_judge: SmallJudge, tmp_path: Path):
    recipe = changed(judge_recipe(small_judge.base, tmp_path), ("epochs = 2", "epochs = 0.5"))
    out = tmp_path / "run"
    said = call("train-judge", recipe, "--out", out, "--seed", 3, "--quiet")
    card = json.loads((out / "card.json").read_text())
    assert card["recipe"]["seed"] == 3
    (accuracy,) = card["best"].values()
    assert f"{accuracy:.3f}" in said
    assert f"model, card and metrics are in {out}" in said
    assert "finished run" in call("train-judge", recipe, "--out", out, code=2)


def test_add_judge_takes_all_from_the_runs_card(small_judge: SmallJudge, tmp_path: Path):
    """Licences must come from the card: a forgotten flag would break a licence."""
    run = with_card(small_judge.run, tmp_path / "run", ships=False)
    out = tmp_path / "out"
    arguments = [
        *("add-judge", small_judge.bundle, run, "--out", out, "--compression", "none"),
        *("--constant", "satisfies_weight=0.25", "--constant", "violates_weight=0"),
        *("--minimum", f"{development_set(small_judge.recipe)}=0.01"),
    ]
    assert "--keep-here" in call(*arguments, code=2)
    assert not out.exists()
    said = call(*arguments, "--keep-here")
    assert "lets no model be handed on" in said
    assert f"the bundle is in {out}" in said
    judge = load_bundle(out).manifest.judge
    assert judge.constants == {"satisfies_weight": 0.25, "violates_weight": 0.0}
    assert judge.max_tokens == 24
    ((name, licence, count),) = [(one.name, one.licence, one.rows) for one in judge.training]
    assert (name.split()[0], licence, count) == ("pairs", "CC0-1.0", 24)
    assert judge.origin == "small-judge from model"  # no local path
    write_judge_rows(tmp_path / "first.jsonl", rows(9))
    write_judge_rows(tmp_path / "second.jsonl", rows(12, seed=4))
    said = call("measure-judge", out, tmp_path / "first.jsonl", tmp_path / "second.jsonl")
    for word in ("first.jsonl", "second.jsonl", "accuracy", "calibration error", " 9 ", " 12 "):
        assert word in said


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--constant", "satisfies_weight"], "NAME=VALUE"),
        (["--constant", "satisfies_weight=much"], "takes a number"),
    ],
)
def test_add_judge_says_what_is_wrong(
    small_judge: SmallJudge, tmp_path: Path, arguments: list[str], words: str
):
    out = tmp_path / "out"
    command = ["add-judge", small_judge.bundle, small_judge.run, "--out", out, *arguments]
    assert words in call(*command, code=2)
    assert not out.exists()


def test_measure_judge_says_what_is_wrong(small_judge: SmallJudge, tmp_path: Path):
    write_judge_rows(tmp_path / "rows.jsonl", rows(3))
    (tmp_path / "empty.jsonl").write_text("")
    for file, code, words in (
        ("empty.jsonl", 1, "has no row"),
        ("none.jsonl", 1, "none.jsonl"),
        ("rows.jsonl", 5, "has no pair judge"),
    ):
        assert words in call("measure-judge", small_judge.bundle, tmp_path / file, code=code)


def test_a_run_tells_of_the_run_that_its_base_comes_from(small_judge: SmallJudge, tmp_path: Path):
    """A second stage that omits the first stage's data would break the licences of these data."""
    told = json.loads((small_judge.run / "card.json").read_text())
    first = [
        {"name": "early rows", "licence": "CC-BY-4.0", "ships": True, "rows": 7},
        {**told["sets"][0], "rows": 99},
    ]
    base = with_card(small_judge.run, tmp_path / "base", sets=first, name="first", ships=False)
    recipe = told["recipe"]
    recipe["model"]["base"] = str(base / "model")
    second = with_card(small_judge.run, tmp_path / "second", recipe=recipe, name="second")
    found = read_finished_run(second)
    assert [(one.name, one.rows) for one in found.source.training] == [
        ("early rows", 7),
        (told["sets"][0]["name"], 99),
    ]
    assert not found.ships
    assert found.source.origin == "second from first from model"
    shutil.rmtree(base)
    with pytest.raises(ConfigurationError, match=r"base.* holds no finished run"):
        read_finished_run(second)


def test_what_is_no_finished_run_is_refused(small_judge: SmallJudge, tmp_path: Path):
    for number, card in enumerate(({"sets": [{}]}, {"recipe": {}}, {"sets": None})):
        run = with_card(small_judge.run, tmp_path / str(number), **card)
        with pytest.raises(ConfigurationError, match="holds no finished run"):
            read_finished_run(run)
    (run / "card.json").write_text("[]")
    with pytest.raises(ConfigurationError, match="holds no finished run"):
        read_finished_run(run)
    nowhere = ["add-judge", small_judge.bundle, tmp_path / "none", "--out", tmp_path / "out"]
    assert "no finished run" in call(*nowhere, code=2)
