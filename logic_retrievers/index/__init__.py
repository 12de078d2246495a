"""The Qdrant side: one collection, one point per passage, one named vector per head of the encoder.

passage_index.py     PassageIndex: each method synchronous and asynchronous
operations.py        its base class: the opened collection and the operations of a search
connection.py        performs client calls: retries, time-outs, threads; clients.py makes the
                     clients, faults.py has the errors, strict_limits.py the limits of strict mode;
                     nodes.py: one connection over several addresses
edge/                the embedded engine
settings.py          the settings of PassageIndex.open
opening.py           creates a collection, or reads and checks it; gives a collection.py
ingestion.py         stores passages, once they are validated (logic_retrievers.validation)
vectors.py           vectors of passages: encoded, or read back; lexical.py makes the sparse one
candidate_search.py  candidate pools in two phases
points.py            count, get, page, delete
quarantine_flag.py   the flag that hides a passage
backfill.py          adds a missing named vector
collection_copy.py   a copy elsewhere; reindexing.py: all passages anew beside the first collection

Without I/O: schema.py, collection_metadata.py, point_format.py, filters.py, requests.py,
lexical.py.
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
