"""LogicEmbeddings, and other models as encoders."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from llama_index.core import MockEmbedding
from llama_index_logic_retrievers import LogicEmbeddings, encoder_of
from llama_stubs import CountingEncoder, TheirModel
from suites import HashedEncoder, WatchedEncoder

from logic_retrievers import FunctionEncoder
from logic_retrievers.encoders import default_bundle_path, default_encoder
from logic_retrievers.errors import BlankTextWarning, ConfigurationError

TEXTS = ["A quiet inn.", "no", "A loud bar.", "no"]


@pytest.mark.parametrize("vector", ["topical", "compatibility"])
async def test_they_are_the_encoders_vectors(vector):
    """A wrong side, vector or order makes every search slightly wrong."""
    encoder = HashedEncoder(query_prefix="query ")
    model = LogicEmbeddings(vector, encoder=encoder)
    rows = model.get_text_embedding_batch(TEXTS)
    assert rows == encoder.encode_documents(TEXTS, [vector])[vector].tolist()
    assert await model.aget_text_embedding_batch(TEXTS) == rows
    assert model.get_text_embedding("no") == await model.aget_text_embedding("no") == rows[1]
    assert {type(number) for row in rows for number in row} == {float}
    query = model.get_query_embedding("no")
    assert query == encoder.encode_queries(["no"], [vector])[vector][0].tolist() != rows[1]
    assert await model.aget_query_embedding("no") == query
    assert model.get_text_embedding_batch([]) == []


def test_asynchronous_calls_leave_the_event_loop_free():
    """A server that blocks for each embedding slows all users."""
    watched = WatchedEncoder(HashedEncoder())
    model = LogicEmbeddings(encoder=watched)
    assert watched.loop_runs_during(model.aget_query_embedding("a first query"))
    assert watched.loop_runs_during(model.aget_text_embedding_batch(["a first document"]))


def test_a_bundle_by_its_folder():
    """Loads a user's bundle by the path that `logic-export train` printed."""
    model = LogicEmbeddings(bundle=default_bundle_path())
    assert model.bundle == str(default_bundle_path())
    assert model.model_name == LogicEmbeddings().model_name
    np.testing.assert_allclose(
        model.get_text_embedding("a b"), LogicEmbeddings().get_text_embedding("a b"), atol=1e-5
    )
    counting = CountingEncoder()
    LogicEmbeddings(bundle=default_bundle_path(), encoder=counting).get_text_embedding("a")
    assert counting.documents  # the encoder takes precedence


def test_bad_settings_are_refused():
    """A misspelt vector must not wait for a nightly ingestion's first document."""
    with pytest.raises(ConfigurationError, match="topicla"):
        LogicEmbeddings("topicla")
    with pytest.raises(ConfigurationError, match="bundel"):
        LogicEmbeddings(bundel="x")
    with pytest.raises(ValueError, match="embed_batch_size"):
        LogicEmbeddings(embed_batch_size=0)


def test_settings_say_which_vectors_these_are():
    """LlamaIndex's ingestion cache keys on them: a gap would keep a different model's vectors."""
    plain, made = LogicEmbeddings(), LogicEmbeddings(encoder=encoder_of(TheirModel(model_name="m")))
    told = [one.to_dict() for one in (plain, made, LogicEmbeddings("compatibility"))]
    assert len(set(map(str, told))) == 3
    assert told[0]["class_name"] == "LogicEmbeddings"
    assert default_encoder().specs["topical"].fingerprint in told[0]["model_name"]
    assert "encoder" not in told[0]
    assert told[0]["embed_batch_size"] == 256  # the default, 10, is slow
    assert LogicEmbeddings.from_dict(told[0]).to_dict() == told[0]
    # restored without its encoder it would silently use the default one
    with pytest.raises(ConfigurationError, match="encoder="):
        LogicEmbeddings.from_dict(told[1])
    assert LogicEmbeddings.from_dict(told[1], encoder=made.encoder).to_dict() == told[1]


def test_it_travels_to_another_process_or_says_that_it_cannot():
    """LlamaIndex drops what cannot be pickled, so a worker would use the default encoder."""
    model = LogicEmbeddings("compatibility", embed_batch_size=7)
    again = pickle.loads(pickle.dumps(model))
    assert again.to_dict() == model.to_dict()
    assert again.get_text_embedding("a") == model.get_text_embedding("a")
    bound = FunctionEncoder(lambda texts: [[1.0]] * len(texts), identity="x")
    with pytest.raises(Exception, match=r"pickle|local object"):
        pickle.dumps(LogicEmbeddings(encoder=bound))


def test_another_model_becomes_an_encoder():
    """An index over a user's model must search with that model."""
    theirs = TheirModel(model_name="m")
    encoder = encoder_of(theirs, name="mine")
    assert list(encoder.specs) == ["mine"]
    np.testing.assert_allclose(
        encoder.encode_queries(["a b"])["mine"][0], theirs.get_query_embedding("a b"), atol=1e-6
    )
    others = (encoder_of(TheirModel(model_name="n")), encoder_of(theirs, identity="v2"))
    specs = [encoder.specs["mine"], *(other.specs["topical"] for other in others)]
    assert len({spec.fingerprint for spec in specs}) == 3


def test_our_own_model_gives_its_own_encoder():
    """Wrapped as a foreign model it would lose its fingerprint and match no index."""
    encoder = encoder_of(LogicEmbeddings("compatibility"), name="second")
    spec = default_encoder().specs["compatibility"]
    assert encoder.specs["second"].fingerprint == spec.fingerprint


def test_a_model_without_a_name_needs_an_identity():
    """Two nameless models would pass for one."""
    with pytest.raises(ConfigurationError, match="identity="):
        encoder_of(MockEmbedding(3))
    assert encoder_of(MockEmbedding(3), identity="mock").specs["topical"].dimension == 3
    with pytest.raises(ConfigurationError, match="str"):
        encoder_of("text-embedding-3-small")  # type: ignore[arg-type]


async def test_zeros_for_a_blank_text_are_said():
    """Other vector stores keep them silently."""
    model = LogicEmbeddings()
    with pytest.warns(BlankTextWarning, match="zeros"):
        vectors = model.get_text_embedding_batch([TEXTS[0], "\ufffd"])
    with pytest.warns(BlankTextWarning, match="zeros"):
        assert await model.aget_text_embedding_batch([TEXTS[0], " "]) == vectors
    assert (any(vectors[0]), any(vectors[1])) == (True, False)
