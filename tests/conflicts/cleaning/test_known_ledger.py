"""A missing, shorter, damaged or different ledger: reported, and no decision is forgotten."""

from __future__ import annotations

import asyncio
import shutil
import sqlite3
from contextlib import closing

import pytest
from inn_corpus import (
    COPPER,
    CORPUS,
    HIDDEN,
    NEW,
    OLD,
    TAX,
    active,
    cleaner,
    stored,
)

from logic_retrievers import PassageIndex
from logic_retrievers.conflicts import Entry, Ledger
from logic_retrievers.errors import StorageError


def statements(*lines):
    def change(path):
        with closing(sqlite3.connect(path)) as database, database:
            for line in ("DROP TRIGGER no_update", "DROP TRIGGER no_delete", *lines):
                database.execute(line)

    return change


def replace_by_one_of_that_name(path):
    path.unlink()
    Ledger(path).add("inns", [Entry("found", "x")] * 9)


@pytest.fixture
def restored(tmp_path):
    """An index with a restored passage, the ledger's path, and an earlier copy of the ledger."""
    path, older = tmp_path / "ledger.sqlite", tmp_path / "older.sqlite"
    with stored(location=tmp_path / "index") as index:
        made = cleaner(index, Ledger(path))
        assert set(made.clean().quarantined) == {*HIDDEN}
        shutil.copy(path, older)
        made.quarantine.restore([OLD])
        yield index, path


DAMAGES = {
    "deleted": lambda path: path.unlink(),
    "an older copy": lambda path: shutil.copy(path.with_name("older.sqlite"), path),
    "lost a table": statements("DROP TABLE entries"),
    "lost a row": statements("DELETE FROM entries WHERE event = 'restore'"),
    "a row that says another thing": statements("UPDATE entries SET event = 'gone'"),
    "another index's": replace_by_one_of_that_name,
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_decisions_are_not_forgotten_in_silence(restored, damage):
    """The next cleaning silently hid again what a user had restored."""
    index, path = restored
    whole = path.read_bytes()
    DAMAGES[damage](path)
    for work in (
        lambda made: made.clean(again=True),
        lambda made: asyncio.run(made.aclean(again=True)),
        lambda made: made.clean(dry_run=True),
        lambda made: made.quarantine.restore([OLD]),
        lambda made: made.quarantine.purge([]),
        lambda made: made.quarantine.passages(),
        lambda made: made.quarantine.history(OLD),
    ):
        with pytest.raises(StorageError, match="accept_ledger") as raised:
            work(cleaner(index, Ledger(path)))
        assert str(path) in str(raised.value)
        assert OLD in active(index)
    path.write_bytes(whole)
    cleaner(index, Ledger(path)).clean(again=True)
    assert active(index) == {OLD, NEW, TAX, COPPER}


def test_a_new_ledger_is_accepted_by_name(restored):
    index, path = restored
    path.unlink()
    with pytest.raises(StorageError, match="memory"):
        cleaner(index).clean()
    made = cleaner(index, Ledger(path))
    assert made.quarantine.verify(accept_ledger=True).adopted == (HIDDEN[1],)
    made.clean(again=True)
    assert OLD not in active(index)
    made.quarantine.restore([*HIDDEN])
    cleaner(index, Ledger(path)).clean(again=True)
    assert active(index) >= {*HIDDEN}


def test_tenants_may_have_ledgers_of_their_own(tmp_path):
    with stored(location=tmp_path / "index", tenant="one") as index:
        cleaner(index, Ledger(tmp_path / "one")).clean()
        client, encoder = index.client, index.encoder
        with PassageIndex.open("inns", encoder, client=client, tenant="two") as second:
            second.add(CORPUS)
            cleaner(second, Ledger(tmp_path / "two")).clean()
            with pytest.raises(StorageError):
                cleaner(second, Ledger(tmp_path / "one")).quarantine.verify()
        assert cleaner(index, Ledger(tmp_path / "one")).quarantine.verify().agreed
