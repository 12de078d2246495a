"""Boolean expressions in LangChain: the text of one, wherever LangChain takes a query."""

from __future__ import annotations

import json
import pickle

import pytest
from langchain_core.documents import Document
from langchain_core.runnables import ConfigurableField, RunnableLambda
from langchain_core.tools import create_retriever_tool
from langchain_corpus import DOCUMENTS, QUERY, ids
from langchain_logic_retrievers import (
    CompatibilityReranker,
    ConstraintRetriever,
    LogicVectorStore,
)
from langchain_logic_retrievers.tracing import RERANKING, RETRIEVAL
from pydantic import ValidationError

from logic_retrievers import BooleanPolicy, BooleanSettings, Engine, Expression
from logic_retrievers.errors import ConfigurationError, ExpressionError, InputError

TEXT = '"a place by the harbour" AND NOT ("a loud bar" OR nightclub)'
EXPRESSION = Expression.parse(TEXT)


@pytest.fixture
def reader(index):
    return ConstraintRetriever(index=index, query_syntax="expression", k=3)


async def test_every_road_reads_it(index, reader):
    """One that hands the text on as words finds what stands under NOT first."""
    expected = [hit.passage.id for hit in Engine(index).search(EXPRESSION, 3)]
    assert expected[0] == "doc 0"
    again = str(EXPRESSION)  # as a program writes it
    assert again != TEXT
    for results in (
        reader.invoke(TEXT),
        await reader.ainvoke(TEXT),
        *reader.batch([TEXT, again]),
        *await reader.abatch([TEXT, again]),
        *reader.stream(TEXT),
        (RunnableLambda(lambda expression: str(expression)) | reader).invoke(EXPRESSION),
    ):
        assert ids(results) == expected
        assert results[0].metadata["logic"]["policy"] == "boolean"
        verdicts = [a["verdict"] for a in results[0].metadata["logic"]["details"]["atoms"]]
        assert verdicts == ["satisfied", "avoided", "avoided"]
        json.dumps(results[0].metadata, allow_nan=False)


async def test_for_one_call(index, retriever):
    """Words and expressions come through one retriever."""
    expected = ConstraintRetriever(index=index, query_syntax="expression").invoke(TEXT)
    assert retriever.invoke(TEXT, query_syntax="expression") == expected
    assert await retriever.ainvoke(TEXT, query_syntax="expression") == expected
    as_words = [hit.score for hit in Engine(index).search(TEXT, 4)]
    assert [result.metadata["relevance_score"] for result in retriever.invoke(TEXT)] == as_words
    assert [one.metadata["relevance_score"] for one in expected] != as_words
    reader = ConstraintRetriever(index=index, query_syntax="expression")
    assert reader.invoke(QUERY, query_syntax="words") == retriever.invoke(QUERY)
    configurable = retriever.configurable_fields(query_syntax=ConfigurableField(id="how"))
    assert configurable.with_config(configurable={"how": "expression"}).invoke(TEXT) == expected
    schema = configurable.config_schema().model_json_schema()
    assert schema["$defs"]["Configurable"]["properties"]["how"]["enum"] == ["words", "expression"]


def test_a_policy_with_settings_of_ones_own(index):
    """A setting that is lost between a retriever and the combination."""
    flat = BooleanPolicy(settings=BooleanSettings(penalty=0.0))
    results = ConstraintRetriever(index=index, policy=flat, k=6).invoke(
        TEXT, query_syntax="expression"
    )
    assert ids(results) == [hit.passage.id for hit in Engine(index, flat).search(EXPRESSION, 6)]


async def test_errors_are_the_packages_own_and_reach_the_tracer(reader, listener):
    """A chain that repairs what a model wrote needs the position."""
    config = {"callbacks": [listener]}
    for text, position in (("harbour AND", 11), ("(harbour", 0)):
        with pytest.raises(ExpressionError) as error:
            reader.invoke(text, config)
        assert error.value.position == position
        assert "\n" in str(error.value)
        with pytest.raises(ExpressionError):
            await reader.ainvoke(text, config)
    assert [type(error) for error in listener.failed] == [ExpressionError] * 4
    with pytest.raises(ExpressionError, match="which are wanted"):
        reader.invoke("NOT harbour")


def test_only_texts_are_taken(retriever, reader):
    """LangSmith writes an object down without its operators, and tools refuse it."""
    for made in (retriever, reader):
        with pytest.raises(InputError, match=r"str\(expression\)"):
            made.invoke(EXPRESSION)


async def test_the_event_of_a_search(reader, listener):
    """A trace shows the expression as it was asked, and the policy that read it."""
    results = await reader.ainvoke(TEXT, {"callbacks": [listener]})
    assert listener.started[0]["query"] == TEXT
    ((name, told, _),) = listener.events
    assert (name, told["policy"], told["ranked_by"]) == (RETRIEVAL, "auto", "boolean")
    assert [hit["id"] for hit in told["hits"]] == ids(results)
    assert "avoided: a loud bar, nightclub" in told["hits"][0]["reason"]


async def test_a_model_writes_the_expression(reader):
    """A tool takes the text, and gives the error back to the model that wrote it."""
    tool = create_retriever_tool(reader, "town", 'Texts joined by AND, OR and NOT: "inns" AND ...')
    assert tool.invoke({"query": TEXT}).startswith("A quiet inn by the harbour.")
    assert await tool.ainvoke({"query": TEXT}) == tool.invoke({"query": TEXT})
    with pytest.raises(ExpressionError):
        tool.invoke({"query": "inns AND"})


def test_syntaxes_that_cannot_work_are_refused_at_once(index):
    """Else the first query of a user's user finds them."""
    with pytest.raises(ValidationError, match="query_syntax"):
        ConstraintRetriever(index=index, query_syntax="sql")
    for made in (ConstraintRetriever, CompatibilityReranker):
        with pytest.raises(ValidationError, match="'auto' or 'boolean'"):
            made(index=index, policy="union", query_syntax="expression")
    with pytest.raises(ValidationError, match="'auto' or 'boolean'"):
        CompatibilityReranker(policy="sequential", index=index, query_syntax="expression")
    reader = ConstraintRetriever(index=index, query_syntax="expression")
    with pytest.raises(ConfigurationError, match="'auto' or 'boolean'"):
        reader.invoke(TEXT, policy="topical")
    with pytest.raises(ConfigurationError, match="query_syntax"):
        reader.invoke(TEXT, query_syntax="sql")


def test_over_a_store_that_is_there(store):
    """A setting that only the constructor knows is lost here."""
    over = ConstraintRetriever.over(store, query_syntax="expression", k=2)
    assert over.query_syntax == "expression"
    assert ids(over.invoke(TEXT))[0] == "doc 0"


async def test_the_searches_of_a_store(store):
    """`as_retriever` hands its search_kwargs on."""
    expected = ids(ConstraintRetriever.over(store, query_syntax="expression").invoke(TEXT))
    asked = {"query_syntax": "expression"}
    assert ids(store.similarity_search(TEXT, **asked)) == expected
    assert ids(await store.asimilarity_search(TEXT, **asked)) == expected
    assert ids(store.as_retriever(search_kwargs=asked).invoke(TEXT)) == expected
    with pytest.raises(ExpressionError):
        store.similarity_search("inns AND", **asked)
    with pytest.raises(ConfigurationError):
        LogicVectorStore(store.index, "topical").similarity_search(TEXT, **asked)
    with pytest.raises(ConfigurationError):
        await store.asimilarity_search(TEXT, policy="topical", **asked)


async def test_the_reranker(listener):
    """Documents of any retriever, in the order that the expression asks for."""
    reranker = CompatibilityReranker(policy="auto", query_syntax="expression", top_n=2)
    before = [document.model_copy(deep=True) for document in DOCUMENTS]
    results = reranker.compress_documents(DOCUMENTS, TEXT)
    assert results[0].id == "doc 0"
    assert results == await reranker.acompress_documents(DOCUMENTS, TEXT)
    assert before == DOCUMENTS
    assert results[0].metadata["logic"]["details"]["atoms"][0]["verdict"] == "satisfied"
    with pytest.raises(ExpressionError):
        reranker.compress_documents(DOCUMENTS, "inns AND")
    with pytest.raises(ExpressionError):
        await reranker.acompress_documents([], "inns AND")
    chain = RunnableLambda(lambda text: reranker.compress_documents(DOCUMENTS, text))
    chain.invoke(TEXT, {"callbacks": [listener]})
    ((name, told, _),) = listener.events
    assert (name, told["ranked_by"]) == (RERANKING, "boolean")


def test_the_setting_travels(index):
    """A worker, or a stored setting, that reads words searches for what was ruled out."""
    reranker = CompatibilityReranker(policy="boolean", query_syntax="expression", top_n=2)
    again = pickle.loads(pickle.dumps(reranker))
    assert again == reranker
    documents = [
        Document(id=document.id, page_content=document.page_content) for document in DOCUMENTS
    ]
    assert again.compress_documents(documents, TEXT) == reranker.compress_documents(documents, TEXT)
    assert reranker.model_dump()["query_syntax"] == "expression"
    retriever = ConstraintRetriever(index=index, query_syntax="expression")
    assert json.loads(retriever.model_dump_json())["query_syntax"] == "expression"
    assert "query_syntax='expression'" in repr(retriever)
