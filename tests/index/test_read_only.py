"""Read-only indexes: unwritable folders, several readers at once, and servers."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from mounts import read_only
from suites import HashedEncoder
from vector_queries import vector_queries

from logic_retrievers.conflicts import CorpusCleaner, Ledger
from logic_retrievers.errors import (
    CollectionNotFoundError,
    ConfigurationError,
    LogicRetrieversError,
    StorageError,
)
from logic_retrievers.index import PassageIndex
from logic_retrievers.types import Passage


def snapshot(place: Path) -> dict[str, tuple[int, ...]]:
    """Everything that a write in a folder would change."""
    found = [place, *place.rglob("*")]
    return {str(f): (s.st_mtime_ns, s.st_size, s.st_ino) for f in found for s in [f.stat()]}


@pytest.fixture
def stored(encoder, make_passages, tmp_path) -> Path:
    with PassageIndex.open("p", encoder, location=tmp_path / "stored") as index:
        index.add(make_passages(30))
        index.run(index.hide(["p2"]))
    return tmp_path / "stored"


@pytest.fixture
def mounted(stored, tmp_path) -> Iterator[Path]:
    with read_only(stored, tmp_path / "mounted") as place:
        yield place


def writes_of(index: PassageIndex):
    more = [Passage("more", "text")]
    return {
        "add": lambda: index.add(more),
        "add nothing": lambda: index.add([]),
        "delete": lambda: index.delete(["p1"]),
        "hide": lambda: index.run(index.hide(["p1"])),
        "unhide": lambda: index.run(index.unhide(["p2"])),
        "backfill": index.backfill,
        "reindex": lambda: index.reindex("q"),
        "shared client": lambda: PassageIndex.open("p", HashedEncoder(), client=index.client).add(
            more
        ),
    }


async def test_a_folder_that_cannot_be_written(mounted, stored, encoder, monkeypatch, tmp_path):
    """Searches failed in an image, on Lambda and on a mounted volume."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "copies"))
    (tmp_path / "copies").mkdir()
    before = snapshot(stored)
    with pytest.raises(StorageError, match="read_only=True"):
        PassageIndex.open("p", encoder, location=mounted)
    settings = {"location": mounted, "read_only": True, "indexed_fields": {"number": "integer"}}
    with PassageIndex.open("p", encoder, **settings) as one:
        async with await PassageIndex.aopen("p", encoder, **settings) as two:
            assert one.count({"number": {"gte": 10}}) == await two.acount() - 10 == 20
            [pool] = one.run(one.find_candidates([vector_queries(encoder, "quiet river")]))
            assert len(pool.ids) > 0
            for name, write in {**writes_of(one), "optimize": two.optimize}.items():
                with pytest.raises(StorageError, match="only reads"):
                    pytest.fail(f"{name} returned {write()!r}")
            with pytest.raises(StorageError, match="only reads"):
                await two.aadd([Passage("more", "text")])
            assert one.copy_to(location=tmp_path / "elsewhere") == 30
    assert snapshot(stored) == before
    assert list((tmp_path / "copies").iterdir()) == []
    with PassageIndex.open("p", encoder, location=stored) as index:
        assert index.count() == 30


def test_readers_and_a_writer(stored, encoder):
    """A reader sees the state at its opening and blocks no writer."""
    with PassageIndex.open("p", encoder, location=stored, read_only=True) as reader:
        with PassageIndex.open("p", encoder, location=stored, timeout=0.2) as writer:
            writer.delete(["p1"])
        assert reader.count() == 30
        with PassageIndex.open("p", encoder, location=stored, read_only=True) as later:
            assert later.count() == 29


def test_a_folder_without_a_lock_gets_none(stored, encoder):
    """A reader writes nothing, not even the missing lock file."""
    (stored / "p" / "collection.lock").unlink()
    before = snapshot(stored)
    with PassageIndex.open("p", encoder, location=stored, read_only=True) as index:
        assert index.count() == 30
    assert snapshot(stored) == before


def test_nothing_is_created(encoder, tmp_path):
    """A misspelt path must not create an empty store, nor "no" count as True."""
    for settings in ({"read_only": True}, {"create": False}):
        for place in (tmp_path / "typo", tmp_path / "typo" / "deep"):
            with pytest.raises(CollectionNotFoundError, match="no collection"):
                PassageIndex.open("p", encoder, location=place, **settings)
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(ConfigurationError, match="read_only"):
        PassageIndex.open("p", encoder, location=tmp_path, read_only="no")


def test_a_copy_that_has_no_room(stored, encoder, monkeypatch):
    """A copy without enough space fails and leaves nothing behind."""

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("logic_retrievers.index.edge.collection.copy_folder", full)
    with pytest.raises(StorageError, match="TMPDIR"):
        PassageIndex.open("p", encoder, location=stored, read_only=True)


def test_a_ledger_says_nothing_that_was_not_done(make_passages, tmp_path):
    """The ledger must not report passages as hidden that every search still finds."""
    ledger, encoder = Ledger(), HashedEncoder(("topical", "contradiction"))
    with PassageIndex.open("p", encoder, location=tmp_path) as index:
        index.add(make_passages(30))
        index.run(index.hide(["p2"]))  # which a verification would record
    with PassageIndex.open("p", encoder, location=tmp_path, read_only=True) as index:
        cleaner = CorpusCleaner(index, ledger=ledger, resolution="quarantine_all")
        assert cleaner.clean(dry_run=True).examined == 29
        with pytest.raises(StorageError, match="only reads"):
            cleaner.clean()
        assert ledger.entries("p") == []


def test_a_server_is_not_written_to(wire_settings, encoder, make_passages):
    """A key with write permission does not make every program a writer."""
    with PassageIndex.open("p", encoder, **wire_settings) as index:
        index.add(make_passages(5))
        index.run(index.hide(["p2"]))
    with PassageIndex.open("p", encoder, read_only=True, **wire_settings) as index:
        assert index.count() == 5
        for name, write in writes_of(index).items():
            if name != "shared client":  # a server's client is not part of this package
                with pytest.raises(LogicRetrieversError, match="only reads"):
                    pytest.fail(f"{name} returned {write()!r}")
        assert index.count() == 5
