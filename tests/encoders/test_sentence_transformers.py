"""The adapter on a real two-layer sentence-transformers model made here."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

from logic_retrievers.encoders import Encoder, SentenceTransformerEncoder
from logic_retrievers.errors import EmptyTextError, EncoderError, LongTextWarning

if TYPE_CHECKING:
    from sentence_transformers import SentenceTransformer

pytest.importorskip("sentence_transformers", reason="the extra sentence-transformers")


@pytest.fixture(scope="module")
def model(small_model_folder: Path) -> SentenceTransformer:
    from sentence_transformers import SentenceTransformer

    return SentenceTransformer(str(small_model_folder), device="cpu")


def test_vectors_are_those_of_the_model_and_have_length_one(
    model: SentenceTransformer, small_model_folder: Path
):
    encoder = SentenceTransformerEncoder(small_model_folder, query_prefix="find: ", device="cpu")
    assert isinstance(encoder, Encoder)
    spec = encoder.specs["topical"]
    assert (spec.dimension, spec.max_tokens, spec.query_prefix) == (32, 24, "find: ")
    vectors = encoder.encode_queries(["no noise", "a quiet room"])["topical"]
    expected = model.encode(["find: no noise", "find: a quiet room"], normalize_embeddings=True)
    np.testing.assert_allclose(vectors, expected, atol=1e-5)
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)
    documents = encoder.encode_documents(["no noise"])["topical"]
    expected = model.encode(["no noise"], normalize_embeddings=True)
    np.testing.assert_allclose(documents, expected, atol=1e-5)
    assert encoder.encode_documents([])["topical"].shape == (0, 32)


def test_fingerprints_follow_weights_lengths_and_prefixes(model: SentenceTransformer):
    """A model trained further must not search its earlier vectors."""
    import torch

    first = SentenceTransformerEncoder(model).specs["topical"]
    model.encode(["padding and truncation change inside the tokenizer " * 9])
    assert SentenceTransformerEncoder(model, name="other").specs["other"].fingerprint == (
        first.fingerprint
    )
    prefixed = SentenceTransformerEncoder(model, query_prefix="q: ").specs["topical"]
    assert prefixed.fingerprint == first.fingerprint
    assert prefixed.query_fingerprint != first.query_fingerprint
    model.max_seq_length = 12
    assert SentenceTransformerEncoder(model).specs["topical"].fingerprint != first.fingerprint
    model.max_seq_length = 24
    weight = next(model.parameters())
    with torch.no_grad():
        weight[5, 0] += 1
    assert SentenceTransformerEncoder(model).specs["topical"].fingerprint != first.fingerprint
    with torch.no_grad():
        weight[5, 0] -= 1


def test_long_texts_warn_and_short_ones_do_not(model: SentenceTransformer):
    encoder = SentenceTransformerEncoder(model)
    encoder.encode_documents(["noise " * 22])
    with pytest.warns(
        LongTextWarning, match="1 of 2 texts are longer than the 24 tokens"
    ) as caught:
        encoder.encode_documents(["noise " * 23, "short"])
    assert caught[0].filename == __file__


def test_bad_input_is_typed(model: SentenceTransformer, tmp_path: Path):
    encoder = SentenceTransformerEncoder(model)
    with pytest.raises(EmptyTextError):
        encoder.encode_queries([" "])
    assert np.isfinite(encoder.encode_queries(["half \ud800"])["topical"]).all()
    with pytest.raises(EncoderError, match="cannot load"):
        SentenceTransformerEncoder(tmp_path / "nowhere")
