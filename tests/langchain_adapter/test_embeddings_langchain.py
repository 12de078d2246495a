"""LogicEmbeddings, and any LangChain embeddings as an encoder."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from langchain_core.embeddings import DeterministicFakeEmbedding, Embeddings
from langchain_logic_retrievers import LogicEmbeddings, encoder_of
from langchain_logic_retrievers.models import encoder_with_compatibility
from suites import HashedEncoder, WatchedEncoder

from logic_retrievers.encoders import default_bundle_path, default_encoder
from logic_retrievers.errors import ConfigurationError, EmptyTextError

TEXTS = ["A quiet inn.", "no", "A loud bar.", "no"]


class Named(Embeddings):
    """Embeddings that name their model and treat queries differently."""

    def __init__(self, model: str) -> None:
        self.model = model
        self.asked: list[str] = []

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        self.asked += texts
        return [[len(text), 2.0, 0.0] for text in texts]

    def embed_query(self, text: str) -> list[float]:
        return [len(text), 0.0, 3.0]


@pytest.mark.parametrize("vector", ["topical", "compatibility"])
async def test_they_are_the_encoders_vectors(vector):
    """A wrong side, vector or order makes every search slightly wrong."""
    encoder = HashedEncoder(query_prefix="query ")
    embeddings = LogicEmbeddings(vector=vector, encoder=encoder)
    rows = embeddings.embed_documents(TEXTS)
    assert rows == encoder.encode_documents(TEXTS, [vector])[vector].tolist()
    assert await embeddings.aembed_documents(TEXTS) == rows
    assert {type(number) for row in rows for number in row} == {float}
    query = embeddings.embed_query("no")
    assert query == encoder.encode_queries(["no"], [vector])[vector][0].tolist() != rows[1]
    assert await embeddings.aembed_query("no") == query
    assert embeddings.embed_documents([]) == []


def test_asynchronous_calls_leave_the_event_loop_free():
    """A server that blocks for each embedding slows all users."""
    watched = WatchedEncoder(HashedEncoder())
    embeddings = LogicEmbeddings(encoder=watched)
    assert watched.loop_runs_during(embeddings.aembed_query("a first query"))
    assert watched.loop_runs_during(embeddings.aembed_documents(["a first document"]))


def test_where_the_encoder_comes_from():
    """A copy of the weights per object would fill the memory."""
    assert LogicEmbeddings().source is default_encoder()
    bundle = str(default_bundle_path())
    by_bundle = LogicEmbeddings(bundle=bundle)
    assert by_bundle.source is not default_encoder()
    assert by_bundle.model_dump() == {"vector": "topical", "bundle": bundle}
    own = encoder_of(Named("a"))
    assert LogicEmbeddings(encoder=own, bundle="not there").source is own
    again = pickle.loads(pickle.dumps(LogicEmbeddings(vector="compatibility")))
    assert len(again.embed_query("inn")) == 384


@pytest.mark.parametrize(
    ("settings", "words"), [({"vector": "contradictory"}, "no vector"), ({"model": "x"}, "model")]
)
def test_bad_settings_are_refused_when_they_are_set(settings, words):
    """Otherwise the first document finds them."""
    with pytest.raises(ValueError, match=words):
        LogicEmbeddings(**settings)
    with pytest.raises(EmptyTextError):
        LogicEmbeddings().embed_query(" ")


def test_an_encoder_of_any_embeddings():
    """Embedding queries as documents loses the model's query prompt."""
    encoder = encoder_of(Named("a"), name="own")
    assert encoder.specs["own"].dimension == 3
    documents = encoder.encode_documents(["abc"])["own"][0]
    queries = encoder.encode_queries(["abc"])["own"][0]
    np.testing.assert_allclose(documents, np.array([3, 2, 0]) / np.sqrt(13), 1e-6)
    np.testing.assert_allclose(queries, np.array([3, 0, 3]) / np.sqrt(18), 1e-6)
    assert pickle.loads(pickle.dumps(encoder)).specs == encoder.specs


def test_another_model_is_another_encoder():
    """An index must not take the small model's vectors for the large one's."""
    one, other, named = (
        encoder_of(Named(model), identity=identity).specs["topical"].fingerprint
        for model, identity in (("a", None), ("b", None), ("a", "said"))
    )
    assert len({one, other, named}) == 3
    with pytest.raises(ConfigurationError, match="identity="):
        encoder_of(DeterministicFakeEmbedding(size=3))  # two models could share a collection


def test_completed_embeddings_have_compatibility_vectors():
    """Policies need them to recognise violating documents; texts are encoded once."""
    ours, theirs = default_encoder().specs, Named("a")
    encoder = encoder_with_compatibility(theirs)
    theirs.asked.clear()
    encoder.encode_documents(["abc"], ["compatibility"])
    assert theirs.asked == []
    of_one_head = LogicEmbeddings(vector="compatibility")
    for embeddings, topical in (
        (theirs, encoder_of(theirs).specs["topical"]),
        (LogicEmbeddings(), ours["topical"]),
        # a changed fingerprint for the same vectors would orphan an index
        (of_one_head, ours["compatibility"]),
        (LogicEmbeddings(encoder=encoder), encoder.specs["topical"]),
    ):
        specs = encoder_with_compatibility(embeddings).specs
        assert specs["compatibility"].fingerprint == ours["compatibility"].fingerprint
        assert specs["topical"].fingerprint == topical.fingerprint
    assert list(encoder_of(of_one_head).specs) == ["topical"]
