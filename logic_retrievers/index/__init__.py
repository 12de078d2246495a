"""The Qdrant side: one collection, one point per passage, one named vector per head of the encoder.

passage_index.py     PassageIndex; operation_methods.py makes its blocking and async methods
settings.py          settings of PassageIndex.open, and their checks
opening.py           creates a collection, or reads its description (collection.py) and checks it
ingestion.py         stores passages that validation.py has checked
candidate_search.py  candidate pools in two phases; search_params.py has a user's parameters
group_search.py      finds passages of enough groups, in rounds; groups.py says what a group is
points.py            count, get, page, delete, and the flag that hides a passage
vectors.py           encodes passages, or reads their vectors; lexical.py makes the sparse vector
filters.py           filters over metadata; unknown_fields.py says why a filter finds nothing
backfill.py          adds a missing named vector
collection_copy.py   copies a collection; reindexing.py makes one with a different encoder
connection.py        makes clients, and performs their calls with retries, time-outs and threads
cluster.py           one connection over the nodes of a cluster
faults.py            errors for Qdrant's failures; strict_limits.py has the limits of strict mode
edge/                the embedded engine

point_format.py, client_calls.py, filters.py, groups.py and lexical.py do no I/O.

Qdrant stores a passage as a *point*: its vectors and a *payload* (JSON). A *payload index* speeds
up filters over one payload key. The *pool* of a query is its candidates with their scores. A
*fingerprint* names the encoder that made a vector. A *quarantined* passage is hidden from searches.
A *tenant* sees only its own passages. *Local mode* is qdrant-client's own database in Python. Other
programs (*stores*) may fill a collection too; "our" names, keys and points are this package's. An
*operation* only describes work; a connection runs it (see ``effects.py``).
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
