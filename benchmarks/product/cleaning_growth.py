"""Measure how cleaning time and its parts grow with the corpus, and the rate of ingestion hooks.

python -m benchmarks.product.cleaning_growth [--sizes 5000 10000] [--new 500] [--judge]
python -m benchmarks.product.cleaning_growth --hooks [--sizes 10000] [--new 500] [--judge]

One dry run cleans a whole collection of films with stored vectors. A second cleans new films, whose
vectors must be made. With ``--hooks``, the new films are stored, a hundred at a time: without a
cleaner, and with the core's, LangChain's and LlamaIndex's cleaner as a hook before storing.
"""

from __future__ import annotations

import argparse
import tempfile
import time
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
from benchmarks.common.timing import TimedEncoder
from logic_retrievers import Passage, PassageIndex
from logic_retrievers.conflicts import CorpusCleaner
from logic_retrievers.encoders import default_encoder
from logic_retrievers.evaluation import data_folder
from logic_retrievers.evaluation.rows import json_rows
from logic_retrievers.judging import OnnxRelation

BATCH = 100
VECTORS = ("topical", "compatibility", "contradiction")

Ingest: TypeAlias = Callable[[Sequence[Passage]], Any]


class TimedRelation(OnnxRelation):
    """The shipped cross-encoder, which counts its seconds and the pairs that it read."""

    seconds = 0.0
    readings = 0

    def read(self, pairs: Sequence[tuple[str, str]]) -> list[tuple[float, ...]]:
        begun = time.perf_counter()
        read = super().read(pairs)
        self.seconds += time.perf_counter() - begun
        self.readings += len(pairs)
        return read


Judge: TypeAlias = TimedRelation | None


def main() -> None:
    """Measure and publish."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", type=int, nargs="+", default=[5000, 10_000, 20_000])
    parser.add_argument("--new", type=int, default=500)
    parser.add_argument("--judge", action="store_true", help="the shipped cross-encoder reads too")
    parser.add_argument("--hooks", action="store_true", help="store the new ones, by hundreds")
    options = parser.parse_args()
    rows = json_rows(data_folder() / "wikipedia_movies" / "corpus.jsonl.gz")
    texts = dict.fromkeys(text for row in rows if (text := row.text("text")).strip())
    passages = [Passage(str(n), text) for n, text in enumerate(texts)]
    judge = TimedRelation() if options.judge else None
    whole: list[dict[str, Any]] = []
    added: list[dict[str, Any]] = []
    hooks: list[dict[str, Any]] = []
    for size in options.sizes:
        stored, new = passages[:size], passages[size : size + options.new]
        if options.hooks:
            for name in HOOKS:
                with filled(stored) as (index, encoder):
                    ingest = HOOKS[name](index, judge)
                    with parts(encoder, judge, len(new)) as row:
                        for start in range(0, len(new), BATCH):
                            ingest(new[start : start + BATCH])
                hooks.append({"hook": name, "passages": size, **row})
            continue
        with filled(stored) as (index, encoder):
            memory = resident_mib()
            for result, given in ((whole, None), (added, new)):
                cleaner = CorpusCleaner(index, judge=judge)
                with parts(encoder, judge, len(given or stored)) as row:
                    cleaned = cleaner.clean(given, dry_run=True)
                result.append({"passages": size, "pairs": cleaned.compared, **row})
            whole[-1]["memory more, MiB"] = round(resident_mib() - memory)
    name = f"cleaning, growth{', judge' * options.judge}"
    if options.hooks:
        publish(f"{name}, hooks", hooks)
        return
    publish(f"{name}, all of them", whole, exponents=exponents(whole))
    publish(f"{name}, {options.new} new", added, exponents=exponents(added))


def exponents(rows: Sequence[Mapping[str, Any]]) -> dict[str, float]:
    """Fit the slope of each column against the number of passages, in logarithms."""
    size = [row["passages"] for row in rows]
    return {
        column: round(float(np.polyfit(np.log(size), np.log(values), 1)[0]), 2)
        for column in rows[0]
        if len(rows) > 1 and all(values := [row[column] for row in rows]) and values != size
    }


@contextmanager
def filled(passages: Sequence[Passage]) -> Iterator[tuple[PassageIndex, TimedEncoder]]:
    """Fill a collection in the embedded engine; yield the index and a warmed-up encoder."""
    with tempfile.TemporaryDirectory() as folder:
        with PassageIndex.open(
            "growth", cached_encoder(), vectors=VECTORS, location=folder
        ) as index:
            index.add(passages)
            index.optimize()
        encoder = TimedEncoder(default_encoder())
        with PassageIndex.open("growth", encoder, vectors=VECTORS, location=folder) as index:
            encoder.encode_documents(["warm up"], VECTORS)
            yield index, encoder


@contextmanager
def parts(encoder: TimedEncoder, judge: Judge, passages: int) -> Iterator[dict[str, Any]]:
    """Yield a row; after the ``with`` block it holds the block's seconds by part."""
    row: dict[str, Any] = {}
    encoder.seconds = 0.0
    if judge is not None:
        judge.seconds, judge.readings = 0.0, 0
    begun = time.perf_counter()
    yield row
    seconds, judging = time.perf_counter() - begun, 0.0 if judge is None else judge.seconds
    row |= {
        "readings": 0 if judge is None else judge.readings,
        "encoding, s": round(encoder.seconds, 2),
        "judge, s": round(judging, 2),
        "neighbours and rules, s": round(seconds - encoder.seconds - judging, 2),
        "all, s": round(seconds, 2),
        "passages a second": round(passages / seconds, 1),
    }


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


if __name__ == "__main__":
    main()
