"""ContradictionFilter: results, settings, trusted documents, events."""

from __future__ import annotations

import json
import pickle
from copy import deepcopy

import pytest
from contradicting_documents import (
    AGAIN,
    COPPER,
    DOCUMENTS,
    DUTY,
    OPEN,
    SHUT,
    TAX,
    contradictions,
    nameless,
)
from langchain_core.documents import Document
from langchain_core.runnables import RunnableLambda
from langchain_corpus import ids
from langchain_logic_retrievers import ContradictionFilter
from langchain_logic_retrievers.tracing import FILTERING
from placed import SETTINGS
from pydantic import ValidationError
from qdrant_client import models

from logic_retrievers import Passage
from logic_retrievers.conflicts.resolution_strategies import PreferSource
from logic_retrievers.errors import ConfigurationError, ConflictingTrustWarning, InputError

LAW = Document("inn | shut | c", id="law")
NATIVE = models.Filter(
    must=[models.FieldCondition(key="metadata.source", match=models.MatchValue(value="inn"))]
)


def kept(hits):
    return [hit.passage.id for hit in hits]


async def test_it_stands_in_a_chain_as_it_is():
    """Users first write ``retriever | ContradictionFilter()``."""
    made = contradictions(resolution="prefer_newest", top_n=3)
    chain = RunnableLambda(lambda _: DOCUMENTS) | made
    assert ids(chain.invoke("inns")) == ids(await chain.ainvoke("inns")) == [TAX, SHUT, COPPER]
    with pytest.raises(InputError, match="must be LangChain's Document, not 'inns'"):
        made.compress_documents(["inns"], "inns")


def test_what_was_dropped_can_be_read_without_callbacks():
    """A context that shrinks silently looks like a bad retriever."""
    made = contradictions(resolution="drop_both", top_n=4)
    result = made.filter(iter(DOCUMENTS), "inns")
    assert kept(result.dropped) == [OPEN, TAX, SHUT, DUTY]
    assert result.notes == ("2 of 4 passages: 6 were given, and 4 of them dropped",)
    assert kept(result.hits) == ids(made.compress_documents(DOCUMENTS, "inns")) == [COPPER, AGAIN]
    assert len(made.filter(DOCUMENTS, top_n=1).hits) == 1
    with pytest.raises(ConfigurationError, match="at least 1"):
        made.filter(DOCUMENTS, top_n=0)


def test_documents_without_id_stay_without():
    """Generated ids would pass for the store's."""
    made = contradictions(resolution="prefer_newest")
    results = made.compress_documents(nameless(), "inns")
    assert ids(results) == [None] * 3
    assert [document.page_content for document in results] == [TAX, SHUT, COPPER]
    assert kept(made.filter(nameless()).hits) == ["#1", "#2", "#3"]


async def test_the_event_of_a_run(listener):
    """Developers look in a tracer for dropped documents."""
    made = contradictions(resolution="prefer_newest", top_n=9)

    async def afilter(query):
        return await made.acompress_documents(DOCUMENTS, query)

    chain = RunnableLambda(lambda query: made.compress_documents(DOCUMENTS, query), afilter)
    results = chain.invoke("inns", {"callbacks": [listener]})
    assert await chain.ainvoke("inns", {"callbacks": [listener]}) == results
    told = json.loads(json.dumps(made.filter(DOCUMENTS).without_texts(), allow_nan=False))
    assert [event[:2] for event in listener.events] == [
        (FILTERING, {"resolution": "prefer_newest", **told})
    ] * 2
    assert [hit["id"] for hit in told["dropped"]] == [OPEN, DUTY, AGAIN]
    made.compress_documents(DOCUMENTS, "inns", [listener])  # outside a run: no event
    assert len(listener.events) == 2


def test_settings_that_change_later_are_heard():
    """A cached core would keep its first settings."""
    made = contradictions()
    assert len(made.filter(DOCUMENTS).dropped) == 0
    other = made.model_copy(update={"resolution": "drop_both"})
    assert len(other.filter(DOCUMENTS).dropped) == 4
    made.resolution = "prefer_newest"
    assert len(made.filter(DOCUMENTS).dropped) == 3
    made.top_n = 2
    assert len(made.filter(DOCUMENTS).hits) == 2
    trusted = LAW.model_copy()
    judged = contradictions(trusted=[trusted])
    assert kept(judged.filter(DOCUMENTS).dropped) == [OPEN, AGAIN]
    trusted.page_content = "inn | open | c"
    assert kept(judged.filter(DOCUMENTS).dropped) == [SHUT]


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"trusted": ["law"]}, "trusted"),
        ({"trusted_filter": {}}, "trust every passage"),
        ({"k": 3}, "k"),
    ],
    ids=lambda given: next(iter(given)),
)
def test_bad_settings_are_refused_when_they_are_set(settings, words):
    """Otherwise an end user's first query finds them."""
    with pytest.raises(ValidationError, match=words):
        contradictions(**settings)


def test_settings_are_public_and_fit_for_json():
    """A cache that cannot see a threshold returns stale results."""
    made = contradictions(
        resolution=PreferSource(("law", "inn")), settings=SETTINGS, threshold=0.7, trusted=[LAW]
    )
    dumped = json.loads(made.model_dump_json())
    order = {"name": "prefer_source", "order": ["law", "inn"], "key": "source"}
    assert (dumped["resolution"], dumped["settings"]["alpha"]) == (order, 2.0)
    assert dumped["trusted"][0]["page_content"] == "inn | shut | c"
    again = contradictions(**contradictions(threshold=0.7, trusted=[LAW], top_n=2).model_dump())
    assert (again.trusted, again.threshold, again.top_n) == ((LAW,), 0.7, 2)
    functions = contradictions(resolution=max, trusted_filter=bool).model_dump(mode="json")
    assert functions["resolution"] == {"function": "builtins.max"}
    assert functions["trusted_filter"] == "builtins.bool"


def test_it_travels_to_another_process():
    """Workers get the filter pickled, without the cached core and its vectors."""
    made = contradictions(resolution="drop_both", trusted=[LAW], settings=SETTINGS)
    expected = made.filter(DOCUMENTS)
    for again in (pickle.loads(pickle.dumps(made)), deepcopy(made)):
        assert again.filter(DOCUMENTS) == expected
    assert len(pickle.dumps(made)) < 10_000


def test_a_filter_saved_by_an_earlier_version_loads():
    """Older files have the removed ``edited_copies``; True would change what is dropped."""
    loaded = ContradictionFilter.model_validate({"edited_copies": False})
    assert loaded.model_dump() == ContradictionFilter().model_dump()
    with pytest.raises(ValueError, match="edited_copies"):
        ContradictionFilter.model_validate({"edited_copies": True})


@pytest.mark.parametrize(
    "trusted",
    [LAW, Passage("law", "inn | shut | c"), Document("inn | shut | c"), DOCUMENTS[2]],
    ids=["document", "passage", "without id", "one of the given"],
)
def test_trusted_documents_of_every_kind(trusted):
    """Losing one would leave the false document in the context."""
    results = contradictions(trusted=[trusted]).compress_documents(DOCUMENTS, "inns")
    assert ids(results) == [TAX, SHUT, COPPER, DUTY]
    told = {result.id: result.metadata["logic"]["contradiction"]["details"] for result in results}
    assert [name for name in told if told[name]["trusted"]] == [SHUT] * (trusted.id == SHUT)
    assert kept(contradictions().filter(DOCUMENTS, trusted=[trusted]).hits) == ids(results)


@pytest.mark.parametrize(
    ("given", "trusted", "known"),
    [
        (nameless(), nameless()[0], True),
        (nameless(), DOCUMENTS[0], True),
        (DOCUMENTS, nameless()[0], True),
        (DOCUMENTS, DOCUMENTS[0].model_copy(update={"id": "another"}), False),
    ],
)
def test_without_ids_a_trusted_document_is_known_by_its_text(given, trusted, known):
    """Most loaders give no ids; but trust in one id does not cover the same text under a second."""
    made = contradictions(resolution="prefer_newest", trusted=[trusted])
    more = contradictions(resolution="prefer_newest")
    for result in (made.filter(given), more.filter(given, trusted=[trusted])):
        trusted_texts = [hit.passage.text for hit in result.hits if hit.evidence.details["trusted"]]
        assert trusted_texts == [OPEN] * known


def test_trusted_ones_that_contradict_each_other_are_told():
    """A contested trusted document judges nothing; the warning names the line of its filter."""
    made = contradictions(trusted=[Document("inn | open | d")])
    with pytest.warns(ConflictingTrustWarning, match="'#trusted 0', '#trusted 1'") as caught:
        made.filter(DOCUMENTS, trusted=[Document("inn | shut | d")])
    assert caught[0].filename == __file__


@pytest.mark.parametrize(
    "wanted",
    [{"source": "inn"}, NATIVE, lambda passage: passage.metadata["source"] == "inn"],
    ids=["mapping", "filter", "function"],
)
def test_trusted_ones_are_picked_in_every_way(wanted):
    """A dictionary that pydantic takes for a Qdrant filter would trust every document."""
    made = contradictions(trusted_filter=wanted)
    assert ids(made.compress_documents(DOCUMENTS, "inns")) == [TAX, SHUT, COPPER, DUTY]
