"""Distillation of a head over shared layers."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random

import numpy as np
import pytest
import torch
from logic_export.bundles.export import BundleLabel, add_heads, export_bundle
from logic_export.bundles.heads import HeadSource, find_head
from logic_export.training import distillation
from logic_export.training.distillation import distil_head, unpack_head
from small_models import retrained

from logic_retrievers.encoders import OnnxEncoder, load_bundle
from logic_retrievers.encoders.manifest import Calibration
from logic_retrievers.errors import ConfigurationError

WORDS = ["no", "noise", "a", "quiet", "room", "find", "hotel", "not", "loud", "without", "q"]
pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def base(models) -> str:
    """A model without equal biases, which an export stores once under one name."""
    return models["queries"]


@pytest.fixture(scope="module")
def bundle(base, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A head that moved away from the base in all layers."""
    folder = tmp_path_factory.mktemp("distilled")
    constants = Calibration(constants={"alpha": 2.0}, origin="once")
    moved = retrained(Path(base), folder / "moved", "layer.")
    heads = [
        HeadSource("topical", base),
        HeadSource("contradiction", moved, contradiction=constants),
    ]
    label = BundleLabel("small", "Apache-2.0", "made here", {"NOTICE": "for a test\n"})
    export_bundle(folder / "two", label, heads)
    return folder / "two"


@pytest.fixture(scope="module")
def texts() -> list[str]:
    random = Random(0)
    return [" ".join(random.choices(WORDS, k=random.randint(2, 14))) for _ in range(300)]


@pytest.fixture(autouse=True)
def small_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in (("HELD_OUT", 32), ("LEARNING_RATE", 2e-3), ("WARMUP", 5)):
        monkeypatch.setattr(distillation, name, value)
    monkeypatch.setattr(distillation, "REPORT_EVERY", 5)


def test_the_teacher_is_the_head_of_the_bundle(bundle, base):
    model = unpack_head(load_bundle(bundle), "contradiction", base)
    texts = ["a quiet room", "not loud : no noise"]
    found = model.encode(texts, normalize_embeddings=True)
    expected = OnnxEncoder(bundle).encode_documents(texts)["contradiction"]
    assert np.einsum("ij,ij->i", found, expected).min() > 0.9999


def test_a_head_learns_to_stand_on_shared_layers(bundle, base, texts, tmp_path: Path):
    """The student's lowest layer is the base's, bit for bit; the rest makes up for it."""
    out, made = tmp_path / "run", tmp_path / "made"
    old = load_bundle(bundle)
    settings = {"shared_layers": 1, "licence": "CC0-1.0", "ships": True}
    figures = distil_head(old, "contradiction", base, texts, out, epochs=20, **settings)
    first = json.loads((out / "metrics.jsonl").read_text().splitlines()[0])
    assert figures["cosine"] > first["cosine"] + 0.05
    with pytest.raises(ConfigurationError, match="exists"):
        distil_head(old, "contradiction", base, texts, out, **settings)
    heads = [find_head("topical", base), find_head("contradiction", str(out))]
    add_heads(bundle, heads, made, shared_layers=1, keep_constants=True)
    head = load_bundle(made).manifest.heads["contradiction"]
    assert [row.licence for row in head.training] == ["CC0-1.0"]
    assert head.contradiction == old.manifest.heads["contradiction"].contradiction
    assert head.document.trunk == ("trunk.onnx", "layers.onnx")


def test_a_run_that_was_cut_ends_as_if_it_was_not(bundle, base, texts, tmp_path, monkeypatch):
    old, settings = load_bundle(bundle), {"shared_layers": 1, "licence": "CC0-1.0", "epochs": 4}

    def weights(name: str) -> dict[str, torch.Tensor]:
        distil_head(old, "contradiction", base, texts, tmp_path / name, **settings)
        return torch.load(tmp_path / name / "checkpoint.pt")["layers"]

    whole, step, calls = weights("whole"), distillation._step, []

    def cut(*arguments):
        calls.append(1)
        if len(calls) == 8:
            raise KeyboardInterrupt
        return step(*arguments)

    monkeypatch.setattr(distillation, "_step", cut)
    with pytest.raises(KeyboardInterrupt):
        weights("cut")
    resumed = weights("cut")
    assert all(torch.equal(values, resumed[name]) for name, values in whole.items())


@pytest.mark.parametrize(
    ("change", "word"),
    [
        ({"head": "mine"}, "no head"),
        ({"shared_layers": 2}, "cannot be shared"),
        ({"texts": ["a quiet room"]}, "too few"),
    ],
)
def test_wrong_settings(bundle, base, texts, tmp_path, change, word):
    settings = {"head": "contradiction", "texts": texts, "shared_layers": 1, **change}
    with pytest.raises(ConfigurationError, match=word):
        distil_head(
            load_bundle(bundle),
            base=base,
            out=tmp_path / "run",
            licence="MIT",
            **settings,
        )
