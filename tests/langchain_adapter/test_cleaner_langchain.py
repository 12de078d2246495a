"""CorpusCleaner over documents, and over streams of them."""

from __future__ import annotations

import asyncio
import pickle
from datetime import date

import pytest
from contradicting_documents import AGAIN, COPPER, DOCUMENTS, DUTY, OPEN, SHUT, TAX, nameless
from langchain_core.documents import BaseDocumentTransformer, Document
from langchain_logic_retrievers import ContradictionFilter, CorpusCleaner, document_key
from placed import PlacedEncoder
from pydantic import ValidationError

from logic_retrievers import Passage, PassageIndex
from logic_retrievers.cleaning import Ledger
from logic_retrievers.errors import (
    CleaningSkippedWarning,
    ConfigurationError,
    InputError,
)

VECTORS = ("topical", "contradiction")

NEWEST = {"resolution": "prefer_newest"}


def cleaner(**settings):
    settings = {} if "index" in settings else {"encoder": PlacedEncoder()}, settings
    return CorpusCleaner(**settings[0], **settings[1])


def collection(*documents, encoder=None):
    index = PassageIndex.open(encoder=encoder or PlacedEncoder(), vectors=VECTORS)
    index.add(
        [Passage(document.id, document.page_content, document.metadata) for document in documents]
    )
    return index


def hidden(documents):
    return [
        document.id
        for document in documents
        if document.metadata.get("logic", {}).get("quarantined")
    ]


def findings(document):
    return document.metadata["logic"]["cleaning"]["findings"]


def one_by_one(texts, **fields):
    return [Document(text, id=text, metadata=dict(fields)) for text in texts]


class Model:
    """A second opinion that holds a secret."""

    key = "very-secret-key"

    def __call__(self, pairs):
        return [0.0] * len(pairs)

    def __repr__(self):
        return f"Model({self.key})"


def test_other_evidence_and_the_users_own_key_stay():
    """A filter's evidence, and what the user had under our key, are not ours to throw away."""
    filtered = ContradictionFilter(encoder=PlacedEncoder()).compress_documents(DOCUMENTS, "q")
    results = cleaner(**NEWEST).transform_documents(filtered)
    logic = results[0].metadata["logic"]
    assert logic["contradiction"] == filtered[0].metadata["logic"]["contradiction"]
    assert logic["quarantined"] is True
    assert cleaner().transform_documents(results[:1]) == filtered[:1]
    after = ContradictionFilter(encoder=PlacedEncoder()).compress_documents(results, "q")
    assert after[0].metadata["logic"]["cleaning"] == logic["cleaning"]

    mine = [document.model_copy(deep=True) for document in DOCUMENTS]
    mine[0].metadata["logic"] = {"mine": 1}
    kept = cleaner(**NEWEST).transform_documents(mine)
    assert kept[0].metadata["logic"]["replaced"] == {"logic": {"mine": 1}}
    assert document_key(kept[0]) == document_key(mine[0])
    assert cleaner().transform_documents(kept[:1]) == mine[:1]


def test_a_key_knows_a_document_whatever_was_said_about_it():
    """Or every new verdict makes a new document of it."""
    results = cleaner(**NEWEST).transform_documents(DOCUMENTS)
    assert [document_key(result) for result in results] == [
        document_key(document) for document in DOCUMENTS
    ]
    assert results[0].metadata != DOCUMENTS[0].metadata
    assert len({document_key(document) for document in DOCUMENTS}) == len(DOCUMENTS)
    same = Document("a", metadata={"x": 1, "y": {"b": 1, "a": date(2024, 1, 2)}})
    turned = Document("a", id="other", metadata={"y": {"a": "2024-01-02", "b": 1}, "x": 1})
    assert document_key(same) == document_key(turned) == "aa178b04-5d8e-b84f-8db8-f86910c35cb0"
    with pytest.raises(InputError, match="object"):
        document_key(Document("a", metadata={"x": object()}))


def test_documents_without_id_are_told_apart_by_their_keys():
    """Under one empty name all but one are lost; under a position nobody finds them again."""
    given = nameless()
    results = cleaner(**NEWEST).transform_documents(given)
    marked = [result for result in results if result.metadata.get("logic", {}).get("quarantined")]
    assert [document.page_content for document in marked] == [OPEN, DUTY, AGAIN]
    assert [result.id for result in results] == [None] * 6
    assert document_key(given[4]) in [finding["opponent"] for finding in findings(results[1])]


@pytest.mark.parametrize("batch_size", [1, 4])
def test_a_stream_is_compared_with_what_came_before(batch_size):
    """Batches that do not know of each other let every conflict through that spans two of them."""
    given = [DOCUMENTS[2], DOCUMENTS[3], DOCUMENTS[1], DOCUMENTS[4], DOCUMENTS[0], DOCUMENTS[5]]
    results = list(cleaner(**NEWEST).lazy_transform_documents(iter(given), batch_size=batch_size))
    assert [result.id for result in results] == [one.id for one in given]
    assert hidden(results) == [DUTY, OPEN, AGAIN]


def test_a_stream_is_read_as_it_is_needed_and_encoded_once():
    """A crawl that does not fit into memory; the window must not encode it over and over."""
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
    between = one_by_one([f"topic {number} | claim | a" for number in range(4)])
    given = [DOCUMENTS[2], *between, DOCUMENTS[0]]
    made = cleaner(**NEWEST)
    wide = made.lazy_transform_documents(given, batch_size=1, window=5)
    assert hidden(wide) == [OPEN]
    for window in (4, 0):
        assert hidden(made.lazy_transform_documents(given, batch_size=1, window=window)) == []


def test_what_is_stored_by_then_is_neither_encoded_nor_told_again(tmp_path):
    """Remembered all the same, every pair would be written into the ledger at every batch."""
    encoder, ledger = PlacedEncoder(), Ledger(tmp_path / "ledger.sqlite")
    with collection(encoder=encoder) as index:
        made = cleaner(index=index, ledger=ledger)
        for document in made.lazy_transform_documents(DOCUMENTS, batch_size=1):
            index.add([Passage(document.id, document.page_content, dict(document.metadata))])
        told = [{hit.passage, hit.opponent} for hit in ledger.entries(index.collection)]
    assert len(encoder.encoded) == 2 * len(DOCUMENTS)  # once to judge, once to store
    assert sorted(map(sorted, told)) == sorted(
        map(sorted, [(OPEN, SHUT), (TAX, DUTY), (SHUT, AGAIN), (OPEN, AGAIN)])
    )


def test_settings_are_checked_at_once_and_unknown_ones_refused():
    for settings, told in (
        ({"against_trusted": "drop"}, "quarantine"),
        ({"nieghbours": 3}, "nieghbours"),
    ):
        with pytest.raises(ValidationError, match=told):
            cleaner(**settings)
    with collection() as index, pytest.raises(ValidationError, match="own encoder"):
        CorpusCleaner(index=index, encoder=PlacedEncoder())
    with pytest.raises(ConfigurationError, match="batch_size"):
        cleaner().lazy_transform_documents([], batch_size=0)
    with pytest.raises(ConfigurationError, match="window"):
        cleaner().alazy_transform_documents([], window=-1)
    with pytest.raises(TypeError):
        cleaner().transform_documents(DOCUMENTS, dryrun=True)


async def test_a_failure_is_raised_or_skipped():
    """A nightly ingestion may rather store what could not be examined than nothing."""

    def neither(one, other):
        return "neither"

    with pytest.raises(InputError):
        cleaner(resolution=neither).transform_documents(DOCUMENTS)
    made = cleaner(resolution=neither, on_error="skip")
    with pytest.warns(CleaningSkippedWarning, match="6 documents go on unjudged .InputError"):
        assert made.transform_documents(DOCUMENTS) == DOCUMENTS
    with pytest.warns(CleaningSkippedWarning, match="6 documents"):
        assert await made.atransform_documents(DOCUMENTS) == DOCUMENTS
    with pytest.warns(CleaningSkippedWarning, match="4 documents"):
        assert list(made.lazy_transform_documents(DOCUMENTS, batch_size=4))[:4] == DOCUMENTS[:4]
    with pytest.raises(ValueError, match="on_error"):
        cleaner(on_error="ignore")


def test_objects_are_not_written_down(tmp_path):
    def nothing(pairs):
        return [0.0] * len(pairs)

    with collection() as index:
        made = cleaner(index=index, ledger=tmp_path / "l", judge=nothing)
        told = made.model_dump(mode="json")
    assert not {"index", "ledger", "encoder"} & told.keys()
    assert told["judge"].endswith("nothing")
    assert told["resolution"] == "annotate"
    assert isinstance(cleaner(), BaseDocumentTransformer)


def test_it_travels_to_another_process_and_tells_no_secret(tmp_path):
    made = cleaner(**NEWEST, ledger=tmp_path / "ledger.sqlite", trusted=[DOCUMENTS[1]])
    expected = made.transform_documents(DOCUMENTS)
    assert pickle.loads(pickle.dumps(made)).transform_documents(DOCUMENTS) == expected
    told = repr(cleaner(judge=Model(), trusted=[DOCUMENTS[1]]))
    assert "very-secret-key" not in told
    assert TAX not in told


def test_asynchronous_streams_come_from_anywhere():
    async def crawl():
        for document in DOCUMENTS:
            await asyncio.sleep(0)
            yield document

    async def collected():
        made = cleaner(**NEWEST)
        return [
            document async for document in made.alazy_transform_documents(crawl(), batch_size=4)
        ]

    results = asyncio.run(collected())
    assert [result.id for result in results] == [OPEN, TAX, SHUT, COPPER, DUTY, AGAIN]
    assert hidden(results) == [OPEN, DUTY, AGAIN]
