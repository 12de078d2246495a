"""The document store: Haystack's own tests, and cases that those lack."""

from __future__ import annotations

import gc
from dataclasses import replace

import pytest
from fault_injection import WireDouble
from haystack import Document
from haystack.components.writers import DocumentWriter
from haystack.dataclasses import ByteStream
from haystack.document_stores.types import DuplicatePolicy
from haystack.errors import FilterError
from haystack.testing.document_store import DocumentStoreBaseTests
from haystack.testing.document_store_async import (
    CountDocumentsAsyncTest,
    DeleteDocumentsAsyncTest,
    FilterDocumentsAsyncTest,
    WriteDocumentsAsyncTest,
)
from haystack.utils import Secret
from haystack_logic_retrievers import ConstraintRetriever, LogicDocumentStore
from haystack_logic_retrievers.filters import translate_filters
from suites import HashedEncoder

from logic_retrievers import FunctionEncoder, PassageIndex
from logic_retrievers.errors import (
    AuthenticationError,
    BlankTextWarning,
    CollectionLockedError,
    ConfigurationError,
    InputError,
    LogicRetrieversError,
    StorageError,
)


class _Haystacks(DocumentStoreBaseTests):
    """Haystack's own tests; our store makes its own vectors and keeps no write order."""

    @pytest.fixture
    def document_store(self):
        store = LogicDocumentStore(encoder=HashedEncoder(dimension=16))
        yield store
        store.close()

    @staticmethod
    def assert_documents_are_equal(received, expected):
        expected = [replace(document, embedding=None) for document in expected]
        key = lambda document: document.id  # noqa: E731
        assert sorted(received, key=key) == sorted(expected, key=key)


class TestHaystacksTests(_Haystacks):
    def test_write_documents(self, document_store):
        """By default a write replaces stored documents."""
        document = Document(content="test doc", id="1")
        assert document_store.write_documents([document]) == 1
        changed = replace(document, content="another")
        assert document_store.write_documents([changed, document, changed]) == 3
        self.assert_documents_are_equal(document_store.filter_documents(), [changed])


class TestHaystacksAsynchronousTests(
    CountDocumentsAsyncTest,
    DeleteDocumentsAsyncTest,
    FilterDocumentsAsyncTest,
    WriteDocumentsAsyncTest,
):
    document_store = _Haystacks.document_store
    assert_documents_are_equal = staticmethod(_Haystacks.assert_documents_are_equal)

    async def test_write_documents_async(self, document_store):
        document = Document(content="test doc")
        assert await document_store.write_documents_async([document]) == 1
        assert await document_store.write_documents_async([document]) == 1
        self.assert_documents_are_equal(await document_store.filter_documents_async(), [document])


def test_evidence_is_not_stored_again(store, query):
    """Search results written into a different store must not carry their stale reason."""
    found = ConstraintRetriever(store).run(query)["documents"]
    other = LogicDocumentStore()
    other.write_documents(found)
    assert not [document for document in other.filter_documents() if "logic" in document.meta]
    other.close()


@pytest.mark.parametrize(
    ("document", "error", "words"),
    [
        (Document(id="p", blob=ByteStream(b"x")), InputError, "binary"),
        (Document(id="p", content="x", meta={"open": object()}), InputError, "'p': metadata.open"),
    ],
    ids=["a blob", "an object"],
)
def test_what_cannot_be_kept_is_refused(store, document, error, words):
    """A silently dropped picture is missed only a year later."""
    with pytest.raises(error, match=words):
        store.write_documents([document])
    assert store.count_documents() == 6


@pytest.mark.parametrize("policy", [DuplicatePolicy.NONE, DuplicatePolicy.SKIP])
def test_a_blank_document_is_left_out(policy):
    """One page of a scan must not block the whole folder."""
    store = LogicDocumentStore()
    pages = [Document(content="An inn."), Document(content="A bar."), Document(content="A mill.")]
    blank = [Document(id="p", content="\u200b ", meta={"file_path": "a.pdf"}), Document(id="q")]
    with pytest.warns(BlankTextWarning, match="2 of 5.*'p' of 'a.pdf', 'q'"):
        written = DocumentWriter(store, policy).run([*pages[:1], *blank, *pages[1:]])
    assert written == {"documents_written": 3}
    assert {document.content for document in store.filter_documents()} == {
        document.content for document in pages
    }
    store.close()


def test_a_duplicate_within_one_call_counts_under_every_policy():
    """One of two versions would be lost, and no one would know which."""
    store = LogicDocumentStore(encoder=HashedEncoder(dimension=16))
    one, two = Document(id="1", content="one"), Document(id="1", content="two")
    with pytest.raises(LogicRetrieversError, match="'1' is stored already, or given twice"):
        store.write_documents([one, two], DuplicatePolicy.FAIL)
    assert store.count_documents() == 0
    assert store.write_documents([one, two], DuplicatePolicy.SKIP) == 1
    assert store.filter_documents() == [one]
    store.write_documents([one, two], DuplicatePolicy.OVERWRITE)
    assert store.filter_documents() == [two]
    store.close()


def test_stores_of_one_process_share_a_folder(tmp_path):
    """Each component of a loaded pipeline has its own store, but the engine opens a folder once."""
    encoder = HashedEncoder(dimension=16)
    writing, reading = (LogicDocumentStore("a", tmp_path, encoder=encoder) for _ in range(2))
    other = LogicDocumentStore("b", tmp_path, encoder=encoder)
    writing.write_documents([Document(id="1", content="one")])
    assert reading.count_documents() == 1
    assert other.count_documents() == 0
    writing.close()
    reading.write_documents([Document(id="2", content="two")])
    assert writing.count_documents() == 2  # opened again
    for store in (writing, reading, other):
        store.close()
    with PassageIndex.open("a", encoder, location=tmp_path) as index:  # no store has it open
        assert index.count() == 2
        with pytest.raises(CollectionLockedError):
            reading.count_documents()
    assert reading.count_documents() == 2
    del writing, other, store
    gc.collect()
    assert reading.count_documents() == 2
    del reading
    gc.collect()
    with PassageIndex.open("a", encoder, location=tmp_path) as index:
        assert index.count() == 2


def test_stores_that_only_read(tmp_path):
    """A reading store lends a writer no client; a folder's writer lends its client to readers."""
    encoder = HashedEncoder(dimension=16)
    settings = {"encoder": encoder, "lexical": False}
    writing = LogicDocumentStore("a", tmp_path, **settings)
    reading = LogicDocumentStore("a", tmp_path, read_only=True, **settings)
    writing.write_documents([Document(id="1", content="one")])
    assert reading.count_documents() == 1
    with pytest.raises(StorageError, match="only reads"):
        reading.write_documents([Document(id="2", content="two")])
    reading.close()
    writing.close()
    assert reading.count_documents() == 1
    writing.write_documents([Document(id="2", content="two")])
    assert (writing.count_documents(), reading.count_documents()) == (2, 1)
    reading.close()
    writing.close()


@pytest.fixture
def locked(wire_double):
    """A server that requires a key."""
    with WireDouble(api_key="hunter-2") as double:
        yield double


def test_a_key_is_never_written_down(monkeypatch, locked):
    """Pipeline files end up in repositories."""
    monkeypatch.setenv("MY_KEY", "hunter-2")
    key, encoder = Secret.from_env_var("MY_KEY"), HashedEncoder(dimension=16)
    settings = {"location": locked.url, "tenant": "me", "timeout": 5}
    store = LogicDocumentStore("inns", api_key=key, encoder=encoder, **settings)
    assert store.count_documents() == 0
    store.close()
    with pytest.raises(AuthenticationError):
        LogicDocumentStore("inns", encoder=encoder, **settings).count_documents()
    saved = LogicDocumentStore("inns", api_key=key, **settings).to_dict()
    assert saved["init_parameters"]["api_key"]["env_vars"] == ["MY_KEY"]
    assert "hunter-2" not in f"{saved} {store!r}"
    again = LogicDocumentStore.from_dict(saved)
    assert again.to_dict() == saved
    monkeypatch.delenv("MY_KEY")
    with pytest.raises(ConfigurationError, match="MY_KEY"):
        again.count_documents()
    with pytest.raises(ValueError, match="Cannot serialize token-based secret"):
        LogicDocumentStore(api_key=Secret.from_token("hunter-2")).to_dict()


def test_the_nodes_of_a_cluster(wire_double):
    """The second address takes over from the first, even after loading from a file."""
    store = LogicDocumentStore(location=["http://127.0.0.1:9", wire_double.url])
    store.write_documents([Document(id="a", content="text")])
    again = LogicDocumentStore.from_dict(store.to_dict())
    assert again.location == store.location
    assert again.count_documents() == 1
    again.close()
    store.close()


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"api_key": "hunter-2"}, "Secret.from_env_var"),
        ({"location": "http://user:hunter-2@host"}, "password"),
        ({"location": ["http://a:6333", "http://user:hunter-2@host"]}, "password"),
        ({"tennant": "me"}, "tennant"),
        ({"tenant": 3}, "tenant"),
        ({"bundle": 3}, "bundle"),
        ({"bundle": "x", "encoder": HashedEncoder()}, "bundle"),
        ({"index": 3}, "index"),
    ],
)
def test_settings_that_cannot_work_are_refused(settings, words):
    """Otherwise the pipeline's first run fails."""
    with pytest.raises(ConfigurationError, match=words) as caught:
        LogicDocumentStore(**settings)
    assert "hunter-2" not in str(caught.value)


def test_what_a_file_cannot_hold_is_refused_when_it_is_saved(store):
    """A pipeline loaded with a different encoder silently finds nothing."""
    own = FunctionEncoder(lambda texts: [[1.0]] * len(texts), identity="x")
    with pytest.raises(ConfigurationError, match=r"encoder=.*cannot be saved.*bundle="):
        LogicDocumentStore(encoder=own).to_dict()
    with pytest.raises(ConfigurationError, match=r"index=.*cannot be saved"):
        LogicDocumentStore(index=store.index).to_dict()


def test_over_an_index_that_is_open(store):
    """The caller who opened the index still needs it."""
    over = LogicDocumentStore(index=store.index)
    assert over.collection == "passages"
    for more in ({"location": "elsewhere"}, {"tenant": "me"}):
        with pytest.raises(ConfigurationError, match="index="):
            LogicDocumentStore(index=store.index, **more)
    over.close()
    assert over.count_documents() == store.count_documents() == 6


async def test_closing_on_an_event_loop(wire):
    """An asynchronous client left open causes a warning at exit."""
    store = LogicDocumentStore(location=wire.double.url, encoder=HashedEncoder(dimension=16))
    assert await store.count_documents_async() == 0
    await store.close_async()
    await store.close_async()


def test_a_filter_error_is_of_both_trees():
    """Handlers for Haystack's error, or this package's, must both catch it."""
    for kind in (FilterError, InputError):
        with pytest.raises(kind, match=r"'meta.year' >= 'x' cannot be translated"):
            translate_filters({"field": "meta.year", "operator": ">=", "value": "x"})
