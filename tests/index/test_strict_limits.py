"""Strict mode limits single requests: more requests bring the same answers."""

from __future__ import annotations

from dataclasses import replace

import pytest
from qdrant_client import QdrantClient, models

from logic_retrievers import Atom, Engine, OnnxEncoder, Passage
from logic_retrievers.conflicts import CorpusCleaner
from logic_retrievers.errors import ServerError, StrictModeWarning
from logic_retrievers.index import PassageIndex, connection
from logic_retrievers.index.strict_limits import StrictLimits

STRICT = {
    "enabled": True,
    "max_query_limit": 20,
    "search_max_batchsize": 2,
    "upsert_max_batchsize": 10,
    "filter_max_conditions": 5,
    "condition_max_size": 6,
}
PLACES = ("sea", "lake", "road", "wood")
VECTORS = ("topical", "compatibility", "contradiction")
TEXTS = [
    *(f"{kind} by the {place}." for kind in ("An inn", "A bar", "A hut") for place in PLACES),
    "Parental leave is not paid.",
    "Parental leave is paid in full for twelve weeks.",
    "Dogs are allowed in the office.",
    "Dogs are not allowed in the office.",
    "Metals that do not rust are used for boats.",
    "Iron rusts in wet air.",
]
PASSAGES = [
    Passage(f"p{n}", text, {"date": f"20{n:02}-01-01"}, source=f"s{n % 4}")
    for n, text in enumerate(TEXTS)
]
SEARCHES = {
    "topical": "rooms by the lake",
    "auto": "rooms by the sea, but no bars",
    "union": "metals that do not rust",
    "hybrid": "parental leave",
    "boolean": Atom("rooms by the lake") & ~Atom("bars"),
}


@pytest.mark.filterwarnings("ignore::logic_retrievers.errors.StrictModeWarning")
def test_a_strict_collection_serves_everything(wire_settings, tmp_path):
    """With fewer passages than the limit, all lists equal those without limits."""
    encoder = OnnxEncoder()

    def opened(name: str, **settings: object) -> PassageIndex:
        return PassageIndex.open(name, encoder, **wire_settings, **settings)

    limited = {"collection_options": {"strict_mode_config": STRICT}}
    with (
        opened("free", vectors=VECTORS) as free,
        opened("strict", vectors=VECTORS, **limited) as strict,
        opened("late", vectors=("topical",), **limited) as late,
    ):
        for index in (free, strict, late):
            assert index.add(PASSAGES).added == len(PASSAGES)
            assert [passage.id for passage in index.scroll(page_size=500)]
        for policy, query in SEARCHES.items():
            hits = [
                [(hit.passage.id, hit.score) for hit in Engine(index, policy).search(query, k=12)]
                for index in (free, strict)
            ]
            assert hits[0] == hits[1], policy
        queries = [
            f"{kind} by the {place}" for kind in ("inns", "bars") for place in ("sea", "wood")
        ]
        assert Engine(strict).search_many(queries) == Engine(free).search_many(queries)
        found = [
            CorpusCleaner(index, resolution="prefer_newest", ledger=tmp_path / index.collection)
            .clean()
            .quarantined
            for index in (free, strict)
        ]
        assert found[0] == found[1] != ()
        report = late.backfill(["compatibility", "contradiction"])
        assert report.filled == len(PASSAGES)
        assert late.delete(ids=[passage.id for passage in PASSAGES[:15]]) == 15
        new = [Passage("new", "A new inn.", source="s1")]
        assert late.add(new, replace_sources=True).removed == 1


async def test_what_is_cut_is_said(wire_double):
    """Policies choose from candidates: fewer candidates give a different list."""
    index = await PassageIndex.aopen(
        "strict",
        OnnxEncoder(),
        location=wire_double.url,
        collection_options={"strict_mode_config": STRICT},
    )
    await index.aadd(PASSAGES[:3])
    with pytest.warns(StrictModeWarning, match=r"max_query_limit to 116"):
        await Engine(index).asearch("rooms by the lake, but no bars", k=2)
    await index.aclose()


def test_a_copy_keeps_the_limits_of_its_place(wire_settings, encoder, make_passages, tmp_path):
    """A server may limit every collection, including one that a copy creates."""
    with PassageIndex.open("p", encoder, location=tmp_path) as index:
        index.add(make_passages(25))
        limited = {"collection_options": {"strict_mode_config": STRICT}}
        PassageIndex.open("q", encoder, **wire_settings, **limited).close()
        assert index.copy_to("q", **wire_settings) == 25


@pytest.mark.parametrize(
    ("strict", "setting"),
    [
        ({"filter_max_conditions": 1}, "filter_max_conditions to 4"),
        ({"condition_max_size": 2}, "condition_max_size to 3"),
    ],
)
def test_what_cannot_be_kept_names_the_setting(wire_settings, strict, setting):
    options = {"strict_mode_config": {"enabled": True, **strict}}
    with PassageIndex.open(
        "p", OnnxEncoder(), **wire_settings, collection_options=options
    ) as index:
        condition = {"city": ["Oslo", "Bergen", "Tromsø"], "year": 2020}
        with pytest.raises(
            ServerError, match=rf"Strict mode of collection 'p'.*Raise its {setting}"
        ):
            Engine(index).search("hotels", filter=condition)


@pytest.mark.filterwarnings("ignore::logic_retrievers.errors.StrictModeWarning")
@pytest.mark.parametrize(("asynchronous", "several"), [(False, False), (True, True)])
async def test_what_a_rate_limit_grants_is_sent(
    wire_settings, make_passages, asynchronous, several, monkeypatch
):
    """A batch of an excluding query costs over 30 tokens, which a server never grants at once."""
    monkeypatch.setattr(connection, "_growing_pause", lambda state: 0.01)
    strict = {"enabled": True, "read_rate_limit": 30, "write_rate_limit": 30}
    limited = {"collection_options": {"strict_mode_config": strict}}
    place = wire_settings | ({"location": [wire_settings["location"]]} if several else {})
    others = [replace(passage, id=f"other {passage.id}") for passage in make_passages(40)]
    passages, query = [*PASSAGES, *others], "rooms by the sea, but no bars"
    some = [passage.id for passage in passages[-40:]]
    with (
        PassageIndex.open("free", OnnxEncoder(), **wire_settings) as free,
        PassageIndex.open("strict", OnnxEncoder(), **place, **limited) as index,
    ):
        free.add(passages)
        if asynchronous:
            assert (await index.aadd(passages)).added == len(passages)
            hits = await Engine(index).asearch(query)
        else:
            assert index.add(passages).added == len(passages)
            hits = Engine(index).search(query)
        assert hits == Engine(free).search(query)
        assert len(index.run(index.hide(some))) == 40
        assert index.delete(some[:15]) == 15
        assert len(index.get(some)) == 25


def test_parts_are_said(wire_settings):
    strict = {"enabled": True, "write_rate_limit": 5}
    limited = {"collection_options": {"strict_mode_config": strict}}
    with PassageIndex.open("p", OnnxEncoder(), **wire_settings, **limited) as index:
        with pytest.warns(StrictModeWarning, match="write_rate_limit"):
            index.add(PASSAGES[:10])
        assert index.count() == 10


@pytest.mark.filterwarnings("ignore::logic_retrievers.errors.StrictModeWarning")
async def test_what_is_refused_is_divided_once_with_a_synchronous_client_alone(wire_double):
    """Each level of halves was sent twice."""
    strict = {"enabled": True, "read_rate_limit": 1}
    options = {"collection_options": {"strict_mode_config": strict}}
    client = QdrantClient(wire_double.url, check_compatibility=False)
    with PassageIndex.open("p", OnnxEncoder(), client=client, **options) as index:
        queries = ["rooms by the sea", "a hut", "an inn by the lake"]
        wire_double.requests.clear()
        with pytest.raises(ServerError, match="read_rate_limit"):
            Engine(index).search_many(queries)
        sent = len(wire_double.requests)
        with pytest.raises(ServerError, match="read_rate_limit"):
            await Engine(index).asearch_many(queries)
    assert len(wire_double.requests) == 2 * sent
    client.close()


@pytest.mark.filterwarnings("ignore::logic_retrievers.errors.StrictModeWarning")
@pytest.mark.parametrize(
    ("rate", "settings"),
    [(2, {}), (1, {}), (5, {"retries": 0})],  # not one search; two halves that may not wait
)
def test_a_rate_that_grants_nothing(wire_settings, rate, settings):
    strict = {"enabled": True, "read_rate_limit": rate}
    limited = {"collection_options": {"strict_mode_config": strict}}
    with (
        PassageIndex.open("p", OnnxEncoder(), **wire_settings, **settings, **limited) as index,
        pytest.raises(ServerError, match="Raise read_rate_limit"),
    ):
        Engine(index).search_many(["rooms by the sea", "a hut", "an inn by the lake"])


@pytest.mark.filterwarnings("ignore::logic_retrievers.errors.StrictModeWarning")
def test_counts_are_exact(wire_settings, make_passages):
    """Counts stay exact where strict mode forbids exact counting: estimates are far off."""
    strict = {"enabled": True, "search_allow_exact": False, "max_query_limit": 20}
    limited = {"collection_options": {"strict_mode_config": strict}}
    with PassageIndex.open("p", OnnxEncoder(), **wire_settings, **limited) as index:
        passages = make_passages(60)
        index.add(passages)
        [hit] = Engine(index, "topical").search(passages[7].text, k=1)
        assert (hit.passage.id, hit.score) == ("p7", pytest.approx(1, abs=1e-3))
        # excluded texts are scored for over 20 candidates
        assert len(Engine(index).search("a quiet river, but no pool", k=60)) > 20
        assert index.count() == 60
        assert index.count({"parity": "even"}) == 30
        assert index.count({"number": {"lt": 45}}) == 45
        assert index.count({"parity": "none"}) == 0
        assert index.unknown_fields({"parity": "odd", "other": 1}) == {"other": "a number"}
        assert index.delete(filter={"parity": "odd"}) == 30
        assert index.reindex("q").passages == 30
        assert index.copy_to("r", **wire_settings) == 30


def test_a_mode_that_is_off_limits_nothing():
    strict = models.StrictModeConfigOutput(enabled=False, max_query_limit=2)
    assert StrictLimits.read(strict) == StrictLimits.read(None) == StrictLimits()
