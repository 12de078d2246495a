"""Relation and NLI as low-rank changes to a bundle's judge, which keeps its answers."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest
import torch
from logic_export.bundles.manifests import checksums, write_manifest
from logic_export.judge.low_rank import unpack_judge
from small_judges import CONFLICT_CONSTANTS, SmallJudge, add_pairs, relabelled, rows
from transformers import AutoModelForSequenceClassification

from logic_retrievers.encoders import load_bundle, verify_bundle
from logic_retrievers.errors import BundleError, ConfigurationError
from logic_retrievers.judging import (
    VERDICTS,
    OnnxNLI,
    OnnxPairJudge,
    OnnxRelation,
)
from logic_retrievers.judging.relation import turned

pytestmark = pytest.mark.slow
TITLES = ("Pair judge", "Relation", "NLI")
PAIRS = [(row.premise, row.hypothesis) for row in rows(20, seed=2)]


def test_the_judge_says_what_it_said(judge_bundle: Path, both_bundle: Path):
    """The judge's graph gets new inputs, but its answers must not change."""
    before, after = OnnxPairJudge(judge_bundle), OnnxPairJudge(both_bundle)
    assert before(PAIRS) == after(PAIRS)
    manifest = verify_bundle(both_bundle).manifest
    assert manifest.judge.graphs == manifest.relation.graphs == ("trunk.onnx", "judge.onnx")
    assert manifest.relation.changes == "relation.npz"
    one, other = (
        manifest.cross_encoder_fingerprint(e) for e in (manifest.judge, manifest.relation)
    )
    assert one != other


def test_relations_are_the_originals(both_bundle: Path, relation_model: Path):
    read = OnnxRelation(both_bundle)
    model = AutoModelForSequenceClassification.from_pretrained(relation_model).eval()
    temperature = load_bundle(both_bundle).manifest.relation.temperature

    def original(pair: tuple[str, str]) -> np.ndarray:
        with torch.no_grad():
            logits = model(input_ids=torch.tensor(read.token_ids([pair]))).logits / temperature
        return logits.softmax(-1).numpy()[0]

    expected = [(original((a, b)) + turned(original((b, a)))) / 2 for a, b in PAIRS]
    differences = np.abs(np.subtract(read(PAIRS), expected))  # products are in int8
    assert differences.mean() < 0.03
    assert np.std(expected, axis=0).max() > 0.15  # the answers differ between pairs
    assert read.constants == {"threshold": 0.6}
    notice = (both_bundle / "NOTICE").read_text()
    assert notice.count("Pair judge:") == notice.count("Relation:") == 1


def test_nli_leaves_the_others_as_they_are(both_bundle: Path, three_bundle: Path):
    """Adding NLI must not change relation, or a cleaner would read with a filter's weights."""
    before, after = OnnxRelation(both_bundle), OnnxRelation(three_bundle)
    assert before(PAIRS) == after(PAIRS)
    assert OnnxPairJudge(both_bundle)(PAIRS) == OnnxPairJudge(three_bundle)(PAIRS)
    read = OnnxNLI(three_bundle)
    assert read.read(PAIRS) != OnnxPairJudge(three_bundle)(PAIRS)
    assert read.constants == CONFLICT_CONSTANTS
    assert verify_bundle(three_bundle).manifest.nli.changes == "nli.npz"
    notice = (three_bundle / "NOTICE").read_text()
    assert [notice.count(f"{title}:") for title in TITLES] == [1, 1, 1]


def test_a_verdict_answers_in_the_judges_place(three_bundle: Path, unpacked: Path, tmp_path: Path):
    """A search must use the verdict; a cleaner must not."""
    model = relabelled(unpacked, 3, seed=2)
    model.config.id2label = dict(enumerate(VERDICTS))
    model.save_pretrained(tmp_path / "model")
    out = tmp_path / "bundle"
    add_pairs(three_bundle, tmp_path / "model", out, rank=1, violates_weight=0.2)
    manifest = verify_bundle(out).manifest
    assert manifest.judge == load_bundle(three_bundle).manifest.judge
    judge = OnnxPairJudge(out)
    assert judge(PAIRS) != OnnxPairJudge(three_bundle)(PAIRS)
    assert judge.entry == manifest.verdict
    assert judge.constants == {"violates_weight": 0.2}
    for other in (OnnxRelation, OnnxNLI):
        assert other(out).read(PAIRS) == other(three_bundle).read(PAIRS)
    assert (out / "NOTICE").read_text().count("Verdict:") == 1
    with pytest.raises(ConfigurationError, match="threshold"):  # a verdict is not NLI
        add_pairs(three_bundle, tmp_path / "model", tmp_path / "no", rank=1, threshold=0.6)


def test_damaged_changes_are_an_error_of_ours(both_bundle: Path, tmp_path: Path):
    folder = Path(shutil.copytree(both_bundle, tmp_path / "bundle"))
    (folder / "relation.npz").write_bytes(b"PK nothing")
    manifest = load_bundle(both_bundle).manifest
    files = checksums(folder, manifest.files)
    write_manifest(folder, manifest.model_copy(update={"files": files}))
    with pytest.raises(BundleError, match="holds no arrays"):
        OnnxRelation(folder)
    assert OnnxPairJudge(folder)(PAIRS[:1])


def test_what_does_not_fit_is_refused(
    small_judge: SmallJudge,
    judge_bundle: Path,
    relation_model: Path,
    unpacked: Path,
    tmp_path: Path,
):
    """A misspelt constant must be refused, or its weight would be silently missing."""
    other = AutoModelForSequenceClassification.from_pretrained(relation_model)
    with torch.no_grad():
        other.bert.encoder.layer[1].output.dense.bias += 1
    other.save_pretrained(tmp_path / "other")
    out = tmp_path / "out"
    for bundle, model, constants, words in (
        (small_judge.bundle, relation_model, {}, "has no judge that changes"),
        (judge_bundle, relation_model, {"threshold": 1.0}, "between 0 and 1"),
        (judge_bundle, relation_model, {"weight": 0.5}, "no constant 'weight'"),
        (judge_bundle, unpacked, {"cosin": 1}, "no constant 'cosin'"),
        (judge_bundle, unpacked, {"threshold": 2}, "between"),
        (judge_bundle, tmp_path / "other", {}, "train from it with model.rank"),
    ):
        with pytest.raises(ConfigurationError, match=words):
            add_pairs(bundle, model, out, rank=2, relation=model != unpacked, **constants)
    assert not out.exists()


def test_a_judge_of_a_bundle_can_be_trained_further(
    small_judge: SmallJudge, judge_bundle: Path, unpacked: Path, tmp_path: Path
):
    """A user with only the bundle has no run folder and must train on from the four-bit judge."""
    model = AutoModelForSequenceClassification.from_pretrained(unpacked).eval()
    judge = OnnxPairJudge(judge_bundle)
    temperature = load_bundle(judge_bundle).manifest.judge.temperature
    for pair, said in zip(PAIRS, judge(PAIRS), strict=True):
        with torch.no_grad():
            logits = model(input_ids=torch.tensor(judge.token_ids([pair]))).logits / temperature
        np.testing.assert_allclose(logits.softmax(-1).numpy()[0], said, atol=0.05)
    with pytest.raises(ConfigurationError, match="exists"):
        unpack_judge(judge_bundle, str(small_judge.base), unpacked.parent)
    with pytest.raises(ConfigurationError, match="no pair judge"):
        unpack_judge(small_judge.bundle, str(small_judge.base), tmp_path / "other")
