"""``Ledger``: decisions about passages, with time and reason, in an append-only SQLite file."""

from __future__ import annotations

import hashlib
import json
import math
import os
import sqlite3
import threading
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field, fields
from datetime import UTC, datetime
from functools import partial
from importlib.resources import files
from pathlib import Path
from typing import Any, Literal, NamedTuple, TypeAlias

from logic_retrievers.checks import check_type
from logic_retrievers.effects import Compute, Operation
from logic_retrievers.errors import AuthenticationError, StorageError
from logic_retrievers.files import exists, private_file
from logic_retrievers.index.client_calls import batches
from logic_retrievers.index.passage_index import PassageIndex
from logic_retrievers.index.point_format import LOGIC
from logic_retrievers.types import Passage, plain_fields

MEMORY = ":memory:"
_IDS_PER_QUERY = 400  # SQLite before 3.32 takes 999 parameters
# end of an error message: how to go on without a copy of the ledger
ACCEPT = (
    "accept what there is: `logic-retrievers quarantine verify --accept-ledger`, or"
    " Quarantine(index, ledger).verify(accept_ledger=True)"
)

Event: TypeAlias = Literal[
    "found", "quarantine", "restore", "purge", "adopted", "released", "replaced", "gone", "mended",
    "close", "reopen", "lapsed",
]  # fmt: skip

_SCHEMA = files("logic_retrievers.conflicts.cleaning").joinpath("ledger.sql").read_text("utf-8")
_HIDDEN = frozenset({"quarantine", "adopted"})
_CLOSING = ("close", "reopen", "lapsed")
# The time is not hashed: it only helps to notice that a row is not the one read before.
_HASHED = "SELECT number, time, event, passage, text, opponent, state, opponent_state FROM entries"


class _Read(NamedTuple):
    """The first entries of a collection that were hashed: their number, the last, and the hash."""

    entries: int = 0
    last: tuple[Any, ...] = (0,)
    digest: Any = hashlib.sha256()


@dataclass(frozen=True, slots=True)
class Entry:
    """One event in the life of a passage.

    Args:
        event: ``found``: the passage is part of a finding, and stays. ``quarantine``, ``restore``,
            ``purge``: the decision, written before it is carried out. ``adopted``: the passage was
            hidden without this ledger. ``released``: active again because its opponent is gone, has
            changed or is hidden itself. ``replaced``: active again because it has changed since it
            was hidden. ``gone``: no longer stored. ``mended``: the collection was brought in line
            with an earlier decision. ``close``: the validity of a superseded passage ends.
            ``reopen``: its field is as it was before, by hand. ``lapsed``: the same, because the
            newer passage is gone, has changed or is hidden.
        passage: id.
        text, point: sha256 of the text, and of the stored point without the quarantine flag.
        opponent, opponent_text: id of the second passage, and sha256 of its text.
        state, opponent_state: ``examined_hash`` of the two; None for an opponent that is not stored
            here, such as a trusted passage from elsewhere.
        kind, probability, own_probability, score, cosine, differences: values of the finding. Of
            ``close``, ``reopen`` and ``lapsed`` the difference is one metadata field:
            ``{"key", "before", "after"}``, without the side on which the field is missing.
        resolution: name of the strategy that decided.
        reason: a few words for people.
        time: UTC, ISO 8601.
        collection: namespace of the passage, see :func:`ledger_namespace`.
        number: rises with every entry; 0 before the entry is written.
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
    state: str | None = None
    opponent_state: str | None = None
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

    Entries hold hashes, scores, reasons and the places where texts differ, but no passage's text.
    A change is logged *before* it is made, so that work interrupted by a crash can be completed.

    Args:
        path: the file, created if missing and readable by its owner only. It must not be on a
            network file system. ``":memory:"`` writes no file.
        create: if False, a missing file counts as an empty ledger and is not created.

    Raises:
        StorageError: the file cannot be opened, read or written, or is damaged.
    """

    path: str | os.PathLike[str] = MEMORY
    create: bool = True
    _memory: sqlite3.Connection | None = field(default=None, init=False, repr=False)
    _lock: threading.RLock = field(default_factory=threading.RLock, init=False, repr=False)
    # how far each collection was hashed, so that each batch of a long run hashes only its own
    _read: dict[str, _Read] = field(default_factory=dict, init=False, repr=False)

    def __post_init__(self) -> None:
        check_type("path", self.path, str, os.PathLike)
        if self.in_memory or not (self.create or exists(Path(self.path))):
            self._memory = sqlite3.connect(MEMORY, check_same_thread=False)
        with self._open() as connection:
            _check_whole(connection)
            connection.executescript(_SCHEMA)

    @property
    def in_memory(self) -> bool:
        """Whether the ledger is lost when this process ends."""
        return os.fspath(self.path) == MEMORY

    def add(self, collection: str, entries: Iterable[Entry]) -> None:
        """Add all entries or none; they are on disk when this returns."""
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
            connection.executemany(_INSERT, rows)

    def entries(self, collection: str, passage: str | None = None) -> list[Entry]:
        """Return all entries of a collection, or of one passage, oldest first."""
        values, condition = [collection], "collection = ?"
        if passage is not None:
            values, condition = [collection, _storable(passage)], "collection = ? AND passage = ?"
        query = f"{_SELECT} WHERE {condition} ORDER BY number"
        with self._open() as connection:
            return [_entry(row) for row in connection.execute(query, values)]

    def count(self, collection: str) -> int:
        """Count the entries of a collection."""
        return self._read_on(collection, None).entries

    def digest(self, collection: str, count: int) -> str:
        """Return the sha256 of the decisions in the first ``count`` entries of a collection."""
        return str(self._read_on(collection, count).digest.hexdigest())

    def _read_on(self, collection: str, count: int | None) -> _Read:
        """Hash the first ``count`` entries (None: all), from where the last call ended."""
        read = self._read.get(collection, _Read())
        with self._open() as connection:
            there = connection.execute(f"{_HASHED} WHERE number = ?", read.last[:1]).fetchone()
            is_other = read.entries > 0 and there != read.last
            if is_other or (count is not None and count < read.entries):
                read = _Read()  # the file is another one by now, or fewer entries are asked for
            number, last, digest = read.entries, read.last, read.digest.copy()
            rows = connection.execute(
                # the plus sign has SQLite go by the number, not through the whole index
                f"{_HASHED} WHERE number > ? AND +collection = ? ORDER BY number LIMIT ?",
                [last[0], collection, -1 if count is None else count - read.entries],
            )
            for row in rows:
                digest.update(repr(row[2:]).encode())
                number, last = number + 1, row
        self._read[collection] = read = _Read(number, last, digest)
        return read

    def states(self, collection: str, passages: Collection[str] | None = None) -> dict[str, Entry]:
        """Return passage -> the last entry that says whether it is hidden.

        With ``passages`` only entries about these passages are read.
        """
        return self._last(collection, f"NOT IN {('found', 'mended', *_CLOSING)}", passages)

    def closings(
        self, collection: str, passages: Collection[str] | None = None
    ) -> dict[str, Entry]:
        """Return passage -> the last entry about the end of its validity; of all, or of some."""
        return self._last(collection, f"IN {_CLOSING}", passages)

    def hidden(self, collection: str, passages: Collection[str] | None = None) -> dict[str, Entry]:
        """Return hidden passage -> the entry that hid it; of all passages, or of some."""
        states = self.states(collection, passages)
        return {name: entry for name, entry in states.items() if entry.event in _HIDDEN}

    def _last(
        self, collection: str, events: str, passages: Collection[str] | None = None
    ) -> dict[str, Entry]:
        names = None if passages is None else [_storable(passage) for passage in passages]
        found: dict[str, Entry] = {}
        with self._open() as connection:
            for ids in [None] if names is None else batches(names, _IDS_PER_QUERY):
                of_these = "" if ids is None else f" AND passage IN ({', '.join('?' * len(ids))})"
                rows = connection.execute(
                    f"{_SELECT} WHERE number IN (SELECT max(number) FROM entries"
                    f" WHERE collection = ? AND event {events}{of_these} GROUP BY passage)"
                    " ORDER BY number",
                    [collection, *(ids or ())],
                )
                found |= {entry.passage: entry for entry in map(_entry, rows)}
        return found

    def note_examined(self, collection: str, examined: Mapping[str, str], settings: str) -> None:
        """Record the :func:`examined_hash` of passages, and the fingerprint of the criteria."""
        rows = [(collection, _storable(p), digest, settings) for p, digest in examined.items()]
        with self._open() as connection:
            connection.executemany("INSERT OR REPLACE INTO examined VALUES (?, ?, ?, ?)", rows)

    def examined(self, collection: str, passages: Sequence[str], settings: str) -> dict[str, str]:
        """Return passage -> :func:`examined_hash` if last examined with these criteria."""
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

    def forget_examined(self, collection: str, passages: Sequence[str]) -> None:
        """Have passages examined again even if unchanged."""
        rows = [(collection, _storable(passage)) for passage in passages]
        with self._open() as connection:
            connection.executemany(
                "DELETE FROM examined WHERE collection = ? AND passage = ?", rows
            )

    @contextmanager
    def _open(self) -> Iterator[sqlite3.Connection]:
        """Open a connection in a transaction; close it unless the ledger is in memory."""
        try:
            if self._memory is not None:
                with self._lock, self._memory:  # no thread may end another thread's transaction
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
    """Refuse a damaged file, because SQLite may skip lost entries without an error."""
    (fault,) = connection.execute("PRAGMA integrity_check(1)").fetchone()
    tables = [name for (name,) in connection.execute("SELECT name FROM sqlite_master")]
    if tables and "entries" not in tables:
        fault = "it has lost its entries, or is another program's file"
    if fault != "ok":
        raise sqlite3.DataError(f"damaged: {fault}")


def ledger_namespace(index: PassageIndex) -> str:
    """Return ``COLLECTION`` or ``COLLECTION/TENANT``; collection names have no slash."""
    return index.collection if index.tenant is None else f"{index.collection}/{index.tenant}"


def examined_hash(passage: Passage) -> str:
    """Return the sha256 of all that decisions depend on: a passage's texts, metadata and source."""
    # a framework's store may keep a search's evidence, which is not the passage's own metadata
    own = {key: value for key, value in passage.metadata.items() if key != LOGIC}
    try:
        metadata = json.dumps(own, sort_keys=True, default=repr)
    except (TypeError, ValueError, RecursionError):  # metadata that cannot be stored either
        metadata = repr(own)
    parts = repr((passage.text, metadata, passage.source, passage.embed_text))
    return hashlib.sha256(parts.encode(errors="surrogatepass")).hexdigest()


def field_change(key: str, before: Mapping[str, Any], after: Mapping[str, Any]) -> dict[str, Any]:
    """Return how a metadata field changes, as an entry holds it."""
    sides = {"before": before, "after": after}
    return {"key": key} | {side: part[key] for side, part in sides.items() if key in part}


def changed_field(entry: Entry, side: Literal["before", "after"]) -> tuple[str, dict[str, Any]]:
    """Return a changed field's key, and ``{key: value}`` on one side; empty if it is missing."""
    [change] = entry.differences
    key = change["key"]
    return key, {key: change[side]} if side in change else {}


def text_hash(passage: Passage) -> str:
    """Return the sha256 by which the ledger recognises a passage's text."""
    return hashlib.sha256(passage.text.encode(errors="surrogatepass")).hexdigest()


def is_hidden(entry: Entry | None) -> bool:
    """Whether a passage is hidden after this entry."""
    return entry is not None and entry.event in _HIDDEN


def _storable(value: Any) -> Any:
    """Make a value that SQLite returns unchanged: no lone surrogates, only finite floats."""
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


# A collection's metadata hold the number and a hash of its ledger's entries, so that a missing or
# wrong ledger is noticed.


def check_ledger(index: PassageIndex, ledger: Ledger) -> Operation[None]:
    """Compare a ledger with the number and hash of entries in the collection's metadata.

    A ledger with more entries passes, because a crash may have come before they were counted.

    Raises:
        StorageError: entries are missing, or the ledger belongs to a different collection.
    """
    namespace = ledger_namespace(index)
    known = yield from index.noted(_note_key(namespace))
    match known:
        case [int(count), str(digest)]:
            found = yield Compute(partial(ledger.digest, namespace, count))
            if found == digest:
                return
        case _:  # nothing was noted yet
            return
    there = yield Compute(partial(ledger.count, namespace))
    holds = f"holds {there} entries about it" if there < count else "holds others"
    raise StorageError(
        f"Collection {namespace!r} was cleaned with a ledger of {count} entries, and"
        f" {os.fspath(ledger.path)} {holds}. What was restored by hand would be hidden again. Name"
        f" the right file (ledger=), put a copy of it back, or {ACCEPT}."
    )


def write_entries(index: PassageIndex, ledger: Ledger, entries: Sequence[Entry]) -> Operation[None]:
    """Add entries to the ledger, and record its size in the collection's metadata.

    Raises:
        StorageError, ServerError: the ledger or Qdrant failed.
    """
    if not entries:
        return
    index.connection.check_writable()  # an entry must not record a change that cannot be made
    yield Compute(partial(ledger.add, ledger_namespace(index), entries))
    yield from note_ledger(index, ledger)


def note_ledger(index: PassageIndex, ledger: Ledger) -> Operation[None]:
    """Record a ledger's size and hash in the collection's metadata, unless it is in memory."""
    if ledger.in_memory:
        return
    namespace = ledger_namespace(index)
    count = yield Compute(partial(ledger.count, namespace))
    digest = yield Compute(partial(ledger.digest, namespace, count))
    try:
        yield from index.note(_note_key(namespace), [count, digest])
    except AuthenticationError:  # an API key limited to points cannot write metadata
        return


def _note_key(namespace: str) -> str:
    return f"ledger/{namespace}"
