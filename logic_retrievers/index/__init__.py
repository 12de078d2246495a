"""The Qdrant side: one collection, one point a passage, one named vector an encoder's head.

passages.py    PassageIndex: pairs of synchronous and asynchronous methods; handle.py, settings.py
connection.py  performs calls: retries, time-outs, threads; faults.py translates what fails
opening.py     makes a collection, or checks it against schema.py
writes.py      ingestion: validation.py before it, stale.py after it
reads.py       pools in two phases, over the pure requests.py and pools.py; exactness.py
points.py      count, get, scroll, delete
backfill.py    a named vector that lacks: filling.py in place, copying.py into a copy
embedded.py    short cuts through embedded mode

Pure: ids.py, payloads.py, filters.py, lexical.py, requests.py, pools.py, schema.py, validation.py.
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
