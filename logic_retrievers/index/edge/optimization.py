"""Builds the HNSW index of a large collection in another process, beside searches.

The engine's ``optimize`` holds the interpreter for as long as it takes (a minute per 60,000 points
and core), which would stop every thread of the application. So a copy of the points is optimised in
a process of its own; searches go on over the old ones, writes wait, and then the copy takes over.
"""

from __future__ import annotations

import shutil
import subprocess

import qdrant_edge as edge

from logic_retrievers.index.edge.collection import (
    EXACT_LIMIT,
    EdgeCollection,
    engine_errors,
    new_shard_name,
)
from logic_retrievers.index.edge.room import check_loading, copy_folder
from logic_retrievers.index.faults import EdgeError
from logic_retrievers.python_process import python_command

_PROGRAM = """
import sys, qdrant_edge
shard = qdrant_edge.EdgeShard.load(sys.argv[1])
shard.optimize()
shard.close()
"""


def unindexed_points(collection: EdgeCollection) -> int:
    """How many points are outside the HNSW index, as a mean over the dense vectors."""
    with engine_errors():
        info = collection.shard.info()
        params, points = collection.description.params, int(info.points_count)
        names = [str(name) for name in dict(params.vectors or {})]
        # words always are in their index
        indexed = info.indexed_vectors_count - len(params.sparse_vectors or {}) * points
        having = len(names) * points
        if having - indexed > len(names) * EXACT_LIMIT:  # some may lack a vector: now count
            present = [edge.Filter(must=[edge.HasVectorCondition(name)]) for name in names]
            having = sum(collection.shard.count(edge.CountRequest(filter=f)) for f in present)
    return (having - indexed) * points // max(1, having)


def optimize(collection: EdgeCollection, *, force: bool = False) -> bool:
    """Optimises a collection that needs it; needs as much space on disk again meanwhile.

    Args:
        collection: what to optimise.
        force: also where few points are outside the index.

    Returns:
        Whether it was optimised.

    Raises:
        EdgeError, OSError: the process failed, or the disk is full; the collection is as it was.
        StorageError: it was opened to read only.
    """
    collection.check_writable()
    with collection.lock:
        if not (force or unindexed_points(collection) > EXACT_LIMIT):
            return False
        before = collection.description.shard
        after = new_shard_name()  # a killed process's child may write to its own for a while
        copy = collection.folder / after
        with engine_errors():
            collection.shard.flush()
        try:
            copy_folder(collection.folder / before, copy)
            check_loading(copy)
            if command := python_command(_PROGRAM, str(copy)):
                process = subprocess.run(command, capture_output=True, text=True)
                if process.returncode != 0:
                    reason = (process.stderr.strip().splitlines() or ["no message"])[-1]
                    raise EdgeError(f"optimisation ended with {process.returncode}: {reason}")
            with engine_errors():
                shard = edge.EdgeShard.load(str(copy))
                shard.optimize()  # what no other process could do
        except BaseException:
            shutil.rmtree(copy, ignore_errors=True)
            raise
        collection.describe(shard=after)
        collection.shard = shard  # searches that run hold the old one
        shutil.rmtree(collection.folder / before, ignore_errors=True)
        return True
