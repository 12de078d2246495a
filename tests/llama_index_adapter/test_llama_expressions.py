"""Boolean expressions in LlamaIndex: the text of one, wherever LlamaIndex takes a query."""

from __future__ import annotations

import json
import pickle

import pytest
from llama_index.core import VectorStoreIndex
from llama_index.core.llms.mock import MockLLM
from llama_index.core.query_engine import RetrieverQueryEngine
from llama_index.core.schema import NodeWithScore, QueryBundle
from llama_index.core.tools import RetrieverTool
from llama_index_logic_retrievers import CompatibilityReranker, ConstraintRetriever
from llama_stubs import recorded

from logic_retrievers import BooleanPolicy, BooleanSettings, Engine, Expression
from logic_retrievers.errors import ConfigurationError, ExpressionError, InputError

TEXT = '("a quiet hotel" OR "a calm guest house") AND NOT nightclub'
EXPRESSION = Expression.parse(TEXT)


def ids(results):
    return [result.node.node_id for result in results]


@pytest.fixture
def reader(index):
    return ConstraintRetriever(index, similarity_top_k=3, query_syntax="expression")


async def test_every_road_reads_it(index, reader):
    """One that hands the text on as words finds what stands under NOT first."""
    expected = [hit.passage.id for hit in Engine(index).search(EXPRESSION, 3)]
    assert set(expected[:2]) == {"inn", "villa"}
    for results in (
        reader.retrieve(TEXT),
        await reader.aretrieve(TEXT),
        reader.retrieve(QueryBundle(str(EXPRESSION))),
        RetrieverTool.from_defaults(reader, description="Hotels.").call(TEXT).raw_output,
        RetrieverQueryEngine.from_args(reader, llm=MockLLM()).query(TEXT).source_nodes,
    ):
        assert ids(results) == expected
        assert results[0].metadata["logic"]["policy"] == "boolean"
        atoms = results[0].metadata["logic"]["details"]["atoms"]
        assert [atom["text"] for atom in atoms] == list(EXPRESSION.atoms)
        assert atoms[2]["verdict"] == "avoided"
        json.dumps(results[0].metadata, allow_nan=False)


def test_the_setting_is_public_and_may_change(index, query):
    """Words and expressions come through one retriever."""
    retriever = ConstraintRetriever(index)
    words = [result.score for result in retriever.retrieve(TEXT)]
    assert words == [hit.score for hit in Engine(index).search(TEXT, 4)]
    retriever.query_syntax = "expression"
    assert [result.score for result in retriever.retrieve(TEXT)] != words
    retriever.policy = BooleanPolicy(settings=BooleanSettings(penalty=0.0))
    hits = Engine(index, retriever.policy).search(EXPRESSION, 4)
    assert ids(retriever.retrieve(TEXT)) == [hit.passage.id for hit in hits]
    retriever.policy = "topical"
    with pytest.raises(ConfigurationError, match="'auto' or 'boolean'"):
        retriever.retrieve(TEXT)
    retriever.query_syntax = "words"
    assert retriever.retrieve(query)


async def test_errors_are_the_packages_own(reader):
    """A workflow that repairs what a model wrote needs the position."""
    for text, position in (("harbour AND", 11), ("(harbour", 0)):
        with pytest.raises(ExpressionError) as error:
            reader.retrieve(text)
        assert error.value.position == position
        with pytest.raises(ExpressionError):
            await reader.aretrieve(text)
    with pytest.raises(ExpressionError, match="which are wanted"):
        reader.retrieve("NOT harbour")


def test_only_texts_are_taken(index, reader):
    """LlamaIndex's events refuse an object by itself; in a bundle it would get through."""
    for made in (reader, ConstraintRetriever(index)):
        with pytest.raises(InputError, match=r"str\(expression\)"):
            made.retrieve(QueryBundle(query_str=EXPRESSION))


async def test_events_hold_the_text(reader, nodes):
    """A trace shows the expression as it was asked."""
    with recorded() as events:
        await reader.aretrieve(TEXT)
    assert events.events[0].str_or_query_bundle == TEXT
    reranker = CompatibilityReranker("boolean", top_n=2, query_syntax="expression")
    with recorded() as events:
        reranker.postprocess_nodes([NodeWithScore(node=node) for node in nodes], query_str=TEXT)
    assert events.events[0].query == TEXT
    assert events.events[0].model_name == "logic-retrievers:boolean"
    with recorded() as events, pytest.raises(ExpressionError):
        reranker.postprocess_nodes(
            [NodeWithScore(node=node) for node in nodes], query_str="inn AND"
        )
    assert "ReRankEndEvent" not in events.names
    assert "ReRankStartEvent" not in events.names, "a reranking that never ends"


def test_syntaxes_that_cannot_work_are_refused_at_once(index):
    """Else the first query of a user's user finds them."""
    for settings in (
        {"query_syntax": "sql"},
        {"policy": "union", "query_syntax": "expression"},
    ):
        for made in (ConstraintRetriever, CompatibilityReranker):
            with pytest.raises(ConfigurationError):
                made(index=index, **settings)
    with pytest.raises(ConfigurationError, match="'auto' or 'boolean'"):
        CompatibilityReranker("sequential", query_syntax="expression")


async def test_over_a_store_that_is_there(store):
    """A setting that only the constructor knows is lost here."""
    expected = ConstraintRetriever(store.index, query_syntax="expression").retrieve(TEXT)
    for over in (
        ConstraintRetriever.over(store, query_syntax="expression"),
        await ConstraintRetriever.aover(store, query_syntax="expression"),
    ):
        assert over.retrieve(TEXT) == expected


async def test_the_queries_of_a_store(store):
    """`vector_store_kwargs` is the only way there."""
    expected = ConstraintRetriever(
        store.index, similarity_top_k=3, query_syntax="expression"
    ).retrieve(TEXT)
    own = VectorStoreIndex.from_vector_store(store, embed_model=store.embed_model)
    asked = {"query_syntax": "expression"}
    retriever = own.as_retriever(similarity_top_k=3, vector_store_kwargs=asked)
    assert retriever.retrieve(TEXT) == expected
    assert await retriever.aretrieve(TEXT) == expected
    named = own.as_retriever(similarity_top_k=3, vector_store_kwargs={**asked, "policy": "boolean"})
    assert ids(named.retrieve(TEXT)) == ids(expected)
    wrong = own.as_retriever(vector_store_kwargs={**asked, "policy": "union"})
    with pytest.raises(ConfigurationError, match="'auto' or 'boolean'"):
        wrong.retrieve(TEXT)
    with pytest.raises(ExpressionError):
        retriever.retrieve("inns AND")


async def test_the_setting_travels(nodes):
    """A worker, or a stored setting, that reads words searches for what was ruled out."""
    given = [NodeWithScore(node=node) for node in nodes]
    reranker = CompatibilityReranker("auto", top_n=3, query_syntax="expression")
    expected = reranker.postprocess_nodes(given, query_str=TEXT)
    assert await reranker.apostprocess_nodes(given, query_str=TEXT) == expected
    assert expected[0].metadata["logic"]["policy"] == "boolean"
    assert reranker.to_dict()["query_syntax"] == "expression"
    for again in (
        pickle.loads(pickle.dumps(reranker)),
        CompatibilityReranker.from_dict(reranker.to_dict()),
        CompatibilityReranker.from_json(reranker.to_json()),
    ):
        assert again.query_syntax == "expression"
        assert again.postprocess_nodes(given, query_str=TEXT) == expected
