"""Command lines of ``logic-export``, and the module that makes the default bundle."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from known_calibration import BACKGROUND, Drawn, drawn_groups, own_bundle
from logic_export.bundles import default_bundle
from logic_export.bundles.calibration import calibrate
from logic_export.bundles.parity import ParityFigures
from logic_export.cli.app import app
from logic_export.data.contradictions.groups import read_groups, write_groups
from logic_export.data.triplets import read_triplets
from small_recipes import json_lines
from typer.testing import CliRunner

from logic_retrievers.conflicts.settings import ContradictionConstants
from logic_retrievers.encoders import OnnxEncoder, load_bundle


def run(*arguments: object, code: int = 0, fault: str = ""):
    """Run a command; a failing command must give its reason in one line."""
    done = CliRunner().invoke(app, [str(one) for one in arguments])
    assert done.exit_code == code, done.output
    if code:
        assert fault in done.stderr
        assert len(done.stderr.strip().splitlines()) == 1
        assert "Traceback" not in done.output
    return done


def finished_run(folder: Path, model: object, *, ships: bool = True) -> Path:
    """Write a finished run's folder around an existing model."""
    unfinished_run(folder)
    (folder / "model").symlink_to(str(model), target_is_directory=True)
    card = {
        "name": "a-run",
        "ships": ships,
        "sets": [{"name": "labelled own", "licence": "MIT", "ships": ships, "rows": 12}],
        "recipe": {"model": {"base": "the-base"}},
    }
    (folder / "card.json").write_text(json.dumps(card))
    return folder


def unfinished_run(folder: Path) -> Path:
    folder.mkdir()
    (folder / "recipe.json").write_text("{}")
    return folder


# --- data


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    texts = [
        f"The mill of Stead {n} was opened in 18{n}. It is not used by trains today. Ships can "
        "pass at night. The town does not pay for the repairs. The river is deep."
        for n in range(10, 40)
    ]
    rows = ({"_id": str(n), "text": text} for n, text in enumerate(texts))
    return json_lines(tmp_path / "corpus.jsonl", rows)


@pytest.mark.parametrize(
    ("command", "builder", "options", "noun", "read"),
    [
        ("triplets", "negated", [], "triplets", read_triplets),
        ("contradiction-groups", "rules", ['kinds=["date"]'], "groups", read_groups),
    ],
)
def test_data_commands_write_what_the_builder_makes(
    corpus: Path, tmp_path: Path, command: str, builder: str, options: list[str], noun: str, read
):
    out, again = tmp_path / "made" / "rows.jsonl.gz", tmp_path / "again.jsonl"
    options = [
        part for one in (f"path={corpus}", "count=6", *options) for part in ("--option", one)
    ]
    done = run("data", command, builder, "--out", out, *options)
    assert f"6 {noun} are in" in done.output
    assert len(read(out)) == 6
    run("data", command, builder, "--out", again, *options, "--seed", 1)
    assert read(again) != read(out)


@pytest.mark.parametrize(
    ("arguments", "code", "fault"),
    [
        (["triplets", "negated", "--option", "path"], 2, "NAME=VALUE"),
        (["contradiction-groups", "file", "--option", "path=no/such.jsonl"], 1, "no such file"),
    ],
)
def test_wrong_usage_of_data_commands_is_one_line(tmp_path: Path, arguments, code: int, fault: str):
    """Wrong usage must not write an empty file, which a training would read."""
    run("data", *arguments, "--out", tmp_path / "x", code=code, fault=fault)
    assert not list(tmp_path.iterdir())


# --- calibrate


@pytest.fixture
def written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Path]:
    """Write a bundle, two files of groups and a corpus, all from a known distribution."""
    drawn = Drawn()
    monkeypatch.setattr("logic_retrievers.encoders.OnnxEncoder", lambda _: drawn)
    paths = {name: tmp_path / f"{name}.jsonl" for name in ("one", "two", "corpus", "empty")}
    write_groups(paths["one"], drawn_groups(0, 12))
    write_groups(paths["two"], drawn_groups(1000, 12, right=1))
    json_lines(paths["corpus"], ({"_id": text, "text": text} for text in BACKGROUND))
    paths["empty"].write_text("")
    return {"bundle": own_bundle(tmp_path / "own"), **paths}


def test_calibrate_writes_the_constants_that_it_shows(written: dict[str, Path]):
    """The printed constants must be those written, and name the data that they come from."""
    groups = ["--groups", written["one"], "--groups", written["two"]]
    done = run(
        "calibrate", written["bundle"], *groups, "--background", written["corpus"], "--pairs", 100
    )
    found = load_bundle(written["bundle"]).manifest.heads["contradiction"].contradiction
    settings = ContradictionConstants(**found.constants)
    sources = [read_groups(written[name]) for name in ("one", "two")]
    assert settings == calibrate(Drawn(), sources[0], sources, BACKGROUND, pairs=100)
    assert f"{settings.threshold}" in done.output
    assert all(name in done.output for name in found.constants)
    origin = (
        "logic-export calibrate: groups one.jsonl, two.jsonl; null of 100 pairs of corpus.jsonl"
    )
    assert found.origin == origin
    # an alpha without its pool's name cannot be reproduced
    others = ["--groups", written["one"], "--others", written["two"]]
    run("calibrate", written["bundle"], *others, "--background", written["corpus"], "--pairs", 100)
    among = load_bundle(written["bundle"]).manifest.heads["contradiction"].contradiction
    assert among.origin == origin.replace("one.jsonl, two.jsonl", "one.jsonl, among two.jsonl")


def test_what_calibrate_cannot_do_is_said_in_a_line(written: dict[str, Path]):
    """A failed calibration must leave the bundle's constants unchanged."""
    before = (written["bundle"] / "manifest.json").read_bytes()
    data = ["--groups", written["one"], "--background", written["empty"]]
    run("calibrate", written["bundle"], *data, code=1, fault="at least 30")
    assert (written["bundle"] / "manifest.json").read_bytes() == before


# --- bundles


@pytest.mark.slow
@pytest.mark.parametrize("ships", [True, False])
def test_export_makes_a_bundle_that_says_where_it_comes_from(models, tmp_path: Path, ships: bool):
    ran = finished_run(tmp_path / "run", models["base"], ships=ships)
    heads = [f"--head=topical={models['base']}", f"--head=compatibility={ran}"]
    out = tmp_path / "bundle"
    done = run("export", *heads, "--out", out, "--licence", "MIT")
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
    assert ("compatibility: trained on data whose licence lets no" in done.output) is not ships


@pytest.mark.slow
def test_add_head_adds_a_run_to_a_bundle(models, bundle: Path, tmp_path: Path):
    """Adding a head whose licences forbid distribution must not happen silently."""
    ran = finished_run(tmp_path / "run", models["other"], ships=False)
    out = tmp_path / "new"
    done = run("add-head", bundle, "--head", f"mine={ran}", "--out", out)
    assert "mine: lowest cosine to the original: 0.99" in done.output
    assert "mine: trained on data whose licence lets no model be handed on" in done.output
    assert [one.rows for one in load_bundle(out).manifest.heads["mine"].training] == [12]
    found = OnnxEncoder(out).encode_documents(["a quiet room"])
    np.testing.assert_allclose(found["mine"], found["contradiction"], atol=1e-6)


def test_wrong_usage_of_bundle_commands_is_said_in_a_line(tmp_path: Path, small_model_folder: Path):
    bundle, out = own_bundle(tmp_path / "own"), tmp_path / "new"
    ran = unfinished_run(tmp_path / "run")
    model = f"contradiction={small_model_folder}"
    for command, typed, code, fault in (
        ("export", ["--licence", "MIT", f"--head=topical={ran}"], 2, "holds no finished run"),
        ("add-head", [bundle, "--head", "contradiction"], 2, "--head is NAME=VALUE"),
        ("add-head", [bundle, f"--head=contradiction={ran}"], 2, "holds no finished run"),
        ("add-head", [bundle, "--head", model], 2, "share no trunk"),
        ("add-head", [tmp_path / "none", "--head", model], 5, "no bundle folder"),
    ):
        run(command, *typed, "--out", out, code=code, fault=fault)
    run("add-head", bundle, "--head", model, "--out", bundle, code=2, fault="exists")
    assert not out.exists()


# --- the default bundle


@pytest.fixture
def make(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, small_model_folder: Path):
    """Run the module, but record label and heads of each call instead of exporting."""
    calls = []

    def export(out, label, heads, **_):
        calls.append((label, heads))
        return ParityFigures(1, 1, 1, 1)

    known = {"name": "small", "licence": "Apache-2.0", "origin": "here"}
    model = SimpleNamespace(**known, path=lambda: small_model_folder)
    monkeypatch.setattr(default_bundle, "export_bundle", export)
    monkeypatch.setattr(default_bundle, "ALL_MINILM_L6_V2", model)
    (tmp_path / "licence").write_text("a licence")

    def main(*arguments: object):
        typed = ["--out", tmp_path / "out", "--licence-text", tmp_path / "licence", *arguments]
        monkeypatch.setattr(sys, "argv", ["default_bundle", *map(str, typed)])
        default_bundle.main()
        return calls.pop()

    return main


def test_the_default_bundles_notice_names_what_each_head_was_trained_on(
    make, tmp_path: Path, small_model_folder: Path, capsys
):
    """The licences of the training data require this notice."""
    label, heads = make("--contradiction", finished_run(tmp_path / "run", small_model_folder))
    assert [(head.name, head.trained, bool(head.training)) for head in heads] == [
        ("topical", True, False),
        ("compatibility", False, False),
        ("contradiction", True, True),
    ]
    assert heads[0].exclusion == default_bundle.EXCLUSION
    assert "contradiction:\n             labelled own: 12 rows, MIT\n" in label.documents["NOTICE"]
    assert "compatibility:" not in label.documents["NOTICE"]
    assert label.documents["LICENSE"] == "a licence"
    assert json.loads(capsys.readouterr().out)["lowest_cosine"] == 1
    label, heads = make()
    assert [head.name for head in heads] == ["topical", "compatibility"]
    assert default_bundle.UNTRAINED in label.documents["NOTICE"]


@pytest.mark.parametrize("option", ["--compatibility", "--contradiction"])
def test_no_head_is_taken_from_a_run_that_may_not_ship_or_is_none(
    make, tmp_path: Path, small_model_folder: Path, option: str
):
    """A published wheel with weights that may not be distributed cannot be recalled."""
    for source, fault in (
        (finished_run(tmp_path / "kept", small_model_folder, ships=False), "lets no model ship"),
        (unfinished_run(tmp_path / "half"), "no finished run"),
        (small_model_folder, "no finished run"),
    ):
        with pytest.raises(SystemExit, match=fault):
            make(option, source)
