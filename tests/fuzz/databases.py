"""Ledgers and embedding caches whose files were changed, and ids that they do not know."""

from __future__ import annotations

import os
import shutil
import sqlite3
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

import numpy as np

from logic_retrievers.cleaning import CorpusCleaner, Ledger, Quarantine
from logic_retrievers.encoders import CachedEncoder
from logic_retrievers.index import PassageIndex
from logic_retrievers.types import Passage

from .harness import Target, accepted, expect
from .values import TEXTS, mutated, text
from .workplace import inns, open_index, small_encoder

VALUES = (None, 5, -1, 1.5, "", "x", "[", "null", '"s"', b"\xff\xfe", b"", 2**62, *TEXTS[:20])
STATEMENTS = (
    *("DROP TABLE {table}", "DELETE FROM {table}", "DROP INDEX of_passage", "VACUUM", "SELECT 1"),
    *("ALTER TABLE {table} ADD COLUMN extra TEXT", "ALTER TABLE {table} RENAME TO other"),
    *("DROP TABLE {table}; CREATE TABLE {table} (a, b)", "DROP TRIGGER no_update"),
    *(
        "CREATE VIEW v AS SELECT 1",
        "PRAGMA user_version=99",
        "DROP TABLE {table}; CREATE VIEW {table} AS SELECT 1 AS key",
    ),
    *(
        "ALTER TABLE {table} DROP COLUMN {column}",
        "PRAGMA journal_mode=WAL",
        "PRAGMA page_size=512; VACUUM",
    ),
)
PLACES = ("folder", "missing", "empty", "no permission", "read-only", "dead link", "fifo", "text")


@dataclass(frozen=True, slots=True)
class Change:
    """What is done to a file: ``bytes``, ``statement``, ``row`` (other values) or ``place``.

    Args:
        kind: one of these.
        what: the new content, the statement, (column, value, number of the row), or the place.
    """

    kind: str
    what: Any


def _change(random: Random, content: bytes, table: str, columns: Sequence[str]) -> Change:
    kind = random.choice(("bytes", "bytes", "statement", "row", "row", "row", "place"))
    column = random.choice(columns)
    if kind == "bytes":
        return Change(kind, mutated(random, content))
    if kind == "statement":
        return Change(kind, random.choice(STATEMENTS).format(table=table, column=column))
    if kind == "place":
        return Change(kind, random.choice(PLACES))
    value = text(random) if random.random() < 0.3 else random.choice(VALUES)
    if isinstance(value, str):
        value = value.encode(errors="replace").decode()
    return Change(kind, (column, value, random.choice((1, 2, None))))


def _apply(change: Change, path: Path, content: bytes, table: str) -> None:
    """Writes the file with the change; ``no permission`` means nothing to root."""
    for old in path.parent.glob(f"{path.name}*"):
        shutil.rmtree(old) if old.is_dir() and not old.is_symlink() else old.unlink()
    path.write_bytes(change.what if change.kind == "bytes" else content)
    if change.kind == "place":
        _move(change.what, path)
    elif change.kind != "bytes":
        with closing(sqlite3.connect(path)) as database, database:
            for trigger in ("no_update", "no_delete", "no_replace"):
                database.execute(f"DROP TRIGGER IF EXISTS {trigger}")
            try:
                _write(change, database, table)
            except sqlite3.Error:  # the database itself refuses it
                return


def _write(change: Change, database: sqlite3.Connection, table: str) -> None:
    if change.kind == "statement":
        database.executescript(change.what)
        return
    column, value, number = change.what
    rows = (
        ""
        if number is None
        else f" WHERE {column} = (SELECT {column} FROM {table} LIMIT 1 OFFSET {number})"
    )
    database.execute(f"UPDATE {table} SET {column} = ?{rows}", [value])


def _move(place: str, path: Path) -> None:
    if place == "text":
        path.write_text("SQLite format 3\0 but not really")
    elif place in ("no permission", "read-only"):
        path.chmod(0 if place == "no permission" else 0o444)
    else:
        path.unlink()
        makers: dict[str, Callable[[Path], object]] = {
            "folder": Path.mkdir,
            "empty": Path.touch,
            "fifo": os.mkfifo,
            "dead link": lambda path: path.symlink_to("nothing/there"),
        }
        makers.get(place, lambda _: None)(path)


class Ledgers(Target):
    """``Ledger``, ``Quarantine`` and ``CorpusCleaner`` over a changed file, with odd ids."""

    name = "ledgers"
    share = 12

    def __init__(self) -> None:
        self._index = open_index()
        self._index.add([Passage(passage.id, passage.text) for passage in inns()])
        self._path = Path("ledger.sqlite")
        CorpusCleaner(
            self._index, ledger=self._path, resolution="quarantine_all", threshold=0.1
        ).clean()
        self._content = self._path.read_bytes()
        with closing(sqlite3.connect(self._path)) as database:
            self._columns = [row[1] for row in database.execute("PRAGMA table_info(entries)")]
        self._hidden = _hidden(self._index)
        expect(self._hidden, "nothing was hidden, so that there is nothing to find out")

    def generate(self, random: Random) -> tuple[Change, str]:
        """A change, and an id."""
        change = _change(random, self._content, "entries", self._columns)
        return change, random.choice((text(random), "inn-0", "x"))

    def run(self, value: tuple[Change, str]) -> None:
        """Reads, verifies and restores; where nothing was changed the state is as it was."""
        change, passage = value
        _apply(change, self._path, self._content, "entries")
        # or the collection, which knows the ledger, would refuse nearly every change at once
        self._index.run(self._index.note(f"ledger/{self._index.collection}", None))
        try:
            quarantine = Quarantine(self._index, Ledger(self._path))
            quarantine.history(passage)
            listed = quarantine.passages()
            expect({p.passage.id for p in listed} == self._hidden, "the ledger hides others")
            quarantine.restore([passage])
            quarantine.verify()
            with accepted("verified"):
                expect(quarantine.verify().agreed, "verified, and does not agree")
                unchanged = change == Change("statement", "SELECT 1") and passage != "inn-0"
                expect(not unchanged or _hidden(self._index) == self._hidden, "hides others now")
        finally:
            self._reset()

    def _reset(self) -> None:
        if _hidden(self._index) != self._hidden or self._index.count() != len(inns()):
            self._index.close()
            self.__init__()  # type: ignore[misc]

    def close(self) -> None:
        """Closes the index."""
        self._index.close()


def _hidden(index: PassageIndex) -> set[str]:
    return {passage.id for passage in index.scroll() if passage.quarantined}


class Caches(Target):
    """``CachedEncoder`` over a changed file: an error, or the vectors of the encoder itself."""

    name = "caches"
    share = 8
    texts = ("a quiet inn", "a noisy inn", "new to the file")

    def __init__(self) -> None:
        self._encoder, self._path = small_encoder(), Path("cache.sqlite")
        CachedEncoder(self._encoder, self._path).encode_documents(self.texts[:2])
        with closing(sqlite3.connect(self._path)) as database:
            database.execute("PRAGMA journal_mode=DELETE")
        self._content = self._path.read_bytes()
        self._expected = self._encoder.encode_documents(self.texts)

    def generate(self, random: Random) -> Change:
        """A change."""
        return _change(random, self._content, "vectors", ("key", "vector", "checksum"))

    def run(self, value: Change) -> None:
        """Encodes known and new texts, twice."""
        _apply(value, self._path, self._content, "vectors")
        for _ in range(2):
            vectors = CachedEncoder(self._encoder, self._path).encode_documents(self.texts)
            for name, rows in vectors.items():
                expect(np.array_equal(rows, self._expected[name]), "other vectors")
