"""The constraint question in a bundle: it answers as trained, and other models stay the same."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from logic_export.bundles.parity import ParityError
from logic_export.cli.app import app
from logic_export.judge import export as exporting
from logic_export.judge.export import add_judge
from logic_export.judge.finished_run import read_finished_run
from small_judges import EIGHT, SmallJudge, add_pairs, rows
from transformers import AutoModelForTokenClassification, AutoTokenizer
from typer.testing import CliRunner

from logic_retrievers.encoders import OnnxEncoder, load_bundle, verify_bundle
from logic_retrievers.errors import BundleError, ConfigurationError
from logic_retrievers.judging import OnnxConstraint, OnnxNLI, OnnxPairJudge, OnnxRelation

pytestmark = pytest.mark.slow
TITLES = ("Pair judge", "Relation", "NLI", "Constraint")
PAIRS = [(row.premise, row.hypothesis) for row in rows(9, seed=2)]


def added(bundle: Path, run: Path, out: Path, **settings: Any) -> Mapping[str, float]:
    """Add the constraint of a run, or a different model instead."""
    finished = read_finished_run(run)
    (queries,) = finished.development().values()
    minimum = settings.pop("minimum", {})
    model = str(settings.pop("model", finished.source.model))
    source = replace(finished.source, model=model, **settings)
    return add_judge(bundle, source, out, {"dev": queries}, constants={}, minimum=minimum)


@pytest.fixture(scope="module")
def four_bundle(
    three_bundle: Path, constraint_run: Path, tmp_path_factory: pytest.TempPathFactory
) -> Path:
    """Add a constraint to the bundle with judge, relation and NLI."""
    out = tmp_path_factory.mktemp("four") / "bundle"
    assert added(three_bundle, constraint_run, out, minimum={"dev": 1.0}) == {"dev": 1.0}
    return out


def test_it_reads_as_the_original(four_bundle: Path, constraint_run: Path):
    """Swapped or shifted tags would remove the wrong words from a query."""
    read = OnnxConstraint(four_bundle)
    model = AutoModelForTokenClassification.from_pretrained(constraint_run / "model").eval()
    tokenizer = AutoTokenizer.from_pretrained(constraint_run / "model")
    kinds = []
    for row in EIGHT:
        text, words = row["q"], row["q"].split()
        reading = read(text)
        with torch.no_grad():
            logits = model(**tokenizer(text, return_tensors="pt")).logits[0].numpy()
        found = [reading.none, reading.exclusion, reading.negated_fact]
        exponentials = np.exp(logits[0, 2:])
        np.testing.assert_allclose(found, exponentials / exponentials.sum(), atol=0.05)
        kinds.append(("nothing", "exclusion", "negated_fact")[int(np.argmax(found))])
        excluded = [text[start:end] for start, end in reading.excluded]
        assert excluded == [w for w, x in zip(words, logits[1:-1, 0], strict=True) if x > 0]
        assert excluded == row["excluded"]
        leaving = " ".join(text[start:end] for start, end in reading.leaving)
        assert leaving == " ".join(word for word in words if word not in row["wanted"].split())
    assert kinds == [row["kind"] for row in EIGHT]
    best = json.loads((constraint_run / "card.json").read_text())["best"]
    figures = {" ".join(name.split()[-2:]): value for name, value in best.items()}
    assert figures == {"exclusions read": 1.0, "ordinary read": 0.0, "exact words": 1.0}


def test_all_others_stay(three_bundle: Path, four_bundle: Path):
    """Adding a constraint must not change judgements or vectors."""
    for kind in (OnnxPairJudge, OnnxRelation, OnnxNLI):
        assert kind(three_bundle)(PAIRS) == kind(four_bundle)(PAIRS)
    texts = ["a quiet room", "not loud"]
    found = OnnxEncoder(four_bundle).encode_documents(texts)
    for name, values in OnnxEncoder(three_bundle).encode_documents(texts).items():
        np.testing.assert_array_equal(found[name], values)
    before, after = load_bundle(three_bundle).manifest, verify_bundle(four_bundle).manifest
    assert before.vector_specs() == after.vector_specs()
    kept = {"constraint", "files"}
    assert before.model_dump(exclude=kept) == after.model_dump(exclude=kept)
    other = {name for name, value in after.files.items() if before.files.get(name) != value}
    assert other == {"judge.onnx", "constraint.npz", "NOTICE"}
    notice = (four_bundle / "NOTICE").read_text()
    assert [notice.count(f"{title}: ") for title in TITLES] == [1, 1, 1, 1]
    assert "Constraint: constraint.npz" in notice
    assert "(CC0-1.0), 8 rows" in notice.split("Constraint: ")[1]


def test_another_judge_takes_them_out(
    small_judge: SmallJudge, four_bundle: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    """Changes to a replaced judge's weights would be noise, so they must be removed."""
    monkeypatch.setattr(exporting, "MAX_INT4_DIFFERENCE", 0.4)
    add_pairs(four_bundle, small_judge.run / "model", tmp_path / "new")
    manifest = verify_bundle(tmp_path / "new").manifest
    assert manifest.relation is manifest.nli is manifest.constraint is None
    names = {"relation.npz", "nli.npz", "constraint.npz"}
    assert not names & {*manifest.files, *(path.name for path in (tmp_path / "new").iterdir())}
    notice = (tmp_path / "new" / "NOTICE").read_text()
    assert [notice.count(f"{title}: ") for title in TITLES] == [1, 0, 0, 0]
    for kind in (OnnxRelation, OnnxNLI, OnnxConstraint):
        with pytest.raises(BundleError, match="has no"):
            kind(tmp_path / "new")


def test_what_does_not_fit_is_refused(judge_bundle: Path, constraint_run: Path, tmp_path: Path):
    """A model of a different question would give meaningless answers, without an error."""
    for settings, fault, words in (
        ({"rank": 0}, ConfigurationError, "has 5 labels in rank 0"),
        ({"rank": 1}, ParityError, "differ from the original's .* higher rank"),
        ({"minimum": {"dev": 1.1}}, ParityError, "accuracy 1.000, minimum 1.1"),
    ):
        with pytest.raises(fault, match=words):
            added(judge_bundle, constraint_run, tmp_path / "out", **settings)
        assert not (tmp_path / "out").exists()


def test_the_command_takes_all_from_the_run(
    judge_bundle: Path, four_bundle: Path, constraint_run: Path, tmp_path: Path
):
    """Adding a constraint to a bundle that has one must replace the old constraint."""
    (name,) = read_finished_run(constraint_run).development()
    for number, bundle in enumerate((judge_bundle, four_bundle)):
        out = tmp_path / str(number)
        typed = ["add-judge", bundle, constraint_run, "--out", out]

        def call(*more: str, typed: list[Any] = typed) -> tuple[int, str]:
            done = CliRunner().invoke(app, [*map(str, typed), *more], catch_exceptions=False)
            return done.exit_code, " ".join(done.output.split())

        code, said = call("--constant", "threshold=0.5")
        assert code == 2
        assert "constraint has no constant 'threshold'" in said
        code, said = call("--minimum", f"{name}=1", "--rank", "20")
        assert code == 0, said
        assert f"the bundle is in {out}" in said
        entry = verify_bundle(out).manifest.constraint
        assert entry.max_tokens == 16
        assert entry.origin.startswith("small-constraint from ")
        assert [(row.licence, row.rows) for row in entry.training][-1] == ("CC0-1.0", 8)
        assert (out / "NOTICE").read_text().count("Constraint: ") == 1
    assert OnnxConstraint(tmp_path / "0")("a hotel not loud").none < 0.5
