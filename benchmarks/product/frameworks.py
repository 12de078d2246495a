"""Measure the overhead of the frameworks over the engine, and the time of reranking.

python -m benchmarks.product.frameworks [--queries 300] [--points 1000]
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Sequence
from typing import Any

from langchain_logic_retrievers import ConstraintRetriever as LangChainRetriever
from llama_index_logic_retrievers import ConstraintRetriever as LlamaIndexRetriever

from benchmarks.common.output import percentiles, publish
from benchmarks.common.timing import film_passages
from logic_retrievers import Engine, PassageIndex, Reranker
from logic_retrievers.evaluation import load_dataset


def main() -> None:
    """Measure and publish."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--queries", type=int, default=300)
    parser.add_argument("--points", type=int, default=1_000)
    options = parser.parse_args()
    queries = [query.text for query in load_dataset("msmarco_small").queries[: options.queries]]
    queries += [query.text for query in load_dataset("excluir").queries[: options.queries]]
    publish("framework overhead", overhead(queries, options.points))
    publish("reranking", reranking(queries[-50:], options.points))


def overhead(queries: Sequence[str], points: int) -> list[dict[str, Any]]:
    """Measure the time of a framework's call outside :meth:`Engine.search`."""
    inside = [0.0]
    search = Engine.search

    def timed(*arguments: Any, **settings: Any) -> Any:
        begun = time.perf_counter()
        try:
            return search(*arguments, **settings)
        finally:
            inside[0] += time.perf_counter() - begun

    with PassageIndex.open("films") as index:
        index.add(film_passages(points))
        calls: dict[str, Callable[[str], Any]] = {
            "bare engine": lambda query: Engine(index).search(query, 4),
            "LangChain": LangChainRetriever(index=index).invoke,
            "LlamaIndex": LlamaIndexRetriever(index).retrieve,
        }
        totals: dict[str, list[float]] = {name: [] for name in calls}
        added: dict[str, list[float]] = {name: [] for name in calls}
        Engine.search = timed  # type: ignore[method-assign]
        try:
            for call in calls.values():
                call("warm up")
            for query in queries:
                for name, call in calls.items():
                    inside[0] = 0.0
                    begun = time.perf_counter()
                    call(query)
                    totals[name].append(time.perf_counter() - begun)
                    added[name].append(totals[name][-1] - inside[0])
        finally:
            Engine.search = search  # type: ignore[method-assign]
    return [
        {"call": name, **percentiles(totals[name]), **percentiles(added[name], "added ")}
        for name in calls
    ]


def reranking(queries: Sequence[str], points: int) -> list[dict[str, Any]]:
    """Time the reranking of 50 passages of a search, with and without their stored vectors."""
    with PassageIndex.open("films") as index:
        index.add(film_passages(points))
        candidates = [
            [hit.passage for hit in hits]
            for hits in Engine(index, "topical").search_many(queries, 50)
        ]
        rows = []
        for vectors, where in (("stored", index), ("made", None)):
            reranker = Reranker(index.encoder, "sequential", index=where)
            seconds = []
            for query, passages in zip(queries, candidates, strict=True):
                begun = time.perf_counter()
                reranker.rerank(query, passages)
                seconds.append(time.perf_counter() - begun)
            rows.append({"vectors of 50 passages": vectors, **percentiles(seconds)})
    return rows


if __name__ == "__main__":
    main()
