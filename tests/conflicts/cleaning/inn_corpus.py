"""A small corpus with conflicts, its collection, and simulated crashes at any point."""

from __future__ import annotations

from contextlib import contextmanager

from placed import PlacedEncoder, passages

from logic_retrievers import PassageIndex
from logic_retrievers.conflicts import CorpusCleaner, Ledger
from logic_retrievers.conflicts.settings import VECTORS

OLD, NEW, TAX, PAID, COPPER = (
    "inn | yes | a", "inn | no | a", "tax | yes | a", "tax | no | a", "copper | yes | a",
)  # fmt: skip
CORPUS = passages(OLD, NEW, TAX, PAID, COPPER, date=[2020, 2024, 2021, 2019, None])
HIDDEN = (OLD, PAID)
"""By their dates."""


class KilledError(BaseException):
    """Simulates the death of the process; nothing catches it."""


@contextmanager
def stored(*more, **location):
    """The collection, open."""
    with PassageIndex.open("inns", PlacedEncoder(), vectors=VECTORS, **location) as index:
        index.add([*CORPUS, *more])
        yield index


def cleaner(index, ledger=None, **settings):
    settings = {"resolution": "prefer_newest", **settings}
    return CorpusCleaner(index, ledger=Ledger() if ledger is None else ledger, **settings)


def active(index):
    """Ids of the passages that a search may find."""
    return {one.id for one in index.scroll() if not one.quarantined}


def kept(index):
    """Fingerprints of all stored points."""
    return index.run(index.fingerprints([one.id for one in index.scroll()]))


def state(index, cleaned):
    """Everything that a cleaning may have written."""
    home = index.collection
    return (
        {one.id: one for one in index.scroll()},
        kept(index),
        cleaned.ledger.entries(home),
        cleaned.ledger.examined(home, [one.id for one in CORPUS], cleaned.criteria.fingerprint()),
    )


def killed_at(index, number, *, done=False):
    """End the process at the number-th effect, before or after it.

    Returns:
        A list with the number of effects so far, and a function that undoes the simulation.
    """
    connection, seen = index.connection, [0]
    handle = connection.handle

    def failing(effect):
        seen[0] += 1
        if seen[0] != number:
            return handle(effect)
        if done:
            handle(effect)
        raise KilledError

    connection.handle = failing
    return seen, lambda: vars(connection).pop("handle")
