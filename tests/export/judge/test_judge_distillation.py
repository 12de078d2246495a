"""Soft labels: a teacher's probabilities for pairs that nobody labelled, in a file that resumes."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

for needed in ("onnx", "onnxscript", "sentence_transformers", "datasets", "accelerate"):
    pytest.importorskip(needed, reason="the extra train")

import torch  # noqa: E402
from logic_export.cli.app import app  # noqa: E402
from logic_export.judge import distillation  # noqa: E402
from logic_export.judge.builders import build_judge_rows  # noqa: E402
from logic_export.judge.distillation import label_softly  # noqa: E402
from logic_export.judge.rows import write_judge_rows  # noqa: E402
from logic_export.judge.soft_labels import SoftLabels  # noqa: E402
from logic_export.recipe import DataSettings  # noqa: E402
from small_judges import SmallJudge, rows  # noqa: E402
from transformers import AutoModelForSequenceClassification, AutoTokenizer  # noqa: E402
from typer.testing import CliRunner  # noqa: E402

from logic_retrievers.errors import ConfigurationError  # noqa: E402

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore")]
ROWS = rows(10, seed=5)


@pytest.fixture
def teacher(small_judge: SmallJudge) -> str:
    return str(small_judge.run / "model")


def test_the_labels_are_the_teachers(teacher: str, tmp_path: Path):
    """bfloat16 costs .07 here, more on one processor than on another; another order costs more."""
    file = tmp_path / "soft.npz"
    assert label_softly(teacher, ROWS, file, batch_size=3) == len(ROWS)
    labelled = SoftLabels.read(file).label(ROWS)
    model = AutoModelForSequenceClassification.from_pretrained(teacher).eval()
    tokenizer = AutoTokenizer.from_pretrained(teacher)
    assert [(r.premise, r.hypothesis) for r in labelled] == [
        (r.premise, r.hypothesis) for r in ROWS
    ]
    for row in labelled:
        ids = tokenizer(row.premise, row.hypothesis, return_tensors="pt")["input_ids"]
        with torch.no_grad():
            expected = model(input_ids=ids).logits.softmax(-1).numpy()[0]
        np.testing.assert_allclose(row.target, expected, atol=0.1)


def test_an_interrupted_file_resumes(teacher: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """What is labelled stays as it is, whatever else is labelled later."""
    monkeypatch.setattr(distillation, "_CHUNK", 4)
    file = tmp_path / "soft.npz"
    assert label_softly(teacher, ROWS[:4], file) == 4
    before = SoftLabels.read(file).label(ROWS)
    assert label_softly(teacher, ROWS[::-1], file) == len(ROWS) - 4
    assert SoftLabels.read(file).label(ROWS)[:4] == before
    assert label_softly(teacher, ROWS, file) == 0


def test_a_model_with_other_labels_is_no_teacher(small_judge: SmallJudge, tmp_path: Path):
    with pytest.raises(ConfigurationError, match="is no judge"):
        label_softly(str(small_judge.base), ROWS, tmp_path / "soft.npz")
    assert not (tmp_path / "soft.npz").exists()


def test_the_sets_of_a_recipe_are_labelled(teacher: str, tmp_path: Path):
    """And then read by the recipe's own builder: as many rows as it asks for, with those labels."""
    write_judge_rows(tmp_path / "pairs.jsonl", ROWS)
    labels = tmp_path / "soft.npz"
    (tmp_path / "recipe.toml").write_text(f"""
        name = "small"
        [model]
        base = "x"
        [[data]]
        builder = "soft"
        licence = "MIT"
        ships = true
        most = 6
        [data.options]
        labels = "{labels}"
        builder = "pairs"
        options = {{ path = "{tmp_path / "pairs.jsonl"}" }}
        [[evaluation.sets]]
        builder = "clusters"
        licence = "Apache-2.0"
        ships = true
    """)
    done = CliRunner().invoke(app, ["soft-labels", teacher, str(tmp_path / "recipe.toml")])
    assert done.exit_code == 0, done.output
    assert "6 pairs labelled now" in done.output
    options = {
        "labels": str(labels),
        "builder": "pairs",
        "options": {"path": str(tmp_path / "pairs.jsonl")},
    }
    dataset = DataSettings(builder="soft", licence="MIT", ships=True, options=options)
    built = build_judge_rows(dataset, 0)
    assert len(built) == 6
    assert all(1.0 not in row.target for row in built)
    again = CliRunner().invoke(app, ["soft-labels", teacher, str(tmp_path / "recipe.toml")])
    assert "0 pairs labelled now" in again.output
