"""The embedded backend: Qdrant Edge, the server's own engine, in this process.

client.py           ``EdgeClient``: those methods of ``QdrantClient`` that the index calls
collection.py       one collection: its engine, its description on disk, its payload indexes
folder_opening.py   opens its folder, or a copy that is only read
folder_lock.py      lets one process at a time have the folder
room.py             whether the disk has room for what the engine maps
optimization.py     builds HNSW in another process, beside searches
translation.py      qdrant-client's models to the engine's, and back
"""

from logic_retrievers.index.edge.client import EdgeClient

__all__ = ["EdgeClient"]
