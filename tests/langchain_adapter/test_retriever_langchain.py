"""ConstraintRetriever: its settings, wherever LangChain lets a user say them."""

from __future__ import annotations

import json

import pytest
from langchain_core.runnables import ConfigurableField
from langchain_core.tools import create_retriever_tool
from langchain_corpus import DOCUMENTS, QUERY, ids
from langchain_logic_retrievers import ConstraintRetriever
from pydantic import ValidationError
from qdrant_client import models

from logic_retrievers import Engine, Passage, SequentialPolicy
from logic_retrievers.errors import ConfigurationError, EmptyTextError, UnknownPolicyError

BERGEN = models.FieldCondition(key="metadata.city", match=models.MatchValue(value="Bergen"))


def test_k_is_honoured_in_both_places(index):
    """LangChain drops the keyword in silence where the signature has no place for it."""
    assert len(ConstraintRetriever(index=index).invoke(QUERY)) == 4
    retriever = ConstraintRetriever(index=index, k=2)
    assert len(retriever.invoke(QUERY)) == 2
    assert len(retriever.invoke(QUERY, k=3)) == 3
    assert len(retriever.invoke(QUERY, None, k=100)) == len(DOCUMENTS)


async def test_k_is_honoured_in_asynchronous_calls(retriever):
    """LangChain looks at the synchronous signature alone; the other could lack the setting."""
    assert len(await retriever.ainvoke(QUERY, k=3)) == 3
    assert [len(results) for results in await retriever.abatch([QUERY, "ships"], k=2)] == [2, 2]


@pytest.mark.parametrize("policy", ["auto", "topical", "union", "sequential"])
def test_k_is_filled_after_a_filter(index, policy):
    """A filter over the first k alone leaves one document where there are three."""
    retriever = ConstraintRetriever(index=index, policy=policy, k=3)
    results = retriever.invoke(QUERY, filter={"city": "Bergen"})
    assert [document.metadata["city"] for document in results] == ["Bergen"] * 3


def test_k_is_filled_with_what_the_policy_sets_back(index):
    """A compatibility threshold that drops documents gives the model less than was asked for."""
    results = ConstraintRetriever(index=index, policy=SequentialPolicy(tau=0.5), k=5).invoke(QUERY)
    assert len(results) == 5
    assert {document.metadata["logic"]["passed_filter"] for document in results} == {True, False}
    cut = ConstraintRetriever(index=index, policy=SequentialPolicy(tau=0.5, backfill=False), k=5)
    assert 0 < len(cut.invoke(QUERY)) < 5


def test_the_engine_decides(index):
    """An order of the adapter's own would not be the one that was measured."""
    hits = Engine(index).search(QUERY, k=6)
    results = ConstraintRetriever(index=index, k=6).invoke(QUERY)
    assert ids(results) == [hit.passage.id for hit in hits]
    for document, hit in zip(results, hits, strict=True):
        assert document.page_content == hit.passage.text
        evidence = {**hit.evidence.to_dict(), "score": hit.score, "rank": hit.rank}
        assert document.metadata == {
            **hit.passage.metadata,
            "logic": evidence,
            "relevance_score": hit.score,
        }


def test_evidence_is_ready_for_json(index):
    """A numpy number in the metadata breaks the first trace or cache that writes it down."""
    for policy in ("auto", "topical", "union", "coder-union", "sequential", "compatibility"):
        for document in ConstraintRetriever(index=index, policy=policy, k=6).invoke(QUERY):
            json.dumps(document.metadata, allow_nan=False)
            assert type(document.metadata["relevance_score"]) is float
            assert document.metadata["logic"]["score"] == document.metadata["relevance_score"]


def test_ids_come_back_as_they_went_in(retriever):
    """Qdrant knows numbers and UUIDs alone; a mapped id matches nothing of the user's."""
    assert set(ids(retriever.invoke(QUERY, k=6))) == set(ids(DOCUMENTS))


def test_equal_texts_with_different_ids_are_two_documents(store):
    """Deduplication by content would drop the second source of a sentence."""
    store.add_texts(["A quiet inn by the harbour."], [{"city": "Trondheim"}], ids=["copy"])
    results = ConstraintRetriever(index=store.index, policy="union", k=2).invoke("a quiet inn")
    assert set(ids(results)) == {"doc 0", "copy"}


@pytest.mark.parametrize("wanted", [{"city": "Bergen"}, models.Filter(must=[BERGEN])])
def test_filters_of_both_kinds_in_both_places(index, wanted):
    """A filter that is dropped, or read as another kind, shows what must stay hidden."""
    retriever = ConstraintRetriever(index=index, k=6, filter=wanted)
    assert set(ids(retriever.invoke(QUERY))) == {"doc 2", "doc 3", "doc 5"}
    assert retriever.filter == wanted
    by_call = ConstraintRetriever(index=index, k=6).invoke(QUERY, filter=wanted)
    assert set(ids(by_call)) == {"doc 2", "doc 3", "doc 5"}


def test_a_dict_is_never_taken_for_a_qdrant_filter(index):
    """Pydantic would build a Filter from a dict whose keys happen to fit, and admit everything."""
    index.add([Passage("odd", "A quiet cave.", {"should": "see"})])
    without = {"should": None}
    assert "odd" not in ids(ConstraintRetriever(index=index, filter=without, k=9).invoke(QUERY))
    assert "odd" not in ids(ConstraintRetriever(index=index, k=9).invoke(QUERY, filter=without))


def test_min_score_and_policy_in_both_places(index):
    """A setting that one call cannot change forces a second retriever on the user."""
    topical = ConstraintRetriever(index=index, policy="topical", k=6)
    scores = [document.metadata["relevance_score"] for document in topical.invoke(QUERY)]
    assert len(topical.invoke(QUERY, min_score=scores[1])) == 2
    assert len(topical.model_copy(update={"min_score": scores[1]}).invoke(QUERY)) == 2
    assert ConstraintRetriever(index=index, min_score=scores[2], policy="topical").invoke(
        QUERY
    ) == topical.invoke(QUERY, k=3)
    [first] = topical.invoke(QUERY, policy="union", k=1)
    assert first.metadata["logic"]["policy"] == "union"
    [first] = topical.invoke(QUERY, policy=SequentialPolicy(), k=1)
    assert first.metadata["logic"]["policy"] == "sequential"


def test_a_misspelt_setting_is_refused(index):
    """`top_k=3` that is ignored looks like a retriever that cannot count."""
    with pytest.raises(TypeError, match="top_k"):
        ConstraintRetriever(index=index).invoke(QUERY, top_k=3)
    with pytest.raises(ValidationError, match="top_k"):
        ConstraintRetriever(index=index, top_k=3)


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"k": 0}, "at least 1"),
        ({"k": True}, "whole number"),
        ({"k": "3"}, "whole number"),
        ({"policy": "unknown"}, "unknown policy 'unknown'; one of auto"),
        ({"filter": {"city": []}}, "empty list"),
        ({"filter": "city"}, "filter"),
        ({"index": None}, "PassageIndex"),
    ],
)
def test_bad_settings_are_refused_when_they_are_set(index, settings, words):
    """Else the first query of a user's user finds them."""
    with pytest.raises(ValueError, match=words):
        ConstraintRetriever(**{"index": index, **settings})


def test_errors_of_a_call_are_the_packages_own(retriever):
    """A caller who catches LogicRetrieversError must catch these."""
    with pytest.raises(ConfigurationError):
        retriever.invoke(QUERY, k=0)
    with pytest.raises(UnknownPolicyError):
        retriever.invoke(QUERY, policy="unknown")
    with pytest.raises(EmptyTextError):
        retriever.invoke("  ")


def test_configurable_fields(index):
    """LangChain builds the object anew from its public fields; a private one is lost there."""
    configurable = ConstraintRetriever(index=index, k=6, min_score=-1.0).configurable_fields(
        k=ConfigurableField(id="k"),
        policy=ConfigurableField(id="how"),
        filter=ConfigurableField(id="where"),
    )
    assert len(configurable.invoke(QUERY)) == 6
    chosen = {"k": 2, "how": "union", "where": {"city": "Bergen"}}
    results = configurable.with_config(configurable=chosen).invoke(QUERY)
    assert results == ConstraintRetriever(
        index=index, k=2, policy="union", filter={"city": "Bergen"}
    ).invoke(QUERY)
    assert len(configurable.invoke(QUERY, config={"configurable": {"k": 3}})) == 3
    assert len(configurable.with_config(configurable={"k": 3}).invoke(QUERY, k=1)) == 1
    with pytest.raises(ValueError, match="at least 1"):
        configurable.with_config(configurable={"k": 0}).invoke(QUERY)


def test_configurable_fields_have_a_schema(index):
    """A server that shows the settings asks for their JSON schema, and fails as a whole."""
    configurable = ConstraintRetriever(index=index).configurable_fields(
        policy=ConfigurableField(id="how"), filter=ConfigurableField(id="where")
    )
    schema = configurable.config_schema().model_json_schema()
    fields = schema["$defs"]["Configurable"]["properties"]
    assert fields["how"]["type"] == "string"
    assert "object" in json.dumps(fields["where"])


async def test_a_tool_gives_text_to_the_model_and_documents_to_the_program(retriever):
    """Evidence in the text would be read by the model; without artifact it is lost."""
    tool = create_retriever_tool(
        retriever, "town", "What there is in town.", response_format="content_and_artifact"
    )
    call = {"name": "town", "args": {"query": QUERY}, "id": "1", "type": "tool_call"}
    message = tool.invoke(call)
    assert message.artifact == retriever.invoke(QUERY)
    assert message.content == "\n\n".join(document.page_content for document in message.artifact)
    assert await tool.ainvoke(call) == message


def test_results_do_not_share_their_metadata(retriever):
    """Whoever changes one result would change the next user's."""
    first = retriever.invoke(QUERY)
    first[0].metadata["city"] = "Paris"
    first[0].metadata["logic"]["scores"].clear()
    again = retriever.invoke(QUERY)
    assert again[0].metadata["city"] != "Paris"
    assert again[0].metadata["logic"]["scores"]
