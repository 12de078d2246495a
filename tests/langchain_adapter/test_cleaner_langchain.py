"""CorpusCleaner over documents and streams of them, and cleaned documents in real stores."""

from __future__ import annotations

import asyncio
import pickle
from datetime import date

import pytest
from contradicting_documents import AGAIN, COPPER, DOCUMENTS, DUTY, OPEN, SHUT, TAX, nameless
from langchain_core.documents import Document
from langchain_core.indexing import InMemoryRecordManager, aindex, index
from langchain_logic_retrievers import (
    ConstraintRetriever,
    ContradictionFilter,
    CorpusCleaner,
    LogicVectorStore,
    document_key,
)
from placed import PlacedEncoder
from pydantic import ValidationError

from logic_retrievers import Passage, PassageIndex
from logic_retrievers.conflicts import Ledger
from logic_retrievers.errors import CleaningSkippedWarning, ConfigurationError, InputError

VECTORS = ("topical", "contradiction")
NEWEST = {"resolution": "prefer_newest"}
LOSE, STAY = {OPEN, DUTY, AGAIN}, {TAX, SHUT, COPPER}


def cleaner(**settings):
    parts = {} if "index" in settings else {"encoder": PlacedEncoder()}
    return CorpusCleaner(**parts, **settings)


def hidden(documents):
    return [one.id for one in documents if one.metadata.get("logic", {}).get("quarantined")]


class Model:
    """A second opinion that holds a secret."""

    key = "very-secret-key"

    def __call__(self, pairs):
        return [0.0] * len(pairs)

    def __repr__(self):
        return f"Model({self.key})"


def test_other_evidence_and_the_users_own_key_stay():
    """A filter's evidence, and a user's value under our key, must not be deleted."""
    filtered = ContradictionFilter(encoder=PlacedEncoder()).compress_documents(DOCUMENTS, "q")
    results = cleaner(**NEWEST).transform_documents(filtered)
    logic = results[0].metadata["logic"]
    assert logic["contradiction"] == filtered[0].metadata["logic"]["contradiction"]
    assert logic["quarantined"] is True
    assert cleaner().transform_documents(results[:1]) == filtered[:1]

    mine = [document.model_copy(deep=True) for document in DOCUMENTS]
    mine[0].metadata["logic"] = {"mine": 1}
    kept = cleaner(**NEWEST).transform_documents(mine)
    assert kept[0].metadata["logic"]["replaced"] == {"logic": {"mine": 1}}
    assert document_key(kept[0]) == document_key(mine[0])
    assert cleaner().transform_documents(kept[:1]) == mine[:1]


def test_a_key_knows_a_document_whatever_was_said_about_it():
    """A new verdict must not make a new document."""
    results = cleaner(**NEWEST).transform_documents(DOCUMENTS)
    assert results[0].metadata != DOCUMENTS[0].metadata
    assert list(map(document_key, results)) == list(map(document_key, DOCUMENTS))
    assert len(set(map(document_key, DOCUMENTS))) == len(DOCUMENTS)
    same = Document("a", metadata={"x": 1, "y": {"b": 1, "a": date(2024, 1, 2)}})
    turned = Document("a", id="other", metadata={"y": {"a": "2024-01-02", "b": 1}, "x": 1})
    assert document_key(same) == document_key(turned) == "aa178b04-5d8e-b84f-8db8-f86910c35cb0"
    with pytest.raises(InputError, match="object"):
        document_key(Document("a", metadata={"x": object()}))


def test_documents_without_id_are_told_apart_by_their_keys():
    """Under one empty name only one would stay; a position would not be found again."""
    given = nameless()
    results = cleaner(**NEWEST).transform_documents(given)
    marked = [one for one in results if one.metadata.get("logic", {}).get("quarantined")]
    assert [document.page_content for document in marked] == [OPEN, DUTY, AGAIN]
    assert [result.id for result in results] == [None] * 6
    findings = results[1].metadata["logic"]["cleaning"]["findings"]
    assert document_key(given[4]) in [finding["opponent"] for finding in findings]


@pytest.mark.parametrize("batch_size", [1, 4])
async def test_a_stream_is_compared_with_what_came_before(batch_size):
    """Conflicts that span two batches must be found."""
    given = [DOCUMENTS[2], DOCUMENTS[3], DOCUMENTS[1], DOCUMENTS[4], DOCUMENTS[0], DOCUMENTS[5]]

    async def crawl():
        for document in given:
            await asyncio.sleep(0)
            yield document

    made = cleaner(**NEWEST)
    results = list(made.lazy_transform_documents(iter(given), batch_size=batch_size))
    assert [result.id for result in results] == [one.id for one in given]
    assert hidden(results) == [DUTY, OPEN, AGAIN]
    stream = cleaner(**NEWEST).alazy_transform_documents(crawl(), batch_size=batch_size)
    assert [document async for document in stream] == results


def test_a_stream_is_read_as_it_is_needed_and_encoded_once():
    """A crawl may exceed memory; the window must not encode a text repeatedly."""
    encoder, read = PlacedEncoder(), []

    def crawl():
        for number in range(30):
            read.append(number)
            yield Document(f"topic {number} | claim | a")

    stream = CorpusCleaner(encoder=encoder).lazy_transform_documents(crawl(), batch_size=5)
    next(stream)
    assert len(read) == 5
    assert len(list(stream)) == 29
    assert len(encoder.encoded) == 30


def test_the_window_bounds_what_is_remembered():
    """An endless stream must not fill the memory."""
    texts = [f"topic {number} | claim | a" for number in range(4)]
    given = [DOCUMENTS[2], *(Document(text, id=text) for text in texts), DOCUMENTS[0]]
    made = cleaner(**NEWEST)
    for window, lose in ((5, [OPEN]), (4, []), (0, [])):
        stream = made.lazy_transform_documents(given, batch_size=1, window=window)
        assert hidden(stream) == lose


def test_what_is_stored_by_then_is_neither_encoded_nor_told_again(tmp_path):
    """Otherwise every batch writes every pair to the ledger."""
    encoder, ledger = PlacedEncoder(), Ledger(tmp_path / "ledger.sqlite")
    with PassageIndex.open(encoder=encoder, vectors=VECTORS) as passages:
        made = cleaner(index=passages, ledger=ledger)
        for document in made.lazy_transform_documents(DOCUMENTS, batch_size=1):
            passages.add([Passage(document.id, document.page_content, dict(document.metadata))])
        told = [{entry.passage, entry.opponent} for entry in ledger.entries(passages.collection)]
    assert len(encoder.encoded) == len(DOCUMENTS)  # storing does not encode what was judged
    assert sorted(map(sorted, told)) == sorted(
        map(sorted, [(OPEN, SHUT), (TAX, DUTY), (SHUT, AGAIN)])
    )


def test_settings_are_checked_at_once_and_unknown_ones_refused():
    """A wrong setting must not wait for the middle of an ingestion."""
    with pytest.raises(ValidationError, match="nieghbours"):
        cleaner(nieghbours=3)
    with pytest.raises(ValidationError, match="on_error"):
        cleaner(on_error="ignore")
    with pytest.raises(ConfigurationError, match="batch_size"):
        cleaner().lazy_transform_documents([], batch_size=0)
    with pytest.raises(ConfigurationError, match="window"):
        cleaner().alazy_transform_documents([], window=-1)
    with pytest.raises(TypeError):
        cleaner().transform_documents(DOCUMENTS, dryrun=True)


async def test_a_failure_is_raised_or_skipped():
    """A nightly ingestion may prefer storing unexamined documents to storing none."""

    def neither(one, other):
        return "neither"

    with pytest.raises(InputError):
        cleaner(resolution=neither).transform_documents(DOCUMENTS)
    made = cleaner(resolution=neither, on_error="skip")
    with pytest.warns(CleaningSkippedWarning, match="6 documents go on unjudged .InputError"):
        assert made.transform_documents(DOCUMENTS) == DOCUMENTS
    with pytest.warns(CleaningSkippedWarning, match="6 documents"):
        assert await made.atransform_documents(DOCUMENTS) == DOCUMENTS


def test_it_travels_to_another_process_and_tells_no_secret(tmp_path):
    """Workers get the cleaner pickled, and traces show its settings."""
    made = cleaner(**NEWEST, ledger=tmp_path / "ledger.sqlite", trusted=[DOCUMENTS[1]])
    expected = made.transform_documents(DOCUMENTS)
    assert pickle.loads(pickle.dumps(made)).transform_documents(DOCUMENTS) == expected
    judged = cleaner(judge=Model(), trusted=[DOCUMENTS[1]])
    assert "very-secret-key" not in repr(judged)
    assert TAX not in repr(judged)
    dumped = judged.model_dump(mode="json")
    assert not {"index", "ledger", "encoder"} & dumped.keys()
    assert dumped["judge"].endswith("Model")


@pytest.mark.parametrize("asynchronous", [False, True])
async def test_a_store_hides_what_loses_and_a_record_manager_sees_no_change(asynchronous):
    """If hashes included the verdict, each new verdict would store its document again."""
    given, manager = nameless(), InMemoryRecordManager("records")
    manager.create_schema()

    async def run(made):
        settings = {"key_encoder": document_key, "cleanup": "full"}
        if asynchronous:
            stream = made.alazy_transform_documents(given)
            report = await aindex(stream, manager, store, **settings)
        else:
            report = index(made.lazy_transform_documents(given), manager, store, **settings)
        return report["num_added"], report["num_skipped"], report["num_deleted"]

    store = LogicVectorStore.open(encoder=PlacedEncoder(), vectors=VECTORS)
    with store.index as passages:
        made = CorpusCleaner(index=passages, **NEWEST)
        assert await run(made) == (6, 0, 0)
        retriever = ConstraintRetriever.over(store, k=10)
        assert {one.page_content for one in retriever.invoke("inn | open | q")} == STAY
        # a milder rule shows nothing again: only a user restores
        assert await run(CorpusCleaner(index=passages)) == (0, 6, 0)
        assert {one.page_content for one in retriever.invoke("inn | open | q")} == STAY
        assert {one.text for one in passages.scroll() if one.quarantined} == LOSE
        assert passages.count() == len(DOCUMENTS)
        assert {one.page_content for one in store.similarity_search("inn", k=10)} == STAY
        stored = store.get_by_ids([document_key(document) for document in given])
        assert [one.metadata for one in stored] == [one.metadata for one in given]
