"""Overhead of the frameworks, gain of concurrency on a slow server, and reranking.

python -m benchmarks.frameworks [--queries 300] [--points 1000] [--latency 0.02]
"""

from __future__ import annotations

import argparse
import asyncio
import multiprocessing
import sys
import time
from collections.abc import Awaitable, Callable, Sequence
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from langchain_logic_retrievers import ConstraintRetriever as LangChainRetriever
from llama_index_logic_retrievers import ConstraintRetriever as LlamaIndexRetriever

from benchmarks.common.output import percentiles, publish
from benchmarks.common.timing import film_passages
from logic_retrievers import Engine, PassageIndex, Reranker
from logic_retrievers.evaluation import load_dataset

AT_ONCE = 32


def main() -> None:
    """Measure and publish."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--queries", type=int, default=300)
    parser.add_argument("--points", type=int, default=1_000)
    parser.add_argument("--latency", type=float, default=0.02)
    options = parser.parse_args()
    queries = [query.text for query in load_dataset("msmarco_small").queries[: options.queries]]
    queries += [query.text for query in load_dataset("excluir").queries[: options.queries]]
    publish("framework overhead", overhead(queries, options.points))
    publish("reranking", reranking(queries[-50:], options.points))
    publish(
        f"{AT_ONCE} queries at once, {options.latency * 1000:.0f} ms a request",
        concurrency(queries[: 3 * AT_ONCE], options.points, options.latency),
    )


def overhead(queries: Sequence[str], points: int) -> list[dict[str, Any]]:
    """Time of a framework's call outside :meth:`Engine.search`."""
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
    """Seconds to rerank 50 passages of a search, with and without their stored vectors."""
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


def concurrency(queries: Sequence[str], points: int, latency: float) -> list[dict[str, Any]]:
    """Queries per second, sequential and concurrent, on a server in another process."""
    parent_end, child_end = multiprocessing.get_context("spawn").Pipe()
    server = multiprocessing.get_context("spawn").Process(target=_serve, args=(child_end, latency))
    server.start()
    try:
        with PassageIndex.open("films", location=parent_end.recv()) as index:
            index.add(film_passages(points))
            return asyncio.run(_rates(index, queries))
    finally:
        parent_end.send("done")
        server.join()


async def _rates(index: PassageIndex, queries: Sequence[str]) -> list[dict[str, Any]]:
    calls: dict[str, Callable[[str], Awaitable[Any]]] = {
        "bare engine": lambda query: Engine(index).asearch(query, 4),
        "LangChain": LangChainRetriever(index=index).ainvoke,
        "LlamaIndex": LlamaIndexRetriever(index).aretrieve,
    }
    rows = []
    for name, call in calls.items():
        await call("warm up")
        begun = time.perf_counter()
        for query in queries:
            await call(query)
        alone = len(queries) / (time.perf_counter() - begun)
        begun = time.perf_counter()
        for start in range(0, len(queries), AT_ONCE):
            await asyncio.gather(*(call(query) for query in queries[start : start + AT_ONCE]))
        together = len(queries) / (time.perf_counter() - begun)
        rows.append(
            {
                "call": name,
                "one by one, queries/s": round(alone, 1),
                f"{AT_ONCE} at once, queries/s": round(together, 1),
                "gain": round(together / alone, 2),
            }
        )
    await index.aclose()
    return rows


def _serve(pipe: Connection, latency: float) -> None:
    sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))
    from fault_injection import WireDouble  # type: ignore[import-not-found]

    with WireDouble(latency=latency) as double:
        pipe.send(double.url)
        pipe.recv()


if __name__ == "__main__":
    main()
