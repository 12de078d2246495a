"""Judges from exported cross-encoders: small BERTs made and exported here."""

from __future__ import annotations

import json
import pickle
import runpy
import shutil
import subprocess
import sys
import warnings
from pathlib import Path

import numpy as np
import onnx
import pytest
from small_models import write_small_cross_encoder
from tiny_bundles import tiny_graph

from logic_retrievers import CrossEncoderJudge, JudgeSettings, OnnxJudge
from logic_retrievers.errors import BundleError, BundleNotFoundError, ConfigurationError

pytest.importorskip("sentence_transformers", reason="the extra sentence-transformers")
pytest.importorskip("onnxscript", reason="the extra train")

EXAMPLE = Path(__file__).parents[2] / "examples" / "export_cross_encoder.py"
PAIRS = [
    ("a quiet room", "not loud"),
    ("a hotel without noise, a quiet room", "a hotel"),
    ("no noise, no loud hotel. " * 9, "find a quiet room without noise"),
    ("a room", "find a quiet room without noise " * 9),
    ("", " "),
    ("half \ud800 a room", "no\u200bise"),
]
LABELS = {"nli": ("Contradiction", "entailment", "NEUTRAL"), "score": ("LABEL_0",)}


@pytest.fixture(scope="module")
def sources(tmp_path_factory) -> dict[str, Path]:
    root = tmp_path_factory.mktemp("sources")
    return {name: write_small_cross_encoder(root / name, *LABELS[name]) for name in LABELS}


@pytest.fixture(scope="module")
def folders(sources, tmp_path_factory) -> dict[str, Path]:
    """The models, exported by the script that the documentation shows."""
    root = tmp_path_factory.mktemp("exported")
    export = runpy.run_path(str(EXAMPLE))["main"]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # PyTorch's, about itself
        for name, source in sources.items():
            export(str(source), str(root / name))
    return {name: root / name for name in sources}


@pytest.fixture(scope="module")
def nli(folders) -> OnnxJudge:
    return OnnxJudge(folders["nli"])


@pytest.fixture
def copied(folders, tmp_path) -> Path:
    return shutil.copytree(folders["nli"], tmp_path / "copied")


def change(path: Path, **changes) -> None:
    path.write_text(json.dumps({**json.loads(path.read_text("utf-8")), **changes}), "utf-8")


@pytest.mark.parametrize("name", LABELS)
def test_the_answers_of_the_original(name, sources, folders):
    """An export with other segments, another cut or another order of labels cannot hide."""
    original, exported = CrossEncoderJudge(sources[name], device="cpu"), OnnxJudge(folders[name])
    np.testing.assert_allclose(exported(PAIRS), original(PAIRS), atol=1e-4)
    assert exported.constants == original.constants
    assert exported.compares == original.compares == (name == "nli")
    if name == "nli":
        expected = original.contradictions(PAIRS)
        np.testing.assert_allclose(exported.contradictions(PAIRS), expected, atol=1e-4)


def test_a_pair_does_not_depend_on_the_others(nli):
    """A verdict that depends on its batch changes with k."""
    assert nli(PAIRS) == [nli([pair])[0] for pair in PAIRS]
    assert nli([]) == nli.contradictions([]) == []


def test_it_needs_no_pytorch(folders):
    """PyTorch is a download of gigabytes."""
    code = (
        "import sys; from logic_retrievers import OnnxJudge\n"
        f"OnnxJudge({str(folders['nli'])!r})([('a room', 'no room')])\n"
        "print({'torch', 'transformers', 'sentence_transformers'} & {*sys.modules})"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=120
    )
    assert done.stdout == "set()\n"


def test_the_folder_that_hubs_have(copied, nli):
    """Models on the hub keep graphs in a folder ``onnx``."""
    (copied / "onnx").mkdir()
    (copied / "model.onnx").rename(copied / "onnx" / "model.onnx")
    assert OnnxJudge(copied)(PAIRS) == nli(PAIRS)
    # without a limit, positions may count from 2
    (copied / "tokenizer_config.json").unlink()
    without = OnnxJudge(copied)
    assert without.constants["max_words"] == 19
    assert without(PAIRS[:2]) == nli(PAIRS[:2])
    change(copied / "config.json", max_position_embeddings=None)
    assert OnnxJudge(copied).constants["max_words"] == 256


def test_labels(copied, nli):
    """The configuration names the labels, or the user does."""
    names = {"2": "entailment", "0": "neutral", "1": "contradiction"}
    change(copied / "config.json", id2label=names)
    np.testing.assert_array_equal(OnnxJudge(copied)(PAIRS), np.array(nli(PAIRS))[:, [1, 2, 0]])
    change(copied / "config.json", id2label=None)
    with pytest.raises(BundleError, match="id2label"):
        OnnxJudge(copied)
    change(copied / "config.json", id2label={})
    with pytest.raises(ConfigurationError, match="Pass labels="):
        OnnxJudge(copied)
    assert OnnxJudge(copied, labels=["contradiction", "entailment", "neutral"])(PAIRS) == nli(PAIRS)


def break_graph(folder: Path) -> None:
    (folder / "model.onnx").write_bytes(b"\x08\x0a")


def break_tokenizer(folder: Path) -> None:
    (folder / "tokenizer.json").write_text("{}", encoding="utf-8")


def break_config(folder: Path) -> None:
    (folder / "config.json").write_text("{", encoding="utf-8")


def make_encoder(folder: Path) -> None:
    onnx.save(tiny_graph(), folder / "model.onnx")


def move_weights(folder: Path) -> None:
    model = onnx.load(folder / "model.onnx")
    onnx.save(model, folder / "model.onnx", save_as_external_data=True, location="weights.bin")


@pytest.mark.parametrize(
    ("damage", "problem"),
    [
        (lambda folder: (folder / "model.onnx").unlink(), "CrossEncoderJudge"),
        (lambda folder: (folder / "tokenizer.json").unlink(), "tokenizer.json"),
        (lambda folder: (folder / "config.json").unlink(), "config.json"),
        (break_graph, r"model\.onnx"),
        (break_tokenizer, "tokenizer"),
        (break_config, "config.json"),
        (make_encoder, "does not run: .*sequence classification"),
        (move_weights, "weights lie in another file"),
    ],
)
def test_damage(copied, damage, problem):
    """A folder that cannot answer fails when it is opened, not in a search."""
    damage(copied)
    with pytest.raises(BundleError, match=problem):
        OnnxJudge(copied)


def test_no_folder(tmp_path):
    with pytest.raises(BundleNotFoundError, match="nowhere"):
        OnnxJudge(tmp_path / "nowhere")


def test_it_is_saved_by_folder(folders, nli, tmp_path):
    """A fitted judge's file restores the judge."""
    judge = OnnxJudge(folders["nli"], providers=[("CPUExecutionProvider", {})], threads=1)
    JudgeSettings(judge=judge).save(tmp_path / "judge.json")
    restored = JudgeSettings.load(tmp_path / "judge.json").judge
    assert restored.describe()["class"] == "OnnxJudge"
    assert restored(PAIRS) == pickle.loads(pickle.dumps(judge))(PAIRS) == nli(PAIRS)
    assert restored.describe().keys() == {"class", "folder", "providers", "threads"}
