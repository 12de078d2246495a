"""The embedded backend: Qdrant Edge, the server's own engine, in this process.

client.py           ``EdgeClient``: the methods of ``QdrantClient`` that the index calls
collection.py       one collection: opens its folder or a read-only copy, writes its description,
                    builds HNSW in another process while searches go on
folder.py           lets one process at a time open the folder, and checks that its disk has room
                    for the files that the engine maps
translation.py      converts qdrant-client's models to the engine's, and back
"""

from logic_retrievers.index.edge.client import EdgeClient

__all__ = ["EdgeClient"]
