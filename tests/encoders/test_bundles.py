"""Bundles: damaged ones are refused with helpful errors."""

from __future__ import annotations

import json
import math
import os
import re
from pathlib import Path

import pytest
from tiny_bundles import head, rewrite_manifest, write_tiny_bundle

from logic_retrievers.encoders import OnnxEncoder, default_bundle_path, load_bundle, verify_bundle
from logic_retrievers.encoders.onnx import parity_cosines
from logic_retrievers.errors import BundleError, BundleNotFoundError, ChecksumError


@pytest.fixture
def bundle(tmp_path: Path) -> Path:
    return write_tiny_bundle(tmp_path / "bundle")


def test_the_default_bundle_agrees_with_the_original_model():
    """An export that changed pooling or weights gives wrong vectors of the right shape."""
    bundle = verify_bundle()
    cosines = parity_cosines(bundle)
    assert {(head, role) for head, role, _, _ in cosines} == {
        (head, role)
        for head in ("topical", "compatibility", "contradiction")
        for role in ("query", "document")
    }
    assert min(cosine for *_, cosine in cosines) >= 0.9994


def test_the_default_bundle_names_its_origin_and_every_training_set():
    """A user who redistributes it must know what its licences require."""
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
    # otherwise the wheel is too large for a package index
    assert sum(path.stat().st_size for path in bundle.path.iterdir()) < 80e6


@pytest.mark.parametrize("name", ["model.onnx", "NOTICE"])
def test_a_changed_file_is_refused(bundle: Path, name: str):
    """A flipped bit in the weights gives plausible, wrong rankings."""
    content = bytearray((bundle / name).read_bytes())
    content[len(content) // 2] ^= 1
    (bundle / name).write_bytes(content)
    with pytest.raises(ChecksumError, match=name):
        OnnxEncoder(bundle)


def test_a_folder_without_a_manifest_is_no_bundle(tmp_path: Path):
    for path in ("nowhere", "n" * 5000, "a\0b", ""):
        with pytest.raises(BundleNotFoundError, match="SentenceTransformerEncoder"):
            load_bundle(tmp_path / path)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"format_version": 2}, "format_version"),
        ({"surprise": 1}, "surprise"),
        ({"heads": {"topical": head(pooling="max")}}, "pooling"),
        ({"heads": {"topical": head(query={"graph": "other.onnx"})}}, r"other\.onnx"),
        ({"files": {"../model.onnx": "0" * 64}}, "leads out"),
        ({"files": {"/etc/passwd": "0" * 64}}, "leads out"),
    ],
)
def test_a_malformed_manifest_is_refused(bundle: Path, changes: dict, message: str):
    """A stranger's manifest must not make the reader open files outside its folder."""
    rewrite_manifest(bundle, **changes)
    with pytest.raises(BundleError, match=message):
        load_bundle(bundle)


INFINITE = '{"constants": {"tau": 1e400}, "origin": "a test"}'


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('"licence": "Apache-2.0"', f'"licence": {"[" * 960}{"]" * 960}', "recursion limit"),
        ('{"format_version": 1', '[{"format_version": 1', "JSON"),
        ('"dimension": 4', f'"dimension": 4, "exclusion": {INFINITE}', "finite"),
        ('"NOTICE":', f'"a\\u0000b": "{"0" * 64}", "NOTICE":', "null byte"),
        ('"NOTICE":', f'"{"n/" * 120}": "{"0" * 64}", "NOTICE":', "cannot be read"),
    ],
    ids=lambda value: value[:40],
)
def test_a_manifest_with_values_that_no_formula_takes(bundle: Path, old, new, message):
    """Each was accepted, or raised an error outside our hierarchy."""
    file = bundle / "manifest.json"
    content = file.read_text()
    assert old in content
    file.write_text(content.replace(old, new))
    with pytest.raises(BundleError, match=message) as refused:
        load_bundle(bundle)
    assert len(str(refused.value)) < 1000


@pytest.mark.timeout(60)
@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes in folders on this system")
@pytest.mark.parametrize(
    ("name", "replace"),
    [
        ("manifest.json", os.mkfifo),
        ("model.onnx", lambda path: path.symlink_to("/dev/zero")),
        ("tokenizer.json", Path.mkdir),
    ],
)
def test_only_regular_files_are_read(bundle: Path, name: str, replace):
    """Reading waited for a pipe, and filled the memory from a device."""
    whole = load_bundle(bundle)
    (bundle / name).unlink()
    replace(bundle / name)
    with pytest.raises(BundleError, match="no regular file"):
        load_bundle(bundle)
    with pytest.raises(BundleError):
        whole.read(name)


@pytest.mark.parametrize(
    "row",
    [
        {"vectors": [[1e200] * 4]},
        {"vectors": [[math.nan] * 4]},
        {"vectors": [[1.0, 0.0]]},
        {"texts": [" "]},
        {"heads": ["lexical"]},
    ],
    ids=str,
)
def test_reference_vectors_that_cannot_be_compared(bundle: Path, row: dict):
    """A NaN cosine is not below the limit, so it would pass as agreement."""
    reference = {
        "heads": ["topical"],
        "roles": ["query"],
        "texts": ["a"],
        "vectors": [[1, 0, 0, 0]],
    }
    (bundle / "parity.json").write_text(json.dumps([reference | row]))
    rewrite_manifest(bundle)
    with pytest.raises(BundleError):
        verify_bundle(bundle)


def test_a_panic_of_the_tokenizer_is_an_error_of_ours(bundle: Path):
    """The panic derives from BaseException, so callers who catch errors would miss it."""
    content = json.loads((bundle / "tokenizer.json").read_text())
    content["post_processor"]["special_tokens"] = {}
    (bundle / "tokenizer.json").write_text(json.dumps(content))
    rewrite_manifest(bundle)
    with pytest.raises(BundleError, match="tokenizer fails"):
        OnnxEncoder(bundle)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (head(dimension=5), "shape"),
        (head("third"), "third"),
        (head("tokens"), "shape"),
        (head("tokens", pooling="mean"), "normalise"),
        (head("first", pooling="mean"), "graphs do not"),
    ],
)
def test_a_graph_that_is_not_what_the_manifest_says_is_refused(
    bundle: Path, wrong: dict, message: str
):
    """Otherwise the first upsert fails, or the collection gets vectors of the wrong length."""
    rewrite_manifest(bundle, heads={"topical": wrong})
    with pytest.raises(BundleError, match=message):
        OnnxEncoder(bundle)


def test_verification_finds_vectors_that_stray(bundle: Path):
    """All checksums match in a wrongly exported bundle."""
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
            verify_bundle(bundle)
    load_bundle(bundle)
    with pytest.raises(BundleError, match="cosine -1"):
        verify_bundle(bundle)


def test_fingerprints_tell_sides_and_settings_apart(bundle: Path):
    """Opening an index with different prefixes or pooling would mix two spaces."""
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
