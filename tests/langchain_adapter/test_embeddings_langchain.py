"""LogicEmbeddings, and any LangChain embeddings as an encoder."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from langchain_core.embeddings import DeterministicFakeEmbedding, Embeddings
from langchain_logic_retrievers import LogicEmbeddings, encoder_of
from langchain_logic_retrievers.models import encoder_with_compatibility

from logic_retrievers.encoders import default_bundle_path, default_encoder
from logic_retrievers.errors import ConfigurationError, EmptyTextError

TEXTS = ["A quiet inn.", "A loud bar."]


class Named(Embeddings):
    """Embeddings that say which model they are, and treat queries in a way of their own."""

    def __init__(self, model: str, asked: list[str] | None = None) -> None:
        self.model = model
        self.asked = [] if asked is None else asked

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        self.asked += texts
        return [[len(text), 2.0, 0.0] for text in texts]

    def embed_query(self, text: str) -> list[float]:
        return [len(text), 0.0, 3.0]


def test_where_the_encoder_comes_from():
    """A second copy of the weights for every object would fill the memory."""
    assert LogicEmbeddings().source is default_encoder()
    bundle = str(default_bundle_path())
    by_bundle = LogicEmbeddings(bundle=bundle)
    assert by_bundle.source is not default_encoder()
    assert by_bundle.model_dump() == {"vector": "topical", "bundle": bundle}
    own = encoder_of(Named("a"))
    assert LogicEmbeddings(encoder=own, bundle="not there").source is own


def test_bad_settings_are_refused_when_they_are_set():
    """Else the first document finds them."""
    with pytest.raises(ValueError, match="makes no vector 'contradictory'"):
        LogicEmbeddings(vector="contradictory")
    with pytest.raises(ValueError, match="Encoder"):
        LogicEmbeddings(encoder="all-minilm")
    with pytest.raises(ValueError, match="model"):
        LogicEmbeddings(model="all-minilm")
    with pytest.raises(EmptyTextError):
        LogicEmbeddings().embed_query(" ")


def test_they_travel_to_another_process():
    """A worker that indexes gets its embeddings pickled."""
    embeddings = pickle.loads(pickle.dumps(LogicEmbeddings(vector="compatibility")))
    assert embeddings.vector == "compatibility"
    assert len(embeddings.embed_query("inn")) == 384


def test_an_encoder_of_ours_is_the_one_behind():
    """Another fingerprint for the same vectors would orphan an index."""
    encoder = encoder_of(LogicEmbeddings(vector="compatibility"), name="topical")
    assert list(encoder.specs) == ["topical"]
    theirs = default_encoder().specs["compatibility"]
    assert encoder.specs["topical"].fingerprint == theirs.fingerprint


def test_an_encoder_of_any_embeddings():
    """Queries that are embedded as documents lose the model's query prompt."""
    encoder = encoder_of(Named("a"), name="own")
    assert encoder.specs["own"].dimension == 3
    documents = encoder.encode_documents(["abc"])["own"][0]
    queries = encoder.encode_queries(["abc"])["own"][0]
    np.testing.assert_allclose(documents, np.array([3, 2, 0]) / np.sqrt(13), 1e-6)
    np.testing.assert_allclose(queries, np.array([3, 0, 3]) / np.sqrt(18), 1e-6)
    assert pickle.loads(pickle.dumps(encoder)).specs == encoder.specs


def test_another_model_is_another_encoder():
    """An index would take vectors of the small model for the large one's."""
    fingerprints = {
        encoder_of(embeddings, identity=identity).specs["topical"].fingerprint
        for embeddings, identity in [
            (Named("a"), None),
            (Named("b"), None),
            (Named("a"), "said"),
            (DeterministicFakeEmbedding(size=3), "said too"),
        ]
    }
    assert len(fingerprints) == 4
    same = [encoder_of(Named("a")).specs["topical"].fingerprint for _ in range(2)]
    assert same[0] == same[1]


def test_a_model_without_a_name_needs_an_identity():
    """A guess would let two models share a collection."""
    with pytest.raises(ConfigurationError, match=r"DeterministicFakeEmbedding.*identity="):
        encoder_of(DeterministicFakeEmbedding(size=3))


def test_completed_embeddings_have_compatibility_vectors():
    """Without them no policy can tell a violating document; twice the work would be waste."""
    ours, theirs = default_encoder().specs["compatibility"], Named("a")
    encoder = encoder_with_compatibility(theirs)
    assert encoder.specs["compatibility"].fingerprint == ours.fingerprint
    assert encoder.specs["topical"].dimension == 3
    encoder.encode_documents(["abc"], ["compatibility"])
    assert theirs.asked == []
    both = encoder_with_compatibility(LogicEmbeddings())
    assert {n: s.fingerprint for n, s in both.specs.items()} == {
        n: default_encoder().specs[n].fingerprint for n in ("topical", "compatibility")
    }
    of_one_head = encoder_with_compatibility(LogicEmbeddings(vector="compatibility"))
    assert of_one_head.specs["topical"].fingerprint == ours.fingerprint
    with_their_own = encoder_with_compatibility(LogicEmbeddings(encoder=encoder))
    assert with_their_own.specs["topical"].dimension == 3
