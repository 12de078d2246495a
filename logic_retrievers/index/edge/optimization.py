"""Builds the HNSW index of a large collection in another process while searches go on.

The engine's ``optimize`` blocks every thread of the interpreter for a minute per 60,000 points and
core. So another process optimises a copy of the points. Searches use the old points and writes wait
until the copy replaces them.
"""

from __future__ import annotations

import shutil
import subprocess

import qdrant_edge as edge

from logic_retrievers.index.edge.collection import (
    EXACT_LIMIT,
    EdgeCollection,
    new_shard_name,
)
from logic_retrievers.index.edge.room import check_loading, copy_folder
from logic_retrievers.index.edge.translation import engine_errors
from logic_retrievers.index.faults import EdgeError
from logic_retrievers.python_process import python_command

_PROGRAM = """
import sys, qdrant_edge
shard = qdrant_edge.EdgeShard.load(sys.argv[1])
shard.optimize()
shard.close()
"""


def unindexed_points(collection: EdgeCollection) -> int:
    """Number of points outside the HNSW index, as a mean over the dense vectors."""
    with engine_errors():
        info = collection.shard.info()
        params, points = collection.description.params, int(info.points_count)
        names = [str(name) for name in dict(params.vectors or {})]
        # words are always indexed
        indexed = info.indexed_vectors_count - len(params.sparse_vectors or {}) * points
        having = len(names) * points
        if having - indexed > len(names) * EXACT_LIMIT:  # some may lack a vector, so count
            present = [edge.Filter(must=[edge.HasVectorCondition(name)]) for name in names]
            having = sum(collection.shard.count(edge.CountRequest(filter=f)) for f in present)
    return (having - indexed) * points // max(1, having)


def optimize(collection: EdgeCollection, *, force: bool = False) -> bool:
    """Optimise a collection that needs it, and return whether it did.

    It takes as much disk space again while it runs. With ``force`` it also runs where few points
    are outside the index. If it fails, the collection is unchanged.
    """
    collection.check_writable()
    with collection.lock:
        if not (force or unindexed_points(collection) > EXACT_LIMIT):
            return False
        before = collection.description.shard
        after = new_shard_name()  # the child of a killed process may go on writing to its own
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
                shard.optimize()  # in this process, where no other one can be started
        except BaseException:
            shutil.rmtree(copy, ignore_errors=True)
            raise
        collection.describe(shard=after)
        collection.shard = shard  # running searches hold the old one
        shutil.rmtree(collection.folder / before, ignore_errors=True)
        return True
