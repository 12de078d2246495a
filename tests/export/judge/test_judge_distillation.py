"""Soft labels: a teacher's probabilities for pairs that nobody labelled, in a file that resumes."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

for needed in ("onnx", "onnxscript", "sentence_transformers", "datasets", "accelerate"):
    pytest.importorskip(needed, reason="the extra train")

import torch  # noqa: E402
from logic_export.judge import distillation  # noqa: E402
from logic_export.judge.builders import pairs  # noqa: E402
from logic_export.judge.distillation import candidate_pairs, label_softly  # noqa: E402
from small_judges import SmallJudge, rows  # noqa: E402
from transformers import AutoModelForSequenceClassification, AutoTokenizer  # noqa: E402

from logic_retrievers.encoders import OnnxEncoder  # noqa: E402
from logic_retrievers.errors import ConfigurationError  # noqa: E402
from logic_retrievers.evaluation import Dataset, Query  # noqa: E402

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore")]
ROWS = rows(10, seed=5)


@pytest.fixture
def teacher(small_judge: SmallJudge) -> str:
    return str(small_judge.run / "model")


def test_the_labels_are_the_teachers(teacher: str, tmp_path: Path):
    """bfloat16 costs a digit; another order of labels or of rows would cost more."""
    assert label_softly(teacher, ROWS, tmp_path / "soft.jsonl", batch_size=3) == len(ROWS)
    labelled = pairs(str(tmp_path / "soft.jsonl"))
    model = AutoModelForSequenceClassification.from_pretrained(teacher).eval()
    tokenizer = AutoTokenizer.from_pretrained(teacher)
    assert [(r.premise, r.hypothesis) for r in labelled] == [
        (r.premise, r.hypothesis) for r in ROWS
    ]
    for row in labelled:
        ids = tokenizer(row.premise, row.hypothesis, return_tensors="pt")["input_ids"]
        with torch.no_grad():
            expected = model(input_ids=ids).logits.softmax(-1).numpy()[0]
        np.testing.assert_allclose(row.target, expected, atol=0.06)


def test_an_interrupted_file_resumes(teacher: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """What is labelled stays as it is, and half a line is done again."""
    monkeypatch.setattr(distillation, "_CHUNK", 4)
    whole, file = tmp_path / "whole.jsonl", tmp_path / "soft.jsonl"
    label_softly(teacher, ROWS, whole)
    lines = whole.read_text().splitlines(keepends=True)
    file.write_text("".join(lines[:4]) + lines[4][:20])
    assert label_softly(teacher, ROWS, file) == len(ROWS) - 4
    assert file.read_text().splitlines(keepends=True)[:4] == lines[:4]
    assert len(pairs(str(file))) == len(ROWS)
    assert label_softly(teacher, ROWS, file) == 0
    with pytest.raises(ConfigurationError, match="labels of other pairs"):
        label_softly(teacher, ROWS[::-1], file)


def test_a_model_with_other_labels_is_no_teacher(small_judge: SmallJudge, tmp_path: Path):
    with pytest.raises(ConfigurationError, match="is no judge"):
        label_softly(str(small_judge.base), ROWS, tmp_path / "soft.jsonl")
    assert not (tmp_path / "soft.jsonl").exists()


def test_candidates_of_every_query():
    """As a judge would read them: the first topical ones, long passages as excerpts."""
    long = "A cake without nuts. " + "Filler about nothing at all goes here. " * 30
    dataset = Dataset(
        "cakes",
        {"long": long, "hotel": "A hotel by the sea."},
        (Query("1", "a cake without nuts ", {"long": 1}),),
        {},
        (),
    )
    found = list(candidate_pairs(dataset, OnnxEncoder(), depth=1))
    assert [row.hypothesis for row in found] == ["a cake without nuts"]
    assert found[0].premise.startswith("A cake without nuts.")
    assert len(found[0].premise) < len(long)
