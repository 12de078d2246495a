"""The ONNX encoder on the default bundle and on tiny bundles."""

from __future__ import annotations

import gc
import json
import warnings
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from onnx import numpy_helper
from tiny_bundles import (
    WORDS,
    head,
    rewrite_manifest,
    tiny_graph,
    tiny_tokenizer,
    write_tiny_bundle,
)

from logic_retrievers.encoders import Encoder, OnnxEncoder, sessions
from logic_retrievers.encoders.base import check_names
from logic_retrievers.encoders.tokenization import split_uneven, token_batches
from logic_retrievers.errors import (
    ConfigurationError,
    EmptyTextError,
    EncoderError,
    InputError,
    LongTextWarning,
    ProviderError,
)


def cosines(left: np.ndarray, right: np.ndarray) -> np.ndarray:
    return np.einsum("ij,ij->i", left, right)


def test_a_long_text_among_a_few_short_ones_is_not_padded_to():
    """A search encodes a query and its parts; padding all to the longest took a third longer."""
    lengths = [4, 40, 38, 5]
    (batch,) = token_batches(lengths, 32, 512)
    parts = [part.tolist() for part in split_uneven(lengths, batch)]
    assert parts == [[1, 2], [3, 0]]
    assert [part.tolist() for part in split_uneven([9, 8, 9], np.array([0, 2, 1]))] == [[0, 2, 1]]


def test_the_default_encoder_keeps_the_protocol(encoder: OnnxEncoder):
    assert isinstance(encoder, Encoder)
    spec = encoder.specs["topical"]
    assert (spec.dimension, spec.max_tokens, spec.trained) == (384, 256, True)
    assert encoder.specs["compatibility"].trained
    assert spec.fingerprint == spec.query_fingerprint != encoder.specs["compatibility"].fingerprint
    vectors = encoder.encode_queries(["quiet hotel"])
    assert list(vectors) == ["topical", "compatibility", "contradiction"]
    assert vectors["topical"].dtype == np.float32
    assert np.linalg.norm(vectors["topical"]) == pytest.approx(1, abs=1e-5)
    assert list(encoder.encode_queries(["a"], ["compatibility"])) == ["compatibility"]
    assert encoder.encode_documents([])["topical"].shape == (0, 384)


def test_heads_of_one_output_share_one_read_only_array(tmp_path: Path):
    """Scaling one vector in place would silently scale the other."""
    folder = write_tiny_bundle(tmp_path)
    rewrite_manifest(folder, heads={"topical": head(), "same": head(trained=False)})
    vectors = OnnxEncoder(folder).encode_documents(["a b", "c"])
    assert vectors["topical"] is vectors["same"]
    with pytest.raises(ValueError, match="read-only"):
        vectors["topical"][0] = 0


def test_heads_and_sides_read_their_own_graph_output_and_prefix(tmp_path: Path):
    """A head that reads the wrong output has the right shape and the wrong meaning."""
    folder = write_tiny_bundle(tmp_path)
    (folder / "query.onnx").write_bytes(tiny_graph(seed=7).SerializeToString())
    heads = {
        "first": head(),
        "second": head("second"),
        "mean": head("tokens", pooling="mean", normalise=True),
        "cls": head("tokens", pooling="cls", normalise=True),
        "prefixed": head(query={"prefix": "a b "}),
        "apart": head(query={"graph": "query.onnx"}),
    }
    rewrite_manifest(folder, heads=heads)
    tiny = OnnxEncoder(folder)
    texts = ["c d e", "f", "g h i j k"]
    queries, documents = tiny.encode_queries(texts), tiny.encode_documents(texts)
    np.testing.assert_allclose(documents["mean"], documents["first"], atol=1e-6)
    assert cosines(documents["second"], documents["first"]).max() < 0.99
    np.testing.assert_allclose(documents["cls"], np.resize(documents["cls"][0], (3, 4)), atol=1e-6)
    prefixed = tiny.encode_documents([f"a b {text}" for text in texts])["first"]
    np.testing.assert_allclose(queries["prefixed"], prefixed, atol=1e-6)
    np.testing.assert_array_equal(documents["prefixed"], documents["first"])
    np.testing.assert_array_equal(documents["apart"], documents["first"])
    assert cosines(queries["apart"], documents["apart"]).max() < 0.99
    assert tiny.specs["apart"].query_fingerprint != tiny.specs["apart"].fingerprint


def test_long_texts_warn_once_a_call_and_are_read_from_the_start(encoder: OnnxEncoder):
    """Text beyond the limit is not searchable, which users would miss without a warning."""
    long = "noise " * 20_000
    with pytest.warns(LongTextWarning, match=r"2 of 3 texts.*256.*Split") as caught:
        vectors = encoder.encode_documents([long, "short", long + "quiet"])["topical"]
    assert len(caught) == 1
    assert caught[0].filename == __file__
    np.testing.assert_allclose(vectors[0], vectors[2], atol=1e-6)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        fitting = encoder.encode_documents(["noise " * 254])["topical"]
    assert cosines(fitting, vectors[:1])[0] >= 0.99999


def test_token_spans_give_back_the_text_and_are_never_cut(encoder: OnnxEncoder):
    text = "Übergröße 🌶️ no-noise \ud800 " * 400
    spans = encoder.token_spans(text)
    assert len(spans) > 256
    assert all(0 <= start < end <= len(text) for start, end in spans)
    start, end = spans[0]
    assert text[start:end].startswith("Ü")
    assert encoder.token_spans("") == []


def test_a_text_of_which_nothing_is_read_is_refused(encoder: OnnxEncoder):
    """Such a text would get the empty text's vector and be found everywhere."""
    with pytest.raises(EmptyTextError, match="Text 1 is empty"):
        encoder.encode_documents(["fine", "\x00\u200b"])
    with pytest.raises(EmptyTextError, match="nothing that the tokenizer reads"):
        encoder.encode_documents(["fine", "\ue000"])


@pytest.mark.parametrize("wrong", ["text", b"text", [b"text"], [None], {"a"}])
def test_what_is_not_a_list_of_strings_is_refused(encoder: OnnxEncoder, wrong: object):
    """A single string would count as a list of letters."""
    with pytest.raises(InputError):
        encoder.encode_queries(wrong)  # type: ignore[arg-type]


def test_many_callers_of_many_batches_get_what_one_gets(tmp_path: Path):
    """The first caller that needs it opens the graph's copy for many batches."""
    folder = write_tiny_bundle(tmp_path)
    texts = [" ".join("abcdefgh"[i % 8 :]) for i in range(1_200)]  # more than one window
    tiny = OnnxEncoder(folder, threads=3, batch_size=4)
    alone = [tiny.encode_documents([text])["topical"] for text in texts[:8]]
    expected = np.resize(np.concatenate(alone), (1_200, 4))
    with ThreadPoolExecutor(4) as pool:
        for vectors in pool.map(tiny.encode_documents, [texts] * 8):
            np.testing.assert_allclose(vectors["topical"], expected, atol=1e-6)


def test_a_provider_that_is_not_there_is_an_error(encoder: OnnxEncoder):
    """ONNX Runtime only warns and uses the CPU: a GPU machine would run at laptop speed."""
    with pytest.raises(ProviderError, match="CUDAExecutionProvider"):
        OnnxEncoder(encoder.bundle, providers=["CUDAExecutionProvider", "CPUExecutionProvider"])
    OnnxEncoder(encoder.bundle, providers=[("CPUExecutionProvider", {})])


def test_names_and_settings_that_cannot_work_are_refused(encoder: OnnxEncoder):
    with pytest.raises(ConfigurationError, match="lexical"):
        encoder.encode_queries(["a"], ["lexical"])
    with pytest.raises(ConfigurationError, match="list"):
        check_names("topical", encoder.specs)
    for wrong in ({"threads": 0}, {"batch_size": 0}, {"batch_tokens": -1}):
        with pytest.raises(ConfigurationError, match="must be"):
            OnnxEncoder(encoder.bundle, **wrong)


def test_a_text_that_graph_or_tokenizer_cannot_read_is_an_error_of_ours(tmp_path: Path):
    """A tokenizer with more words than the graph's table fails at some text, maybe years later."""
    folder = write_tiny_bundle(tmp_path)
    vocabulary = json.loads(tiny_tokenizer().to_str())
    vocabulary["model"]["vocab"]["rare"] = 500
    del vocabulary["model"]["vocab"]["[UNK]"]
    (folder / "tokenizer.json").write_text(json.dumps(vocabulary))
    rewrite_manifest(folder)
    tiny = OnnxEncoder(folder, threads=3)
    for texts in (["rare"], ["rare"] * 100):  # many run in threads, where an error easily gets lost
        with pytest.raises(EncoderError, match=r"cannot run 'model\.onnx'"):
            tiny.encode_documents(texts)
    for call in (tiny.token_spans, lambda text: tiny.encode_documents([text])):
        with pytest.raises(EncoderError, match="tokenizer fails"):
            call("unheard")


def test_vectors_that_are_not_finite_are_refused(tmp_path: Path):
    """A NaN in one word's row would be stored for every passage with that word."""
    folder = write_tiny_bundle(tmp_path)
    graph = tiny_graph()
    table = next(tensor for tensor in graph.graph.initializer if tensor.name == "table")
    values = numpy_helper.to_array(table).copy()
    values[WORDS.index("z")] = np.nan
    table.CopyFrom(numpy_helper.from_array(values, "table"))
    (folder / "model.onnx").write_bytes(graph.SerializeToString())
    rewrite_manifest(folder)
    tiny = OnnxEncoder(folder)
    tiny.encode_documents(["a b"])
    with pytest.raises(EncoderError, match="not of finite numbers"):
        tiny.encode_documents(["a b", "a z"])


def test_the_padding_token_of_the_tokenizer_is_used(tmp_path: Path):
    """Some models count positions by the padding id; a wrong one shifts a batch's vectors."""
    folder = write_tiny_bundle(tmp_path)
    tokenizer = tiny_tokenizer()
    tokenizer.enable_padding(pad_id=3, pad_token="[SEP]", length=12)
    (folder / "tokenizer.json").write_text(tokenizer.to_str())
    rewrite_manifest(folder, heads={"raw": head("tokens", pooling="cls", normalise=True)})
    tiny = OnnxEncoder(folder)
    assert tiny._tokenizer.pad_id == 3
    assert len(tiny._tokenizer.encode(["a"], "", 16)[0][0]) == 3


def test_encoders_and_judges_of_a_process_share_sessions(tmp_path: Path, monkeypatch):
    """Frameworks make an encoder for each component; each took its memory again."""
    opened, real = [], sessions._open_session
    monkeypatch.setattr(
        sessions, "_open_session", lambda *a, **k: opened.append(a) or real(*a, **k)
    )
    folder = write_tiny_bundle(tmp_path / "tiny", seed=77)
    first = OnnxEncoder(folder)
    count = len(opened)
    second = OnnxEncoder(folder)
    assert len(opened) == count > 0
    expected = first.encode_queries(["b a"])
    assert all(np.array_equal(v, expected[n]) for n, v in second.encode_queries(["b a"]).items())
    third = OnnxEncoder(folder, threads=2)
    assert len(opened) > count
    del first, second, third
    gc.collect()
    count = len(opened)
    OnnxEncoder(folder)
    assert len(opened) > count, "sessions that no one uses must be closed"


def test_a_forked_process_opens_its_own_sessions(tmp_path: Path):
    """A session's threads do not survive a fork, and its next run would never end."""
    folder = write_tiny_bundle(tmp_path / "tiny", seed=78)
    (before,) = set(OnnxEncoder(folder)._graphs.values())
    sessions._after_fork()
    (after,) = set(OnnxEncoder(folder)._graphs.values())
    assert before is not after
