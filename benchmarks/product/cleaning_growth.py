"""Growth of a cleaning with the corpus, its parts told apart, and the rate of ingestion hooks.

python -m benchmarks.product.cleaning_growth [--sizes 5000 10000] [--new 500] [--judge] [--exact]
python -m benchmarks.product.cleaning_growth --hooks [--sizes 10000] [--new 500] [--judge]

Films from the shared data: whole collections, whose vectors are stored, and new passages, whose
vectors are made. The embedded engine has an HNSW index, as a server has; with ``--exact`` it looks
at every passage, as it does by itself below 100,000. Both are dry runs. With ``--hooks`` the new
ones are stored, a hundred at a time: without a cleaner, and with that of the core and of both
frameworks.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, TypeAlias

import numpy as np
from langchain_core.documents import Document
from langchain_logic_retrievers import CorpusCleaner as LangChainCleaner
from langchain_logic_retrievers import LogicVectorStore as LangChainStore
from llama_index.core.ingestion import IngestionPipeline
from llama_index.core.schema import TextNode
from llama_index_logic_retrievers import CorpusCleaner as LlamaIndexCleaner
from llama_index_logic_retrievers import LogicVectorStore as LlamaIndexStore

from benchmarks.common.output import cached_encoder, publish, resident_mib
from logic_retrievers import Passage, PassageIndex
from logic_retrievers.cleaning import CorpusCleaner, pipeline
from logic_retrievers.cleaning.candidate_pairs import find_candidate_pairs
from logic_retrievers.encoders import Encoder, default_encoder
from logic_retrievers.evaluation import data_folder
from logic_retrievers.evaluation.rows import json_rows
from logic_retrievers.index.edge import collection as edge_collection
from logic_retrievers.judging import OnnxPairKinds

BATCH = 100
HNSW_FROM = 1000
VECTORS = ("topical", "compatibility", "contradiction")

Parts: TypeAlias = Counter[str]
"""Part of a cleaning -> seconds spent in it; and how often two texts were read, one way."""
Judge: TypeAlias = OnnxPairKinds | None
Ingest: TypeAlias = Callable[[Sequence[Passage]], Any]


def main() -> None:
    """Measure and publish."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", type=int, nargs="+", default=[5000, 10_000, 20_000])
    parser.add_argument("--new", type=int, default=500)
    parser.add_argument("--judge", action="store_true", help="the shipped cross-encoder reads too")
    parser.add_argument("--exact", action="store_true", help="without an HNSW index")
    parser.add_argument("--hooks", action="store_true", help="store the new ones, by hundreds")
    options = parser.parse_args()
    if not options.exact:
        edge_collection.EXACT_LIMIT = HNSW_FROM
    passages = load_films(max(options.sizes) + options.new)
    parts = watch_search()
    judge = WatchedPairKinds(parts) if options.judge else None
    name = f"cleaning, growth{', exact' * options.exact}{', judge' * options.judge}"
    whole, added, hooks = [], [], []
    for size in options.sizes:
        new = passages[size : size + options.new]
        if options.hooks:
            hooks += [time_hook(hook, passages[:size], new, judge, parts) for hook in HOOKS]
            continue
        with filled(passages[:size], parts) as index:
            memory = resident_mib()
            whole.append({"passages": size, **time_cleaning(index, None, judge, parts)})
            added.append({"passages": size, **time_cleaning(index, new, judge, parts)})
            whole[-1]["memory more, MiB"] = round(resident_mib() - memory)
    if options.hooks:
        publish(f"{name}, hooks", hooks)
        return
    publish(f"{name}, all of them", whole, exponents=exponents(whole))
    publish(f"{name}, {options.new} new", added, exponents=exponents(added))


def load_films(count: int) -> list[Passage]:
    """``count`` films with different texts."""
    passages = {
        row.text("text"): Passage(str(n), row.text("text"))
        for n, row in enumerate(json_rows(data_folder() / "wikipedia_movies" / "corpus.jsonl.gz"))
        if row.text("text").strip()
    }
    return list(passages.values())[:count]


def exponents(rows: Sequence[Mapping[str, Any]]) -> dict[str, float]:
    """Column -> slope of its logarithm over that of the number of passages, by least squares."""
    size = [row["passages"] for row in rows]
    return {
        column: round(float(np.polyfit(np.log(size), np.log(values), 1)[0]), 2)
        for column in rows[0]
        if len(rows) > 1 and all(values := [row[column] for row in rows]) and values != size
    }


def time_cleaning(
    index: PassageIndex, passages: Sequence[Passage] | None, judge: Judge, parts: Parts
) -> dict[str, Any]:
    """A dry run over the collection, or over new passages."""
    parts.clear()
    begun = time.perf_counter()
    result = CorpusCleaner(index, judge=judge).clean(passages, dry_run=True)
    seconds = time.perf_counter() - begun
    return {"pairs": result.compared, **shares(parts, seconds, result.examined)}


def shares(parts: Parts, seconds: float, passages: int) -> dict[str, Any]:
    """The parts in columns; the rest is rules and resolution, and storing where it is done."""
    encoding, judging = parts["encoding"], parts["judge"]
    searching = parts["search"] - parts["encoding in search"]
    return {
        "readings": int(parts["readings"]),
        "encoding, s": round(encoding, 2),
        "vectors and neighbours, s": round(searching, 2),
        "judge, s": round(judging, 2),
        "rest, s": round(seconds - encoding - searching - judging, 2),
        "all, s": round(seconds, 2),
        "passages a second": round(passages / seconds, 1),
    }


def time_hook(
    hook: str, stored: Sequence[Passage], new: Sequence[Passage], judge: Judge, parts: Parts
) -> dict[str, Any]:
    """The new passages stored by batches."""
    with filled(stored, parts) as index:
        ingest = HOOKS[hook](index, judge)
        parts.clear()
        begun = time.perf_counter()
        for start in range(0, len(new), BATCH):
            ingest(new[start : start + BATCH])
        seconds = time.perf_counter() - begun
        assert index.count() == len(stored) + len(new)
    return {"hook": hook, "passages": len(stored), **shares(parts, seconds, len(new))}


def _without(index: PassageIndex, judge: Judge) -> Ingest:
    del judge
    return index.add


def _core(index: PassageIndex, judge: Judge) -> Ingest:
    cleaner = CorpusCleaner(index, judge=judge)
    return lambda batch: index.add(cleaner.screen(batch).passages)


def _langchain(index: PassageIndex, judge: Judge) -> Ingest:
    store, cleaner = LangChainStore(index), LangChainCleaner(index=index, judge=judge)

    def ingest(batch: Sequence[Passage]) -> None:
        documents = [Document(passage.text, id=passage.id) for passage in batch]
        store.add_documents(cleaner.transform_documents(documents))

    return ingest


def _llama_index(index: PassageIndex, judge: Judge) -> Ingest:
    store = LlamaIndexStore(index)
    cleaner = LlamaIndexCleaner(index, judge=judge, on_error="raise")
    ingestion = IngestionPipeline(
        transformations=[cleaner, store.embed_model], vector_store=store, disable_cache=True
    )
    return lambda batch: ingestion.run(
        nodes=[TextNode(text=passage.text, id_=passage.id) for passage in batch]
    )


HOOKS = {"none": _without, "core": _core, "LangChain": _langchain, "LlamaIndex": _llama_index}


class WatchedEncoder:
    """The shipped encoder, timed; at first vectors come from a cache."""

    def __init__(self, parts: Parts) -> None:
        self._encoder: Encoder = cached_encoder()
        self._parts = parts
        self.specs = self._encoder.specs

    def make_anew(self) -> None:
        """All vectors are made from now on."""
        self._encoder = default_encoder()

    def encode_documents(self, texts: Sequence[str], names: Sequence[str] | None = None) -> Any:
        """The vectors of passages."""
        with timed(self._parts, "encoding"):
            return self._encoder.encode_documents(texts, names)

    def encode_queries(self, texts: Sequence[str], names: Sequence[str] | None = None) -> Any:
        """The vectors of queries."""
        return self._encoder.encode_queries(texts, names)

    def token_spans(self, text: str) -> list[tuple[int, int]]:
        """First and one-past-last character of each token."""
        return self._encoder.token_spans(text)


class WatchedPairKinds(OnnxPairKinds):
    """The shipped cross-encoder, timed."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts
        super().__init__()

    def read(self, pairs: Sequence[tuple[str, str]]) -> list[tuple[float, ...]]:
        """Probabilities of the kinds of each pair, in this order of its texts."""
        self._parts["readings"] += len(pairs)
        with timed(self._parts, "judge"):
            return super().read(pairs)


@contextmanager
def timed(parts: Parts, part: str) -> Iterator[None]:
    """Adds the seconds that are spent inside."""
    begun = time.perf_counter()
    yield
    parts[part] += time.perf_counter() - begun  # type: ignore[assignment]


def watch_search() -> Parts:
    """Parts of which every cleaning's search for candidate pairs is one."""
    parts: Parts = Counter()
    find = find_candidate_pairs

    def timed_find(*arguments: Any, **settings: Any) -> Any:
        before = parts["encoding"]
        with timed(parts, "search"):
            candidates = yield from find(*arguments, **settings)
        parts["encoding in search"] += parts["encoding"] - before
        return candidates

    setattr(pipeline, "find_candidate_pairs", timed_find)  # noqa: B010
    return parts


@contextmanager
def filled(passages: Sequence[Passage], parts: Parts) -> Iterator[PassageIndex]:
    """A collection of the passages in the embedded engine, and all models loaded."""
    encoder = WatchedEncoder(parts)
    with (
        tempfile.TemporaryDirectory() as folder,
        PassageIndex.open("growth", encoder, vectors=VECTORS, location=folder) as index,
    ):
        index.add(passages)
        index.optimize()
        encoder.make_anew()
        encoder.encode_documents(["warm up"], VECTORS)
        yield index


if __name__ == "__main__":
    main()
