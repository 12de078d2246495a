"""A wire double for Qdrant: a real REST and gRPC server in this process, over local mode.

The protocol is real (real sockets, real clients, Qdrant's own envelopes, status codes and error
texts); the engine behind it is qdrant-client's local mode, so nothing here says anything about
HNSW, quantisation, sharding or a server's speed.

    WireDouble     the server: `.url`, `.grpc_port`, `.requests`, `.fail(...)`
    Wire           one protocol of a double: `.connect()` and `.aconnect()` give ready clients
    operations.py  what each endpoint does to the local client, described in REST models
    rest.py        REST requests in, operations, envelopes out
    rpc*.py        the same over gRPC
    rules.py       what a strict or an old server refuses
    faults.py      faults to inject
    replies.py     Qdrant's errors, and local mode's errors translated into them
"""

from .faults import FaultKind
from .wire import Wire
from .wire_double import WireDouble

__all__ = ["FaultKind", "Wire", "WireDouble"]
