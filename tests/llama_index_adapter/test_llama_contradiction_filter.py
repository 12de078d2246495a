"""ContradictionFilter: what stays, what is told, and whom it is told to."""

from __future__ import annotations

import asyncio
import json
from copy import deepcopy

import pytest
from contradicting_nodes import (
    ABOUT,
    AGAIN,
    COPPER,
    DUTY,
    OPEN,
    SHUT,
    TAX,
    contradictions,
    ids,
    kept,
    opposed,
    opposed_store,
    retrieved_nodes,
)
from llama_index.core.llms.mock import MockLLM
from llama_index.core.query_engine import RetrieverQueryEngine
from llama_index.core.schema import ImageNode, MetadataMode, NodeWithScore, TextNode
from llama_index_logic_retrievers import (
    CompatibilityReranker,
    ConstraintRetriever,
)
from llama_index_logic_retrievers.nodes import passage_of
from llama_stubs import PromptsLLM, recorded
from placed import PlacedEncoder

from logic_retrievers import Passage
from logic_retrievers import contradiction as core
from logic_retrievers.errors import (
    ConfigurationError,
    InputError,
    PairJudgeWarning,
)

QUERY = "inns"
LAW = TextNode(text="inn | shut | c", id_="law", metadata={"kind": "law"})


@pytest.fixture
def results():
    return retrieved_nodes()


def test_the_core_decides(results):
    """A decision of the adapter's own would not be the one that was measured."""
    left = contradictions("prefer_newest", top_n=3).postprocess_nodes(results, query_str=QUERY)
    passages = [passage_of(result.node) for result in results]
    expected = core.ContradictionFilter(PlacedEncoder(), resolution="prefer_newest").filter(
        passages, 3
    )
    assert ids(left) == kept(expected.hits) == [TAX, SHUT, COPPER]
    before = {result.node.node_id: result for result in results}
    for one, hit in zip(left, expected.hits, strict=True):
        told = {**hit.evidence.to_dict(), "score": hit.score, "rank": hit.rank}
        own = before[one.node.node_id]
        assert one.node.metadata == {**own.node.metadata, "logic": {"contradiction": told}}
        assert one.score == own.score
        json.dumps(one.node.metadata, allow_nan=False)


def test_scores_stay_the_retrievers(results):
    """A filter's score in their place, and a cut-off behind it drops by another measure."""
    left = contradictions().postprocess_nodes(results)
    assert [one.score for one in left] == [result.score for result in results]
    assert left[-1].score is None


def test_nothing_is_changed_that_was_given(results):
    """Another branch of the pipeline holds the same nodes."""
    results[0].node.metadata["deep"] = {"list": [1]}
    before = deepcopy(results)
    left = contradictions(trusted=[results[1]]).postprocess_nodes(results)
    for result in left:
        result.node.metadata["logic"]["mine"] = 1
        result.node.relationships.clear()
        result.node.metadata.get("deep", {}).clear()
    assert results == before


async def test_sync_and_async_return_the_same(results):
    """Two code paths drift apart."""
    for resolution in ("annotate", "prefer_newest", "prefer_majority", "drop_both"):
        made = contradictions(resolution, top_n=3)
        left = made.postprocess_nodes(results, query_str=QUERY)
        assert await made.apostprocess_nodes(results, query_str=QUERY) == left
        assert await made.afilter(results, QUERY) == made.filter(results, QUERY)


# --- what was dropped


def test_what_was_dropped_can_be_read_without_callbacks(results):
    """A context that got shorter without a word looks like a bad retriever."""
    made = contradictions("drop_both", top_n=4)
    result = made.filter(results, QUERY)
    assert isinstance(result, core.FilterResult)
    assert kept(result.dropped) == [OPEN, TAX, SHUT, DUTY]
    assert result.short
    assert result.notes == ("2 of 4 passages: 6 were given, and 4 of them dropped",)
    assert kept(result.hits) == ids(made.postprocess_nodes(results)) == [COPPER, AGAIN]
    assert made.filter([result.node for result in results]) == result, "bare nodes do as well"


async def test_a_call_of_its_own(results):
    """Trusted nodes are often known at the query alone."""
    made = contradictions(top_n=1)
    assert len(made.filter(results, top_n=3).hits) == 3
    assert await made.afilter(results, top_n=2) == made.filter(results, top_n=2)
    for trusted in (LAW, NodeWithScore(node=LAW), Passage("law", LAW.text)):
        judged = made.filter(results, trusted=[trusted], top_n=9)
        assert kept(judged.dropped) == [OPEN, AGAIN]
        assert await made.afilter(results, trusted=[trusted], top_n=9) == judged
    assert len(made.filter(results).hits) == 1
    with pytest.raises(ConfigurationError, match="at least 1"):
        made.filter(results, top_n=0)


async def test_events_are_sent(results):
    """A tracer is where a developer looks for what was dropped."""
    made = contradictions("prefer_newest", top_n=9)
    with recorded() as events:
        left = made.postprocess_nodes(results, query_str=QUERY)
        assert await made.apostprocess_nodes(results) == left
    assert events.names == ["ContradictionFilterEvent"] * 2
    event, result = events.events[0], made.filter(results)
    told = {name: getattr(event, name) for name in type(event).model_fields}
    for name in ("timestamp", "id_", "span_id", "tags"):
        del told[name]
    assert json.loads(json.dumps(told, allow_nan=False)) == told
    assert told["resolution"] == "prefer_newest"
    assert [hit["id"] for hit in told["hits"]] == ids(left)
    assert [hit["id"] for hit in told["dropped"]] == [OPEN, DUTY, AGAIN]
    assert all({"id", "score", "passed_filter", "reason"} == hit.keys() for hit in told["dropped"])
    assert told["conflicts"] == [conflict.to_dict() for conflict in result.conflicts]
    assert (told["short"], told["notes"]) == (True, list(result.notes))


def test_the_event_holds_no_text():
    """Traces are read by more people than nodes."""
    nodes = [passage.model_copy(update={"id_": str(n)}) for n, passage in enumerate(opposed())]
    with recorded() as events:
        contradictions("prefer_newest").postprocess_nodes(retrieved_nodes(nodes))
    assert not any(node.text in repr(events.events) for node in nodes)


# --- what is judged


def test_what_nodes_say_is_judged_without_their_metadata(results):
    """Under date and file name no text is a copy of itself, and contradictions are hidden."""
    twin = TextNode(text=OPEN, id_="twin", metadata={"date": 1999})
    left = contradictions("drop_both").postprocess_nodes([*results[:2], NodeWithScore(node=twin)])
    assert ids(left) == [OPEN, TAX, "twin"]
    assert "date: 1999" in twin.get_content(MetadataMode.EMBED)


def test_one_node_counts_once(results):
    """The same node of two retrievers would fill the prompt twice."""
    again = [NodeWithScore(node=result.node, score=0.01) for result in results[3:]]
    left = contradictions().postprocess_nodes([*results, *again])
    assert ids(left) == ids(results)
    assert [one.score for one in left] == [result.score for result in results], "the first of them"


def test_nodes_without_text_stay_and_say_so(results):
    """A multimodal index would lose its images, or fail at the first one."""
    image = ImageNode(id_="i", image_url="http://x/y.png", metadata={"file": "x"})
    left = contradictions().postprocess_nodes([NodeWithScore(node=image), *results])
    assert ids(left)[0] == "i"
    told = left[0].node.metadata["logic"]["contradiction"]
    assert told["reason"] == "has no text to judge it by"


def test_no_nodes_and_no_query():
    """A search that found nothing is no error, and a filter needs no query."""
    assert contradictions().postprocess_nodes([]) == []
    assert asyncio.run(contradictions(top_n=3).apostprocess_nodes([])) == []


def test_a_nodes_document_is_its_source():
    """The document is known to LlamaIndex without any key in the metadata."""
    nodes = opposed()
    for node in nodes:
        del node.metadata["source"]
    made = contradictions("prefer_source", source_order=["doc-inn", "doc-law", "doc-blog"])
    assert ids(made.postprocess_nodes(retrieved_nodes(nodes))) == [TAX, SHUT, COPPER, AGAIN]


def test_functions_get_passages_with_the_users_own_metadata():
    """Evidence in the metadata would be read as the user's."""
    seen = []

    def second(one, other):
        seen.append((one, other))
        return other

    with opposed_store() as store:
        retrieved = ConstraintRetriever(store.index, "topical", similarity_top_k=9).retrieve(OPEN)
    contradictions(second).postprocess_nodes(retrieved)
    own = {text: {"date": date, "source": source} for text, date, source in ABOUT}
    assert len(seen) == 3
    assert all(one.metadata == own[one.id] for pair in seen for one in pair)


# --- a second opinion


@pytest.mark.parametrize("kind", ["plain", "async def"])
async def test_a_second_opinion_is_heard(results, kind):
    """An LLM that is asked and not heard costs money for nothing."""
    asked = []

    def plain(pairs):
        asked.extend(pairs)
        return [0.0 if "tax" in one else None for one, _ in pairs]

    async def later(pairs):
        await asyncio.sleep(0)
        return plain(pairs)

    made = contradictions(judge=plain if kind == "plain" else later)
    result = await made.afilter(results)
    assert (TAX, DUTY) in asked
    assert {(conflict.one, conflict.other) for conflict in result.conflicts} == {
        (OPEN, SHUT),
        (SHUT, AGAIN),
    }
    assert made.filter(results) == result


def test_a_second_opinion_that_fails_is_told(results):
    """A key that has run out must not empty the context."""

    def broken(pairs):
        raise RuntimeError("secret")

    made = contradictions(judge=broken)
    with pytest.warns(PairJudgeWarning, match="RuntimeError"):
        assert len(made.postprocess_nodes(results)) == len(results)


# --- inside LlamaIndex


async def test_in_a_query_engine():
    """The usual place: over-fetch, filter, and the answer's sources say why."""
    llm = PromptsLLM()
    llm.prompts = []
    with opposed_store() as store:
        engine = RetrieverQueryEngine.from_args(
            ConstraintRetriever(store.index, "topical", similarity_top_k=9),
            llm=llm,
            node_postprocessors=[
                contradictions("prefer_newest", encoder=None, index=store.index, top_n=3)
            ],
        )
        answer = engine.query(OPEN)
        other = await engine.aquery(OPEN)
    assert sorted(ids(answer.source_nodes)) == sorted([SHUT, TAX, COPPER])
    assert ids(other.source_nodes) == ids(answer.source_nodes)
    (prompt, *_) = llm.prompts
    assert SHUT in prompt
    assert AGAIN not in prompt
    assert "probability" not in prompt
    for result in answer.source_nodes:
        logic = result.node.metadata["logic"]
        assert (logic["policy"], logic["contradiction"]["policy"]) == ("topical", "contradiction")
    assert isinstance(llm, MockLLM)


def test_behind_a_reranker(results):
    """A filter keeps the order, and what the reranker had to say."""
    reranker = CompatibilityReranker("topical", encoder=PlacedEncoder())
    ranked = reranker.postprocess_nodes(results, query_str=COPPER)
    left = contradictions(top_n=3).postprocess_nodes(ranked, query_str=COPPER)
    assert ids(left) == ids(ranked)[:3]
    assert [one.score for one in left] == [one.score for one in ranked[:3]]
    assert {result.node.metadata["logic"]["policy"] for result in left} == {"topical"}


def test_what_is_no_node_is_refused():
    """A string in the list would fail deep inside, without a word of what it was."""
    with pytest.raises(InputError, match="A node is needed, not"):
        contradictions(trusted=["law"])
    with pytest.raises(InputError, match="A node is needed, not"):
        contradictions().filter(retrieved_nodes(), trusted=[3])
    with pytest.raises(InputError, match="A node is needed, not str"):
        contradictions().filter(["inn"])
