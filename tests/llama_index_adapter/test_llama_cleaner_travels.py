"""CorpusCleaner in JSON and in worker processes, which open the collection themselves."""

from __future__ import annotations

import gc
import json
import pickle
from dataclasses import dataclass
from typing import ClassVar

import pytest
from contradicting_nodes import AGAIN, DUTY, OPEN, SHUT, opposed
from llama_index.core.ingestion import IngestionPipeline
from llama_index.core.schema import TextNode
from llama_index_logic_retrievers import CorpusCleaner, LogicVectorStore
from placed import SETTINGS, PlacedEncoder
from qdrant_client import models
from suites import HashedEncoder

from logic_retrievers import Passage, PassageIndex
from logic_retrievers.cleaning import Ledger
from logic_retrievers.contradiction.resolution_strategies import (
    PreferNewest,
    PreferSource,
    ResolutionStrategy,
    Ruling,
)
from logic_retrievers.errors import CleaningSkippedWarning, ConfigurationError

VECTORS = ("topical", "contradiction")
LAW = TextNode(text="inn | shut | law", id_="law", metadata={"source": "law"})
KINDS = [
    {},
    {"resolution": "prefer_newest"},
    {"resolution": PreferNewest("on")},
    {"resolution": PreferSource(("inn", "law"))},
    {"resolution": ["prefer_newest", PreferSource(("inn",))]},
    {"neighbours": 3},
    {"threshold": 0.7},
    {"settings": SETTINGS},
    {"trusted": [LAW]},
    {"trusted": [Passage("law", "inn | shut | law")]},
    {"trusted_filter": {"source": "inn"}},
    {"trusted_candidates": 3},
    {"against_trusted": "annotate"},
    {"date_key": "on"},
    {"source_key": "by"},
    {"source_order": ["inn"]},
    {"scope_keys": ["wing"]},
    {"judge_above": 0.3},
    {"location": "http://localhost:6333"},
    {"location": "http://localhost:6333", "collection": "docs"},
    {"location": "http://localhost:6333", "collection": "docs", "tenant": "a"},
    {"location": "http://localhost:6333", "opening": {"timeout": 3}},
    {"location": "a/folder"},
]


@dataclass(frozen=True)
class Longest(ResolutionStrategy):
    """A rule of the user's own."""

    name: ClassVar[str] = "longest"

    def decide(self, one, other, graph):
        return Ruling("?")


class Model:
    """A second opinion that holds a secret."""

    key = "very-secret-key"

    def __call__(self, pairs):
        return [0.0] * len(pairs)


def second(one, other):
    return other


def cleaner(**settings):
    return CorpusCleaner(**{"encoder": PlacedEncoder(), **settings})


def hidden(nodes):
    return [node.node_id for node in nodes if node.metadata.get("logic", {}).get("quarantined")]


def travelled(made):
    return pickle.loads(pickle.dumps(made))


def test_no_two_settings_share_a_cache_key():
    """What a pipeline's cache does not see of the settings it answers with an old verdict."""
    told = [json.dumps(cleaner(**kind).to_dict(), sort_keys=True) for kind in KINDS]
    others = [
        cleaner(judge=Model()).to_json(),
        cleaner(resolution=second).to_json(),
        cleaner(resolution=Longest()).to_json(),
        CorpusCleaner(encoder=HashedEncoder(VECTORS)).to_json(),
    ]
    assert len({*told, *others}) == len(told) + len(others)
    assert told == [json.dumps(cleaner(**kind).to_dict(), sort_keys=True) for kind in KINDS]


def test_where_the_ledger_and_the_collection_are_is_told(tmp_path):
    with PassageIndex.open("docs", PlacedEncoder(), vectors=VECTORS, location=tmp_path) as index:
        told = CorpusCleaner(index, ledger=tmp_path / "ledger").to_dict()
        assert told["ledger_path"] == str(tmp_path / "ledger")
        assert (told["location"], told["collection"]) == (str(tmp_path), "docs")
        again = CorpusCleaner(index, ledger=Ledger(tmp_path / "ledger")).to_dict()
        assert again == told
        with pytest.raises(ConfigurationError, match="collection= is 'other'"):
            CorpusCleaner(index, collection="other")


@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_settings_come_back_from_json_and_from_another_process(kind):
    made = cleaner(**kind)
    told = json.loads(made.to_json())
    again = CorpusCleaner.from_dict(told, encoder=PlacedEncoder())
    assert json.loads(again.to_json()) == told
    assert json.loads(travelled(made).to_json()) == told
    assert hidden(again(opposed())) == hidden(made(opposed())) if "location" not in kind else True


def test_what_json_cannot_hold_has_to_be_given_again():
    told = cleaner(judge=Model()).to_dict()
    with pytest.raises(ConfigurationError, match="judge"):
        CorpusCleaner.from_dict(told, encoder=PlacedEncoder())
    with pytest.raises(ConfigurationError, match="another encoder"):
        CorpusCleaner.from_dict(cleaner().to_dict())


def test_secrets_stay_out():
    """A cache key is written to disk, and a repr to a log."""
    made = cleaner(
        location="https://me:hidden-word@host:6333/?token=hidden-word",
        api_key="very-secret-key",
        judge=Model(),
    )
    for text in (str(made.to_dict()), made.to_json(), repr(made), str(made)):
        assert "very-secret-key" not in text
        assert "hidden-word" not in text
    assert made.to_dict()["location"] == "https://host:6333/"
    assert travelled(made).api_key == "very-secret-key"
    assert travelled(made).location == made.location


def test_an_unreachable_server_is_told_without_its_key(wire_double):
    port = 9  # nobody listens there
    made = cleaner(
        location=f"http://127.0.0.1:{port}", api_key="very-secret-key", opening={"retries": 0}
    )
    with pytest.warns(CleaningSkippedWarning, match="6 nodes") as told:
        assert hidden(made(opposed())) == []
    assert [warning.category for warning in told] == [CleaningSkippedWarning]
    assert "very-secret-key" not in str(told[0].message)
    assert "ServerUnavailableError" in str(told[0].message)


# Qdrant's client leaves the lock's file open where it does not get the lock
@pytest.mark.filterwarnings("ignore:unclosed file:ResourceWarning")
def test_a_cleaner_of_an_embedded_folder_says_that_it_is_locked(tmp_path):
    """The parent has it open; a worker that failed would leave its pipeline waiting for ever."""
    with PassageIndex.open("docs", PlacedEncoder(), vectors=VECTORS, location=tmp_path) as index:
        there = travelled(CorpusCleaner(index, resolution="prefer_newest"))
        with pytest.warns(CleaningSkippedWarning, match="CollectionLockedError"):
            assert there(opposed()) == opposed()
    gc.collect()
    results = there(opposed()[:3])  # nobody has it open now, and the collection is empty
    assert hidden(results) == [OPEN]
    there.close()


def test_a_collection_in_memory_does_not_travel_and_says_so():
    with PassageIndex.open(encoder=PlacedEncoder(), vectors=VECTORS) as index:
        there = travelled(CorpusCleaner(index))
        with pytest.warns(CleaningSkippedWarning, match="in memory"):
            assert there(opposed()) == opposed()
        assert travelled(there).to_dict()["skipped"] == 0


def test_what_cannot_be_pickled_is_told_there():
    """Raised in a pool's worker it would be waited for without end; here, nodes would be lost."""
    there = travelled(cleaner(resolution=lambda one, other: one))
    with pytest.warns(CleaningSkippedWarning, match="cannot go to a worker process"):
        assert there(opposed()) == opposed()


def test_what_cannot_be_made_there_is_told_there(monkeypatch):
    content = pickle.dumps(cleaner(resolution=Longest()))
    monkeypatch.delattr(f"{__name__}.Longest")
    there = pickle.loads(content)
    with pytest.warns(CleaningSkippedWarning, match="could not be made"):
        assert there(opposed()) == opposed()


def test_a_collection_that_is_made_later_is_looked_into_later(wire_double):
    """Before the first run there is none: the nodes are then compared with each other."""
    made = cleaner(resolution="prefer_newest", location=wire_double.url, collection="docs")
    assert hidden(made(opposed())) == [OPEN, DUTY, AGAIN]
    with PassageIndex.open(
        "docs", PlacedEncoder(), vectors=VECTORS, location=wire_double.url
    ) as index:
        index.add([Passage(OPEN, OPEN, {"date": 2020})])
        assert hidden(made(opposed()[2:3])) == []
        assert index.get([OPEN])[0].quarantined
    made.close()


async def test_it_opens_the_collection_without_blocking(wire_double):
    made = cleaner(resolution="prefer_newest", location=wire_double.url)
    assert hidden(await made.acall(opposed())) == [OPEN, DUTY, AGAIN]
    made.close()


RULES = (
    ("old", "The pool of the inn opens at nine in the morning.", 2020),
    ("gold", "Gold and platinum are metals that never rust.", 2020),
    ("new", "The pool of the inn opens never in the morning.", 2024),
    ("dogs", "Dogs are allowed in every room of the house.", 2020),
)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:Specified num_workers exceed number of CPUs")
def test_two_workers_look_into_one_server(wire_double, tmp_path, capfd):
    """Each worker sees half of the nodes; what the other half contradicts lies in the collection.

    Their verdicts and the ledger's entries have to come back from real processes.
    """
    nodes = [TextNode(id_=name, text=text, metadata={"date": on}) for name, text, on in RULES]
    for node in nodes:
        node.excluded_embed_metadata_keys = ["date"]
    encoder = HashedEncoder(VECTORS, dimension=64)
    with PassageIndex.open("docs", encoder, vectors=VECTORS, location=wire_double.url) as index:
        store = LogicVectorStore(index)
        store.add(nodes[:1])
        made = CorpusCleaner(
            index, ledger=tmp_path / "ledger.sqlite", resolution="prefer_newest", threshold=0.5
        )
        line = IngestionPipeline(transformations=[made, store.embed_model], vector_store=store)
        line.run(nodes=nodes[1:], num_workers=2)
        assert index.count() == len(RULES)
        assert [passage.id for passage in index.scroll() if passage.quarantined] == ["old"]
        entries = Ledger(tmp_path / "ledger.sqlite").states("docs")
        assert {name: one.event for name, one in entries.items()} == {"old": "quarantine"}
    assert "CleaningSkippedWarning" not in capfd.readouterr().err


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:Specified num_workers exceed number of CPUs")
def test_two_workers_beside_an_embedded_folder_lose_nothing(tmp_path, capfd):
    """They cannot open it: the nodes come back as they went."""
    encoder = HashedEncoder(VECTORS, dimension=64)
    nodes = [TextNode(id_=name, text=text, metadata={"date": on}) for name, text, on in RULES]
    with PassageIndex.open("docs", encoder, vectors=VECTORS, location=tmp_path) as index:
        made = CorpusCleaner(index, resolution="prefer_newest")
        results = IngestionPipeline(transformations=[made]).run(nodes=nodes, num_workers=2)
        assert results == nodes
    assert "CollectionLockedError" in capfd.readouterr().err


def test_a_filter_made_by_hand_is_translated_for_the_collection(wire_double):
    wanted = models.Filter(
        must=[models.FieldCondition(key="metadata.kind", match=models.MatchValue(value="law"))]
    )
    with PassageIndex.open(
        "docs", PlacedEncoder(), vectors=VECTORS, location=wire_double.url
    ) as index:
        index.add([Passage("law", "inn | shut | law", {"kind": "law"})])
    made = travelled(cleaner(trusted_filter=wanted, location=wire_double.url, collection="docs"))
    assert hidden(made([node for node in opposed() if node.node_id != SHUT])) == [OPEN, AGAIN]
    made.close()
