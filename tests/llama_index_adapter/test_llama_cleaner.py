"""CorpusCleaner over nodes: findings, failures, and settings as the key of a pipeline's cache."""

from __future__ import annotations

import json
import pickle
from dataclasses import dataclass
from typing import ClassVar

import pytest
from contradicting_nodes import AGAIN, DUTY, OPEN, opposed
from llama_index.core.schema import ImageNode, MetadataMode, TextNode
from llama_index.core.vector_stores.types import MetadataFilters
from llama_index_logic_retrievers import CorpusCleaner
from naming import stable
from placed import SETTINGS, PlacedEncoder
from qdrant_client import AsyncQdrantClient, QdrantClient
from suites import HashedEncoder

from logic_retrievers import PassageIndex
from logic_retrievers.contradiction.resolution_strategies import (
    PreferNewest,
    PreferSource,
    ResolutionStrategy,
    Ruling,
)
from logic_retrievers.errors import (
    CleaningSkippedWarning,
    ConfigurationError,
    InputError,
    UnknownResolutionError,
)

VECTORS = ("topical", "contradiction")

LOSE = [OPEN, DUTY, AGAIN]


def cleaner(resolution="prefer_newest", **settings):
    return CorpusCleaner(**{"resolution": resolution, "encoder": PlacedEncoder(), **settings})


def hidden(nodes):
    return [node.node_id for node in nodes if node.metadata.get("logic", {}).get("quarantined")]


def findings(node):
    return node.metadata["logic"]["cleaning"]["findings"]


class FailingEncoder(PlacedEncoder):
    """A model whose server is down; what it says holds a key."""

    def encode_documents(self, texts, names=None):
        raise RuntimeError("401 for key sk-very-secret")

    encode_queries = encode_documents


LAW = TextNode(text="inn | shut | law", id_="law", metadata={"source": "law"})
KINDS = [
    {},
    {"resolution": "annotate"},
    {"resolution": PreferNewest("on")},
    {"resolution": ["prefer_newest", PreferSource(("inn",))]},
    {"neighbours": 3},
    {"threshold": 0.7},
    {"settings": SETTINGS},
    {"trusted": [LAW]},
    {"trusted_filter": {"source": "inn"}},
    {"against_trusted": "annotate"},
    {"date_key": "on"},
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


def test_no_model_and_no_prompt_reads_the_verdict():
    """Embedded, it would move the vector; in a prompt it would argue with the text."""
    results, given = cleaner()(opposed()), opposed()
    for mode in (MetadataMode.EMBED, MetadataMode.LLM):
        contents = [node.get_content(metadata_mode=mode) for node in results]
        assert contents == [node.get_content(metadata_mode=mode) for node in given]


def test_nodes_that_cannot_be_judged_go_through():
    """A picture has no text, and is no reason to skip the rest."""
    picture = ImageNode(image_url="https://example.org/a.png", metadata={"title": "inn"})
    results = cleaner()([picture, *opposed()])
    assert results[0] is picture
    assert hidden(results) == LOSE


async def test_a_failing_model_is_told_and_all_nodes_go_on():
    """Raised, the changed documents of this run would be gone from the store."""
    made, given = cleaner(encoder=FailingEncoder()), opposed()
    with pytest.warns(
        CleaningSkippedWarning, match=r"6 nodes go on unjudged \(it raised Runt"
    ) as w:
        assert made(given) is given
    assert "sk-very-secret" not in str(w[0].message)
    with pytest.warns(CleaningSkippedWarning, match="6 nodes"):
        assert await made.acall(given) is given
    assert given == opposed()


async def test_a_failure_may_be_raised():
    """A pipeline that deletes nothing may rather stop than store what was not examined."""
    made = cleaner(encoder=FailingEncoder(), on_error="raise")
    with pytest.raises(RuntimeError):
        made(opposed())
    with pytest.raises(RuntimeError):
        await made.acall(opposed())
    assert made.skipped == 0
    with pytest.raises(ConfigurationError, match="on_error must be"):
        cleaner(on_error="ignore")


def test_what_was_skipped_is_not_remembered_as_judged():
    """A pipeline's cache keeps what came out; unjudged nodes must not come back from it."""
    made = cleaner(encoder=FailingEncoder())
    before = made.to_dict()
    with pytest.warns(CleaningSkippedWarning):
        made(opposed())
    assert made.to_dict() != before
    assert made.skipped == 1


@pytest.mark.parametrize(
    ("settings", "error", "told"),
    [
        ({"resolution": "no-such"}, UnknownResolutionError, "no-such"),
        ({"threshold": 2.0}, ConfigurationError, "threshold"),
        ({"trusted": ["law"]}, InputError, "node"),
        ({"trusted_filter": MetadataFilters(filters=[])}, ConfigurationError, "trust"),
        ({"ledger": 3}, ConfigurationError, "ledger"),
        ({"nieghbours": 3}, ConfigurationError, "nieghbours"),
        ({"encoder": PlacedEncoder(["topical"])}, ConfigurationError, "contradiction"),
    ],
    ids=stable,
)
def test_what_cannot_work_is_refused_at_once(settings, error, told):
    """At the first node it would only be a warning, and nobody reads those."""
    with pytest.raises(error, match=told):
        cleaner(**settings)


@pytest.mark.parametrize(
    ("name", "wrong", "error"),
    [("neighbours", 0, ConfigurationError), ("resolution", "typo", UnknownResolutionError)],
)
async def test_a_setting_that_is_wrong_later_is_raised(name, wrong, error):
    """A warning would switch cleaning off, and nobody reads those."""
    made = cleaner()
    setattr(made, name, wrong)
    with pytest.raises(error):
        made(opposed())
    with pytest.raises(error):
        await made.acall(opposed())
    assert made.skipped == 0


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
    """Two collections, or two tenants, would share their findings."""
    told = []
    for name, tenant in (("docs", "a"), ("other", "b")):
        with PassageIndex.open(name, PlacedEncoder(), vectors=VECTORS, tenant=tenant) as index:
            told.append(CorpusCleaner(index).to_dict())
    assert [one.pop("collection") for one in told] == ["docs", "other"]
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


def test_it_does_not_come_back_from_its_settings():
    """Without its collection and its ledger it would be another cleaner."""
    made = cleaner()
    with pytest.raises(ConfigurationError, match="Make it again"):
        CorpusCleaner.from_dict(made.to_dict())
    with pytest.raises(ConfigurationError, match="Make it again"):
        CorpusCleaner.from_json(made.to_json())


def test_it_is_refused_where_it_would_go_to_another_process():
    """LlamaIndex leaves out fields that cannot be pickled: a worker would compare with nothing."""
    with pytest.raises(TypeError, match="num_workers"):
        pickle.dumps(cleaner())
