"""The reranker over other retrievers' nodes."""

from __future__ import annotations

import json
import pickle

import pytest
from llama_index.core.callbacks import CallbackManager, CBEventType, LlamaDebugHandler
from llama_index.core.schema import ImageNode, NodeWithScore, TextNode
from llama_index_logic_retrievers import CompatibilityReranker, LogicEmbeddings
from llama_stubs import recorded

from logic_retrievers import (
    AutoPolicy,
    ExclusionSettings,
    FunctionEncoder,
    SequentialPolicy,
)
from logic_retrievers.errors import ConfigurationError, ExpressionError, InputError
from logic_retrievers.queries import RuleParser
from logic_retrievers.queries.rules import RULES

EXPRESSION = '("a quiet hotel" OR "a calm guest house") AND NOT nightclub'


@pytest.fixture
def found(nodes) -> list[NodeWithScore]:
    """What some other retriever found."""
    return [NodeWithScore(node=node, score=0.1 * rank) for rank, node in enumerate(nodes)]


def ids(nodes):
    return [result.node.node_id for result in nodes]


def test_nodes_without_text_follow_behind(found, query):
    """A multimodal index would lose its images, or fail at the first one."""
    image = ImageNode(id_="i", image_url="http://x/y.png", metadata={"file": "hotel by the sea"})
    given = [NodeWithScore(node=image, score=9.0), *found]
    ranked = CompatibilityReranker().postprocess_nodes(given, query_str=query)
    assert ids(ranked)[-1] == "i"
    assert len(ranked) == 9
    assert type(ranked[-1].node) is ImageNode


async def test_events_and_callbacks_are_sent(found, query):
    """A tracer that shows nothing between retrieval and answer."""
    handler = LlamaDebugHandler(print_trace_on_end=False)
    reranker = CompatibilityReranker(top_n=2, callback_manager=CallbackManager([handler]))
    with recorded() as events:
        ranked = reranker.postprocess_nodes(found, query_str=query)
        await CompatibilityReranker().apostprocess_nodes(found, query_str=query)
    assert events.names == ["ReRankStartEvent", "ReRankEndEvent"] * 2
    assert [event.top_n for event in events.events[::2]] == [2, 8]
    assert events.events[0].model_name == "logic-retrievers:auto"
    assert events.events[1].nodes == ranked
    ((start, end),) = handler.get_event_pairs(CBEventType.RERANKING)
    assert start.payload["query_str"] == query
    assert end.payload["nodes"] == ranked


async def test_a_missing_query_is_an_error_as_in_llama_indexs_own(found):
    """Unchanged nodes look like reranked ones."""
    with pytest.raises(InputError, match="query_str="):
        CompatibilityReranker().postprocess_nodes(found)
    with pytest.raises(InputError, match="query_str="):
        await CompatibilityReranker().apostprocess_nodes(found)
    with pytest.raises(InputError, match="empty"):
        CompatibilityReranker().postprocess_nodes(found, query_str=" ")
    assert CompatibilityReranker().postprocess_nodes([], query_str="x") == []
    assert await CompatibilityReranker().apostprocess_nodes([], query_str="x") == []


def test_bad_settings_are_refused():
    """Else they fail at the first query that comes."""
    with pytest.raises(ConfigurationError, match="policy"):
        CompatibilityReranker(3)
    with pytest.raises(ConfigurationError, match="compatibility"):
        CompatibilityReranker(
            "sequential", encoder=FunctionEncoder(lambda t: [[1.0]] * len(t), identity="x")
        ).postprocess_nodes([NodeWithScore(node=TextNode(text="a"))], query_str="a")


def test_settings_hold_all_that_changes_the_result(index):
    """A private threshold means stale results from every cache that keys on the settings."""
    kinds = [
        CompatibilityReranker(),
        CompatibilityReranker("sequential"),
        CompatibilityReranker(SequentialPolicy(backfill=False)),
        CompatibilityReranker(AutoPolicy(settings=ExclusionSettings(penalty=0.5))),
        CompatibilityReranker(top_n=3),
    ]
    described = [one.to_json() for one in kinds]
    assert len(set(described)) == len(kinds)
    for text in described:
        assert json.loads(text)["class_name"] == CompatibilityReranker.class_name()
        assert not {"encoder", "index"} & set(json.loads(text))
    assert CompatibilityReranker(index=index).to_json() == described[0]


def test_settings_make_the_same_reranker_or_say_that_they_cannot():
    """A pipeline restored from a file would rank by another rule."""
    for policy in (
        "auto",
        AutoPolicy(base="hybrid"),
        AutoPolicy(settings=ExclusionSettings(penalty=0.5), fields={"city": ["Oslo"]}),
        SequentialPolicy(backfill=False),
    ):
        settings = CompatibilityReranker(policy, top_n=2).to_dict()
        assert CompatibilityReranker.from_dict(settings).to_dict() == settings
    odd = CompatibilityReranker(AutoPolicy(parser=RuleParser(RULES[:3]))).to_dict()
    with pytest.raises(ConfigurationError, match="policy="):
        CompatibilityReranker.from_dict(odd)


def test_all_settings_travel():
    """LlamaIndex leaves out what cannot be pickled; a worker that forgets a setting ranks wrong."""
    named = {"exclude": ("nightclubs", "cows"), "hard": True}
    for reranker in (
        CompatibilityReranker(SequentialPolicy(backfill=False), top_n=2),
        CompatibilityReranker("auto", **named),
        CompatibilityReranker("auto", query_syntax="expression"),
    ):
        for again in (
            pickle.loads(pickle.dumps(reranker)),
            CompatibilityReranker.from_dict(reranker.to_dict()),
            CompatibilityReranker.from_json(reranker.to_json()),
        ):
            assert again.to_dict() == reranker.to_dict()
            assert (again.exclude, again.hard) == (reranker.exclude, reranker.hard)


def test_a_misspelt_setting_is_refused():
    """`topn=3` would rerank everything into the prompt."""
    for settings in ({"topn": 3}, {"similarity_top_k": 3}):
        with pytest.raises(ConfigurationError, match=next(iter(settings))):
            CompatibilityReranker(**settings)
    with pytest.raises(ConfigurationError, match="bundel"):
        LogicEmbeddings(bundel="x")


def test_events_hold_the_text(nodes):
    """A trace shows the expression as it was asked."""
    reranker = CompatibilityReranker("boolean", top_n=2, query_syntax="expression")
    with recorded() as events:
        reranker.postprocess_nodes(
            [NodeWithScore(node=node) for node in nodes], query_str=EXPRESSION
        )
    assert events.events[0].query == EXPRESSION
    assert events.events[0].model_name == "logic-retrievers:boolean"
    with recorded() as events, pytest.raises(ExpressionError):
        reranker.postprocess_nodes(
            [NodeWithScore(node=node) for node in nodes], query_str="inn AND"
        )
    assert "ReRankEndEvent" not in events.names
    assert "ReRankStartEvent" not in events.names, "a reranking that never ends"
