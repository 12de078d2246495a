"""CorpusCleaner in JSON, which is a part of a pipeline's cache key, and in another process."""

from __future__ import annotations

import json
import pickle
from dataclasses import dataclass
from typing import ClassVar

import pytest
from contradicting_nodes import opposed
from llama_index.core.ingestion import IngestionPipeline
from llama_index.core.schema import TextNode
from llama_index_logic_retrievers import CorpusCleaner
from placed import SETTINGS, PlacedEncoder
from qdrant_client import AsyncQdrantClient, QdrantClient
from suites import HashedEncoder

from logic_retrievers import Passage, PassageIndex
from logic_retrievers.contradiction.resolution_strategies import (
    PreferNewest,
    PreferSource,
    ResolutionStrategy,
    Ruling,
)
from logic_retrievers.errors import ConfigurationError

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


def test_which_collection_it_is_about_is_told():
    """Two collections would share their verdicts."""
    told = []
    for name in ("docs", "other"):
        with PassageIndex.open(name, PlacedEncoder(), vectors=VECTORS) as index:
            told.append(CorpusCleaner(index).to_dict())
    assert [one.pop("collection") for one in told] == ["docs", "other"]
    assert told[0] == told[1]


def test_whose_nodes_they_are_is_told():
    """One tenant would get another's verdicts."""
    told = []
    for tenant in ("a", "b"):
        with PassageIndex.open("docs", PlacedEncoder(), vectors=VECTORS, tenant=tenant) as index:
            told.append(CorpusCleaner(index).to_dict())
    assert [one.pop("tenant") for one in told] == ["a", "b"]
    assert told[0] == told[1]


async def test_where_the_collection_is_is_told(tmp_path, wire_double):
    """Collections of one name on two servers would share their verdicts."""
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
    assert told[4] == told[5]  # one server, whatever the credentials
    assert address in told[4]
    assert not [text for text in told if "secret" in text]
    assert told == [CorpusCleaner(index).to_json() for index in indexes]
    assert CorpusCleaner(encoder=PlacedEncoder()).place == []
    for index in indexes:
        index.close()
    client.close()
    local.close()
    await aclient.close()


def test_secrets_stay_out():
    """A cache key is written to disk, and a repr to a log."""
    made = cleaner(judge=Model())
    for text in (str(made.to_dict()), made.to_json(), repr(made), str(made)):
        assert "very-secret-key" not in text


@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_it_travels_to_another_process(kind):
    """LlamaIndex leaves out what cannot be pickled, and says so in a log."""
    made = cleaner(**kind)
    again = pickle.loads(pickle.dumps(made))
    assert again.to_dict() == made.to_dict()
    assert hidden(again(opposed())) == hidden(made(opposed()))


def test_it_does_not_come_back_from_its_settings():
    """Without its collection and its ledger it would be another cleaner."""
    made = cleaner()
    with pytest.raises(ConfigurationError, match=r"Make it anew: CorpusCleaner\(store.index"):
        CorpusCleaner.from_dict(made.to_dict())
    with pytest.raises(ConfigurationError, match="Make it anew"):
        CorpusCleaner.from_json(made.to_json())


def test_what_cannot_travel_is_told():
    """A cleaner without its collection would arrive, and find nothing."""
    with (
        PassageIndex.open(encoder=PlacedEncoder(), vectors=VECTORS) as index,
        pytest.raises(ConfigurationError, match="cannot be pickled"),
    ):
        pickle.dumps(CorpusCleaner(index))
    with pytest.raises((AttributeError, pickle.PicklingError)):
        pickle.dumps(cleaner(resolution=lambda one, other: one))


@pytest.mark.filterwarnings("ignore:Specified num_workers exceed number of CPUs")
def test_workers_of_a_pipeline_are_refused_with_a_collection():
    """A pool that cannot unpickle its task never answers."""
    with PassageIndex.open(encoder=PlacedEncoder(), vectors=VECTORS) as index:
        line = IngestionPipeline(transformations=[CorpusCleaner(index)])
        with pytest.raises(ConfigurationError, match="cannot be pickled"):
            line.run(nodes=opposed(), num_workers=2)
