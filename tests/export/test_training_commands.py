"""The training commands, as they are typed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

pytest.importorskip("typer", reason="the extra cli")

from logic_export.cli.app import app
from logic_export.data.triplets import read_triplets
from typer.testing import CliRunner

from logic_retrievers.encoders import load_bundle

SENTENCES = (
    "The bridge over the {} was opened in 1907. It is not used by trains today. Ships can pass at "
    "night. The town does not pay for the repairs. A toll was collected until 1950. The river is "
    "deep under the central arch. The northern piers were rebuilt after the flood. Cyclists can "
    "cross the {} on a path of their own. The lamps on the parapet are listed monuments."
)


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    path = tmp_path / "corpus.jsonl"
    rivers = ["Tamar", "Severn", "Humber", "Tees", "Wear", "Exe", "Dart", "Avon"]
    path.write_text(
        "".join(
            json.dumps({"_id": str(i), "title": name, "text": SENTENCES.format(name, name)}) + "\n"
            for i, name in enumerate(rivers)
        )
    )
    return path


def test_triplets_writes_what_the_builder_makes(corpus: Path, tmp_path: Path):
    out = tmp_path / "made" / "rows.jsonl.gz"
    options = ["--option", f"path={corpus}", "--option", "count=6"]
    done = CliRunner().invoke(app, ["data", "triplets", "negated", "--out", str(out), *options])
    assert done.exit_code == 0, done.output
    assert "6 triplets" in done.output
    assert len(read_triplets(out)) == 6


@pytest.mark.parametrize(
    ("arguments", "fault"),
    [
        (["nobody"], "no builder 'nobody'"),
        (["negated", "--option", "path"], "NAME=VALUE"),
        (["negated", "--option", "path=x"], "count"),
    ],
)
def test_wrong_usage_is_said_in_a_line(tmp_path: Path, arguments: list[str], fault: str):
    done = CliRunner().invoke(app, ["data", "triplets", *arguments, "--out", str(tmp_path / "x")])
    assert done.exit_code == 2
    assert fault in done.stderr
    assert not (tmp_path / "x").exists()


def test_a_recipe_that_is_not_there_is_said_in_a_line(tmp_path: Path):
    done = CliRunner().invoke(app, ["train", str(tmp_path / "no.toml"), "--out", str(tmp_path)])
    assert done.exit_code == 1
    assert "cannot be read as a recipe" in done.stderr


def finished_run(folder: Path, model: Path, *, ships: bool) -> Path:
    """What a run leaves, around a model that is there."""
    folder.mkdir()
    (folder / "recipe.json").write_text("{}")
    (folder / "model").symlink_to(model, target_is_directory=True)
    card = {
        "name": "a-run",
        "ships": ships,
        "sets": [{"name": "labelled own", "licence": "MIT", "ships": ships, "rows": 12}],
        "recipe": {"model": {"base": "the-base"}},
    }
    (folder / "card.json").write_text(json.dumps(card))
    return folder


@pytest.mark.filterwarnings(
    "ignore::DeprecationWarning", "ignore::FutureWarning", "ignore::UserWarning:torch"
)
@pytest.mark.slow
@pytest.mark.parametrize("ships", [True, False])
def test_export_makes_a_bundle_that_says_where_it_comes_from(
    small_model_folder: Path, tmp_path: Path, ships: bool
):
    pytest.importorskip("onnxscript", reason="the extra train")
    run = finished_run(tmp_path / "run", small_model_folder, ships=ships)
    heads = [f"--head=topical={small_model_folder}", f"--head=compatibility={run}"]
    out = tmp_path / "bundle"

    done = CliRunner().invoke(app, ["export", *heads, "--out", str(out), "--licence", "MIT"])

    assert done.exit_code == 0, done.output
    manifest = load_bundle(out).manifest
    assert manifest.licence == "MIT"
    assert [one.rows for one in manifest.heads["compatibility"].training] == [12]
    assert not manifest.heads["topical"].training
    notice = (out / "NOTICE").read_text()
    assert "labelled own: 12 rows, MIT" in notice
    for text in (notice, manifest.origin):
        assert "a-run from the-base" in text
        assert str(tmp_path) not in text
    assert ("Not to be handed on" in notice) is not ships
    assert ("compatibility: trained on data that let no" in done.output) is not ships


def test_export_refuses_a_run_that_is_not_finished(tmp_path: Path):
    pytest.importorskip("sentence_transformers", reason="the extra train")
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "recipe.json").write_text("{}")
    options = ["--out", str(tmp_path / "bundle"), "--licence", "MIT"]

    done = CliRunner().invoke(app, ["export", f"--head=topical={tmp_path / 'run'}", *options])

    assert done.exit_code == 2
    assert "holds no finished run" in done.stderr
    assert not (tmp_path / "bundle").exists()
