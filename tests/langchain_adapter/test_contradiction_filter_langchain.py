"""ContradictionFilter: what is kept, what is told, and whom it is told to."""

from __future__ import annotations

import asyncio
import json
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
    opposed_store,
)
from langchain_classic.retrievers import ContextualCompressionRetriever
from langchain_classic.retrievers.document_compressors import DocumentCompressorPipeline
from langchain_core.documents import Document
from langchain_core.runnables import RunnableLambda
from langchain_corpus import ids
from langchain_logic_retrievers import CompatibilityReranker, ConstraintRetriever
from langchain_logic_retrievers.documents import to_candidates
from langchain_logic_retrievers.tracing import FILTERING
from placed import PlacedEncoder

from logic_retrievers import contradiction as core
from logic_retrievers.errors import (
    ConfigurationError,
    InputError,
    PairJudgeWarning,
)

LAW = Document("inn | shut | c", id="law")


def test_the_core_decides():
    """A decision of the adapter's own would not be the one that was measured."""
    results = contradictions(resolution="prefer_newest", top_n=3).compress_documents(
        DOCUMENTS, "inns"
    )
    passages = [passage for passage, _ in to_candidates(DOCUMENTS)]
    expected = core.ContradictionFilter(PlacedEncoder(), resolution="prefer_newest").filter(
        passages, 3
    )
    assert ids(results) == [hit.passage.id for hit in expected.hits] == [TAX, SHUT, COPPER]
    for document, hit in zip(results, expected.hits, strict=True):
        told = {**hit.evidence.to_dict(), "score": hit.score, "rank": hit.rank}
        assert document.metadata == {**hit.passage.metadata, "logic": {"contradiction": told}}
        json.dumps(document.metadata, allow_nan=False)


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
    assert asyncio.run(made.afilter(DOCUMENTS)) == result


def test_a_call_of_its_own():
    """Trusted documents are often known at the query alone."""
    made = contradictions(top_n=1)
    assert len(made.filter(DOCUMENTS, top_n=3).hits) == 3
    assert asyncio.run(made.afilter(DOCUMENTS, top_n=2)) == made.filter(DOCUMENTS, top_n=2)
    judged = made.filter(iter(DOCUMENTS), trusted=iter([LAW]), top_n=9)
    assert [hit.passage.id for hit in judged.dropped] == [OPEN, AGAIN]
    again = asyncio.run(made.afilter(DOCUMENTS, trusted=[LAW], top_n=9))
    assert again == judged
    assert len(made.filter(DOCUMENTS).hits) == 1
    with pytest.raises(ConfigurationError, match="at least 1"):
        made.filter(DOCUMENTS, top_n=0)


def test_functions_get_passages_with_the_users_own_metadata():
    """Evidence in the metadata would be read as the user's."""
    seen = []

    def longer(one, other):
        seen.append((one, other))
        return other

    with opposed_store() as store:
        results = ConstraintRetriever(index=store.index, policy="topical", k=9).invoke(OPEN)
    contradictions(resolution=longer).compress_documents(results, "inns")
    assert len(seen) == 3
    stored = {document.id: document.metadata for document in DOCUMENTS}
    assert all(one.metadata == stored[one.id] for pair in seen for one in pair)


def test_documents_without_id_stay_without():
    """Ids made up on the way would be taken for the store's."""
    made = contradictions(resolution="prefer_newest")
    results = made.compress_documents(nameless(), "inns")
    assert ids(results) == [None] * 3
    assert [document.page_content for document in results] == [TAX, SHUT, COPPER]
    assert [hit.passage.id for hit in made.filter(nameless()).hits] == ["#1", "#2", "#3"]


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

    made = contradictions(judge=plain if kind == "plain" else later)
    result = await made.afilter(DOCUMENTS)
    assert (TAX, DUTY) in asked
    assert {(conflict.one, conflict.other) for conflict in result.conflicts} == {
        (OPEN, SHUT),
        (SHUT, AGAIN),
    }


def test_a_second_opinion_that_fails_is_told():
    """A key that has run out must not empty the context."""

    def broken(pairs):
        raise RuntimeError("secret")

    made = contradictions(judge=broken)
    with pytest.warns(PairJudgeWarning, match="RuntimeError"):
        results = made.compress_documents(DOCUMENTS, "inns")
    assert len(results) == len(DOCUMENTS)


# --- beside and inside other parts


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


def test_the_event_holds_no_text(listener):
    """Traces are read by more people than documents."""
    made = contradictions(resolution="prefer_newest")
    documents = [document.model_copy(update={"id": str(n)}) for n, document in enumerate(DOCUMENTS)]
    chain = RunnableLambda(lambda query: made.compress_documents(documents, query))
    chain.invoke("inns", {"callbacks": [listener]})
    assert not any(document.page_content in repr(listener.events) for document in documents)
    made.compress_documents(documents, "inns", [listener])  # no run: nobody to tell
    assert len(listener.events) == 1


async def test_as_a_compressor(listener):
    """The usual place: over-fetch, filter, and nothing is lost of why a document was found."""
    with opposed_store() as store:
        compressing = ContextualCompressionRetriever(
            base_compressor=contradictions(
                encoder=None, index=store.index, resolution="prefer_newest", top_n=2
            ),
            base_retriever=ConstraintRetriever(index=store.index, policy="topical", k=9),
        )
        plain = ConstraintRetriever(index=store.index, policy="topical", k=9).invoke(OPEN)
        results = compressing.invoke(OPEN, {"callbacks": [listener]})
        assert await compressing.ainvoke(OPEN) == results
        assert len(compressing.invoke(OPEN, k=1)) == 1
    assert len(results) == 2
    assert [name for name, _, _ in listener.events].count(FILTERING) == 1
    before = {document.id: document.metadata for document in plain}
    for document in results:
        metadata = deepcopy(document.metadata)
        assert metadata["logic"].pop("contradiction")["policy"] == "contradiction"
        assert metadata == before[document.id]
        assert metadata["logic"]["policy"] == "topical"
        assert metadata["relevance_score"] == metadata["logic"]["score"]


async def test_behind_a_reranker():
    """The pipeline looks at the signature of each part; a reranker before it keeps its word."""
    reranker = CompatibilityReranker(encoder=PlacedEncoder(), policy="topical")
    pipeline = DocumentCompressorPipeline(transformers=[reranker, contradictions(top_n=2)])
    results = pipeline.compress_documents(DOCUMENTS, OPEN)
    assert await pipeline.acompress_documents(DOCUMENTS, OPEN) == results
    assert ids(results) == ids(reranker.compress_documents(DOCUMENTS, OPEN))[:2]
    assert {result.metadata["logic"]["policy"] for result in results} == {"topical"}


def test_results_that_are_stored_hold_no_evidence():
    """Old evidence in the collection would come back as metadata of the user's."""
    with opposed_store() as store:
        results = contradictions().compress_documents(DOCUMENTS, "inns")
        store.add_documents(list(results))
        assert store.get_by_ids([OPEN]) == [DOCUMENTS[0]]
