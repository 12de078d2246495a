"""ContradictionFilter: what is kept, what is told, and whom it is told to."""

from __future__ import annotations

import asyncio
import json
import pickle
from copy import deepcopy

import pytest
from langchain_classic.retrievers import ContextualCompressionRetriever
from langchain_classic.retrievers.document_compressors import DocumentCompressorPipeline
from langchain_core.documents import Document
from langchain_core.load import dumps
from langchain_core.runnables import RunnableLambda
from langchain_corpus import ids
from langchain_logic_retrievers import CompatibilityReranker, ConstraintRetriever
from langchain_logic_retrievers.documents import candidates
from langchain_logic_retrievers.events import FILTERING
from langchain_opposed import (
    AGAIN,
    COPPER,
    DOCUMENTS,
    DUTY,
    OPEN,
    SHUT,
    TAX,
    contradictions,
    nameless,
    opposed_store,
)
from placed import SETTINGS, PlacedEncoder
from pydantic import ValidationError
from qdrant_client import models

from logic_retrievers import Passage, PassageIndex
from logic_retrievers import contradiction as core
from logic_retrievers.contradiction.rules import PreferSource
from logic_retrievers.errors import (
    ConfigurationError,
    ConflictingTrustWarning,
    SecondOpinionWarning,
)

LAW = Document("inn | shut | c", id="law")


def test_the_core_decides():
    """A decision of the adapter's own would not be the one that was measured."""
    found = contradictions(policy="prefer_newest", top_n=3).compress_documents(DOCUMENTS, "inns")
    passages = [passage for passage, _ in candidates(DOCUMENTS).values()]
    expected = core.ContradictionFilter(PlacedEncoder(), policy="prefer_newest").filter(passages, 3)
    assert ids(found) == [hit.passage.id for hit in expected.hits] == [TAX, SHUT, COPPER]
    for document, hit in zip(found, expected.hits, strict=True):
        told = {**hit.evidence.to_dict(), "score": hit.score, "rank": hit.rank}
        assert document.metadata == {**hit.passage.metadata, "logic": {"contradiction": told}}
        json.dumps(document.metadata, allow_nan=False)


def test_what_was_dropped_can_be_read_without_callbacks():
    """A context that got shorter without a word looks like a bad retriever."""
    made = contradictions(policy="drop_both", top_n=4)
    result = made.filtered(DOCUMENTS, "inns")
    assert isinstance(result, core.Filtered)
    assert {hit.passage.id for hit in result.dropped} == {OPEN, SHUT, TAX, DUTY}
    assert result.short
    assert result.notes == ("2 of 4 passages: 6 were given, and 4 of them dropped",)
    kept = [hit.passage.id for hit in result.hits]
    assert kept == ids(made.compress_documents(DOCUMENTS, "inns")) == [COPPER, AGAIN]
    assert asyncio.run(made.afiltered(DOCUMENTS)) == result


def test_a_call_of_its_own():
    """Trusted documents are often known at the query alone."""
    made = contradictions(top_n=1)
    assert len(made.filtered(DOCUMENTS, top_n=3).hits) == 3
    assert asyncio.run(made.afiltered(DOCUMENTS, top_n=2)) == made.filtered(DOCUMENTS, top_n=2)
    judged = made.filtered(DOCUMENTS, trusted=[LAW], top_n=9)
    assert [hit.passage.id for hit in judged.dropped] == [OPEN, AGAIN]
    again = asyncio.run(made.afiltered(DOCUMENTS, trusted=[LAW], top_n=9))
    assert again == judged
    assert len(made.filtered(DOCUMENTS).hits) == 1
    with pytest.raises(ConfigurationError, match="at least 1"):
        made.filtered(DOCUMENTS, top_n=0)


@pytest.mark.parametrize(
    "trusted",
    [LAW, Passage("law", "inn | shut | c"), Document("inn | shut | c"), DOCUMENTS[2]],
    ids=["document", "passage", "without id", "one of the given"],
)
def test_trusted_documents_of_every_kind(trusted):
    """One that is lost on the way leaves the false one in the context."""
    found = contradictions(trusted=[trusted]).compress_documents(DOCUMENTS, "inns")
    assert ids(found) == [TAX, SHUT, COPPER, DUTY]
    told = {one.id: one.metadata["logic"]["contradiction"]["details"] for one in found}
    assert [name for name in told if told[name]["trusted"]] == [SHUT] * (trusted.id == SHUT)


@pytest.mark.parametrize("nameless_ones", ["both", "the given", "the trusted"])
def test_without_ids_a_trusted_document_is_known_by_its_text(nameless_ones):
    """Most loaders give no ids: what the user vouches for would be dropped by the policy."""
    documents = DOCUMENTS if nameless_ones == "the trusted" else nameless()
    trusted = DOCUMENTS[0] if nameless_ones == "the given" else nameless()[0]
    for made, more in (
        (contradictions(policy="prefer_newest", trusted=[trusted]), []),
        (contradictions(policy="prefer_newest"), [trusted]),
    ):
        result = made.filtered(documents, trusted=more)
        assert [hit.passage.text for hit in result.dropped] == [SHUT, DUTY]
        assert result.hits[0].evidence.details["trusted"]


def test_another_id_is_another_document():
    """A copy of a trusted text from elsewhere is not what the user vouches for."""
    trusted = DOCUMENTS[0].model_copy(update={"id": "another"})
    result = contradictions(policy="prefer_newest", trusted=[trusted]).filtered(DOCUMENTS)
    assert not any(hit.evidence.details["trusted"] for hit in result.hits)


async def test_trusted_ones_that_contradict_each_other_are_told():
    """Nobody would know why a trusted document judged nobody, or which line's filter it was."""
    made = contradictions(trusted=[Document("inn | open | d"), Document("inn | shut | d")])
    with pytest.warns(ConflictingTrustWarning, match="'#trusted 0', '#trusted 1'") as caught:
        result = made.filtered(DOCUMENTS)
    assert caught[0].filename == __file__
    with pytest.warns(ConflictingTrustWarning) as caught:
        await made.acompress_documents(DOCUMENTS, "query")
    assert caught[0].filename == __file__
    assert "'#trusted 0', '#trusted 1'" in result.notes[0]
    more = contradictions(trusted=[Document("inn | open | d")])
    with pytest.warns(ConflictingTrustWarning, match="'#trusted 0', '#trusted 1'"):
        more.filtered(DOCUMENTS, trusted=[Document("inn | shut | d")])


def test_trusted_documents_are_encoded_once():
    """A handbook that is encoded at every query takes most of the time."""
    encoder = PlacedEncoder()
    made = contradictions(encoder=encoder, trusted=[LAW])
    made.compress_documents(DOCUMENTS, "inns")
    made.compress_documents(DOCUMENTS, "inns")
    made.filtered(DOCUMENTS)
    assert encoder.encoded.count("inn | shut | c") == 1


def test_settings_that_change_later_are_heard():
    """A core that is kept answers by the settings that it was made of."""
    made = contradictions()
    assert len(made.filtered(DOCUMENTS).dropped) == 0
    other = made.model_copy(update={"policy": "drop_both"})
    assert len(other.filtered(DOCUMENTS).dropped) == 4
    made.policy = "prefer_newest"
    assert len(made.filtered(DOCUMENTS).dropped) == 3
    made.threshold = 0.9999
    assert len(made.filtered(DOCUMENTS).dropped) == 0
    made.top_n = 2
    assert len(made.filtered(DOCUMENTS).hits) == 2
    trusted = Document("inn | shut | c", id="law")
    judged = contradictions(trusted=[trusted])
    assert len(judged.filtered(DOCUMENTS).dropped) == 2
    trusted.page_content = "inn | open | c"
    assert [hit.passage.id for hit in judged.filtered(DOCUMENTS).dropped] == [SHUT]


def test_a_collection_lends_vectors_and_judges():
    """A handbook in the collection that is not asked judges nobody."""
    with opposed_store() as store:
        store.add_documents([Document("inn | shut | c", id="law", metadata={"kind": "law"})])
        encoder = store.index.encoder
        encoder.encoded.clear()
        made = contradictions(encoder=None, index=store.index, trusted_filter={"kind": "law"})
        assert ids(made.compress_documents(DOCUMENTS, "inns")) == [TAX, SHUT, COPPER, DUTY]
        assert encoder.encoded == []
        none = contradictions(
            encoder=None, index=store.index, trusted_filter={"kind": "law"}, trusted_candidates=0
        )
        assert len(none.compress_documents(DOCUMENTS, "inns")) == 6


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


def test_functions_get_passages_with_the_users_own_metadata():
    """Evidence in the metadata would be read as the user's."""
    seen = []

    def longer(one, other):
        seen.append((one, other))
        return other

    with opposed_store() as store:
        found = ConstraintRetriever(index=store.index, policy="topical", k=9).invoke(OPEN)
    contradictions(policy=longer).compress_documents(found, "inns")
    assert len(seen) == 3
    stored = {document.id: document.metadata for document in DOCUMENTS}
    assert all(one.metadata == stored[one.id] for pair in seen for one in pair)


def test_documents_without_id_stay_without():
    """Ids made up on the way would be taken for the store's."""
    made = contradictions(policy="prefer_newest")
    found = made.compress_documents(nameless(), "inns")
    assert ids(found) == [None] * 3
    assert [one.page_content for one in found] == [TAX, SHUT, COPPER]
    assert [hit.passage.id for hit in made.filtered(nameless()).hits] == ["#1", "#2", "#3"]


def test_a_blank_document_stays_and_says_so():
    """A blank page of a PDF must not fail the whole query, nor vanish."""
    [blank, _] = contradictions().compress_documents([Document(" "), DOCUMENTS[0]], "inns")
    assert blank.metadata["logic"]["contradiction"]["reason"] == "has no text to judge it by"


@pytest.mark.parametrize("kind", ["plain", "async def"])
async def test_a_second_opinion_is_heard(kind):
    """An LLM that is asked and not heard costs money for nothing."""
    asked = []

    def plain(pairs):
        asked.extend(pairs)
        return [0.0 if "tax" in one else None for one, _ in pairs]

    async def later(pairs):
        await asyncio.sleep(0)
        return plain(pairs)

    made = contradictions(second_opinion=plain if kind == "plain" else later)
    result = await made.afiltered(DOCUMENTS)
    assert (TAX, DUTY) in asked
    assert {(one.one, one.other) for one in result.conflicts} == {(OPEN, SHUT), (SHUT, AGAIN)}


def test_a_second_opinion_that_fails_is_told():
    """A key that has run out must not empty the context."""

    def broken(pairs):
        raise RuntimeError("secret")

    made = contradictions(second_opinion=broken)
    with pytest.warns(SecondOpinionWarning, match="RuntimeError"):
        found = made.compress_documents(DOCUMENTS, "inns")
    assert len(found) == len(DOCUMENTS)


# --- beside and inside other parts


async def test_the_event_of_a_run(listener):
    """A tracer is where a developer looks for what was dropped."""
    made = contradictions(policy="prefer_newest", top_n=9)

    async def asynchronous(query):
        return await made.acompress_documents(DOCUMENTS, query)

    chain = RunnableLambda(lambda query: made.compress_documents(DOCUMENTS, query), asynchronous)
    found = chain.invoke("inns", {"callbacks": [listener]})
    assert await chain.ainvoke("inns", {"callbacks": [listener]}) == found
    result = made.filtered(DOCUMENTS)
    for name, told, _ in listener.events:
        assert name == FILTERING
        assert told == json.loads(json.dumps(told, allow_nan=False))
        assert told["policy"] == "prefer_newest"
        assert [hit["id"] for hit in told["hits"]] == ids(found)
        assert [hit["id"] for hit in told["dropped"]] == [OPEN, DUTY, AGAIN]
        assert all({"id", "score", "kept", "reason"} == hit.keys() for hit in told["dropped"])
        assert told["conflicts"] == [conflict.to_dict() for conflict in result.conflicts]
        assert (told["short"], told["notes"]) == (True, list(result.notes))
    assert len(listener.events) == 2


def test_the_event_holds_no_text(listener):
    """Traces are read by more people than documents."""
    made = contradictions(policy="prefer_newest")
    documents = [one.model_copy(update={"id": str(n)}) for n, one in enumerate(DOCUMENTS)]
    chain = RunnableLambda(lambda query: made.compress_documents(documents, query))
    chain.invoke("inns", {"callbacks": [listener]})
    assert not any(one.page_content in repr(listener.events) for one in documents)
    made.compress_documents(documents, "inns", [listener])  # no run: nobody to tell
    assert len(listener.events) == 1


async def test_as_a_compressor(listener):
    """The usual place: over-fetch, filter, and nothing is lost of why a document was found."""
    with opposed_store() as store:
        compressing = ContextualCompressionRetriever(
            base_compressor=contradictions(
                encoder=None, index=store.index, policy="prefer_newest", top_n=2
            ),
            base_retriever=ConstraintRetriever(index=store.index, policy="topical", k=9),
        )
        plain = ConstraintRetriever(index=store.index, policy="topical", k=9).invoke(OPEN)
        found = compressing.invoke(OPEN, {"callbacks": [listener]})
        assert await compressing.ainvoke(OPEN) == found
        assert len(compressing.invoke(OPEN, k=1)) == 1
    assert len(found) == 2
    assert [name for name, _, _ in listener.events].count(FILTERING) == 1
    before = {document.id: document.metadata for document in plain}
    for document in found:
        metadata = deepcopy(document.metadata)
        assert metadata["logic"].pop("contradiction")["policy"] == "contradiction"
        assert metadata == before[document.id]
        assert metadata["logic"]["policy"] == "topical"
        assert metadata["relevance_score"] == metadata["logic"]["score"]


async def test_behind_a_reranker():
    """The pipeline looks at the signature of each part; a reranker before it keeps its word."""
    reranker = CompatibilityReranker(encoder=PlacedEncoder(), policy="topical")
    pipeline = DocumentCompressorPipeline(transformers=[reranker, contradictions(top_n=2)])
    found = pipeline.compress_documents(DOCUMENTS, OPEN)
    assert await pipeline.acompress_documents(DOCUMENTS, OPEN) == found
    assert ids(found) == ids(reranker.compress_documents(DOCUMENTS, OPEN))[:2]
    assert {one.metadata["logic"]["policy"] for one in found} == {"topical"}


def test_results_that_are_stored_hold_no_evidence():
    """Old evidence in the collection would come back as metadata of the user's."""
    with opposed_store() as store:
        found = contradictions().compress_documents(DOCUMENTS, "inns")
        store.add_documents(list(found))
        assert store.get_by_ids([OPEN]) == [DOCUMENTS[0]]


# --- settings


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"policy": "unknown"}, "unknown policy 'unknown'; one of annotate"),
        ({"policy": "prefer_source"}, "source_order"),
        ({"top_n": 0}, "at least 1"),
        ({"top_n": "3"}, "whole number"),
        ({"threshold": 2}, "threshold must lie"),
        ({"ask_above": 2}, "ask_above must lie"),
        ({"trusted": ["law"]}, "trusted"),
        ({"trusted_filter": {}}, "trust every passage"),
        ({"trusted_filter": {"city": []}}, "empty list"),
        ({"trusted_candidates": -1}, "trusted_candidates"),
        ({"trusted_candidates": "3"}, "trusted_candidates"),
        ({"against_trusted": "keep"}, "'drop' or 'annotate'"),
        ({"date_key": ""}, "date_key"),
        ({"source_order": "law"}, "source_order"),
        ({"settings": {"alpha": 1.0}}, "null_mean"),
        ({"second_opinion": 0.5}, "callable"),
        ({"encoder": "all-minilm"}, "Encoder"),
        ({"encoder": PlacedEncoder(["topical"])}, "no 'contradiction'"),
        ({"index": "handbook"}, "PassageIndex"),
        ({"k": 3}, "k"),
    ],
    ids=str,
)
def test_bad_settings_are_refused_when_they_are_set(settings, words):
    """Else the first query of a user's user finds them."""
    with pytest.raises(ValidationError, match=words):
        contradictions(**settings)


def test_settings_are_public_and_fit_for_json():
    """A cache that cannot see a threshold gives stale results."""
    made = contradictions(
        policy=PreferSource(("law", "inn")), settings=SETTINGS, threshold=0.7, trusted=[LAW]
    )
    dumped = json.loads(made.model_dump_json())
    assert dumped["policy"] == {"name": "prefer_source", "order": ["law", "inn"], "key": "source"}
    assert dumped["settings"]["alpha"] == 2.0
    assert dumped["trusted"][0]["page_content"] == "inn | shut | c"
    again = contradictions(**contradictions(threshold=0.7, trusted=[LAW], top_n=2).model_dump())
    assert again.trusted == (LAW,)
    assert (again.threshold, again.top_n) == (0.7, 2)
    functions = contradictions(policy=max, trusted_filter=bool).model_dump(mode="json")
    assert functions["policy"] == "builtins.max"
    assert functions["trusted_filter"] == "builtins.bool"
    assert contradictions().model_dump() == {
        "policy": "annotate",
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
        "ask_above": None,
    }


def test_neither_texts_nor_models_are_told():
    """A trace writes down the repr of every part of a chain."""

    class Model:
        key = "very-secret-key"

        def __repr__(self):
            return f"Model({self.key})"

        def opinion(self, pairs):
            return [None] * len(pairs)

    made = contradictions(trusted=[LAW], second_opinion=Model().opinion)
    told = repr(made) + str(made) + dumps(made)
    assert "policy='annotate'" in told
    for hidden in ("very-secret-key", LAW.page_content, "PlacedEncoder"):
        assert hidden not in told
    assert "very-secret-key" not in repr(made.model_dump())


def test_it_travels_to_another_process():
    """A worker gets its filter pickled; the kept core, with its vectors, stays here."""
    made = contradictions(policy="drop_both", trusted=[LAW], settings=SETTINGS)
    expected = made.filtered(DOCUMENTS)
    for again in (pickle.loads(pickle.dumps(made)), deepcopy(made)):
        assert again.filtered(DOCUMENTS) == expected
    assert len(pickle.dumps(made)) < 10_000


def test_an_index_whose_collection_lacks_the_vector():
    """What is stored without it can be judged all the same."""
    with PassageIndex.open(encoder=PlacedEncoder()) as index:
        assert index.vectors == ("topical",)
        index.add([Passage(document.id, document.page_content) for document in DOCUMENTS])
        made = contradictions(encoder=None, index=index, policy="drop_both")
        assert ids(made.compress_documents(DOCUMENTS, "inns")) == [OPEN, COPPER]
