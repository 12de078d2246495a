"""What the bundle that comes along says of its heads, and which runs it takes none from."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

for needed in ("onnx", "sentence_transformers"):
    pytest.importorskip(needed, reason="the extra train")

from logic_export.bundles import default_bundle  # noqa: E402
from logic_export.bundles.parity import ParityFigures  # noqa: E402
from test_training_commands import finished_run  # noqa: E402


@pytest.fixture
def exported(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, small_model_folder: Path):
    """What would have been exported: label and heads of every call."""
    calls = []

    def export(out, label, heads, **_):
        calls.append((label, heads))
        return ParityFigures(1, 1, 1, 1)

    known = SimpleNamespace(
        name="small", licence="Apache-2.0", origin="here", path=lambda: small_model_folder
    )
    monkeypatch.setattr(default_bundle, "export_bundle", export)
    monkeypatch.setattr(default_bundle, "ALL_MINILM_L6_V2", known)
    (tmp_path / "licence").write_text("a licence")
    return calls


def make(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, *arguments: object) -> None:
    typed = ["--out", tmp_path / "out", "--licence-text", tmp_path / "licence", *arguments]
    monkeypatch.setattr(sys, "argv", ["default_bundle", *map(str, typed)])
    default_bundle.main()


def test_the_notice_names_what_every_head_was_trained_on(
    exported, monkeypatch, tmp_path: Path, small_model_folder: Path, capsys
):
    """The licences of the data ask for it."""
    run = finished_run(tmp_path / "run", small_model_folder, ships=True)
    make(monkeypatch, tmp_path, "--contradiction", run)
    ((label, heads),) = exported
    assert [(head.name, bool(head.training)) for head in heads] == [
        ("topical", False),
        ("compatibility", False),
        ("contradiction", True),
    ]
    assert heads[0].exclusion == default_bundle.EXCLUSION
    assert "contradiction:\n             labelled own: 12 rows, MIT\n" in label.documents["NOTICE"]
    assert "compatibility:" not in label.documents["NOTICE"]
    assert label.documents["LICENSE"] == "a licence"
    assert json.loads(capsys.readouterr().out)["lowest_cosine"] == 1


def test_without_runs_nothing_is_said_to_be_trained(exported, monkeypatch, tmp_path: Path):
    make(monkeypatch, tmp_path)
    ((label, heads),) = exported
    assert [(head.name, head.trained) for head in heads] == [
        ("topical", True),
        ("compatibility", False),
    ]
    assert default_bundle.UNTRAINED in label.documents["NOTICE"]


@pytest.mark.parametrize("option", ["--compatibility", "--contradiction"])
def test_no_head_is_taken_from_a_run_that_may_not_ship_or_is_none(
    exported, monkeypatch, tmp_path: Path, small_model_folder: Path, option: str
):
    """A wheel with weights that no licence lets out of the house cannot be called back."""
    kept = finished_run(tmp_path / "kept", small_model_folder, ships=False)
    (tmp_path / "half").mkdir()
    (tmp_path / "half" / "recipe.json").write_text("{}")
    for run, fault in (
        (kept, "licence lets no model ship"),
        (tmp_path / "half", "no finished run"),
        (small_model_folder, "no finished run"),
    ):
        with pytest.raises(SystemExit, match=fault):
            make(monkeypatch, tmp_path, option, run)
    assert exported == []
