"""Hostile arguments for every public constructor and call."""

from __future__ import annotations

import inspect
from contextlib import closing
from typing import Any

import pytest
from hostile import (
    ODD_NUMBERS,
    VECTORS,
    examples,
    few_examples,
    hostile,
    inns,
    refused_or_right,
)
from hypothesis import assume, given
from hypothesis import strategies as st
from suites.hashed_encoder import HashedEncoder

import logic_retrievers as lr
from logic_retrievers.conflicts import CorpusCleaner, Ledger
from logic_retrievers.conflicts.cleaning.settings import CleaningSettings
from logic_retrievers.judging import JudgeSettings
from logic_retrievers.policies.base import HybridPolicy

QUERY = "quiet inns by the river without a pool"
ENCODER = HashedEncoder(VECTORS, dimension=32)

# nearly valid arguments
plausible = st.sampled_from(
    (
        *(None, True, False, "", "a", "auto", "topical", "german", ["a"], ("a", "b"), "ab", {}),
        *(2**31 - 1, 2.0, "3", {"city": "Oslo"}, lr.ContradictionSettings(threshold=0.5)),
        *(lr.ConstraintSettings(), VECTORS, ["topical", "topical"], {"topical": "x"}, inns(2)),
        *("annotate", "prefer_newest", ["annotate", []], "x" * 300, "\ud800", "a\0b", ODD_NUMBERS),
    )
)
values = plausible | hostile

# a constructor's arguments, and the use of its object
CONSTRUCTORS: dict[Any, tuple[dict[str, Any], Any]] = {
    lr.AutoPolicy: ({}, None),
    lr.BooleanPolicy: ({}, None),
    lr.SequentialPolicy: ({}, None),
    lr.UnionPolicy: ({}, None),
    lr.CoderUnionPolicy: ({}, None),
    HybridPolicy: ({}, None),
    lr.ConstraintSettings: ({}, None),
    lr.BooleanSettings: ({}, None),
    JudgeSettings: ({}, None),
    lr.ContradictionSettings: ({}, None),
    lr.ContradictionScorer: ({"encoder": ENCODER}, lambda made: made.score([("a", "b c")])),
    lr.ContradictionFilter: ({"encoder": ENCODER}, lambda made: made.filter(inns(6), 3)),
    CorpusCleaner: ({"encoder": ENCODER}, lambda made: made.clean(inns(6))),
    Ledger: ({}, lambda made: made.entries("c")),
    lr.Reranker: ({"encoder": ENCODER}, lambda made: made.rerank(QUERY, inns(4), 2)),
    lr.Splitter: (
        {"token_spans": ENCODER.token_spans, "max_tokens": 5},
        lambda made: list(made.split(inns(2))),
    ),
    lr.Decomposer: ({"ask": lambda prompt: '"inns" AND NOT "pool"'}, None),
    lr.FunctionEncoder: (
        {"documents": lambda texts: [[1.0, 2.0]] * len(texts), "identity": "x"},
        lambda made: made.encode_queries(["a"]),
    ),
    lr.RecentEncoder: ({"encoder": ENCODER}, lambda made: made.encode_queries(["a"])),
    lr.CachedEncoder: (
        {"encoder": ENCODER, "path": "cache.sqlite"},
        lambda made: made.encode_queries(["a"]),
    ),
    lr.CombinedEncoder: ({"parts": [ENCODER]}, lambda made: made.encode_queries(["a"])),
    lr.ParsedQuery: ({"text": QUERY}, None),
}
# an error in a user's own code is not the package's error
USERS_CODE = ("documents", "queries", "ask", "token_spans", "resolution", "trusted_filter")


@pytest.mark.parametrize("made", CONSTRUCTORS, ids=lambda made: made.__name__)
@given(data=st.data())
@few_examples
def test_a_constructor_takes_or_refuses_any_argument(made: Any, data: Any):
    needed, use = CONSTRUCTORS[made]
    names = [name for name in inspect.signature(made).parameters if name != "options"]
    if made is CorpusCleaner:
        names += inspect.signature(CleaningSettings).parameters
    name, value = data.draw(st.sampled_from(names)), data.draw(values)
    assume(not (name in USERS_CODE and callable(value)))
    with refused_or_right():
        object_ = made(**{**needed, name: value})
        repr(object_)
        if use is not None:
            use(object_)


SETTINGS = [
    name for name in inspect.signature(lr.PassageIndex.open).parameters
    if name not in ("retries", "timeout")
]  # fmt: skip


@given(st.sampled_from(SETTINGS), values)
@examples
def test_opening_takes_or_refuses_any_argument(name: str, value: Any):
    arguments = {"collection": "hostile", "encoder": ENCODER, "vectors": VECTORS, name: value}
    with refused_or_right(), closing(lr.PassageIndex.open(**arguments)) as index:
        index.add(inns(3))
        assert {passage.id for passage in index.get(["inn-0", "inn-2"])} == {"inn-0", "inn-2"}
        repr(index)


CALLS = (
    *("index.get", "index.delete", "index.count", "index.scroll", "index.backfill", "index.add"),
    *("engine.search", "engine.search_many", "filter.filter", "reranker.rerank"),
)
NEEDED: dict[str, Any] = {
    **{"query": QUERY, "queries": [QUERY], "k": 3, "passages": inns(3), "ids": ["inn-0"]},
    **{"names": ["topical"]},
}


@pytest.mark.parametrize("call", CALLS)
@given(data=st.data())
@few_examples
def test_a_call_takes_or_refuses_any_argument(inn_index: lr.PassageIndex, call: str, data: Any):
    parts = {
        "index": inn_index,
        "engine": lr.Engine(inn_index, judge=None),
        "filter": lr.ContradictionFilter(ENCODER),
        "reranker": lr.Reranker(ENCODER, judge=None),
    }
    part, _, method = call.partition(".")
    function = getattr(parts[part], method)
    parameters = inspect.signature(function).parameters
    names = {*parameters} - {"options"}
    if "options" in parameters:
        names |= lr.SearchOptions.__annotations__.keys()
    name, value = data.draw(st.sampled_from(sorted(names))), data.draw(values)
    assume(name not in ("progress", "cleaner"))
    needed = {
        given: NEEDED[given]
        for given, parameter in parameters.items()
        if parameter.default is parameter.empty and given in NEEDED
    }
    with refused_or_right():
        result = function(**{**needed, name: value})
        if method == "scroll":
            list(result)
