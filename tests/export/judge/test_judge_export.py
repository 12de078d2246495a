"""A trained judge in a bundle: its answers, what it leaves unchanged, and what is refused."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from logic_export.bundles.export import BundleLabel, export_bundle
from logic_export.bundles.heads import HeadSource
from logic_export.bundles.parity import ParityError
from logic_export.judge import export as exporting
from logic_export.judge.export import add_judge
from logic_export.judge.finished_run import JudgeSource
from logic_export.judge.measure import accuracy
from logic_export.judge.run import load_judge
from logic_export.recipe import read_judge_recipe
from small_judges import SmallJudge, rows
from transformers import AutoModelForSequenceClassification

from logic_retrievers.encoders import OnnxEncoder, load_bundle, verify_bundle
from logic_retrievers.encoders.manifest import TrainingData
from logic_retrievers.errors import BundleError, ConfigurationError
from logic_retrievers.judging import OnnxPairJudge

pytestmark = pytest.mark.slow
SETS = (TrainingData(name="own rows", licence="CC0-1.0", rows=24),)
CONSTANTS = {"satisfies_weight": 0.3, "violates_weight": 0.2}
PAIRS = [(row.premise, row.hypothesis) for row in rows(30, seed=2)]


def added(
    judge: SmallJudge,
    out: Path,
    model: Path | str | None = None,
    bundle: Path | None = None,
    **settings: Any,
) -> Mapping[str, float]:
    source = JudgeSource(str(model or judge.run / "model"), 24, SETS, "a run")
    settings = {"constants": CONSTANTS, "minimum": {}, "compression": "none", **settings}
    return add_judge(bundle or judge.bundle, source, out, {"dev": rows(15, seed=1)}, **settings)


@pytest.fixture(scope="module")
def with_judge(small_judge: SmallJudge, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Add the judge to the bundle without compressing its weights."""
    out = tmp_path_factory.mktemp("exported") / "deep" / "bundle"
    figures = added(small_judge, out)
    assert figures == {"dev": accuracy(OnnxPairJudge(out), rows(15, seed=1))}
    return out


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_it_says_what_the_original_says(small_judge: SmallJudge, with_judge: Path):
    """A lost token type, mask or label order would change the trained judge's answers."""
    judge = OnnxPairJudge(with_judge)
    model = AutoModelForSequenceClassification.from_pretrained(small_judge.run / "model").eval()
    temperature = load_bundle(with_judge).manifest.judge.temperature
    expected = []
    for pair in PAIRS:
        ids = torch.tensor(judge.token_ids([pair]))
        with torch.no_grad():
            logits = model(input_ids=ids).logits / temperature
        expected.append(logits.softmax(-1).numpy()[0])
    np.testing.assert_allclose(judge(PAIRS), expected, atol=2e-4)
    assert [judge([pair])[0] for pair in PAIRS] == judge(PAIRS)
    assert np.ptp(expected, axis=0).min() > 0.01  # answers differ between pairs


def test_tokens_are_those_of_the_training(small_judge: SmallJudge, with_judge: Path):
    """The training's and the bundle's tokenizer must truncate and join two texts alike."""
    _, tokenizer = load_judge(read_judge_recipe(small_judge.recipe))
    pairs = [*PAIRS, ("quiet room " * 20, "no noise"), ("a", "hotel " * 40)]
    first, second = zip(*pairs, strict=True)
    trained = tokenizer(list(first), list(second), truncation="longest_first", max_length=24)[
        "input_ids"
    ]
    assert OnnxPairJudge(with_judge).token_ids(pairs) == trained


def test_the_manifest_and_the_notice_tell_of_it(small_judge: SmallJudge, with_judge: Path):
    manifest = load_bundle(with_judge).manifest
    judge = manifest.judge
    assert (judge.training, judge.origin, judge.constants) == (SETS, "a run", CONSTANTS)
    assert judge.max_tokens == 24
    assert 0.25 <= judge.temperature <= 8
    assert OnnxPairJudge(with_judge).constants == CONSTANTS
    notice = (with_judge / "NOTICE").read_text()
    assert notice.startswith("for a test\n\nPair judge: judge.onnx")
    assert "own rows (CC0-1.0), 24 rows" in notice


def test_the_vectors_stay_what_they_were(small_judge: SmallJudge, with_judge: Path):
    """A changed fingerprint would orphan every collection made with the bundle."""
    before, after = contents(small_judge.bundle), contents(with_judge)
    assert after.keys() - before.keys() == {"judge.onnx"}
    changed = {name for name in before if before[name] != after[name]}
    assert changed == {"NOTICE", "manifest.json"}
    old, new = (
        load_bundle(small_judge.bundle).manifest,
        verify_bundle(with_judge).manifest,
    )
    assert old.heads == new.heads
    assert old.vector_specs() == new.vector_specs()
    texts = ["a quiet room", "not loud"]
    found = OnnxEncoder(with_judge).encode_documents(texts)
    for name, values in OnnxEncoder(small_judge.bundle).encode_documents(texts).items():
        np.testing.assert_array_equal(found[name], values)


def test_a_judge_takes_anothers_place(small_judge: SmallJudge, with_judge: Path, tmp_path: Path):
    out = tmp_path / "again"
    added(small_judge, out, bundle=with_judge, constants={})
    assert load_bundle(out).manifest.judge.constants == {}
    assert (out / "NOTICE").read_text().count("Pair judge:") == 1
    assert contents(out).keys() == contents(with_judge).keys()


@pytest.mark.parametrize("compression", ["int8", "int4"])
def test_small_weights_say_nearly_the_same(
    small_judge: SmallJudge,
    with_judge: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    compression: str,
):
    """Large random weights lose more in few bits than trained weights."""
    monkeypatch.setattr(exporting, "MAX_DIFFERENCE", 0.1)
    monkeypatch.setattr(exporting, "MAX_INT4_DIFFERENCE", 0.4)
    added(small_judge, tmp_path / "small", compression=compression)
    small, exact = OnnxPairJudge(tmp_path / "small"), OnnxPairJudge(with_judge)
    difference = np.abs(np.subtract(small(PAIRS), exact(PAIRS))).mean()
    assert 0 < difference < (0.1 if compression == "int8" else 0.3)
    assert small(PAIRS) == [small([pair])[0] for pair in PAIRS]
    graph = "judge.onnx"
    assert (tmp_path / "small" / graph).stat().st_size < (with_judge / graph).stat().st_size
    assert f"weights stored as {compression} codes" in (tmp_path / "small" / "NOTICE").read_text()


def test_what_does_not_fit_is_refused_and_leaves_nothing(small_judge: SmallJudge, tmp_path: Path):
    """Over a different trunk the judge's answers would be meaningless, without an error."""
    out = tmp_path / "parent" / "out"
    moved = AutoModelForSequenceClassification.from_pretrained(small_judge.run / "model")
    with torch.no_grad():
        moved.bert.embeddings.word_embeddings.weight[-3:, :9] += 1
    moved.save_pretrained(tmp_path / "moved")
    label = BundleLabel("one", "Apache-2.0", "made here", {"NOTICE": "for a test\n"})
    export_bundle(tmp_path / "one", label, [HeadSource("topical", str(small_judge.base))])
    for settings, words in (
        ({"model": tmp_path / "moved"}, "are not those of .* frozen_embeddings"),
        ({"model": small_judge.base}, "has 2 labels in rank 0: a judge has 3"),
        ({"model": tmp_path / "none"}, "no judge can be loaded"),
        ({"bundle": tmp_path / "one"}, "share no trunk"),
        ({"minimum": {"test": 0.5}}, "no development set 'test'; there are 'dev'"),
        ({"constants": {"weight": 1.0}}, "weight"),
        ({"constants": {"violates_weight": -1.0}}, "greater than or equal to 0"),
    ):
        with pytest.raises(ConfigurationError, match=words):
            added(small_judge, out, **settings)
    assert not out.parent.exists()
    with pytest.raises(ConfigurationError, match="exists"):
        added(small_judge, tmp_path)
    with pytest.raises(BundleError):
        added(small_judge, out, bundle=tmp_path / "nowhere")


def test_a_judge_that_misses_its_gate_is_not_written(
    small_judge: SmallJudge, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    """A failed bundle left on disk would get shipped."""
    with pytest.raises(ParityError, match="dev"):
        added(small_judge, tmp_path / "out", minimum={"dev": 1.0})
    monkeypatch.setattr(exporting, "MAX_DIFFERENCE", -1.0)
    with pytest.raises(ParityError, match="differ from the original's"):
        added(small_judge, tmp_path / "out")
    assert not list(tmp_path.iterdir())
