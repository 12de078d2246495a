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
from langchain_core.load import dumps
from langchain_core.runnables import RunnableLambda
from langchain_corpus import ids
from langchain_logic_retrievers import ContradictionFilter
from langchain_logic_retrievers.tracing import FILTERING
from naming import stable
from placed import SETTINGS, PlacedEncoder
from pydantic import ValidationError
from qdrant_client import models

from logic_retrievers import Passage
from logic_retrievers import contradiction as core
from logic_retrievers.contradiction.resolution_strategies import PreferSource
from logic_retrievers.errors import (
    ConfigurationError,
    ConflictingTrustWarning,
    InputError,
)

LAW = Document("inn | shut | c", id="law")


async def test_it_stands_in_a_chain_as_it_is():
    """What anybody writes first: ``retriever | ContradictionFilter()``."""
    made = contradictions(resolution="prefer_newest", top_n=3)
    chain = RunnableLambda(lambda _: DOCUMENTS) | made
    assert ids(chain.invoke("inns")) == ids(await chain.ainvoke("inns")) == [TAX, SHUT, COPPER]


def test_what_are_no_documents():
    """A text, or another framework's node."""
    with pytest.raises(InputError, match="must be LangChain's Document, not 'inns'"):
        contradictions().compress_documents(["inns"], "inns")


def test_what_was_dropped_can_be_read_without_callbacks():
    """A context that got shorter without a word looks like a bad retriever."""
    made = contradictions(resolution="drop_both", top_n=4)
    result = made.filter(DOCUMENTS, "inns")
    assert isinstance(result, core.FilterResult)
    assert {hit.passage.id for hit in result.dropped} == {OPEN, SHUT, TAX, DUTY}
    assert result.short
    assert result.notes == ("2 of 4 passages: 6 were given, and 4 of them dropped",)
    kept = [hit.passage.id for hit in result.hits]
    assert kept == ids(made.compress_documents(DOCUMENTS, "inns")) == [COPPER, AGAIN]


def test_a_call_of_its_own():
    """Trusted documents are often known at the query alone."""
    made = contradictions(top_n=1)
    assert len(made.filter(DOCUMENTS, top_n=3).hits) == 3
    judged = made.filter(iter(DOCUMENTS), trusted=iter([LAW]), top_n=9)
    assert [hit.passage.id for hit in judged.dropped] == [OPEN, AGAIN]
    assert len(made.filter(DOCUMENTS).hits) == 1
    with pytest.raises(ConfigurationError, match="at least 1"):
        made.filter(DOCUMENTS, top_n=0)


def test_documents_without_id_stay_without():
    """Ids made up on the way would be taken for the store's."""
    made = contradictions(resolution="prefer_newest")
    results = made.compress_documents(nameless(), "inns")
    assert ids(results) == [None] * 3
    assert [document.page_content for document in results] == [TAX, SHUT, COPPER]
    assert [hit.passage.id for hit in made.filter(nameless()).hits] == ["#1", "#2", "#3"]


async def test_the_event_of_a_run(listener):
    """A tracer is where a developer looks for what was dropped."""
    made = contradictions(resolution="prefer_newest", top_n=9)

    async def asynchronous(query):
        return await made.acompress_documents(DOCUMENTS, query)

    chain = RunnableLambda(lambda query: made.compress_documents(DOCUMENTS, query), asynchronous)
    results = chain.invoke("inns", {"callbacks": [listener]})
    assert await chain.ainvoke("inns", {"callbacks": [listener]}) == results
    result = made.filter(DOCUMENTS)
    for name, told, _ in listener.events:
        assert name == FILTERING
        assert told == json.loads(json.dumps(told, allow_nan=False))
        assert told["resolution"] == "prefer_newest"
        assert [hit["id"] for hit in told["hits"]] == ids(results)
        assert [hit["id"] for hit in told["dropped"]] == [OPEN, DUTY, AGAIN]
        assert all(
            {"id", "score", "passed_filter", "reason"} == hit.keys() for hit in told["dropped"]
        )
        assert told["conflicts"] == [conflict.to_dict() for conflict in result.conflicts]
        assert (told["short"], told["notes"]) == (True, list(result.notes))
    assert len(listener.events) == 2
    made.compress_documents(DOCUMENTS, "inns", [listener])  # outside a run: no event
    assert len(listener.events) == 2


def test_settings_that_change_later_are_heard():
    """A core that is kept answers by the settings that it was made of."""
    made = contradictions()
    assert len(made.filter(DOCUMENTS).dropped) == 0
    other = made.model_copy(update={"resolution": "drop_both"})
    assert len(other.filter(DOCUMENTS).dropped) == 4
    made.resolution = "prefer_newest"
    assert len(made.filter(DOCUMENTS).dropped) == 3
    made.threshold = 0.9999
    assert len(made.filter(DOCUMENTS).dropped) == 0
    made.top_n = 2
    assert len(made.filter(DOCUMENTS).hits) == 2
    trusted = Document("inn | shut | c", id="law")
    judged = contradictions(trusted=[trusted])
    assert len(judged.filter(DOCUMENTS).dropped) == 2
    trusted.page_content = "inn | open | c"
    assert [hit.passage.id for hit in judged.filter(DOCUMENTS).dropped] == [SHUT]


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"trusted": ["law"]}, "trusted"),
        ({"trusted_filter": {}}, "trust every passage"),
        ({"against_trusted": "keep"}, "against_trusted"),
        ({"settings": {"alpha": -1.0}}, "alpha"),
        ({"judge": 0.5}, "callable"),
        ({"encoder": "all-minilm"}, "Encoder"),
        ({"encoder": PlacedEncoder(["topical"])}, "no 'contradiction'"),
        ({"index": "handbook"}, "PassageIndex"),
        ({"k": 3}, "k"),
    ],
    ids=stable,
)
def test_bad_settings_are_refused_when_they_are_set(settings, words):
    """Else the first query of a user's user finds them."""
    with pytest.raises(ValidationError, match=words):
        contradictions(**settings)


def test_settings_are_public_and_fit_for_json():
    """A cache that cannot see a threshold gives stale results."""
    made = contradictions(
        resolution=PreferSource(("law", "inn")), settings=SETTINGS, threshold=0.7, trusted=[LAW]
    )
    dumped = json.loads(made.model_dump_json())
    assert dumped["resolution"] == {
        "name": "prefer_source",
        "order": ["law", "inn"],
        "key": "source",
    }
    assert dumped["settings"]["alpha"] == 2.0
    assert dumped["trusted"][0]["page_content"] == "inn | shut | c"
    again = contradictions(**contradictions(threshold=0.7, trusted=[LAW], top_n=2).model_dump())
    assert again.trusted == (LAW,)
    assert (again.threshold, again.top_n) == (0.7, 2)
    functions = contradictions(resolution=max, trusted_filter=bool).model_dump(mode="json")
    assert functions["resolution"] == {"function": "builtins.max"}
    assert functions["trusted_filter"] == "builtins.bool"
    assert contradictions().model_dump() == {
        "resolution": "annotate",
        "top_n": None,
        "threshold": None,
        "settings": None,
        "trusted": (),
        "trusted_filter": None,
        "trusted_candidates": 10,
        "against_trusted": "drop",
        "date_key": "date",
        "source_key": "source",
        "source_order": (),
        "judge": None,
        "judge_above": None,
        "drop_above": None,
    }


def test_neither_texts_nor_models_are_told():
    """A trace writes down the repr of every part of a chain."""

    class Model:
        key = "very-secret-key"

        def __repr__(self):
            return f"Model({self.key})"

        def opinion(self, pairs):
            return [None] * len(pairs)

    made = contradictions(trusted=[LAW], judge=Model().opinion)
    told = repr(made) + str(made) + dumps(made)
    assert "resolution='annotate'" in told
    for hidden in ("very-secret-key", LAW.page_content, "PlacedEncoder"):
        assert hidden not in told
    assert "very-secret-key" not in repr(made.model_dump())


def test_it_travels_to_another_process():
    """A worker gets its filter pickled; the kept core, with its vectors, stays here."""
    made = contradictions(resolution="drop_both", trusted=[LAW], settings=SETTINGS)
    expected = made.filter(DOCUMENTS)
    for again in (pickle.loads(pickle.dumps(made)), deepcopy(made)):
        assert again.filter(DOCUMENTS) == expected
    assert len(pickle.dumps(made)) < 10_000


@pytest.mark.parametrize(
    "trusted",
    [LAW, Passage("law", "inn | shut | c"), Document("inn | shut | c"), DOCUMENTS[2]],
    ids=["document", "passage", "without id", "one of the given"],
)
def test_trusted_documents_of_every_kind(trusted):
    """One that is lost on the way leaves the false one in the context."""
    results = contradictions(trusted=[trusted]).compress_documents(DOCUMENTS, "inns")
    assert ids(results) == [TAX, SHUT, COPPER, DUTY]
    told = {result.id: result.metadata["logic"]["contradiction"]["details"] for result in results}
    assert [name for name in told if told[name]["trusted"]] == [SHUT] * (trusted.id == SHUT)


@pytest.mark.parametrize("nameless_ones", ["both", "the given", "the trusted"])
def test_without_ids_a_trusted_document_is_known_by_its_text(nameless_ones):
    """Most loaders give no ids: what the user vouches for would be dropped by the policy."""
    documents = DOCUMENTS if nameless_ones == "the trusted" else nameless()
    trusted = DOCUMENTS[0] if nameless_ones == "the given" else nameless()[0]
    for made, more in (
        (contradictions(resolution="prefer_newest", trusted=[trusted]), []),
        (contradictions(resolution="prefer_newest"), [trusted]),
    ):
        result = made.filter(documents, trusted=more)
        assert [hit.passage.text for hit in result.dropped] == [SHUT, DUTY]
        assert result.hits[0].evidence.details["trusted"]


async def test_trusted_ones_that_contradict_each_other_are_told():
    """Nobody would know why a trusted document judged nobody, or which line's filter it was."""
    made = contradictions(trusted=[Document("inn | open | d"), Document("inn | shut | d")])
    with pytest.warns(ConflictingTrustWarning, match="'#trusted 0', '#trusted 1'") as caught:
        result = made.filter(DOCUMENTS)
    assert caught[0].filename == __file__
    with pytest.warns(ConflictingTrustWarning) as caught:
        await made.acompress_documents(DOCUMENTS, "query")
    assert caught[0].filename == __file__
    assert "'#trusted 0', '#trusted 1'" in result.notes[0]
    more = contradictions(trusted=[Document("inn | open | d")])
    with pytest.warns(ConflictingTrustWarning, match="'#trusted 0', '#trusted 1'"):
        more.filter(DOCUMENTS, trusted=[Document("inn | shut | d")])


@pytest.mark.parametrize(
    "wanted",
    [
        {"source": "inn"},
        models.Filter(
            must=[
                models.FieldCondition(key="metadata.source", match=models.MatchValue(value="inn"))
            ]
        ),
        lambda passage: passage.metadata["source"] == "inn",
    ],
    ids=["mapping", "filter", "function"],
)
def test_trusted_ones_are_picked_in_every_way(wanted):
    """A dictionary that pydantic takes for a Qdrant filter would trust everybody."""
    made = contradictions(trusted_filter=wanted)
    assert ids(made.compress_documents(DOCUMENTS, "inns")) == [TAX, SHUT, COPPER, DUTY]


def test_another_id_is_another_document():
    """A copy of a trusted text from elsewhere is not what the user vouches for."""
    trusted = DOCUMENTS[0].model_copy(update={"id": "another"})
    result = contradictions(resolution="prefer_newest", trusted=[trusted]).filter(DOCUMENTS)
    assert not any(hit.evidence.details["trusted"] for hit in result.hits)


def test_a_filter_saved_by_an_earlier_version_loads():
    """Each had ``edited_copies``, which went; True would change what is dropped."""
    loaded = ContradictionFilter.model_validate({"edited_copies": False})
    assert loaded.model_dump() == ContradictionFilter().model_dump()
    with pytest.raises(ValueError, match="edited_copies"):
        ContradictionFilter.model_validate({"edited_copies": True})
