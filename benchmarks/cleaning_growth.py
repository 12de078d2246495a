"""Growth of the cleaner's search for candidate pairs: whole corpora, and 500 new passages.

python -m benchmarks.cleaning_growth [--sizes 5000 10000 20000] [--new 500] [--engine edge|local]

Films from the shared data. Encoding is left out: the vectors are stored, as they are when a
collection is cleaned. ``edge`` is Qdrant's own engine in this process, with an HNSW index;
``local`` is qdrant-client's embedded mode, which has none.
"""

from __future__ import annotations

import argparse
import gc
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
import qdrant_edge as edge
from qdrant_client import models

from benchmarks.common.memory import resident_mib
from benchmarks.common.output import cached_encoder, publish
from logic_retrievers import Passage, PassageIndex
from logic_retrievers.cleaning import CleaningSettings
from logic_retrievers.cleaning.candidate_pairs import MIN_PROBABILITY, Pages, find_candidate_pairs
from logic_retrievers.cleaning.neighbours import NeighbourSearch
from logic_retrievers.contradiction.settings import VECTORS, merge_constants
from logic_retrievers.effects import Operation
from logic_retrievers.encoders import Encoder
from logic_retrievers.evaluation.datasets import data_folder
from logic_retrievers.evaluation.rows import json_rows
from logic_retrievers.index.collection import Collection
from logic_retrievers.index.connection import Connection
from logic_retrievers.index.point_format import point_id, to_payload
from logic_retrievers.index.schema import new_vector

PAGE = 256


def main() -> None:
    """Measure and publish."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", type=int, nargs="+", default=[5000, 10_000, 20_000])
    parser.add_argument("--new", type=int, default=500)
    parser.add_argument("--engine", choices=("edge", "local"), default="edge")
    options = parser.parse_args()
    encoder = cached_encoder()
    passages = load_films(max(options.sizes) + options.new)
    vectors = encoder.encode_documents([passage.text for passage in passages], VECTORS)
    rows = []
    for size in options.sizes:
        with tempfile.TemporaryDirectory() as folder:
            build = open_edge_index if options.engine == "edge" else open_local_index
            index = build(
                passages[:size], {n: v[:size] for n, v in vectors.items()}, encoder, folder
            )
            gc.collect()
            before = resident_mib()
            whole = time_stage(index, passages[:size], stored=True)
            new = time_stage(index, passages[size : size + options.new], stored=False)
            rows.append(
                {
                    "passages": size,
                    "all of them, s": round(whole[0], 2),
                    "pairs": whole[1],
                    f"{options.new} new, s": round(new[0], 2),
                    "pairs of the new": new[1],
                    "memory more, MiB": round(resident_mib() - before, 1),
                }
            )
            index.close()
    exponents = {
        f"exponent of {cost!r} in {size_column!r}": round(exponent(rows, cost, size_column), 2)
        for cost, size_column in (
            ("all of them, s", "passages"),
            ("all of them, s", "pairs"),
            (f"{options.new} new, s", "passages"),
        )
    }
    publish(f"cleaning, growth, {options.engine}", rows, **exponents)


def exponent(rows: Sequence[Mapping[str, Any]], cost: str, size_column: str) -> float:
    """Slope of log(cost) over log(size) by least squares."""
    x, y = (np.log([row[column] for row in rows]) for column in (size_column, cost))
    return float(np.polyfit(x, y, 1)[0])


def load_films(count: int) -> list[Passage]:
    """``count`` films with different texts."""
    passages = {
        row.text("text"): Passage(str(n), row.text("text"))
        for n, row in enumerate(json_rows(data_folder() / "wikipedia_movies" / "corpus.jsonl.gz"))
        if row.text("text").strip()
    }
    return list(passages.values())[:count]


def time_stage(
    index: PassageIndex, passages: Sequence[Passage], *, stored: bool
) -> tuple[float, int]:
    """Seconds and pairs of the search; the vectors of new passages come from a cache."""
    constants = merge_constants(index.encoder.specs)
    search = NeighbourSearch(index.encoder, index, constants, 20)
    index.run(search.encode(passages[:PAGE]))  # the encoder is loaded, the cache is open
    begun = time.perf_counter()
    candidates = index.run(
        find_candidate_pairs(
            search, index, _pages(passages), CleaningSettings(), MIN_PROBABILITY, stored=stored
        )
    )
    return time.perf_counter() - begun, candidates.compared


def open_local_index(
    passages: Sequence[Passage], vectors: dict[str, Any], encoder: Encoder, folder: str
) -> PassageIndex:
    """A collection in qdrant-client's embedded mode."""
    del vectors, folder  # it makes its own, from the cache, and keeps them in memory
    index = PassageIndex.open("growth", encoder, vectors=VECTORS)
    index.add(passages)
    return index


def open_edge_index(
    passages: Sequence[Passage], vectors: dict[str, Any], encoder: Encoder, folder: str
) -> PassageIndex:
    """A collection in Qdrant's own engine, its HNSW index built."""
    params = edge.EdgeVectorParams(encoder.specs[VECTORS[0]].dimension, edge.Distance.Cosine)
    config = edge.EdgeConfig(
        vectors=dict.fromkeys(VECTORS, params),
        optimizers=edge.EdgeOptimizersConfig(indexing_threshold=1000, default_segment_number=1),
    )
    shard = edge.EdgeShard.create(folder, config)
    for start in range(0, len(passages), PAGE):
        shard.update(
            edge.UpdateOperation.upsert_points(
                [
                    edge.Point(
                        point_id(passage.id),
                        {name: rows[start + at].tolist() for name, rows in vectors.items()},
                        to_payload(passage, "", None),
                    )
                    for at, passage in enumerate(passages[start : start + PAGE])
                ]
            )
        )
    shard.update(
        edge.UpdateOperation.create_field_index("logic.quarantined", edge.BoolIndexParams())
    )
    while shard.optimize():
        pass
    collection = Collection(
        "growth",
        {name: new_vector(encoder.specs[name]) for name in VECTORS},
        VECTORS,
    )
    client: Any = EngineClient(shard)
    return PassageIndex(Connection.open(client=client), encoder, collection)


@dataclass(frozen=True)
class QueryResponse:
    """Response to one request of a batch."""

    points: list[models.ScoredPoint]


class EngineClient:
    """The part of a Qdrant client that the search needs, over a shard of Qdrant Edge."""

    _client = None

    def __init__(self, shard: edge.EdgeShard) -> None:
        self._shard = shard

    def query_batch_points(
        self, collection_name: str, requests: Sequence[Any]
    ) -> list[QueryResponse]:
        """Vector queries with the filter that hides quarantined passages."""
        del collection_name
        queries = [
            edge.QueryRequest(
                limit=request.limit,
                query=edge.Query.Nearest(request.query.nearest, using=request.using),
                filter=_visibility_filter(request.filter),
            )
            for request in requests
        ]
        return [
            QueryResponse(
                points=[models.ScoredPoint(id=str(p.id), version=0, score=p.score) for p in points]
            )
            for points in self._shard.query_batch(edge.QueryBatchRequest(queries))
        ]

    def retrieve(
        self, collection_name: str, ids: Sequence[Any], with_payload: Any, with_vectors: Any
    ) -> list[models.Record]:
        """Points by id."""
        del collection_name
        wanted = list(dict.fromkeys(ids))
        return [
            models.Record(
                id=str(record.id), payload=record.payload, vector=cast("Any", record.vector)
            )
            for record in self._shard.retrieve(wanted, bool(with_payload), bool(with_vectors))
        ]

    def close(self) -> None:
        """Nothing is kept open."""


def _visibility_filter(condition: models.Filter | None) -> edge.Filter | None:
    if condition is None:
        return None
    key = "logic.quarantined"
    unset = edge.FieldCondition(key=key, match=edge.MatchValue(False))
    return edge.Filter(must=[edge.Filter(should=[edge.IsEmptyCondition(key), unset])])


def _pages(passages: Sequence[Passage]) -> Pages:
    left = [passages[start : start + PAGE] for start in range(0, len(passages), PAGE)]

    def page() -> Operation[Sequence[Passage]]:
        yield from ()
        return left.pop(0) if left else ()

    return page


if __name__ == "__main__":
    main()
