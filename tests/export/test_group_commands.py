"""The commands for contradictions of the training module, as they are typed."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("typer", reason="the extra cli")
pytest.importorskip("sklearn", reason="the extra train")
pytest.importorskip("sentence_transformers", reason="the extra train")

from known_calibration import BACKGROUND, Drawn, drawn_groups, own_bundle
from logic_export.bundles.calibration import calibrate
from logic_export.cli.app import app
from logic_export.data.contradictions.groups import read_groups, write_groups
from small_models import retrained
from typer.testing import CliRunner

from logic_retrievers.contradiction.settings import ContradictionConstants
from logic_retrievers.encoders import OnnxEncoder, load_bundle


def run(*arguments: object):
    return CliRunner().invoke(app, [str(one) for one in arguments])


def assert_one_line(done, code: int, fault: str) -> None:
    assert done.exit_code == code, done.output
    assert fault in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1
    assert "Traceback" not in done.output


# --- data contradiction-groups


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    path = tmp_path / "corpus.jsonl"
    path.write_text(
        "".join(
            json.dumps({"_id": str(n), "text": f"The mill of Stead {n} was opened in 18{n}."})
            + "\n"
            for n in range(10, 40)
        )
    )
    return path


def test_contradiction_groups_writes_what_the_builder_makes(corpus: Path, tmp_path: Path):
    out = tmp_path / "made" / "rows.jsonl.gz"
    options = [f"path={corpus}", "count=6", 'kinds=["date"]']
    typed = [part for one in options for part in ("--option", one)]
    done = run("data", "contradiction-groups", "rules", "--out", out, *typed)
    assert done.exit_code == 0, done.output
    assert "6 groups are in" in done.output
    made = read_groups(out)
    assert len(made) == 6
    assert {group.source for group in made} == {"rules date"}
    again = tmp_path / "again.jsonl"
    assert (
        run("data", "contradiction-groups", "rules", "--out", again, *typed, "--seed", 1).exit_code
        == 0
    )
    assert read_groups(again) != made


@pytest.mark.parametrize(
    ("arguments", "code", "fault"),
    [
        (["nobody"], 2, "no builder 'nobody'"),
        (["rules", "--option", "path=x"], 2, "count"),
        (["file", "--option", "path=no/such.jsonl"], 1, "no such file"),
    ],
)
def test_wrong_usage_of_contradiction_groups_is_one_line(
    tmp_path: Path, arguments, code: int, fault: str
):
    """An empty file would be trained on."""
    assert_one_line(
        run("data", "contradiction-groups", *arguments, "--out", tmp_path / "x"), code, fault
    )
    assert not list(tmp_path.iterdir())


# --- calibrate


@pytest.fixture
def written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Path]:
    """A bundle, two files of groups and a corpus, all of a known law."""
    drawn = Drawn()
    monkeypatch.setattr("logic_retrievers.encoders.OnnxEncoder", lambda _: drawn)
    files = {"one": drawn_groups(0, 12), "two": drawn_groups(1000, 12, right=1)}
    for name, groups in files.items():
        write_groups(tmp_path / f"{name}.jsonl", groups)
    (tmp_path / "corpus.jsonl").write_text(
        "".join(json.dumps({"_id": text, "text": text}) + "\n" for text in BACKGROUND)
    )
    (tmp_path / "empty.jsonl").write_text("")
    names = (*files, "corpus", "empty")
    paths = {name: tmp_path / f"{name}.jsonl" for name in names}
    return {"bundle": own_bundle(tmp_path / "own"), **paths}


def test_calibrate_writes_the_constants_that_it_shows(written: dict[str, Path]):
    """Constants that are shown and not written, or of other data than they say."""
    done = run(
        "calibrate", written["bundle"], "--groups", written["one"], "--groups", written["two"],
        "--background", written["corpus"], "--pairs", 100,
    )  # fmt: skip
    assert done.exit_code == 0, done.output
    found = load_bundle(written["bundle"]).manifest.heads["contradiction"].contradiction
    assert found is not None
    settings = ContradictionConstants(**found.constants)
    sources = [read_groups(written[name]) for name in ("one", "two")]
    assert settings == calibrate(Drawn(), sources[0], sources, BACKGROUND, pairs=100)
    assert f"{settings.threshold}" in done.output
    assert all(name in done.output for name in found.constants)
    assert found.origin == (
        "logic-export calibrate: groups one.jsonl, two.jsonl; null of 100 pairs of corpus.jsonl"
    )


def test_calibrate_fills_the_pool_and_says_so(written: dict[str, Path]):
    """An alpha whose pool nobody knows cannot be found again."""
    data = ["--groups", written["one"], "--background", written["corpus"], "--pairs", 100]
    found = []
    for others in ([], ["--others", written["two"]]):
        done = run("calibrate", written["bundle"], *data, *others)
        assert done.exit_code == 0, done.output
        found.append(load_bundle(written["bundle"]).manifest.heads["contradiction"].contradiction)
    alone, among = found
    assert among.origin == alone.origin.replace("one.jsonl;", "one.jsonl, among two.jsonl;")
    assert {n for n in alone.constants if alone.constants[n] != among.constants[n]} <= {"alpha"}


@pytest.mark.parametrize(
    ("change", "code", "fault"),
    [
        ({"bundle": "none"}, 5, "no bundle folder"),
        ({"one": "empty.jsonl"}, 2, "pairs that contradict and pairs that do not"),
        ({"corpus": "empty.jsonl"}, 1, "at least 30"),
    ],
)
def test_what_calibrate_cannot_do_is_said_in_a_line(
    written: dict[str, Path], tmp_path: Path, monkeypatch, change, code: int, fault: str
):
    """And the bundle keeps the constants that it has."""
    if "bundle" in change:
        monkeypatch.undo()
    used = written | {name: tmp_path / file for name, file in change.items()}
    before = (written["bundle"] / "manifest.json").read_bytes()
    done = run("calibrate", used["bundle"], "--groups", used["one"], "--background", used["corpus"])
    assert_one_line(done, code, fault)
    assert (written["bundle"] / "manifest.json").read_bytes() == before


# --- add-head


@pytest.mark.filterwarnings(
    "ignore::DeprecationWarning",
    "ignore::FutureWarning",
    "ignore::UserWarning:torch",
    "ignore::logic_retrievers.errors.LongTextWarning",
)
@pytest.mark.slow
def test_add_head_adds_a_run_to_a_bundle(small_model_folder: Path, tmp_path: Path):
    """A head that may not be handed on must not be added in silence."""
    pytest.importorskip("onnxscript", reason="the extra train")
    from logic_export.bundles.export import BundleLabel, export_bundle
    from logic_export.bundles.heads import HeadSource
    from test_training_commands import finished_run

    other = retrained(small_model_folder, tmp_path / "other", "layer.1.")
    heads = [HeadSource("topical", str(small_model_folder)), HeadSource("compatibility", other)]
    label = BundleLabel("small", "MIT", "here", {"NOTICE": "for a test"})
    export_bundle(tmp_path / "two", label, heads)
    ran = finished_run(tmp_path / "run", Path(other), ships=False)
    done = run(
        "add-head", tmp_path / "two", "--head", f"contradiction={ran}", "--out", tmp_path / "three"
    )
    assert done.exit_code == 0, done.output
    assert "lowest cosine to the original: 0.99" in done.output
    assert "contradiction: trained on data that let no model be handed on" in done.output
    manifest = load_bundle(tmp_path / "three").manifest
    assert [one.rows for one in manifest.heads["contradiction"].training] == [12]
    found = OnnxEncoder(tmp_path / "three").encode_documents(["a quiet room"])
    np.testing.assert_allclose(found["contradiction"], found["compatibility"], atol=1e-6)


def test_wrong_usage_of_add_head_is_said_in_a_line(tmp_path: Path, small_model_folder: Path):
    bundle, out = own_bundle(tmp_path / "own"), tmp_path / "new"
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "recipe.json").write_text("{}")
    for typed, code, fault in (
        (["--head", "contradiction"], 2, "--head is NAME=VALUE"),
        (["--head", f"contradiction={tmp_path / 'run'}"], 2, "holds no finished run"),
        (["--head", f"contradiction={small_model_folder}"], 2, "share no trunk"),
    ):
        assert_one_line(run("add-head", bundle, *typed, "--out", out), code, fault)
    head = ["--head", f"contradiction={small_model_folder}"]
    assert_one_line(run("add-head", tmp_path / "none", *head, "--out", out), 5, "no bundle folder")
    assert_one_line(run("add-head", bundle, *head, "--out", bundle), 2, "exists")
    assert not out.exists()
