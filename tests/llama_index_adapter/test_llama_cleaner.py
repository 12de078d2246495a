"""CorpusCleaner over nodes, in pipelines, and with real stores."""

from __future__ import annotations

import json
import pickle
from contextlib import contextmanager

import pytest
from contradicting_nodes import (
    ABOUT,
    AGAIN,
    COPPER,
    DUTY,
    OPEN,
    SHUT,
    TAX,
    Longest,
    Model,
    contradictions,
    opposed,
    retrieved_nodes,
    second,
)
from llama_index.core import Document
from llama_index.core.ingestion import DocstoreStrategy, IngestionPipeline
from llama_index.core.node_parser import TokenTextSplitter
from llama_index.core.schema import ImageNode, TextNode
from llama_index.core.storage.docstore import SimpleDocumentStore
from llama_index.core.vector_stores.types import MetadataFilters
from llama_index_logic_retrievers import (
    ConstraintRetriever,
    CorpusCleaner,
    LogicVectorStore,
)
from placed import SETTINGS, PlacedEncoder
from qdrant_client import AsyncQdrantClient, QdrantClient
from suites import HashedEncoder

from logic_retrievers import PassageIndex
from logic_retrievers.conflicts.resolution_strategies import (
    PreferNewest,
    PreferSource,
    QuarantineAll,
)
from logic_retrievers.errors import (
    CleaningSkippedWarning,
    ConfigurationError,
    InputError,
)

VECTORS = ("topical", "contradiction")
LOSE, STAY = {OPEN, DUTY, AGAIN}, {TAX, SHUT, COPPER}


def cleaner(resolution="prefer_newest", **settings):
    return CorpusCleaner(**{"resolution": resolution, "encoder": PlacedEncoder(), **settings})


def hidden(nodes):
    return {node.node_id for node in nodes if node.metadata.get("logic", {}).get("quarantined")}


class FailingEncoder(PlacedEncoder):
    """A model whose server is down; its message holds a key."""

    def encode_documents(self, texts, names=None):
        raise RuntimeError("401 for key very-secret-key")

    encode_queries = encode_documents


LAW = TextNode(text="inn | shut | law", id_="law", metadata={"source": "law"})
KINDS = [
    {},
    {"resolution": "annotate"},
    {"resolution": PreferNewest("on")},
    {"resolution": ["prefer_newest", PreferSource(("inn",)), QuarantineAll()]},
    {"threshold": 0.7},
    {"settings": SETTINGS},
    {"trusted": [LAW]},
    {"trusted_filter": {"source": "inn"}},
    {"date_key": "on"},
    {"scope_keys": ["wing"]},
]


def test_a_verdict_that_no_longer_holds_comes_off():
    """A node must not stay hidden for a past conflict; other evidence stays."""
    filtered = [scored.node for scored in contradictions().postprocess_nodes(retrieved_nodes())]
    for given in (opposed(), filtered):
        judged = cleaner()(given)
        assert hidden(judged) == LOSE
        assert cleaner()(judged[:1]) == given[:1]


def test_nodes_that_cannot_be_judged_go_through():
    """A picture without text must not stop the judging of the rest."""
    picture = ImageNode(image_url="https://example.org/a.png", metadata={"title": "inn"})
    results = cleaner()([picture, *opposed()])
    assert results[0] is picture
    assert hidden(results) == LOSE


async def test_a_failing_model_is_told_and_all_nodes_go_on():
    """Raising would remove this run's changed documents from the store."""
    made, given = cleaner(encoder=FailingEncoder()), opposed()
    before = made.to_dict()
    message = r"6 nodes go on unjudged \(it raised RuntimeError\)"
    with pytest.warns(CleaningSkippedWarning, match=message) as caught:
        assert made(given) is given
    assert "very-secret-key" not in str(caught[0].message)
    with pytest.warns(CleaningSkippedWarning, match="6 nodes"):
        assert await made.acall(given) is given
    assert given == opposed()
    # a pipeline's cache keeps the output: unjudged nodes must not come back from it
    assert made.to_dict() != before
    assert made.skipped == 2


async def test_a_failure_may_be_raised_and_a_wrong_setting_always_is():
    """A pipeline that deletes nothing may prefer stopping to storing unexamined nodes."""
    failing = cleaner(encoder=FailingEncoder(), on_error="raise")
    wrong = cleaner()
    wrong.neighbours = 0
    for made, error in ((failing, RuntimeError), (wrong, ConfigurationError)):
        with pytest.raises(error):
            made(opposed())
        with pytest.raises(error):
            await made.acall(opposed())
        assert made.skipped == 0


@pytest.mark.parametrize(
    ("settings", "error", "told"),
    [
        ({"trusted": ["law"]}, InputError, "node"),
        ({"trusted_filter": MetadataFilters(filters=[])}, ConfigurationError, "trust"),
        ({"ledger": 3}, ConfigurationError, "ledger"),
        ({"nieghbours": 3}, ConfigurationError, "nieghbours"),
        ({"on_error": "ignore"}, ConfigurationError, "on_error must be"),
    ],
    ids=["trusted", "filter", "ledger", "name", "on_error"],
)
def test_what_cannot_work_is_refused_at_once(settings, error, told):
    """At the first node it would only be a warning, which no one reads."""
    with pytest.raises(error, match=told):
        cleaner(**settings)


def test_no_two_settings_share_a_cache_key():
    """A setting outside the pipeline's cache key would bring back an old verdict."""
    told = [json.dumps(cleaner(**kind).to_dict(), sort_keys=True) for kind in KINDS]
    others = [
        cleaner(judge=Model()).to_json(),
        cleaner(resolution=second).to_json(),
        cleaner(resolution=Longest()).to_json(),
        CorpusCleaner(encoder=HashedEncoder(VECTORS)).to_json(),
    ]
    for name, tenant in (("docs", "a"), ("docs", "b"), ("other", "a")):
        with PassageIndex.open(name, PlacedEncoder(), vectors=VECTORS, tenant=tenant) as index:
            others.append(CorpusCleaner(index).to_json())
    assert len({*told, *others}) == len(told) + len(others)
    assert told == [json.dumps(cleaner(**kind).to_dict(), sort_keys=True) for kind in KINDS]
    # cache keys go to disk, and reprs to logs
    assert "very-secret-key" not in others[0] + repr(cleaner(judge=Model()))


async def test_where_the_collection_is_is_told(tmp_path, wire_double):
    """Collections of one name on two servers must not share verdicts."""
    name, address = "docs", wire_double.url.removeprefix("http://")
    client = QdrantClient(url=f"http://me:very-secret-key@{address}?very-secret-key=1")
    local = QdrantClient(path=str(tmp_path / "local"))
    aclient = AsyncQdrantClient(f"http://{address}")
    settings = {"encoder": PlacedEncoder(), "vectors": VECTORS}
    indexes = [
        PassageIndex.open(name, location=tmp_path / "one", **settings),
        PassageIndex.open(name, location=tmp_path / "two", **settings),
        PassageIndex.open(name, location=wire_double.url, **settings),
        PassageIndex.open(name, client=local, **settings),
        PassageIndex.open(name, client=client, **settings),
        await PassageIndex.aopen(name, async_client=aclient, **settings),
    ]
    told = [CorpusCleaner(index).to_json() for index in indexes]
    assert len(set(told)) == 5
    assert told[4] == told[5]  # one server, whichever credentials
    assert address in told[4]
    assert not [text for text in told if "secret" in text]
    assert CorpusCleaner(encoder=PlacedEncoder()).place == []
    for opened in (*indexes, client, local):
        opened.close()
    await aclient.close()


def test_it_does_not_come_back_from_its_settings():
    """Without its collection and ledger it would be a different cleaner, in a worker too."""
    made = cleaner()
    with pytest.raises(ConfigurationError, match="Make it again"):
        CorpusCleaner.from_json(made.to_json())
    with pytest.raises(TypeError, match="num_workers"):
        pickle.dumps(made)


@contextmanager
def our_store():
    with PassageIndex.open(encoder=PlacedEncoder(), vectors=VECTORS) as index:
        yield LogicVectorStore(index)


def documents(*about):
    """A reader's documents: with metadata that no model reads."""
    return [
        Document(
            doc_id=f"d {text}",
            text=text,
            metadata={"date": date, "source": source},
            excluded_embed_metadata_keys=["date", "source"],
        )
        for text, date, source in about or ABOUT
    ]


def pipeline(store, strategy=DocstoreStrategy.UPSERTS):
    made = CorpusCleaner(store.index, resolution="prefer_newest")
    splitter = TokenTextSplitter(chunk_size=200, chunk_overlap=0)
    return IngestionPipeline(
        transformations=[splitter, made, store.embed_model],
        vector_store=store,
        docstore=SimpleDocumentStore(),
        docstore_strategy=strategy,
    )


def searched_texts(index):
    nodes = ConstraintRetriever(index, "topical", similarity_top_k=20).retrieve("inn | open | q")
    return {result.node.get_content() for result in nodes}


@pytest.mark.parametrize("strategy", list(DocstoreStrategy))
def test_our_store_hides_what_loses_and_a_document_store_sees_no_change(strategy):
    """If verdicts changed hashes, every document would be new at every run."""
    with our_store() as store:
        line = pipeline(store, strategy=strategy)
        nodes = line.run(documents=documents())
        assert len(nodes) == store.index.count() == len(ABOUT)
        assert searched_texts(store.index) == STAY
        assert {passage.text for passage in store.index.scroll() if passage.quarantined} == LOSE
        assert all("logic" not in node.metadata for node in store.get_nodes())
        assert {node.hash for node in store.get_nodes()} == {node.hash for node in nodes}
        assert line.run(documents=documents()) == []
        assert searched_texts(store.index) == STAY


def test_a_document_that_changed_is_judged_again():
    """The store no longer has the earlier text, which must not count."""
    with our_store() as store:
        line = pipeline(store)
        line.run(documents=documents((OPEN, 2020, "blog"), (SHUT, 2024, "inn")))
        assert searched_texts(store.index) == {SHUT}
        changed = documents((OPEN, 2025, "blog"), (SHUT, 2024, "inn"))
        (node,) = line.run(documents=changed)
        assert "quarantined" not in node.metadata["logic"]
        assert searched_texts(store.index) == {OPEN}
        assert store.index.count() == 2
