"""A query encoder in one file: queries change, documents stay, and a wrong file is refused."""

from __future__ import annotations

import json
import pickle
from pathlib import Path

import numpy as np
import onnx
import pytest
from query_files import TEXTS as READ
from query_files import write_noisy
from tiny_bundles import head, rewrite_manifest, tiny_graph, write_tiny_bundle

from logic_retrievers.encoders import (
    CachedEncoder,
    CombinedEncoder,
    FunctionEncoder,
    OnnxEncoder,
    RecentEncoder,
    load_bundle,
    read_query_encoder,
    with_query_encoder,
)
from logic_retrievers.encoders.onnx import parity_cosines
from logic_retrievers.encoders.query_encoder import CARD_KEY, CHECKSUM_KEY, checksum
from logic_retrievers.errors import (
    BundleError,
    ConfigurationError,
    LongTextWarning,
    QueryEncoderError,
)

TEXTS = ["a b c", "x y", "a quiet q"]
HEADS = {"topical": head(), "other": head("second", query={"prefix": "q "})}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write_tiny_bundle(tmp_path / "bundle", heads=HEADS)


@pytest.fixture
def file(folder: Path, tmp_path: Path) -> Path:
    return write_noisy(tmp_path / "a.query.onnx", folder)


@pytest.fixture
def encoder(folder: Path) -> OnnxEncoder:
    return OnnxEncoder(folder, threads=2)


def queries(encoder, name: str = "topical") -> np.ndarray:
    return encoder.encode_queries(TEXTS, [name])[name]


def documents(encoder, name: str = "topical") -> np.ndarray:
    return encoder.encode_documents(TEXTS, [name])[name]


def test_queries_change_and_documents_do_not(encoder, file):
    """Any change on the document side would invalidate every stored vector."""
    swapped = encoder.with_query_encoder(file)
    assert np.abs(queries(swapped) - queries(encoder)).max() > 0.01
    for name in HEADS:
        np.testing.assert_array_equal(documents(swapped, name), documents(encoder, name))
        assert swapped.specs[name].fingerprint == encoder.specs[name].fingerprint
    np.testing.assert_array_equal(queries(swapped, "other"), queries(encoder, "other"))
    assert swapped.specs["other"] == encoder.specs["other"]
    sides = [one.specs["topical"].fingerprint_for("query") for one in (encoder, swapped)]
    assert sides[0] != sides[1]
    back = swapped.with_query_encoder(None)
    assert back.bundle.manifest == encoder.bundle.manifest
    np.testing.assert_array_equal(queries(back), queries(encoder))


def test_two_heads_may_each_have_one(encoder, folder, file, tmp_path):
    """The second must not remove the first, and a new one must replace the old one."""
    second = write_noisy(tmp_path / "b.query.onnx", folder, "other", seed=1)
    both = encoder.with_query_encoder(file).with_query_encoder(second)
    assert np.abs(queries(both, "other") - queries(encoder, "other")).max() > 0.01
    np.testing.assert_array_equal(queries(both), queries(encoder.with_query_encoder(file)))
    single = both.with_query_encoder(None, "topical")
    np.testing.assert_array_equal(queries(single), queries(encoder))
    np.testing.assert_array_equal(queries(single, "other"), queries(both, "other"))
    newer = write_noisy(tmp_path / "c.query.onnx", folder, seed=2)
    again = both.with_query_encoder(newer)
    np.testing.assert_array_equal(queries(again), queries(encoder.with_query_encoder(newer)))
    assert len(again.bundle.manifest.files) == len(both.bundle.manifest.files)


def test_open_graphs_are_shared(encoder, file):
    """A swap that reopened every graph would take seconds and twice the memory."""
    many = TEXTS * 40
    expected = encoder.encode_documents(many)["topical"]
    swapped = encoder.with_query_encoder(file)
    (shared,) = encoder._graphs.keys() & swapped._graphs.keys()
    assert swapped._graphs[shared] is encoder._graphs[shared]
    np.testing.assert_array_equal(swapped.encode_documents(many)["topical"], expected)


def test_the_documents_go_on_being_verified(folder, file):
    """After a swap `verify` must still check the document side."""
    row = {"heads": [*HEADS], "roles": ["query", "document"], "texts": ["a"]}
    (folder / "parity.json").write_text(json.dumps([{**row, "vectors": [[1, 0, 0, 0]]}]))
    rewrite_manifest(folder, heads=HEADS)
    bundle = load_bundle(folder).with_query_encoder(file)
    assert sorted({(name, role, text) for name, role, text, _ in parity_cosines(bundle)}) == [
        ("other", "document", "a"),
        ("other", "query", "a"),
        ("topical", "document", "a"),
        *sorted(("topical", "query", text) for text in READ),
    ]
    assert min(c for _, _, text, c in parity_cosines(bundle) if text in READ) > 0.9999
    swapped = OnnxEncoder(folder).with_query_encoder(file)
    np.testing.assert_array_equal(queries(OnnxEncoder(bundle)), queries(swapped))


def test_queries_are_cut_where_the_file_says(encoder, folder, tmp_path):
    """The encoder may be trained on longer or shorter queries than the bundle reads."""
    short = encoder.with_query_encoder(write_noisy(tmp_path / "s.onnx", folder, max_tokens=3))
    with pytest.warns(LongTextWarning, match="3 tokens"):
        cut = short.encode_queries(["a b c"], ["topical"])["topical"]
    np.testing.assert_array_equal(cut, short.encode_queries(["a"], ["topical"])["topical"])


def test_another_process_gets_the_same_query_encoder(encoder, file):
    """A newer file may lie there when a worker starts."""
    swapped = encoder.with_query_encoder(file)
    sent = pickle.dumps(swapped)
    file.unlink()
    again = pickle.loads(sent)
    assert dict(again.specs) == dict(swapped.specs)
    np.testing.assert_allclose(queries(again), queries(swapped), atol=1e-6)


def test_a_cache_never_mixes_two_query_encoders(encoder, file, tmp_path, monkeypatch):
    """A cache must not hide the new encoder, nor encode documents again."""
    expected = queries(encoder), queries(encoder.with_query_encoder(file))
    caches = [CachedEncoder(encoder, tmp_path / "cache"), RecentEncoder(encoder)]
    swapped = [with_query_encoder(cache, file) for cache in caches]
    for cache, other in zip(caches, swapped, strict=True):
        for _ in range(2):
            np.testing.assert_array_equal(queries(cache), expected[0])
            np.testing.assert_array_equal(queries(other), expected[1])
        np.testing.assert_array_equal(queries(with_query_encoder(other, None)), expected[0])
    stored = [documents(cache) for cache in caches]
    monkeypatch.setattr(OnnxEncoder, "_encode", None)
    for vectors, other in zip(stored, swapped, strict=True):
        np.testing.assert_array_equal(documents(other), vectors)


def test_a_part_under_another_name_is_found_by_its_documents(encoder, file):
    """Combined encoders rename vectors; the file knows only the bundle's names."""
    noise = FunctionEncoder(lambda texts: [[1.0, 2.0]] * len(texts), identity="a", name="topical")
    combined = CombinedEncoder([noise, (encoder, {"topical": "mine", "other": "other"})])
    swapped = with_query_encoder(combined, file)
    np.testing.assert_array_equal(
        queries(swapped, "mine"), queries(encoder.with_query_encoder(file))
    )
    assert swapped.specs["topical"] == combined.specs["topical"]
    back = with_query_encoder(swapped, None, "mine")
    np.testing.assert_array_equal(queries(back, "mine"), queries(encoder))
    with pytest.raises(ConfigurationError, match="makes no vector 'theirs'"):
        with_query_encoder(combined, None, "theirs")
    spec, read = encoder.specs["topical"], read_query_encoder(file)
    assert read.find_head({"a": spec, "topical": spec}) == "topical"
    assert read.find_head({"a": spec, "b": spec}) == "a"
    assert with_query_encoder(noise, None) is noise
    with pytest.raises(ConfigurationError, match="FunctionEncoder"):
        with_query_encoder(noise, file)


def test_a_file_that_is_not_there_or_none(encoder, folder, tmp_path):
    with pytest.raises(QueryEncoderError, match="Check the path"):
        encoder.with_query_encoder(tmp_path / "nothing.query.onnx")
    with pytest.raises(QueryEncoderError, match="cannot be read"):
        encoder.with_query_encoder(tmp_path)
    with pytest.raises(QueryEncoderError, match="null byte"):
        encoder.with_query_encoder("a\0b")
    with pytest.raises(QueryEncoderError, match="without the description of a query encoder"):
        encoder.with_query_encoder(folder / "model.onnx")
    with pytest.raises(QueryEncoderError, match="no ONNX file, or a damaged one"):
        encoder.with_query_encoder(folder / "NOTICE")
    with pytest.raises(BundleError, match="no head 'mine', only topical, other"):
        encoder.with_query_encoder(None, "mine")


def test_nothing_may_stand_behind_the_description(file):
    """Protobuf merges consecutive messages, so a second graph would join the first."""
    whole = file.read_bytes()
    file.write_bytes(whole + tiny_graph().SerializeToString())
    with pytest.raises(QueryEncoderError, match="checksum"):
        read_query_encoder(file)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('{"format_version":1', '{"format_version":2'),
        ('"prefix":""', f'"prefix":{"[" * 960}{"]" * 960}'),
        ('"min_cosine":0.999', '"min_cosine":NaN'),
        ('"texts":["a b c"', '"texts":["   "'),
        ('"vectors":[[', '"vectors":[[1e200,'),
    ],
    ids=lambda text: text[:20],
)
def test_a_description_that_cannot_be_used(encoder, file, old, new):
    """A right checksum does not make the file's author trustworthy."""
    entries = {entry.key: entry for entry in onnx.load(file).metadata_props}
    graph = file.read_bytes()[: read_query_encoder(file).card.graph_bytes]
    text = entries[CARD_KEY].value
    assert old in text
    text = text.replace(old, new)
    description = onnx.ModelProto()
    description.metadata_props.add(key=CARD_KEY, value=text)
    description.metadata_props.add(key=CHECKSUM_KEY, value=checksum(graph, text))
    file.write_bytes(graph + description.SerializeToString())
    with pytest.raises(QueryEncoderError) as refused:
        encoder.with_query_encoder(file)
    assert len(str(refused.value)) < 1000


def test_other_documents_are_refused(encoder, file, folder, tmp_path):
    """Queries and documents of two spaces match at random."""
    stranger = write_tiny_bundle(tmp_path / "stranger", seed=3, heads=HEADS)
    with pytest.raises(QueryEncoderError, match="is for documents of the fingerprint"):
        OnnxEncoder(stranger).with_query_encoder(file)
    with pytest.raises(QueryEncoderError, match="'other' has"):
        encoder.with_query_encoder(file, "other")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"tokenizer": "0" * 64}, "another tokenizer"),
        ({"trunk": "0" * 64}, "another trunk"),
        ({"normalise": True}, "vectors of another kind"),
        ({"output": "third"}, "third"),
        ({"vectors": [[1.0, 0.0, 0.0, 0.0]] * 3}, "computes something else"),
    ],
)
def test_what_does_not_fit_is_refused(encoder, folder, tmp_path, change, message):
    """Each file would encode wrongly without an error."""
    wrong = write_noisy(tmp_path / "wrong.query.onnx", folder, **change)
    with pytest.raises(BundleError, match=message) as refused:
        encoder.with_query_encoder(wrong)
    assert "wrong.query.onnx" in str(refused.value)
