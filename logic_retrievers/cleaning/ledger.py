"""``Ledger``: what was decided about passages, when and why, in an SQLite file that only grows."""

from __future__ import annotations

import hashlib
import json
import math
import os
import sqlite3
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field, fields
from datetime import UTC, datetime
from functools import partial
from importlib.resources import files
from pathlib import Path
from typing import Any, Literal, TypeAlias

from logic_retrievers.checks import check_type
from logic_retrievers.effects import Compute, Operation
from logic_retrievers.errors import AuthenticationError, StorageError
from logic_retrievers.files import exists, private_file
from logic_retrievers.index.client_calls import batches
from logic_retrievers.index.passage_index import PassageIndex
from logic_retrievers.types import Passage, plain_fields

MEMORY = ":memory:"
_IDS_PER_QUERY = 400  # SQLite of before 3.32 takes 999 parameters
# what to do without a copy of the ledger; ends the error about it
ACCEPT = "accept what there is by Quarantine(index, ledger).verify(accept_ledger=True)"

Event: TypeAlias = Literal[
    "found", "quarantine", "restore", "purge", "adopted", "replaced", "gone", "mended"
]

_SCHEMA = files("logic_retrievers.cleaning").joinpath("ledger.sql").read_text("utf-8")
_HIDDEN = frozenset({"quarantine", "adopted"})
# finds a column that an earlier version filled; it refuses entries without a value
_FIND_HASH = "SELECT 1 FROM pragma_table_info('entries') WHERE name = 'hash'"


@dataclass(frozen=True, slots=True)
class Entry:
    """One event in the life of a passage.

    Args:
        event: ``found``: it is part of a finding, and stays. ``quarantine``, ``restore``,
            ``purge``: what was decided; written before it is done. ``adopted``: it was hidden
            without this ledger. ``replaced``: its text has changed since it was hidden, so it is
            active again. ``gone``: it is no longer stored. ``mended``: the collection was brought
            in line with an earlier decision.
        passage: id.
        text, point: sha256 of its text, and of its stored point without the flag.
        opponent, opponent_text: id, and sha256 of the text, of the other passage.
        kind, probability, own_probability, score, cosine, differences: of the finding.
        resolution: name of the strategy that decided.
        reason: in a few words for people.
        time: UTC, ISO 8601.
        collection: namespace of the passage, see :func:`ledger_namespace`.
        number: rises with every entry; 0 before it is written.
    """

    event: Event
    passage: str
    text: str | None = None
    point: str | None = None
    opponent: str | None = None
    opponent_text: str | None = None
    kind: str | None = None
    probability: float | None = None
    own_probability: float | None = None
    score: float | None = None
    cosine: float | None = None
    differences: Sequence[Mapping[str, Any]] = ()
    resolution: str | None = None
    reason: str = ""
    time: str = ""
    collection: str = ""
    number: int = 0

    def to_dict(self) -> dict[str, Any]:
        return plain_fields(self)


_COLUMNS = tuple(field.name for field in fields(Entry) if field.name != "number")
_SELECT = f"SELECT number, {', '.join(_COLUMNS)} FROM entries"
_INSERT = f"INSERT INTO entries ({', '.join(_COLUMNS)}) VALUES ({', '.join('?' for _ in _COLUMNS)})"


@dataclass(slots=True)
class Ledger:
    """A log of decisions. Entries can only be added and read: the file refuses other changes.

    It holds fingerprints, scores and the places where texts differ, but no text of a passage except
    the few words of a reason ("the one says ..., the other ..."). What is to be done is written
    down *before* it is done, so whatever a crash leaves half done can be seen and repaired.

    Args:
        path: of the file, created if missing, for its owner alone; ``":memory:"`` stores nothing.
            Not on a network file system.
        create: False reads a missing file as an empty ledger, and leaves it missing.

    Raises:
        StorageError: the file cannot be opened, read or written, or is damaged.
    """

    path: str | os.PathLike[str] = MEMORY
    create: bool = True
    _memory: sqlite3.Connection | None = field(default=None, init=False, repr=False)
    _lock: threading.RLock = field(default_factory=threading.RLock, init=False, repr=False)

    def __post_init__(self) -> None:
        check_type("path", self.path, str, os.PathLike)
        if self.in_memory or not (self.create or exists(Path(self.path))):
            self._memory = sqlite3.connect(MEMORY, check_same_thread=False)
        with self._open() as connection:
            _check_whole(connection)
            connection.executescript(_SCHEMA)

    @property
    def in_memory(self) -> bool:
        """Whether it goes with this process."""
        return os.fspath(self.path) == MEMORY

    def add(self, collection: str, entries: Iterable[Entry]) -> None:
        """Adds entries: all of them, or none. They are on disk when this returns."""
        now = datetime.now(UTC).isoformat(timespec="milliseconds")
        rows = []
        for entry in entries:
            values = {**entry.to_dict(), "time": now, "collection": collection}
            values["differences"] = json.dumps(values["differences"])
            rows.append([_storable(values[name]) for name in _COLUMNS])
        if not rows:
            return
        if self._memory is not None and not self.in_memory:
            raise StorageError(
                f"The ledger {os.fspath(self.path)} does not exist, and was opened to be read"
                " (create=False). Open it with create=True."
            )
        with self._open() as connection:
            connection.execute("BEGIN IMMEDIATE")  # two writers must not drop one column
            if connection.execute(_FIND_HASH).fetchone():
                connection.execute("ALTER TABLE entries DROP COLUMN hash")
            connection.executemany(_INSERT, rows)

    def entries(self, collection: str, passage: str | None = None) -> list[Entry]:
        """All entries of a collection, or of one passage, the oldest first."""
        values, condition = [collection], "collection = ?"
        if passage is not None:
            values, condition = [collection, passage], "collection = ? AND passage = ?"
        query = f"{_SELECT} WHERE {condition} ORDER BY number"
        with self._open() as connection:
            return [_entry(row) for row in connection.execute(query, values)]

    def count(self, collection: str) -> int:
        """How many entries there are of a collection."""
        query = "SELECT count(*) FROM entries WHERE collection = ?"
        with self._open() as connection:
            return int(connection.execute(query, [collection]).fetchone()[0])

    def digest(self, collection: str, count: int) -> str:
        """sha256 of the decisions in the first entries of a collection, so many of them."""
        query = (
            "SELECT event, passage, text FROM entries WHERE collection = ? ORDER BY number LIMIT ?"
        )
        digest = hashlib.sha256()
        with self._open() as connection:
            for row in connection.execute(query, [collection, count]):
                digest.update(repr(row).encode())
        return digest.hexdigest()

    def states(self, collection: str) -> dict[str, Entry]:
        """Passage -> the last entry that says whether it is hidden."""
        with self._open() as connection:
            rows = connection.execute(
                f"{_SELECT} WHERE number IN (SELECT max(number) FROM entries WHERE collection = ?"
                " AND event NOT IN ('found', 'mended') GROUP BY passage) ORDER BY number",
                [collection],
            )
            return {entry.passage: entry for entry in map(_entry, rows)}

    def hidden(self, collection: str) -> dict[str, Entry]:
        """Passage -> the entry that hid it, for those that are hidden now."""
        states = self.states(collection)
        return {name: entry for name, entry in states.items() if is_hidden(entry)}

    def note_examined(self, collection: str, examined: Mapping[str, str], settings: str) -> None:
        """Notes the :func:`examined_hash` of passages, and the fingerprint of the criteria."""
        rows = [(collection, _storable(p), digest, settings) for p, digest in examined.items()]
        with self._open() as connection:
            connection.executemany("INSERT OR REPLACE INTO examined VALUES (?, ?, ?, ?)", rows)

    def examined(self, collection: str, passages: Sequence[str], settings: str) -> dict[str, str]:
        """Passage -> its :func:`examined_hash` when it was last examined with these criteria."""
        names = {_storable(passage): passage for passage in passages}
        digests: dict[str, str] = {}
        with self._open() as connection:
            for ids in batches(list(names), _IDS_PER_QUERY):
                query = (
                    "SELECT passage, text FROM examined WHERE collection = ? AND settings = ?"
                    f" AND passage IN ({', '.join('?' * len(ids))})"
                )
                digests |= dict(connection.execute(query, [collection, settings, *ids]))
        return {names[encoded]: digest for encoded, digest in digests.items()}

    @contextmanager
    def _open(self) -> Iterator[sqlite3.Connection]:
        """A connection within a transaction; closed afterwards unless the ledger is in memory."""
        try:
            if self._memory is not None:
                with self._lock, self._memory:  # or one thread would end another's transaction
                    yield self._memory
                return
            private_file(self.path)
            with closing(sqlite3.connect(self.path, timeout=30)) as connection, connection:
                yield connection
        except (OSError, sqlite3.Error, UnicodeDecodeError) as error:
            raise StorageError(
                f"The ledger {os.fspath(self.path)} cannot be opened, read or written ({error})."
                " Nothing was hidden or shown without an entry. Make room or give the right to"
                " write; where it is damaged, put a copy of it back, or move it away and"
                f" {ACCEPT}."
            ) from error


def _check_whole(connection: sqlite3.Connection) -> None:
    """Refuses a file that lost something: reading skips what is gone without an error."""
    (fault,) = connection.execute("PRAGMA integrity_check(1)").fetchone()
    tables = [name for (name,) in connection.execute("SELECT name FROM sqlite_master")]
    if tables and "entries" not in tables:
        fault = "it has lost its entries, or is another program's file"
    if fault != "ok":
        raise sqlite3.DataError(f"damaged: {fault}")


def ledger_namespace(index: PassageIndex) -> str:
    """The name of an index in a ledger's column ``collection``; no collection's has a slash."""
    return index.collection if index.tenant is None else f"{index.collection}/{index.tenant}"


def examined_hash(passage: Passage) -> str:
    """sha256 of the text, metadata and source of a passage, on which decisions depend."""
    try:
        metadata = json.dumps(dict(passage.metadata), sort_keys=True, default=repr)
    except TypeError:  # keys that cannot be sorted; they cannot be stored either
        metadata = repr(passage.metadata)
    parts = repr((passage.text, metadata, passage.source))
    return hashlib.sha256(parts.encode(errors="surrogatepass")).hexdigest()


def text_hash(passage: Passage) -> str:
    """sha256 of a passage's text, by which the ledger recognises it."""
    return hashlib.sha256(passage.text.encode(errors="surrogatepass")).hexdigest()


def is_hidden(entry: Entry | None) -> bool:
    """Whether a passage is hidden after this entry."""
    return entry is not None and entry.event in _HIDDEN


def _storable(value: Any) -> Any:
    """The value as SQLite gives it back: no lone surrogates, and only finite floats as numbers."""
    if isinstance(value, str):
        return value.encode(errors="backslashreplace").decode()
    if isinstance(value, int | float):
        return float(value) if math.isfinite(value) else None
    return value


def _entry(row: Sequence[Any]) -> Entry:
    values = dict(zip(("number", *_COLUMNS), row, strict=True))
    try:
        values["differences"] = tuple(json.loads(values["differences"] or "[]"))
    except (ValueError, TypeError, RecursionError) as error:
        raise sqlite3.DataError(f"entry {values['number']} is damaged") from error
    return Entry(**values)


# A collection's metadata hold how many entries its ledger had, and a hash of them: so a missing or
# another ledger is noticed.


def check_ledger(index: PassageIndex, ledger: Ledger) -> Operation[None]:
    """Compares a ledger with what the collection knows of it.

    A ledger with more entries passes: a crash may have come before the collection was told.

    Raises:
        StorageError: entries are missing, or it is the ledger of another collection.
    """
    namespace = ledger_namespace(index)
    known = yield from index.noted(_note_key(namespace))
    match known:
        case [int(count), str(digest)]:
            found = yield Compute(partial(ledger.digest, namespace, count))
            if found == digest:
                return
        case _:  # nothing was written down yet, or by an earlier version
            return
    there = yield Compute(partial(ledger.count, namespace))
    holds = f"holds {there} entries about it" if there < count else "holds others"
    raise StorageError(
        f"Collection {namespace!r} was cleaned with a ledger of {count} entries, and"
        f" {os.fspath(ledger.path)} {holds}. What was restored by hand would be hidden again. Name"
        f" the right file (ledger=), put a copy of it back, or {ACCEPT}."
    )


def write_entries(index: PassageIndex, ledger: Ledger, entries: Sequence[Entry]) -> Operation[None]:
    """Adds entries to the ledger, and lets the collection know how many there are then.

    Raises:
        StorageError, ServerError: the ledger or Qdrant failed.
    """
    if not entries:
        return
    index.connection.check_writable()  # before the ledger says what cannot be done
    yield Compute(partial(ledger.add, ledger_namespace(index), entries))
    yield from note_ledger(index, ledger)


def note_ledger(index: PassageIndex, ledger: Ledger) -> Operation[None]:
    """Lets the collection know the ledger as it is; not one that goes with this process."""
    if ledger.in_memory:
        return
    namespace = ledger_namespace(index)
    count = yield Compute(partial(ledger.count, namespace))
    digest = yield Compute(partial(ledger.digest, namespace, count))
    try:
        yield from index.note(_note_key(namespace), [count, digest])
    except AuthenticationError:  # a key for points alone may not write a collection's metadata
        return


def _note_key(namespace: str) -> str:
    return f"ledger/{namespace}"
