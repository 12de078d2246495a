"""Encoders that compute in int8, and indexes that take vectors of both precisions."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from logic_retrievers import OnnxEncoder, Passage, PassageIndex
from logic_retrievers.cli.app import app
from logic_retrievers.encoders import CachedEncoder, int8
from logic_retrievers.errors import ConfigurationError, MissingExtraError
from logic_retrievers.index.collection import read_vectors

TEXTS = [
    "Hotels by the sea without a pool.",
    "The drug does not reduce mortality; in two trials it raised it by 12.5 %. " * 5,
    "quiet",
]

if int8.int8_instructions() is None:
    pytest.skip("this processor has no int8 instructions", allow_module_level=True)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("cache")


@pytest.fixture(autouse=True)
def cache(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(int8.FOLDER, str(folder))


@pytest.fixture
def encoder() -> OnnxEncoder:
    return OnnxEncoder(precision="int8")


def cosines(left: np.ndarray, right: np.ndarray) -> np.ndarray:
    return np.einsum("ij,ij->i", left, right)


def notes_int8(index: PassageIndex) -> bool:
    info = index.client.get_collection(index.collection)
    return read_vectors(index.collection, info, None)["topical"].int8


def test_vectors_are_near_and_do_not_depend_on_the_batch(encoder: OnnxEncoder):
    exact, found = OnnxEncoder().encode_documents(TEXTS), encoder.encode_documents(TEXTS)
    for name, vectors in found.items():
        assert 0.98 < cosines(vectors, exact[name]).min() < 0.99999
        alone = np.concatenate([encoder.encode_documents([text])[name] for text in TEXTS])
        np.testing.assert_array_equal(vectors, alone)


def test_an_index_takes_passages_of_both(encoder: OnnxEncoder, tmp_path: Path):
    """The collection notes int8; passages are not written again for the other precision."""
    passages = [Passage(str(n), text) for n, text in enumerate(TEXTS)]
    exact = OnnxEncoder()
    with PassageIndex.open("both", exact, location=str(tmp_path)) as index:
        index.add(passages[:1])
        assert not notes_int8(index)
    with PassageIndex.open("both", encoder, location=str(tmp_path)) as index:
        report = index.add(passages)
        assert (report.added, report.unchanged) == (2, 1)
    with PassageIndex.open("both", exact, location=str(tmp_path)) as index:
        assert notes_int8(index)
        assert index.add(passages).unchanged == 3


def test_index_and_doctor(tmp_path: Path):
    (tmp_path / "a.txt").write_text(TEXTS[0])
    where = ["--location", str(tmp_path / "index")]
    file, run = str(tmp_path / "a.txt"), CliRunner().invoke
    assert run(app, ["index", file, "--precision", "int8", *where]).exit_code == 0
    assert "topical (384, int8)" in run(app, ["doctor", *where]).output
    assert "int4" in run(app, ["index", file, "--precision", "int4", *where]).output


def test_a_cache_does_not_mix_them(encoder: OnnxEncoder, tmp_path: Path):
    file = tmp_path / "vectors.sqlite"
    exact = CachedEncoder(OnnxEncoder(), file).encode_queries(["a quiet room"], ["topical"])
    found = CachedEncoder(encoder, file).encode_queries(["a quiet room"], ["topical"])
    assert not np.array_equal(exact["topical"], found["topical"])


def test_graphs_are_made_once(encoder: OnnxEncoder, folder: Path, monkeypatch):
    """Where they are kept, the extra is not needed."""
    before = {path: path.stat().st_mtime_ns for path in folder.iterdir()}
    monkeypatch.setitem(sys.modules, "onnx", None)
    OnnxEncoder(precision="int8")
    assert {path: path.stat().st_mtime_ns for path in folder.iterdir()} == before
    monkeypatch.setenv(int8.FOLDER, str(folder / "new"))
    with pytest.raises(MissingExtraError, match=r"\[int8\]"):
        OnnxEncoder(precision="int8")


def test_where_it_cannot_be(monkeypatch):
    with pytest.raises(ConfigurationError, match="precision"):
        OnnxEncoder(precision="int4")
    with pytest.raises(ConfigurationError, match="providers"):
        OnnxEncoder(precision="int8", providers=["CUDAExecutionProvider"])
    monkeypatch.setattr(int8, "int8_instructions", lambda: None)
    with pytest.raises(ConfigurationError, match="VNNI"):
        OnnxEncoder(precision="int8")
