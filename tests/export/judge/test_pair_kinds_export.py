"""Pair kinds in a bundle that has a judge: lower layers are stored once, the judge stays."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

for needed in ("onnx", "onnxscript", "sentence_transformers", "datasets", "accelerate"):
    pytest.importorskip(needed, reason="the extra train")

import torch  # noqa: E402
from logic_export.judge import export as exporting  # noqa: E402
from logic_export.judge.export import JudgeSource, add_judge  # noqa: E402
from logic_export.judge.from_bundle import unpack_judge  # noqa: E402
from logic_export.judge.rows import JudgeRow, labelled_row  # noqa: E402
from small_judges import SmallJudge, rows  # noqa: E402
from transformers import AutoConfig, AutoModelForSequenceClassification  # noqa: E402

from logic_retrievers.encoders import verify_bundle  # noqa: E402
from logic_retrievers.errors import ConfigurationError  # noqa: E402
from logic_retrievers.judging import PAIR_KINDS, OnnxPairJudge, OnnxPairKinds  # noqa: E402

pytestmark = [
    pytest.mark.slow,
    pytest.mark.filterwarnings(
        "ignore::DeprecationWarning", "ignore::FutureWarning", "ignore::UserWarning:torch"
    ),
]
PAIRS = [(row.premise, row.hypothesis) for row in rows(20, seed=2)]


def kinds_rows(count: int) -> list[JudgeRow]:
    return [
        labelled_row(row.premise, row.hypothesis, PAIR_KINDS[number % 5], PAIR_KINDS)
        for number, row in enumerate(rows(count, seed=3))
    ]


@pytest.fixture(scope="module")
def kinds_model(small_judge: SmallJudge, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The judge with five labels and another upper layer, as a training leaves it."""
    folder = tmp_path_factory.mktemp("kinds")
    config = AutoConfig.from_pretrained(small_judge.run / "model", num_labels=5)
    torch.manual_seed(0)
    model = AutoModelForSequenceClassification.from_pretrained(
        small_judge.run / "model", config=config, ignore_mismatched_sizes=True
    )
    with torch.no_grad():
        model.bert.encoder.layer[1].output.dense.weight += 0.05
        model.classifier.weight *= 20
    model.save_pretrained(folder)
    return folder


@pytest.fixture(scope="module")
def bundles(
    small_judge: SmallJudge, kinds_model: Path, tmp_path_factory: pytest.TempPathFactory
) -> tuple[Path, Path]:
    """A bundle with a judge, and the same with pair kinds over one common layer."""
    folder = tmp_path_factory.mktemp("bundles")
    judge = JudgeSource(str(small_judge.run / "model"), 24, (), "a run")
    kinds = JudgeSource(str(kinds_model), 24, (), "another run", shared_layers=1)
    settings = {"minimum": {}, "compression": "none"}
    add_judge(
        small_judge.bundle, judge, folder / "judge", {"dev": rows(9)}, constants={}, **settings
    )
    figures = add_judge(
        folder / "judge", kinds, folder / "both", {"dev": kinds_rows(10)},
        constants={"threshold": 0.6}, **settings,
    )  # fmt: skip
    assert 0 <= figures["dev"] <= 1
    return folder / "judge", folder / "both"


def test_the_judge_says_what_it_said(bundles: tuple[Path, Path]):
    """Its graph is cut in two; a wrong cut would be another judge under the old name."""
    before, after = (OnnxPairJudge(path) for path in bundles)
    assert before(PAIRS) == after(PAIRS)
    manifest = verify_bundle(bundles[1], deep=True).manifest
    assert manifest.judge.graphs == ("trunk.onnx", "pair_layers.onnx", "judge.onnx")
    assert manifest.pair_kinds.graphs == ("trunk.onnx", "pair_layers.onnx", "pair_kinds.onnx")
    sizes = [sum(f.stat().st_size for f in path.glob("*.onnx")) for path in bundles]
    one_layer = (bundles[1] / "pair_layers.onnx").stat().st_size
    assert sizes[1] - sizes[0] < 1.5 * one_layer  # an upper layer more, and no second lower one


def test_kinds_are_the_originals(bundles: tuple[Path, Path], kinds_model: Path):
    read = OnnxPairKinds(bundles[1])
    model = AutoModelForSequenceClassification.from_pretrained(kinds_model).eval()
    temperature = verify_bundle(bundles[1]).manifest.pair_kinds.temperature

    def original(pair: tuple[str, str]) -> np.ndarray:
        with torch.no_grad():
            logits = model(input_ids=torch.tensor(read.token_ids([pair]))).logits / temperature
        return logits.softmax(-1).numpy()[0]

    expected = [(original((a, b)) + original((b, a))) / 2 for a, b in PAIRS]
    np.testing.assert_allclose(read(PAIRS), expected, atol=2e-4)
    assert read.constants == {"threshold": 0.6}
    notice = (bundles[1] / "NOTICE").read_text()
    assert notice.count("Pair judge:") == notice.count("Pair kinds:") == 1


def test_what_does_not_fit_is_refused(small_judge: SmallJudge, kinds_model: Path, tmp_path: Path):
    for bundle, constants, words in (
        (small_judge.bundle, {}, "has no judge whose layers"),
        (small_judge.bundle, {"threshold": 1.0}, "between 0 and 1"),
        (small_judge.bundle, {"weight": 0.5}, "one constant, threshold"),
    ):
        source = JudgeSource(str(kinds_model), 24, (), "a run", shared_layers=1)
        with pytest.raises(ConfigurationError, match=words):
            add_judge(
                bundle, source, tmp_path / "out", {"dev": kinds_rows(5)},
                constants=constants, minimum={}, compression="none",
            )  # fmt: skip
    assert not (tmp_path / "out").exists()


def test_a_judge_of_a_bundle_can_be_trained_further(
    small_judge: SmallJudge, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    """Whoever has the bundle has no run folder; four bits are what there is to go on from."""
    monkeypatch.setattr(exporting, "MAX_INT4_DIFFERENCE", 0.4)
    source = JudgeSource(str(small_judge.run / "model"), 24, (), "a run")
    add_judge(
        small_judge.bundle, source, tmp_path / "small", {"dev": rows(9)}, constants={}, minimum={}
    )
    unpack_judge(tmp_path / "small", str(small_judge.base), tmp_path / "run")
    model = AutoModelForSequenceClassification.from_pretrained(tmp_path / "run" / "model").eval()
    judge = OnnxPairJudge(tmp_path / "small")
    temperature = verify_bundle(tmp_path / "small").manifest.judge.temperature
    for pair, said in zip(PAIRS, judge(PAIRS), strict=True):
        with torch.no_grad():
            logits = model(input_ids=torch.tensor(judge.token_ids([pair]))).logits / temperature
        np.testing.assert_allclose(logits.softmax(-1).numpy()[0], said, atol=0.05)
    with pytest.raises(ConfigurationError, match="exists"):
        unpack_judge(tmp_path / "small", str(small_judge.base), tmp_path / "run")
    with pytest.raises(ConfigurationError, match="no pair judge"):
        unpack_judge(small_judge.bundle, str(small_judge.base), tmp_path / "other")
