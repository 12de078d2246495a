"""Arguments of a wrong type: bools are refused as numbers, paths as indexes or encoders."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from typing import Any

import pytest
from haystack_logic_retrievers import ConstraintRetriever as HaystackRetriever
from langchain_logic_retrievers import ConstraintRetriever as LangChainRetriever
from langchain_logic_retrievers import ContradictionFilter as LangChainFilter
from langchain_logic_retrievers import CorpusCleaner as LangChainCleaner
from llama_index_logic_retrievers import (
    CompatibilityReranker,
    LogicEmbeddings,
)
from llama_index_logic_retrievers import ConstraintRetriever as LlamaRetriever
from llama_index_logic_retrievers import ContradictionFilter as LlamaFilter
from llama_index_logic_retrievers import CorpusCleaner as LlamaCleaner

import logic_retrievers as lr
from logic_retrievers.conflicts import Ledger, Quarantine
from logic_retrievers.errors import LogicRetrieversError
from logic_retrievers.judging.onnx import OnnxPairJudge
from logic_retrievers.serving.service import ContradictionRequest, SearchRequest

# pydantic's ValidationError, which frameworks expect of their models, holds our own error
REFUSED = (LogicRetrieversError, ValueError)


@pytest.fixture(scope="module")
def index():
    encoder = lr.OnnxEncoder()
    with lr.PassageIndex.open("p", encoder, vectors=list(encoder.specs)) as opened:
        opened.add([lr.Passage("a", "A quiet hotel."), lr.Passage("b", "A noisy bar.")])
        yield opened


Call = Callable[..., Any]
NUMBERS: list[Call] = [
    *(lambda index, n=n: lr.Engine(index).search("q", **{n: True}) for n in ("k", "min_score")),
    lambda index: lr.Engine(index).search("q", min_score=False),
    lambda index: lr.Engine(index).search_many(["q"], min_score=True),
    *(lambda _, n=n: lr.UnionPolicy(**{n: True}) for n in ("alpha", "keep", "limit")),
    lambda _: lr.ContradictionSettings(alpha=True),
    lambda index: lr.ContradictionSearch(index, min_probability=True),
    lambda index: lr.CorpusCleaner(index, threshold=True),
    lambda _: lr.ConstraintParser(threshold=True),
    *(
        lambda _, n=n: lr.PassageIndex.open("p", location="http://127.0.0.1:9", **{n: True})
        for n in ("timeout", "retries", "grpc_port", "consistency")
    ),
    *(
        lambda _, o=o: lr.PassageIndex.open("q", collection_options=o)
        for o in ({"shard_number": True}, {"hnsw_config": {"m": True}})
    ),
    lambda index: index.add([], batch_size=True),
    lambda index: list(index.scroll(page_size=True)),
    lambda _: lr.OnnxEncoder(threads=True),
    lambda _: OnnxPairJudge(threads=True),
    lambda index: LangChainRetriever(index=index, min_score=True),
    *(
        lambda _, n=n: LangChainFilter(**{n: True})
        for n in ("threshold", "judge_above", "drop_above", "top_n")
    ),
    lambda index: LangChainCleaner(index=index, threshold=True),
    lambda _: LlamaFilter(threshold=True),
    lambda _: SearchRequest(query="q", k=True),
    lambda _: ContradictionRequest(text="q", min_probability=True),
]


@pytest.mark.parametrize("call", NUMBERS)
def test_a_truth_value_is_no_number(index, call):
    """`min_score=True` counted as 1.0, so that nothing was found."""
    with pytest.raises(REFUSED):
        call(index)


# tests/hostile_input gives the core's own constructors arbitrary arguments
OBJECTS: list[Call] = [
    lr.Engine,
    lr.CorpusCleaner,
    lr.ContradictionSearch,
    lambda wrong: lr.ContradictionFilter(index=wrong),
    lambda wrong: lr.Reranker(index=wrong),
    lambda wrong: Quarantine(wrong, Ledger()),
    lambda wrong: LangChainRetriever(index=wrong),
    lambda wrong: LlamaRetriever(index=wrong),
    lambda wrong: HaystackRetriever(wrong),
    lambda wrong: LlamaFilter(index=wrong),
    lambda wrong: LlamaFilter(encoder=wrong),
    lambda wrong: LlamaCleaner(index=wrong),
    lambda wrong: CompatibilityReranker(encoder=wrong),
    lambda wrong: LogicEmbeddings(encoder=wrong),
]


@pytest.mark.parametrize("wrong", ["folder", 5, ["a"]])
@pytest.mark.parametrize("make", OBJECTS)
def test_a_path_is_no_index_and_no_encoder(make, wrong, tmp_path, monkeypatch):
    """It raised an AttributeError, some only at the first search."""
    monkeypatch.chdir(tmp_path)
    with pytest.raises(REFUSED):
        make(wrong)
    assert not list(tmp_path.iterdir())


def test_a_quarantine_by_its_ledgers_path(index, tmp_path):
    """It takes the ledger's path, as the cleaner does."""
    path = tmp_path / "ledger.sqlite"
    assert Quarantine(index, path).passages() == Quarantine(index, str(path)).passages() == []
    assert Quarantine(index, path).restore(["a"]).restored == ()
    with sqlite3.connect(path) as ledger:
        assert ledger.execute("pragma quick_check").fetchone() == ("ok",)
