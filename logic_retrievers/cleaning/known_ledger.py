"""Notes a ledger in its collection, so that a missing or another ledger is noticed.

A collection's metadata hold how many entries the ledger had, and a hash of them.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from functools import partial

from logic_retrievers.cleaning.ledger import ACCEPT, Entry, Ledger, ledger_namespace
from logic_retrievers.effects import Compute, Operation
from logic_retrievers.errors import AuthenticationError, StorageError
from logic_retrievers.index.passage_index import PassageIndex


def check_ledger(index: PassageIndex, ledger: Ledger) -> Operation[None]:
    """Compares a ledger with what the collection knows of it.

    A ledger with more entries passes: a crash may have come before the collection was told.

    Raises:
        StorageError: entries are missing, or it is the ledger of another collection.
    """
    namespace = ledger_namespace(index)
    known = yield from index.noted(_key(namespace))
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
        yield from index.note(_key(namespace), [count, digest])
    except AuthenticationError:  # a key for points alone may not write a collection's metadata
        return


def _key(namespace: str) -> str:
    return f"ledger/{namespace}"
