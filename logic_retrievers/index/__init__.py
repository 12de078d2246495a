"""The Qdrant side: one collection, one point a passage, one named vector an encoder's head.

passages.py    PassageIndex, the facade: pairs of synchronous and asynchronous methods
connection.py  performs calls: retries, time-outs, threads; faults.py translates failures
opening.py     makes or checks a collection against schema.py; ids, payloads and filters are pure
writes.py      ingestion; stale.py ends it, validation.py begins it
reads.py       pools in two phases, over the pure requests.py and pools.py
backfill.py    a missing named vector: filling.py in place, copying.py into a copy
"""

from logic_retrievers.index.backfill import BackfillReport
from logic_retrievers.index.connection import Connection
from logic_retrievers.index.filters import UserFilter
from logic_retrievers.index.passages import PassageIndex
from logic_retrievers.index.pools import LeafSearch
from logic_retrievers.index.settings import CollectionSettings, ConnectionSettings, Settings
from logic_retrievers.index.writes import IngestReport

__all__ = [
    "BackfillReport",
    "CollectionSettings",
    "Connection",
    "ConnectionSettings",
    "IngestReport",
    "LeafSearch",
    "PassageIndex",
    "Settings",
    "UserFilter",
]
