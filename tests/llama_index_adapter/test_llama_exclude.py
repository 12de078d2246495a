"""``exclude`` and ``hard`` wherever LlamaIndex lets a user say a setting."""

from __future__ import annotations

import pickle

import pytest
from llama_index.core import VectorStoreIndex
from llama_index.core.llms import MockLLM
from llama_index.core.query_engine import RetrieverQueryEngine
from llama_index.core.schema import NodeWithScore
from llama_index.core.vector_stores.types import VectorStoreQuery
from llama_index_logic_retrievers import CompatibilityReranker, ConstraintRetriever

from logic_retrievers import Engine
from logic_retrievers.errors import ConfigurationError, LogicRetrieversError

QUERY = "a hotel by the sea"
NAMED = {"exclude": ["nightclubs", "cows"], "hard": True}


def ids(results):
    return [result.node.node_id for result in results]


async def test_the_setting_and_the_call(store):
    """A list of what somebody must not get, known to one of the two alone."""
    index = store.index
    expected = [hit.passage.id for hit in Engine(index).search(QUERY, 4, **NAMED)]
    assert len(expected) == 4
    assert not {"club", "disco", "farm"} & set(expected)
    retriever, plain = ConstraintRetriever(index, **NAMED), ConstraintRetriever(index)
    assert ids(retriever.retrieve(QUERY)) == expected
    assert ids(await retriever.aretrieve(QUERY)) == expected
    assert ids(plain.retrieve(QUERY, **NAMED)) == expected
    assert ids(await plain.aretrieve(QUERY, **NAMED)) == expected
    assert retriever.retrieve(QUERY, exclude=[], hard=False) == plain.retrieve(QUERY)
    assert ids(retriever.retrieve(QUERY, exclude=None, hard=None)) == expected
    plain.exclude, plain.hard = NAMED["exclude"], True
    assert ids(plain.retrieve(QUERY)) == expected
    evidence = retriever.retrieve(QUERY, hard=False)[0].metadata["logic"]
    assert evidence["details"]["query"]["excluded"] == NAMED["exclude"]
    assert retriever.retrieve(QUERY)[0].metadata["logic"]["details"]["left_out"] > 0


async def test_a_store_and_its_retriever(store):
    expected = ids(ConstraintRetriever.over(store, **NAMED).retrieve(QUERY))
    asked = VectorStoreQuery(query_str=QUERY, similarity_top_k=4)
    assert store.query(asked, **NAMED).ids == expected
    assert (await store.aquery(asked, **NAMED)).ids == expected
    index = VectorStoreIndex.from_vector_store(store, embed_model=store.embed_model)
    retriever = index.as_retriever(similarity_top_k=4, vector_store_kwargs=NAMED)
    assert ids(retriever.retrieve(QUERY)) == expected
    nothing = {"exclude": None, "hard": None, "policy": None, "query_syntax": None}
    assert store.query(asked, **nothing).ids == store.query(asked).ids


def test_a_query_engine_keeps_it(store):
    """What the model reads must be without it too."""
    engine = RetrieverQueryEngine.from_args(
        ConstraintRetriever(store.index, **NAMED), llm=MockLLM()
    )
    sources = engine.query(QUERY).source_nodes
    assert ids(sources) == ids(ConstraintRetriever(store.index, **NAMED).retrieve(QUERY))


async def test_a_reranker_and_how_it_travels(nodes):
    """A worker, or a stored setting, that forgets the list shows what it names."""
    given = [NodeWithScore(node=node) for node in nodes]
    reranker = CompatibilityReranker("auto", **NAMED)
    expected = reranker.postprocess_nodes(given, query_str=QUERY)
    assert set(ids(expected)) == {"inn", "spa", "hostel", "villa", "motel"}
    assert await reranker.apostprocess_nodes(given, query_str=QUERY) == expected
    assert list(reranker.to_dict()["exclude"]) == NAMED["exclude"]
    for again in (
        pickle.loads(pickle.dumps(reranker)),
        CompatibilityReranker.from_dict(reranker.to_dict()),
        CompatibilityReranker.from_json(reranker.to_json()),
    ):
        assert (again.exclude, again.hard) == (("nightclubs", "cows"), True)
        assert again.postprocess_nodes(given, query_str=QUERY) == expected
    sequential = CompatibilityReranker(policy="sequential", **NAMED)
    assert set(ids(sequential.postprocess_nodes(given, query_str=QUERY))) == set(ids(expected))


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"exclude": "bars"}, "list"),
        ({"exclude": [" "]}, "empty"),
        ({"exclude": ["bars"], "policy": "sequential"}, "hard=True"),
        ({"hard": "yes"}, "hard"),
    ],
)
def test_what_cannot_be_excluded_is_refused(store, settings, words):
    """Else it fails in production, at the first query that comes."""
    with pytest.raises(LogicRetrieversError, match=words):
        ConstraintRetriever(store.index, **settings)
    with pytest.raises(LogicRetrieversError, match=words):
        CompatibilityReranker(**{"policy": "auto", **settings})
    with pytest.raises(LogicRetrieversError, match=words):
        ConstraintRetriever(store.index).retrieve(QUERY, **settings)
    with pytest.raises(LogicRetrieversError, match=words):
        store.query(VectorStoreQuery(query_str=QUERY, similarity_top_k=2), **settings)
    with pytest.raises(ConfigurationError, match="exclude, hard"):
        store.query(VectorStoreQuery(query_str=QUERY, similarity_top_k=2), excluding=["bars"])
