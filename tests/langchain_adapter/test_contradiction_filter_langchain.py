"""ContradictionFilter: what is kept, what is told, and whom it is told to."""

from __future__ import annotations

import asyncio
import json
from copy import deepcopy

import pytest
from langchain_classic.retrievers import ContextualCompressionRetriever
from langchain_classic.retrievers.document_compressors import DocumentCompressorPipeline
from langchain_core.documents import Document
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
from placed import PlacedEncoder

from logic_retrievers import contradiction as core
from logic_retrievers.errors import (
    ConfigurationError,
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
