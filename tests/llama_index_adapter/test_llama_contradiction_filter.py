"""ContradictionFilter: what stays, what is told, and whom it is told to."""

from __future__ import annotations

import asyncio
import json
import uuid
from copy import deepcopy

import pytest
from llama_index.core.callbacks import CallbackManager, CBEventType, LlamaDebugHandler
from llama_index.core.llms.mock import MockLLM
from llama_index.core.query_engine import RetrieverQueryEngine
from llama_index.core.schema import ImageNode, MetadataMode, NodeWithScore, TextNode
from llama_index.core.vector_stores.types import MetadataFilter, MetadataFilters
from llama_index.vector_stores.qdrant import QdrantVectorStore
from llama_index_logic_retrievers import (
    CompatibilityReranker,
    ConstraintRetriever,
    ContradictionRetriever,
    open_index_over,
)
from llama_index_logic_retrievers.evidence import without_evidence
from llama_index_logic_retrievers.nodes import claim_of
from llama_opposed import (
    ABOUT,
    AGAIN,
    COPPER,
    DUTY,
    OPEN,
    SHUT,
    TAX,
    contradictions,
    found_by_others,
    ids,
    kept,
    opposed,
    opposed_store,
)
from llama_stubs import PromptsLLM, recorded
from placed import PlacedEncoder, vectors
from qdrant_client import QdrantClient, models

from logic_retrievers import Passage
from logic_retrievers import contradiction as core
from logic_retrievers.errors import (
    ConfigurationError,
    ConflictingTrustWarning,
    InputError,
    SecondOpinionWarning,
)

QUERY = "inns"
LAW = TextNode(text="inn | shut | c", id_="law", metadata={"kind": "law"})


@pytest.fixture
def found():
    return found_by_others()


def test_the_core_decides(found):
    """A decision of the adapter's own would not be the one that was measured."""
    left = contradictions("prefer_newest", top_n=3).postprocess_nodes(found, query_str=QUERY)
    passages = [claim_of(one.node) for one in found]
    expected = core.ContradictionFilter(PlacedEncoder(), policy="prefer_newest").filter(passages, 3)
    assert ids(left) == kept(expected.hits) == [TAX, SHUT, COPPER]
    before = {one.node.node_id: one for one in found}
    for one, hit in zip(left, expected.hits, strict=True):
        told = {**hit.evidence.to_dict(), "score": hit.score, "rank": hit.rank}
        own = before[one.node.node_id]
        assert one.node.metadata == {**own.node.metadata, "logic": {"contradiction": told}}
        assert one.score == own.score
        json.dumps(one.node.metadata, allow_nan=False)


def test_scores_stay_the_retrievers(found):
    """A filter's score in their place, and a cut-off behind it drops by another measure."""
    left = contradictions().postprocess_nodes(found)
    assert [one.score for one in left] == [one.score for one in found]
    assert left[-1].score is None


def test_nothing_is_changed_that_was_given(found):
    """Another branch of the pipeline holds the same nodes."""
    found[0].node.metadata["deep"] = {"list": [1]}
    before = deepcopy(found)
    left = contradictions(trusted=[found[1]]).postprocess_nodes(found)
    for one in left:
        one.node.metadata["logic"]["mine"] = 1
        one.node.relationships.clear()
        one.node.metadata.get("deep", {}).clear()
    assert found == before


async def test_sync_and_async_return_the_same(found):
    """Two code paths drift apart."""
    for policy in ("annotate", "prefer_newest", "prefer_majority", "drop_both"):
        made = contradictions(policy, top_n=3)
        left = made.postprocess_nodes(found, query_str=QUERY)
        assert await made.apostprocess_nodes(found, query_str=QUERY) == left
        assert await made.afiltered(found, QUERY) == made.filtered(found, QUERY)


# --- what was dropped


def test_what_was_dropped_can_be_read_without_callbacks(found):
    """A context that got shorter without a word looks like a bad retriever."""
    made = contradictions("drop_both", top_n=4)
    result = made.filtered(found, QUERY)
    assert isinstance(result, core.Filtered)
    assert kept(result.dropped) == [OPEN, TAX, SHUT, DUTY]
    assert result.short
    assert result.notes == ("2 of 4 passages: 6 were given, and 4 of them dropped",)
    assert kept(result.hits) == ids(made.postprocess_nodes(found)) == [COPPER, AGAIN]
    assert made.filtered([one.node for one in found]) == result, "bare nodes do as well"


async def test_a_call_of_its_own(found):
    """Trusted nodes are often known at the query alone."""
    made = contradictions(top_n=1)
    assert len(made.filtered(found, top_n=3).hits) == 3
    assert await made.afiltered(found, top_n=2) == made.filtered(found, top_n=2)
    for trusted in (LAW, NodeWithScore(node=LAW), Passage("law", LAW.text)):
        judged = made.filtered(found, trusted=[trusted], top_n=9)
        assert kept(judged.dropped) == [OPEN, AGAIN]
        assert await made.afiltered(found, trusted=[trusted], top_n=9) == judged
    assert len(made.filtered(found).hits) == 1
    with pytest.raises(ConfigurationError, match="at least 1"):
        made.filtered(found, top_n=0)


async def test_events_and_callbacks_are_sent(found):
    """A tracer is where a developer looks for what was dropped."""
    handler = LlamaDebugHandler(print_trace_on_end=False)
    made = contradictions("prefer_newest", top_n=9, callback_manager=CallbackManager([handler]))
    with recorded() as events:
        left = made.postprocess_nodes(found, query_str=QUERY)
        assert await made.apostprocess_nodes(found) == left
    assert events.names == ["ContradictionFilterEvent"] * 2
    event, result = events.events[0], made.filtered(found)
    told = {name: getattr(event, name) for name in type(event).model_fields}
    for name in ("timestamp", "id_", "span_id", "tags"):
        del told[name]
    assert json.loads(json.dumps(told, allow_nan=False)) == told
    assert told["policy"] == "prefer_newest"
    assert [one["id"] for one in told["hits"]] == ids(left)
    assert [one["id"] for one in told["dropped"]] == [OPEN, DUTY, AGAIN]
    assert all({"id", "score", "kept", "reason"} == one.keys() for one in told["dropped"])
    assert told["conflicts"] == [conflict.to_dict() for conflict in result.conflicts]
    assert (told["short"], told["notes"]) == (True, list(result.notes))
    first, second = handler.get_event_pairs(CBEventType.RERANKING)
    assert first[0].payload["query_str"] == QUERY
    assert first[0].payload["nodes"] == found
    assert first[0].payload["top_k"] == 9
    assert first[0].payload["model_name"] == "logic-retrievers:contradiction:prefer_newest"
    assert first[1].payload["nodes"] == left
    assert first[1].payload["contradictions"] == told
    assert "query_str" not in second[0].payload


def test_the_event_holds_no_text():
    """Traces are read by more people than nodes."""
    nodes = [one.model_copy(update={"id_": str(n)}) for n, one in enumerate(opposed())]
    with recorded() as events:
        contradictions("prefer_newest").postprocess_nodes(found_by_others(nodes))
    assert not any(one.text in repr(events.events) for one in nodes)


# --- evidence beside what was there


def test_evidence_of_the_retriever_stays():
    """Why a node was found would be lost behind the last step of the pipeline."""
    with opposed_store() as store:
        retrieved = ConstraintRetriever(store.index, "topical", k=9).retrieve(OPEN)
        before = deepcopy(retrieved)
        once = contradictions().postprocess_nodes(retrieved)
    assert retrieved == before
    for one, plain in zip(once, before, strict=True):
        logic = dict(one.node.metadata["logic"])
        assert logic.pop("contradiction")["policy"] == "contradiction"
        assert logic == plain.node.metadata["logic"]
        assert one.score == plain.score == logic["score"]
        assert type(one.node) is type(plain.node)
        assert one.node.hash == plain.node.hash
    again = contradictions("prefer_newest").postprocess_nodes(once)
    assert {one.node.metadata["logic"]["policy"] for one in again} == {"topical"}
    assert not any(
        "contradiction" in one.node.metadata["logic"]["contradiction"] for one in again
    ), "evidence of an earlier filter is replaced"
    assert contradictions().postprocess_nodes(once) == once


def test_metadata_of_the_users_own_under_our_key(found):
    """A user's field called logic would vanish, or come back as evidence."""
    like_ours = {"policy": 1, "scores": 1, "ranks": 1, "kept": 1}
    for mine in (
        "mine",
        {"contradiction": "mine"},
        {"contradiction": like_ours, "other": 1},
        {},
        None,
    ):
        found[0].node.metadata["logic"] = mine
        once = contradictions().postprocess_nodes(found)
        twice = contradictions().postprocess_nodes(once)
        assert twice == once
        told = once[0].node.metadata["logic"]
        assert set(told) == {"contradiction", "replaced"}
        assert without_evidence(twice[0].node) == found[0].node
        reranker = CompatibilityReranker("topical", encoder=PlacedEncoder())
        (ranked,) = reranker.postprocess_nodes(once[:1], query_str=OPEN)
        assert "contradiction" not in ranked.node.metadata["logic"]
        assert without_evidence(ranked.node) == found[0].node


def test_results_that_are_stored_hold_no_evidence(found):
    """Old evidence in the collection would come back as metadata of the user's."""
    left = contradictions().postprocess_nodes(found)
    with opposed_store() as store:
        store.add([one.node for one in left])
        (stored,) = store.get_nodes([OPEN])
        assert stored == found[0].node
    assert type(left[0].node) is not type(found[0].node)
    assert left[0].node.hash == found[0].node.hash


def test_evidence_stays_out_of_prompts_and_vectors(found):
    """Half a page of probabilities in the prompt, or in what an embedding model reads."""
    for one, plain in zip(contradictions().postprocess_nodes(found), found, strict=True):
        for mode in (MetadataMode.LLM, MetadataMode.EMBED):
            assert one.node.get_content(mode) == plain.node.get_content(mode)


# --- what is judged


def test_what_nodes_say_is_judged_without_their_metadata(found):
    """Under date and file name no text is a copy of itself, and contradictions are hidden."""
    twin = TextNode(text=OPEN, id_="twin", metadata={"date": 1999})
    left = contradictions("drop_both").postprocess_nodes([*found[:2], NodeWithScore(node=twin)])
    assert ids(left) == [OPEN, TAX, "twin"]
    assert "date: 1999" in twin.get_content(MetadataMode.EMBED)


def test_every_road_judges_a_node_alike(found):
    """A node in the store that was judged under its metadata would contradict nobody."""
    law = LAW.model_copy(update={"metadata": {"kind": "law", "file": "law.pdf"}})
    given = found[:2]
    fresh = contradictions(trusted=[law]).filtered(given)
    with opposed_store() as store:
        store.add([law])
        lent = contradictions(encoder=None, index=store.index, trusted=[law]).filtered(given)
        judged = contradictions(
            encoder=None, index=store.index, trusted_filter={"kind": "law"}
        ).filtered(given)
        assert kept(fresh.dropped) == [OPEN]
        for other in (lent, judged):
            assert kept(other.dropped) == [OPEN]
            (one,), (same,) = other.conflicts, fresh.conflicts
            assert one.probability == pytest.approx(same.probability, abs=1e-5)
        retriever = ContradictionRetriever(store.index, k=9)
        for against in (retriever.like("law"), retriever.retrieve(law.text)):
            told = {one.node.node_id: one.node.metadata["logic"]["details"] for one in against}
            assert "law" not in told, "it is no candidate, nor are its copies"
            assert told[OPEN]["probability"] == pytest.approx(
                fresh.conflicts[0].probability, abs=0.01
            )


def test_one_node_counts_once(found):
    """The same node of two retrievers would fill the prompt twice."""
    again = [NodeWithScore(node=one.node, score=0.01) for one in found[3:]]
    left = contradictions().postprocess_nodes([*found, *again])
    assert ids(left) == ids(found)
    assert [one.score for one in left] == [one.score for one in found], "the first of them"


def test_nodes_without_text_stay_and_say_so(found):
    """A multimodal index would lose its images, or fail at the first one."""
    image = ImageNode(id_="i", image_url="http://x/y.png", metadata={"file": "x"})
    left = contradictions().postprocess_nodes([NodeWithScore(node=image), *found])
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
    assert ids(made.postprocess_nodes(found_by_others(nodes))) == [TAX, SHUT, COPPER, AGAIN]


def test_functions_get_passages_with_the_users_own_metadata():
    """Evidence in the metadata would be read as the user's."""
    seen = []

    def second(one, other):
        seen.append((one, other))
        return other

    with opposed_store() as store:
        retrieved = ConstraintRetriever(store.index, "topical", k=9).retrieve(OPEN)
    contradictions(second).postprocess_nodes(retrieved)
    own = {text: {"date": date, "source": source} for text, date, source in ABOUT}
    assert len(seen) == 3
    assert all(one.metadata == own[one.id] for pair in seen for one in pair)


# --- whom the user vouches for


@pytest.mark.parametrize(
    "trusted",
    [LAW, NodeWithScore(node=LAW, score=0.1), Passage("law", LAW.text), opposed()[2]],
    ids=["node", "scored node", "passage", "one of the given"],
)
def test_trusted_nodes_of_every_kind(found, trusted):
    """One that is lost on the way leaves the false one in the context."""
    left = contradictions(trusted=[trusted]).postprocess_nodes(found)
    assert ids(left) == [TAX, SHUT, COPPER, DUTY]
    marked = [
        one.node.node_id
        for one in left
        if one.node.metadata["logic"]["contradiction"]["details"]["trusted"]
    ]
    assert marked == ([SHUT] if trusted == opposed()[2] else [])


def test_a_trusted_node_is_known_whatever_evidence_it_carries(found):
    """A result of one search is vouched for in the next."""
    (told,) = contradictions().postprocess_nodes(found[2:3])
    assert ids(contradictions(trusted=[told]).postprocess_nodes(found)) == [TAX, SHUT, COPPER, DUTY]


async def test_trusted_ones_that_contradict_each_other_are_told(found):
    """Nobody would know why a trusted node judged nobody, or which line's filter it was."""
    made = contradictions(trusted=[LAW, TextNode(text="inn | open | d", id_="t")])
    with pytest.warns(ConflictingTrustWarning, match="'law', 't'") as caught:
        result = made.filtered(found)
    assert caught[0].filename == __file__
    with pytest.warns(ConflictingTrustWarning) as caught:
        await made.afiltered(found)
    assert caught[0].filename == __file__
    assert "'law', 't'" in result.notes[0]


def test_trusted_nodes_are_encoded_once(found):
    """A handbook that is encoded at every query takes most of the time."""
    encoder = PlacedEncoder()
    made = contradictions(encoder=encoder, trusted=[LAW])
    made.postprocess_nodes(found)
    made.postprocess_nodes(found)
    made.top_n = 2
    made.filtered(found)
    assert encoder.encoded.count(LAW.text) == 1


WAYS = {
    "mapping": {"source": "inn"},
    "native": models.Filter(
        must=[models.FieldCondition(key="metadata.source", match=models.MatchValue(value="inn"))]
    ),
    "theirs": MetadataFilters(filters=[MetadataFilter(key="source", value="inn")]),
    "single": MetadataFilter(key="source", value="inn"),
    "function": lambda passage: passage.metadata["source"] == "inn",
}


@pytest.mark.parametrize("way", WAYS)
def test_trusted_ones_are_picked_in_every_way(found, way):
    """Users of either framework bring the filter that they know."""
    made = contradictions(trusted_filter=WAYS[way])
    assert ids(made.postprocess_nodes(found)) == [TAX, SHUT, COPPER, DUTY]


@pytest.mark.parametrize("way", ["mapping", "native", "theirs", "single"])
def test_a_collection_lends_vectors_and_judges(way):
    """A handbook in the collection that is not asked judges nobody."""
    encoder = PlacedEncoder()
    with opposed_store(encoder) as store:
        index = store.index
        law = TextNode(text=LAW.text, id_="law", metadata={"source": "inn"})
        store.add([law])
        encoder.encoded.clear()
        made = contradictions(encoder=None, index=index, trusted_filter=WAYS[way])
        given = found_by_others()[:2]
        assert ids(made.postprocess_nodes(given)) == [TAX]
        assert encoder.encoded == []
        assert made.trusted_collection == index.collection
        none = contradictions(
            encoder=None, index=index, trusted_filter=WAYS[way], trusted_candidates=0
        )
        assert len(none.postprocess_nodes(given)) == 2


@pytest.mark.filterwarnings("ignore:Payload indexes have no effect in the local Qdrant")
def test_trusted_nodes_of_llama_indexs_own_store():
    """It keeps metadata at the top of the payload: the judge is there, and is not found."""
    client = QdrantClient(":memory:")
    theirs = QdrantVectorStore("docs", client=client)
    law = TextNode(text=LAW.text, id_=str(uuid.uuid4()), metadata={"source": "inn"})
    law.embedding = vectors(law.text)["topical"].tolist()
    theirs.add([law])
    index = open_index_over(theirs, encoder=PlacedEncoder())
    for way in ("mapping", "theirs", "single"):
        made = contradictions(encoder=None, index=index, trusted_filter=WAYS[way])
        assert ids(made.postprocess_nodes(found_by_others()[:2])) == [TAX]
        given = found_by_others([opposed()[0], opposed()[2]])
        assert ids(made.postprocess_nodes(given)) == [SHUT], "picked among the given too"
    client.close()


# --- a second opinion


@pytest.mark.parametrize("kind", ["plain", "async def"])
async def test_a_second_opinion_is_heard(found, kind):
    """An LLM that is asked and not heard costs money for nothing."""
    asked = []

    def plain(pairs):
        asked.extend(pairs)
        return [0.0 if "tax" in one else None for one, _ in pairs]

    async def later(pairs):
        await asyncio.sleep(0)
        return plain(pairs)

    made = contradictions(second_opinion=plain if kind == "plain" else later)
    result = await made.afiltered(found)
    assert (TAX, DUTY) in asked
    assert {(one.one, one.other) for one in result.conflicts} == {(OPEN, SHUT), (SHUT, AGAIN)}
    assert made.filtered(found) == result


def test_a_second_opinion_that_fails_is_told(found):
    """A key that has run out must not empty the context."""

    def broken(pairs):
        raise RuntimeError("secret")

    made = contradictions(second_opinion=broken)
    with pytest.warns(SecondOpinionWarning, match="RuntimeError"):
        assert len(made.postprocess_nodes(found)) == len(found)


# --- inside LlamaIndex


async def test_in_a_query_engine():
    """The usual place: over-fetch, filter, and the answer's sources say why."""
    llm = PromptsLLM()
    llm.prompts = []
    with opposed_store() as store:
        engine = RetrieverQueryEngine.from_args(
            ConstraintRetriever(store.index, "topical", k=9),
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
    for one in answer.source_nodes:
        logic = one.node.metadata["logic"]
        assert (logic["policy"], logic["contradiction"]["policy"]) == ("topical", "contradiction")
    assert isinstance(llm, MockLLM)


def test_behind_a_reranker(found):
    """A filter keeps the order, and what the reranker had to say."""
    reranker = CompatibilityReranker("topical", encoder=PlacedEncoder())
    ranked = reranker.postprocess_nodes(found, query_str=COPPER)
    left = contradictions(top_n=3).postprocess_nodes(ranked, query_str=COPPER)
    assert ids(left) == ids(ranked)[:3]
    assert [one.score for one in left] == [one.score for one in ranked[:3]]
    assert {one.node.metadata["logic"]["policy"] for one in left} == {"topical"}


def test_what_is_no_node_is_refused():
    """A string in the list would fail deep inside, without a word of what it was."""
    with pytest.raises(InputError, match="A node is needed, not"):
        contradictions(trusted=["law"])
    with pytest.raises(InputError, match="A node is needed, not"):
        contradictions().filtered(found_by_others(), trusted=[3])
    with pytest.raises(InputError, match="A node is needed, not str"):
        contradictions().filtered(["inn"])
