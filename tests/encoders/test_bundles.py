"""Bundles: what is damaged is refused, in words that help."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from tiny_bundles import head, rewrite_manifest, write_tiny_bundle

from logic_retrievers.encoders import OnnxEncoder, default_bundle_path, load_bundle, verify_bundle
from logic_retrievers.encoders.verification import parity_cosines
from logic_retrievers.errors import BundleError, BundleNotFoundError, ChecksumError


@pytest.fixture
def bundle(tmp_path: Path) -> Path:
    return write_tiny_bundle(tmp_path / "bundle")


def test_the_default_bundle_agrees_with_the_original_model():
    """An export that changed pooling or weights gives vectors of the right shape, but wrong."""
    bundle = verify_bundle(deep=True)
    cosines = parity_cosines(bundle)
    assert {(head, role) for head, role, _, _ in cosines} == {
        (head, role)
        for head in ("topical", "compatibility", "contradiction")
        for role in ("query", "document")
    }
    assert min(cosine for *_, cosine in cosines) >= 0.9994


def test_the_default_bundle_names_its_origin_and_every_training_set():
    """Whoever hands it on must know what its licences ask for."""
    bundle = load_bundle()
    assert bundle.path == default_bundle_path()
    topical, *trained = (
        bundle.manifest.heads[n] for n in ("topical", "compatibility", "contradiction")
    )
    assert topical.trained
    assert not topical.training
    notice = bundle.read("NOTICE").decode()
    for made in trained:
        assert made.trained
        assert sum(data.rows for data in made.training) > 1000
        for data in made.training:
            assert re.search(
                rf"{re.escape(data.name)}: {data.rows} (triplets|rows), {re.escape(data.licence)}",
                notice,
            )
    assert "sentence-transformers/all-MiniLM-L6-v2" in notice
    assert "Microsoft" in notice
    assert b"Apache License" in bundle.read("LICENSE")
    listed = {*bundle.manifest.files, "manifest.json"}
    assert {path.name for path in bundle.path.iterdir()} == listed


def test_the_default_bundle_is_small_and_stores_its_tables_once():
    """Three heads must fit under 80 MB, or the wheel is too large for a package index."""
    bundle = load_bundle()
    sizes = {path.name: path.stat().st_size for path in bundle.path.iterdir()}
    trunks = {head.document.trunk for head in bundle.manifest.heads.values()}
    assert trunks == {"trunk.onnx"}
    assert sum(sizes.values()) < 80e6


@pytest.mark.parametrize("name", ["model.onnx", "tokenizer.json", "NOTICE", "parity.json"])
def test_a_changed_file_is_refused(bundle: Path, name: str):
    """A flipped bit in the weights would give plausible, wrong rankings."""
    content = bytearray((bundle / name).read_bytes())
    content[len(content) // 2] ^= 1
    (bundle / name).write_bytes(content)
    with pytest.raises(ChecksumError, match=name):
        OnnxEncoder(bundle)


def test_a_missing_file_is_named(bundle: Path):
    (bundle / "tokenizer.json").unlink()
    with pytest.raises(BundleError, match=r"tokenizer\.json.*again"):
        load_bundle(bundle)


def test_no_folder_and_no_manifest_are_told_apart(tmp_path: Path):
    with pytest.raises(BundleNotFoundError, match="no bundle folder"):
        load_bundle(tmp_path / "nowhere")
    with pytest.raises(BundleNotFoundError, match="SentenceTransformerEncoder"):
        load_bundle(tmp_path)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"format_version": 2}, "format version 2"),
        ({"heads": {}}, "heads"),
        ({"licence": ""}, "licence"),
        ({"surprise": 1}, "surprise"),
        ({"heads": {"topical": head(dimension=0)}}, "dimension"),
        ({"heads": {"topical": head(pooling="max")}}, "pooling"),
        ({"heads": {"topical": head(query={"graph": "other.onnx"})}}, r"other\.onnx"),
        ({"files": {"NOTICE": "abc"}}, "NOTICE"),
        ({"files": {"../model.onnx": "0" * 64}}, "leads out"),
        ({"files": {"/etc/passwd": "0" * 64}}, "leads out"),
        ({"files": {"..\\model.onnx": "0" * 64}}, "leads out"),
        ({"parity": {"file": "parity.json", "min_cosine": 2}}, "min_cosine"),
    ],
)
def test_a_malformed_manifest_is_refused(bundle: Path, changes: dict, message: str):
    """A manifest from a stranger must not make the reader open files outside its folder."""
    rewrite_manifest(bundle, **changes)
    with pytest.raises(BundleError, match=message):
        load_bundle(bundle)


@pytest.mark.parametrize("content", ["", "[]", "{", "{}", '"text"', "\xff"])
def test_a_manifest_that_is_no_manifest_is_refused(bundle: Path, content: str):
    (bundle / "manifest.json").write_bytes(content.encode("latin-1"))
    with pytest.raises(BundleError, match=r"manifest\.json"):
        load_bundle(bundle)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (head(dimension=5), "manifest says 5"),
        (head("third"), "no output 'third'"),
        (head("tokens"), "does not run|shape"),
        (head("tokens", pooling="mean"), "normalise"),
        (head("first", pooling="mean"), "does not run"),
    ],
)
def test_a_graph_that_is_not_what_the_manifest_says_is_refused(
    bundle: Path, wrong: dict, message: str
):
    """Else the first upsert fails, or the collection fills with vectors of another length."""
    rewrite_manifest(bundle, heads={"topical": wrong})
    with pytest.raises(BundleError, match=message):
        OnnxEncoder(bundle)


@pytest.mark.parametrize("name", ["model.onnx", "tokenizer.json"])
def test_files_that_are_listed_but_unreadable_are_refused(bundle: Path, name: str):
    (bundle / name).write_bytes(b"not what it should be")
    rewrite_manifest(bundle)
    with pytest.raises(BundleError):
        OnnxEncoder(bundle)


def test_deep_verification_finds_vectors_that_stray(bundle: Path):
    """All checksums fit a bundle that was exported wrongly."""
    vector = OnnxEncoder(bundle).encode_queries(["a b c"])["topical"][0]
    for sign in (1, -1):
        reference = {
            "heads": ["topical"],
            "roles": ["query", "document"],
            "texts": ["a b c"],
            "vectors": [[sign * float(value) for value in vector]],
        }
        (bundle / "parity.json").write_text(json.dumps([reference]))
        rewrite_manifest(bundle)
        if sign == 1:
            verify_bundle(bundle, deep=True)
    verify_bundle(bundle)
    with pytest.raises(BundleError, match="has cosine -1"):
        verify_bundle(bundle, deep=True)


def test_fingerprints_tell_sides_and_settings_apart(bundle: Path):
    """An index that is opened with other prefixes or pooling would mix two spaces."""
    heads = {
        "plain": head(),
        "same": head(trained=False),
        "second": head("second"),
        "prefixed": head(query={"prefix": "a "}),
        "shorter": head(query={"max_tokens": 8}),
        "scaled": head(normalise=True),
    }
    rewrite_manifest(bundle, heads=heads)
    manifest = load_bundle(bundle).manifest
    queries = {name: manifest.fingerprint(name, "query") for name in heads}
    documents = {name: manifest.fingerprint(name, "document") for name in heads}
    assert queries["plain"] == documents["plain"] == queries["same"]
    assert documents["plain"] == documents["prefixed"] == documents["shorter"]
    assert len(set(queries.values())) == len(heads) - 1

    other = write_tiny_bundle(bundle.parent / "other", seed=1, heads=heads)
    assert load_bundle(other).manifest.fingerprint("plain", "document") != documents["plain"]
