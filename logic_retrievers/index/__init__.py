"""The Qdrant side: one collection, one point per passage, one named vector per head of the encoder.

passage_index.py     PassageIndex: each method synchronous and asynchronous
operations.py        its base class: the opened collection and the operations of a search
connection.py        performs client calls: retries, time-outs, threads; faults.py translates errors
edge/                the embedded engine
opening.py           settings; creates a collection, or checks it against schema.py
ingestion.py         stores passages, after validation.py
vectors.py           vectors of passages: encoded, or read back; lexical.py makes the sparse one
candidate_search.py  candidate pools in two phases
points.py            count, get, page, delete
quarantine_flag.py   the flag that hides a passage
backfill.py          adds a missing named vector, in place or in a copy (collection_copy.py)

Without I/O: point_format.py, filters.py, requests.py, schema.py, validation.py, lexical.py.
"""

from logic_retrievers.index.backfill import BackfillReport
from logic_retrievers.index.candidate_search import EncodedVectorQuery
from logic_retrievers.index.connection import Connection
from logic_retrievers.index.filters import UserFilter
from logic_retrievers.index.ingestion import IngestReport
from logic_retrievers.index.opening import CollectionSettings, ConnectionSettings, Settings
from logic_retrievers.index.passage_index import PassageIndex

__all__ = [
    "BackfillReport",
    "CollectionSettings",
    "Connection",
    "ConnectionSettings",
    "EncodedVectorQuery",
    "IngestReport",
    "PassageIndex",
    "Settings",
    "UserFilter",
]
