"""ContradictionRetriever: its own calls, settings and events."""

from __future__ import annotations

import pytest
from contradicting_nodes import COPPER, SHUT, opposed_store
from llama_index.core.callbacks import CallbackManager, CBEventType, LlamaDebugHandler
from llama_index.core.schema import IndexNode, TextNode
from llama_index_logic_retrievers import ContradictionRetriever, LogicVectorStore
from llama_stubs import ids, recorded
from placed import SETTINGS, PlacedEncoder

from logic_retrievers import ContradictionSearch, PassageIndex
from logic_retrievers.errors import ConfigurationError, InputError

STATEMENT = "inn | shut | c"


@pytest.fixture
def index():
    with opposed_store() as store:
        yield store.index


def test_like_a_stored_node(index):
    """Otherwise the node heads the list of what contradicts it."""
    strict = SETTINGS.model_copy(update={"threshold": 0.99999})
    settings = {"settings": strict, "min_probability": 0.1, "alpha": 0.0}
    where = {"source": ["blog", "press"]}
    hits = ContradictionSearch(index, **settings).search_like(SHUT, 3, filter=where)
    retriever = ContradictionRetriever(index, **settings)
    found = retriever.like(SHUT, similarity_top_k=3, filter=where)
    assert [result.node.metadata["logic"] for result in found] == [
        {**hit.evidence.to_dict(), "score": hit.score, "rank": hit.rank} for hit in hits
    ]
    assert found
    assert SHUT not in ids(retriever.like(SHUT, similarity_top_k=99))
    with pytest.raises(InputError, match="no passage 'nobody'"):
        retriever.like("nobody")


@pytest.mark.parametrize(
    ("settings", "words"),
    [({"settings": {"alpha": 1.0}}, "ContradictionSettings"), ({"index": None}, "PassageIndex")],
    ids=str,
)
def test_a_bad_setting_is_refused_at_once(index, settings, words):
    """Otherwise it fails in production, at the first query."""
    with pytest.raises(ConfigurationError, match=words):
        ContradictionRetriever(**{"index": index, **settings})
    with (
        PassageIndex.open(encoder=PlacedEncoder(["topical"])) as poor,
        pytest.raises(ConfigurationError, match="no 'contradiction'"),
    ):
        ContradictionRetriever(poor)


async def test_events_and_callbacks_are_sent(index):
    """A tracer must show the step between question and answer."""
    handler = LlamaDebugHandler(print_trace_on_end=False)
    retriever = ContradictionRetriever(
        index, similarity_top_k=2, callback_manager=CallbackManager([handler])
    )
    with recorded() as events:
        found = retriever.retrieve(STATEMENT)
        assert await retriever.aretrieve(STATEMENT) == found
        like = retriever.like(SHUT)
    assert events.names == ["RetrievalStartEvent", "RetrievalEndEvent"] * 3
    assert [one.nodes for one in events.events[1::2]] == [found, found, like]
    assert [one.str_or_query_bundle for one in events.events] == [STATEMENT] * 4 + [SHUT] * 2
    assert len(handler.get_event_pairs(CBEventType.RETRIEVE)) == 2


def test_index_nodes_lead_to_what_they_stand_for_once():
    """Two summaries of one node must show it once; a search by id needs no query."""
    target = TextNode(id_="whole", text="The whole chapter about inns.")
    vectors = ("topical", "contradiction")
    with PassageIndex.open(encoder=PlacedEncoder(), vectors=vectors) as index:
        LogicVectorStore(index).add(
            [IndexNode(id_=f"s{i}", text=f"inn | open | {i}", index_id="x") for i in range(2)]
            + [TextNode(id_="t", text=COPPER), TextNode(id_="u", text=SHUT)]
        )
        objects = [IndexNode(text="-", index_id="x", obj=target)]
        retriever = ContradictionRetriever(index, objects=objects, similarity_top_k=3)
        assert ids(retriever.retrieve(SHUT)) == ["whole", "t"]
        assert sorted(ids(retriever.like("u"))) == ["s0", "s1", "t"]
