"""The embedded engine by the number of passages: searches, ingestion, HNSW, disk and memory.

python -m benchmarks.embedded_growth [--sizes 10000 100000] [--keep FOLDER] [--peer 10000]
    [--quantized] [--location http://...]

Passages have two vectors of 384 dimensions with the local structure of real ones
(:class:`FilmLikeEncoder`; uniformly random vectors have no neighbours, and HNSW finds none) and 40
words of 20,000 by Zipf's law. Only the engine and this package are measured: the time in which
vectors of queries are made is subtracted, and each query has run before, but for "the first time".
Each size is built in a process and measured in another; with ``--keep`` a collection that was built
before is measured again. Recall is that of the ten nearest against an exact search. A numpy product
over all topical vectors stands beside them, and with ``--peer`` plain langchain-qdrant over
qdrant-client's local mode with the topical vectors.
"""

from __future__ import annotations

import argparse
import json
import resource
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np
from qdrant_client import models

from benchmarks.common.made_vectors import DIMENSION, FilmLikeEncoder, RandomEncoder
from benchmarks.common.memory import anonymous_mib, resident_mib
from benchmarks.common.output import publish
from logic_retrievers import Engine, Passage, PassageIndex
from logic_retrievers.index.candidate_search import SPARE
from logic_retrievers.index.requests import nearest_request

WORDS = 20_000
SEARCHES = 60
RECALL_QUERIES = 100
EXACT = models.SearchParams(exact=True)
ORDINARY = "a hotel with {} and {} near the {}"
EXCLUDING = "a hotel with {} and {}, but without {}"
CASES = {
    "topical": ("topical", ORDINARY),
    "hybrid": ("hybrid", ORDINARY),
    "union": ("union", ORDINARY),
    "auto, ordinary": ("auto", ORDINARY),
    "auto, excluding, with words": ("auto", EXCLUDING),
}
Figures = dict[str, float]


def main() -> None:
    """Measures and publishes."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", type=int, nargs="*", default=[10_000, 100_000])
    parser.add_argument("--keep", type=Path, help="build here, or measure what was built here")
    parser.add_argument(
        "--peer", type=int, nargs="*", default=[], help="sizes for langchain-qdrant"
    )
    parser.add_argument("--location", help="a server instead of the embedded engine")
    parser.add_argument("--quantized", action="store_true", help="with int8 vectors")
    arguments = parser.parse_args()
    columns: dict[str, Figures] = {}
    with tempfile.TemporaryDirectory() as temporary:
        folder = arguments.keep or Path(temporary)
        for size in arguments.sizes:
            name = f"growth-{size}{'-int8' * arguments.quantized}"
            place = {"location": arguments.location or str(folder)}
            built = in_new_process(build, size, folder, name, place, arguments.quantized)
            measured = in_new_process(measure, size, name, place)
            if arguments.location is None:
                measured["disk MiB"] = round(disk_bytes(folder / name) / 2**20, 1)
            columns[f"{size:,}"] = {**built, **measured}
    for size in arguments.peer:
        columns[f"{size:,}, langchain-qdrant"] = in_new_process(measure_peer, size)
    publish("embedded_growth", as_rows(columns, arguments.sizes))


def in_new_process(work: Callable[..., Figures], *arguments: Any) -> Figures:
    """The result of ``work`` in a process of its own, so that memory is that of one collection."""
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        return pool.submit(work, *arguments).result()


def as_rows(columns: Mapping[str, Figures], sizes: Sequence[int]) -> list[dict[str, Any]]:
    """One row a figure, with the exponent of its growth: the slope in log-log scale."""
    rows = []
    for name in dict.fromkeys(name for figures in columns.values() for name in figures):
        values = [columns[f"{size:,}"].get(name, 0.0) for size in sizes]
        slope: float | str = ""
        if len(sizes) > 1 and min(values) > 0:
            slope = round(float(np.polyfit(np.log(sizes), np.log(values), 1)[0]), 2)
        cells = {column: figures.get(name, "") for column, figures in columns.items()}
        rows.append({"figure": name, **cells, "exponent": slope})
    return rows


def build(size: int, folder: Path, name: str, place: Mapping[str, Any], int8: bool) -> Figures:
    """Ingests a collection where it does not exist; figures of an earlier call are read again."""
    note = folder / f"{name}.json"
    if note.exists():
        return dict(json.loads(note.read_text("utf-8")))
    folder.mkdir(parents=True, exist_ok=True)
    with PassageIndex.open(name, FilmLikeEncoder(), lexical=True, quantized=int8, **place) as index:
        read_at: list[float] = []
        stored = index.count()  # of a call that was cut off
        begun = time.perf_counter()
        index.add(passages(size), progress=lambda _: read_at.append(time.perf_counter()))
        ended = time.perf_counter()
    child = resource.getrusage(resource.RUSAGE_CHILDREN)
    figures = {
        "add, passages/s": round((size - stored) / (read_at[-1] - begun), 1),
        "HNSW s": round(ended - read_at[-1], 1),
        "HNSW CPU s": round(child.ru_utime + child.ru_stime, 1),
        "HNSW peak MiB": round(child.ru_maxrss / 1024, 1),
        "ingesting process peak MiB": round(
            resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024, 1
        ),
    }
    note.write_text(json.dumps(figures), encoding="utf-8")
    return figures


def measure(size: int, name: str, place: Mapping[str, Any]) -> Figures:
    """Figures of one collection."""
    encoder = FilmLikeEncoder()
    before, anonymous = resident_mib(), anonymous_mib()
    begun = time.perf_counter()
    with PassageIndex.open(name, encoder, create=False, **place) as index:
        opened = time.perf_counter() - begun
        figures = {"open s": round(opened, 3), **search_times(index, encoder)}
        figures["memory MiB"] = round(resident_mib() - before, 1)
        figures["of it not mapped files, MiB"] = round(anonymous_mib() - anonymous, 1)
        figures.update(recalls(index, encoder))
    figures.update(timed("brute force with numpy", brute_force(encoder, size), encoder))
    return figures


def passages(count: int) -> Iterator[Passage]:
    """Passages of 40 words."""
    random = np.random.default_rng(0)
    for number in range(count):
        yield Passage(f"p{number}", words(random, 40), {"year": 1950 + number % 70})


def words(random: np.random.Generator, count: int) -> str:
    """Words by Zipf's law."""
    return " ".join(f"w{rank}" for rank in np.minimum(random.zipf(1.3, count), WORDS))


def queries(template: str, count: int) -> list[str]:
    """Queries of three words."""
    random = np.random.default_rng(1)
    return [template.format(*words(random, 3).split()) for _ in range(count)]


def search_times(index: PassageIndex, encoder: RandomEncoder) -> Figures:
    """p50 and p95 of each kind of search."""
    figures: Figures = {}
    for label, (policy, template) in CASES.items():
        engine = Engine(index, policy)
        calls = [partial(engine.search, query, 10) for query in queries(template, SEARCHES)]
        if not figures:
            figures.update(timed("topical, for the first time", calls, encoder))
        for call in calls:
            call()
        figures.update(timed(label, calls, encoder))
    engine, recent = Engine(index, "topical"), {"year": {"gte": 2010}}
    engine.search("warm up", 10, filter=recent)  # makes the payload index
    calls = [partial(engine.search, q, 10, filter=recent) for q in queries(ORDINARY, SEARCHES)]
    figures.update(timed("topical, filtered", calls, encoder))
    return figures


def recalls(index: PassageIndex, encoder: RandomEncoder) -> Figures:
    """Share of the ten nearest that a search finds, of the ten that an exact search finds."""
    found: Figures = {}
    texts = queries(ORDINARY, RECALL_QUERIES)
    for name, vectors in encoder.encode_queries(texts).items():
        requests = [nearest_request(vector, name, 10 + SPARE, None) for vector in vectors]
        exact = [request.model_copy(update={"params": EXACT}) for request in requests]
        shares = [
            len(found_ids & true_ids) / len(true_ids)
            for found_ids, true_ids in zip(
                ten_nearest(index, requests), ten_nearest(index, exact), strict=True
            )
        ]
        found[f"recall at 10, {name}"] = round(float(np.mean(shares)), 4)
    return found


def ten_nearest(index: PassageIndex, requests: Sequence[models.QueryRequest]) -> Iterator[set[str]]:
    """Ids of the ten nearest points of each request."""
    for response in index.client.query_batch_points(index.collection, requests):
        yield {str(point.id) for point in response.points[:10]}


def brute_force(encoder: RandomEncoder, size: int) -> Iterator[Callable[[], Any]]:
    """The product of a query with all vectors, and the ten best."""
    rows = np.random.default_rng(0).standard_normal((size, DIMENSION), dtype=np.float32)
    for query in encoder.encode_queries(queries(ORDINARY, SEARCHES), ["topical"])["topical"]:
        yield partial(_ten_best, rows, query)


def _ten_best(rows: Any, query: Any) -> Any:
    return np.argpartition(-(rows @ query), 10)[:10]


def measure_peer(size: int) -> Figures:
    """Plain langchain-qdrant over qdrant-client's local mode, with the topical vectors."""
    from langchain_core.embeddings import Embeddings
    from langchain_qdrant import QdrantVectorStore
    from qdrant_client import QdrantClient

    encoder = FilmLikeEncoder()

    class Made(Embeddings):
        def embed_documents(self, texts: list[str]) -> list[list[float]]:
            vectors: list[list[float]] = encoder.encode_documents(texts)["topical"].tolist()
            return vectors

        def embed_query(self, text: str) -> list[float]:
            vector: list[float] = encoder.encode_queries([text])["topical"][0].tolist()
            return vector

    with tempfile.TemporaryDirectory() as folder:
        before = resident_mib()
        client = QdrantClient(path=folder)
        params = models.VectorParams(size=DIMENSION, distance=models.Distance.COSINE)
        client.create_collection("peer", params)
        store = QdrantVectorStore(client, "peer", Made())
        rows = list(passages(size))
        begun = time.perf_counter()
        store.add_texts(
            [row.text for row in rows], [dict(row.metadata) for row in rows], batch_size=256
        )
        figures = {"add, passages/s": round(size / (time.perf_counter() - begun), 1)}
        calls = [partial(store.similarity_search, q, 10) for q in queries(ORDINARY, SEARCHES)]
        figures.update(timed("topical", calls, encoder))
        figures["memory MiB"] = round(resident_mib() - before, 1)
        figures["disk MiB"] = round(disk_bytes(Path(folder)) / 2**20, 1)
        client.close()
        begun = time.perf_counter()
        QdrantClient(path=folder).close()
        figures["open s"] = round(time.perf_counter() - begun, 3)
    return figures


def timed(label: str, calls: Iterable[Callable[[], Any]], encoder: RandomEncoder) -> Figures:
    """p50 and p95 of the calls in milliseconds, without the time in which vectors are made.

    The processor's time, vectors included, is what a busy machine can measure.
    """
    seconds, processor = [], []
    for call in calls:
        encoding, begun, spent = encoder.seconds, time.perf_counter(), time.process_time()
        call()
        processor.append(time.process_time() - spent)
        seconds.append(time.perf_counter() - begun - (encoder.seconds - encoding))
    figures = {
        f"{label} p{share} ms": round(float(np.percentile(seconds, share)) * 1000, 2)
        for share in (50, 95)
    }
    return {**figures, f"{label} p50 CPU ms": round(float(np.median(processor)) * 1000, 2)}


def disk_bytes(folder: Path) -> int:
    """Bytes that the files of a folder take on disk; what is allocated and empty is left out."""
    return sum(path.stat().st_blocks * 512 for path in folder.rglob("*") if path.is_file())


if __name__ == "__main__":
    main()
