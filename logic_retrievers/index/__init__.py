"""The Qdrant side: one collection, one point per passage, one named vector per head of the encoder.

passage_index.py     PassageIndex; methods.py makes its blocking and asynchronous methods
settings.py          settings of PassageIndex.open, and their checks
opening.py           creates a collection, or reads and checks it: collection.py
ingestion.py         stores passages that validation.py has checked
candidate_search.py  candidate pools in two phases
points.py            count, get, page, delete
vectors.py           vectors of passages: encode or read them; lexical.py makes the sparse one
filters.py           filters over metadata; unknown_fields.py: why one finds nothing
quarantine_flag.py   the flag that hides a passage
backfill.py          adds a missing named vector
collection_copy.py   copies a collection elsewhere; reindexing.py: with another encoder
connection.py        makes clients and performs their calls: retries, time-outs, threads; faults.py
                     has the errors, strict_limits.py the limits of strict mode; nodes.py: one
                     connection over several addresses
edge/                the embedded engine

Without I/O: point_format.py, client_calls.py, filters.py, lexical.py.
"""

from logic_retrievers.index.backfill import BackfillReport
from logic_retrievers.index.candidate_search import EncodedVectorQuery
from logic_retrievers.index.connection import Connection
from logic_retrievers.index.filters import UserFilter
from logic_retrievers.index.ingestion import IngestReport
from logic_retrievers.index.passage_index import PassageIndex
from logic_retrievers.index.reindexing import ReindexReport
from logic_retrievers.index.settings import CollectionSettings, ConnectionSettings, Settings

__all__ = [
    "BackfillReport",
    "CollectionSettings",
    "Connection",
    "ConnectionSettings",
    "EncodedVectorQuery",
    "IngestReport",
    "PassageIndex",
    "ReindexReport",
    "Settings",
    "UserFilter",
]
