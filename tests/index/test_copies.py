"""Copies of a collection elsewhere: their content, changes made meanwhile, and their storage."""

from __future__ import annotations

import shutil
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from fault_injection import WireDouble
from qdrant_client import models
from suites import HashedEncoder
from vector_queries import stored_points

from logic_retrievers.errors import (
    CollectionError,
    CollectionMismatchError,
    ConfigurationError,
    FingerprintMismatchError,
)
from logic_retrievers.index import PassageIndex
from logic_retrievers.types import Passage

OPTIONS = {
    "shard_number": 2,
    "replication_factor": 2,
    "write_consistency_factor": 2,
    "on_disk_payload": False,
    "on_disk": True,
    "hnsw_config": {"m": 8, "on_disk": True},
    "optimizers_config": {"indexing_threshold": 1000},
    "wal_config": {"wal_capacity_mb": 64},
    "quantization_config": {"binary": {"always_ram": True}},
    "strict_mode_config": {"enabled": True, "max_query_limit": 500, "search_allow_exact": False},
}


@pytest.fixture(params=["folder", "grpc"])
def elsewhere(request, tmp_path):
    """Settings of a location for copies."""
    if request.param == "folder":
        yield {"location": tmp_path / "copies"}
        return
    with WireDouble() as double:
        yield double.place(prefer_grpc=True)


def points(place: dict[str, Any], name: str, encoder: Any) -> tuple[Any, Any]:
    """Everything that a collection holds: its points and its metadata."""
    with PassageIndex.open(name, encoder, **place, all_tenants=True) as index:
        found, _ = index.client.scroll(name, limit=1000, with_vectors=True)
        return found, index.client.get_collection(name).config.metadata


OTHERS: dict[str, dict[str, Any]] = {
    "encoder": {"encoder": HashedEncoder(version="2")},
    "dimension": {"encoder": HashedEncoder(dimension=48)},
    "language": {"lexical": "german"},
    "no words": {"lexical": False},
    "fewer vectors": {"vectors": ("topical",)},
    "keys": {"text_key": "content"},
}


@pytest.mark.parametrize("kind", OTHERS)
@pytest.mark.parametrize("stored", [0, 3])
def test_nothing_is_written_onto_another_collection(
    encoder, make_passages, tmp_path, elsewhere, kind, stored
):
    """A copy must not mix points of two encoders: every search would compare them."""
    settings = {"encoder": encoder, **OTHERS[kind]}
    with PassageIndex.open("p", **settings, **elsewhere) as other:
        other.add(make_passages(stored))
    before = points(elsewhere, "p", settings["encoder"])
    wrong = FingerprintMismatchError if kind == "encoder" else CollectionMismatchError
    with PassageIndex.open("p", encoder, location=tmp_path / "original") as index:
        index.add(make_passages(9))
        with pytest.raises(wrong, match="Nothing was written"):
            index.copy_to(**elsewhere)
    assert points(elsewhere, "p", settings["encoder"]) == before


def test_one_that_another_store_filled(encoder, make_passages, tmp_path, wire_double):
    place = {"location": wire_double.url}
    with PassageIndex.open("q", encoder, lexical=False, **place) as index:
        dense = index.client.get_collection("q").config.params.vectors
        index.client.create_collection("p", vectors_config=dense)
        vector = {name: [1.0] * params.size for name, params in dense.items()}
        index.client.upsert("p", [models.PointStruct(id=1, vector=vector, payload={"a": 1})])
        index.client.create_collection("empty", vectors_config=dense)
    with PassageIndex.open("p", encoder, location=tmp_path, lexical=False) as index:
        index.add(make_passages(9))
        with pytest.raises(CollectionMismatchError, match="another store"):
            index.copy_to(**place)
        assert index.copy_to("empty", **place) == 9
    with pytest.raises(FingerprintMismatchError):
        PassageIndex.open("empty", HashedEncoder(version="2"), **place)


def test_going_on_makes_up_for_what_happened(encoder, make_passages, tmp_path, elsewhere):
    """Continuing a copy catches up on texts, metadata, application fields and hidden flags."""

    def stop(progress: Any) -> None:
        raise KeyboardInterrupt

    with PassageIndex.open("p", encoder, location=tmp_path / "original") as index:
        passages = make_passages(300)
        index.add(passages)
        index.run(index.hide(["p1", "p2"]))
        index.copy_to(**elsewhere)
        changed = [
            replace(passages[0], text="a text that was recalled"),
            replace(passages[3], metadata={"number": -3}),
            replace(passages[4], extra={"row": 4}),
            replace(passages[5], source="file"),
        ]
        index.add([*changed, Passage("new", "a new text")])
        index.run(index.hide(["p6"]))
        index.run(index.unhide(["p1"]))
        with pytest.raises(KeyboardInterrupt):
            index.copy_to(**elsewhere, progress=stop)
        assert index.copy_to(**elsewhere) <= 7
        assert index.copy_to(**elsewhere) == 0
        with PassageIndex.open("p", encoder, **elsewhere) as copy:
            assert {p.id: p for p in copy.scroll()} == {p.id: p for p in index.scroll()}
            assert {p.id for p in copy.scroll() if p.quarantined} == {"p2", "p6"}


@pytest.mark.filterwarnings("ignore::logic_retrievers.errors.StrictModeWarning")
def test_a_copy_is_kept_like_the_original(wire_settings, wire_double, encoder, make_passages):
    """A copy from server to server, or by reindexing, keeps the original's storage options."""
    fields = {"number": "integer"}
    with PassageIndex.open(
        *("p", encoder), **wire_settings, collection_options=OPTIONS, indexed_fields=fields
    ) as index:
        index.add(make_passages(20))
        index.copy_to("q", **wire_settings)
        index.reindex("r", HashedEncoder(version="2"))
        index.reindex("s", collection_options={"shard_number": 4}, quantized=True)
        original, *others = (index.client.get_collection(name) for name in "pqr")
    for other in others:
        assert other.config.model_dump(exclude={"metadata"}) == original.config.model_dump(
            exclude={"metadata"}
        )
        assert other.payload_schema == original.payload_schema
    assert wire_double.created["q"].wal_config.wal_capacity_mb == 64
    asked = wire_double.created["s"]
    assert (asked.shard_number, asked.replication_factor) == (4, 2)
    assert asked.quantization_config.scalar.type == "int8"


def test_into_a_folder_and_back(wire_settings, encoder, make_passages, tmp_path):
    """The embedded engine stores int8 only; a server chooses what a folder does not specify."""
    with PassageIndex.open("p", encoder, **wire_settings, collection_options=OPTIONS) as index:
        index.add(make_passages(20))
        assert index.copy_to(location=tmp_path) == 20
    with PassageIndex.open("p", encoder, location=tmp_path) as folder:
        assert folder.copy_to("q", **wire_settings) == 20


def test_there_and_back(wire_settings, encoder, make_passages, tmp_path):
    """A copy from folder to server to folder keeps ids, payloads and vectors."""
    with PassageIndex.open("p", encoder, location=tmp_path / "one", lexical=True) as index:
        index.add(make_passages(30))
        index.run(index.hide(["p3"]))
        before, seen = stored_points(index.client, "p"), []
        assert index.copy_to("q", progress=seen.append, **wire_settings) == 30
        assert (seen[-1].done, seen[-1].share) == (30, 1)
        assert index.copy_to("q", **wire_settings) == 0
    with PassageIndex.open("q", encoder, create=False, **wire_settings) as there:
        assert there.vectors == ("topical", "compatibility", "lexical")
        assert there.copy_to(location=tmp_path / "two") == 30
        there.add([Passage("more", "text")])
        there.delete(["p1", "p2"])
        with pytest.raises(CollectionError, match="29 points and its copy 'q' 31"):
            there.copy_to(location=tmp_path / "two")
    with PassageIndex.open("q", encoder, location=tmp_path / "two", create=False) as back:
        shutil.rmtree(tmp_path / "one")
        after = stored_points(back.client, "q")
        for key, (payload, vectors) in before.items():
            assert after[key][0] == payload
            assert after[key][1].keys() == vectors.keys()
            for name, vector in vectors.items():
                np.testing.assert_allclose(after[key][1][name], vector, rtol=0, atol=1e-6)
        assert {p.id for p in back.scroll() if p.quarantined} == {"p3"}


def test_a_copy_needs_a_name_and_a_place(encoder, tmp_path):
    """A copy must not take the index's own name, nor a folder that vanishes with the call."""
    with PassageIndex.open("p", encoder) as index:
        with pytest.raises(ConfigurationError, match="a name that is not empty"):
            index.copy_to("", location=tmp_path)
        for place in ({}, {"location": ":memory:"}):
            with pytest.raises(ConfigurationError, match="copy_to needs location="):
                index.copy_to("q", **place)
