"""Methods with arguments of wrong types: refused, or the same as their asynchronous form gives."""

from __future__ import annotations

import asyncio
import inspect
import json
from collections.abc import Callable
from dataclasses import asdict, is_dataclass
from random import Random
from typing import Any

import logic_retrievers as lr
from logic_retrievers.cleaning import Ledger, Quarantine

from .arguments import ARGUMENTS, no_progress
from .harness import Target, accepted, expect
from .values import hostile, text
from .workplace import inns, open_index

INDEX = {
    "add": ("passages replace_sources:flag keep_sources:containers progress batch_size:count"),
    "get": "ids",
    "count": "filter",
    "delete": "ids filter source:text",
    "backfill": "names progress",
    "copy_to": "collection:name progress",
    "scroll": "filter page_size:count",
    "use_query_encoder": "source head",
}
SEARCH = "k policy filter min_score exclude hard:flag"
METHODS: dict[str, dict[str, str]] = {
    "index": INDEX,
    "engine": {"search": f"query {SEARCH}", "search_many": f"queries {SEARCH}"},
    "reranker": {"rerank": "query passages k exclude hard:flag"},
    "conflicts": {"filter": "passages k query"},
    "contradictions": {
        "search": "statement k filter",
        "search_like": "passage_id k filter",
    },
    "scorer": {"score": "pairs", "with_null_distribution": "texts:queries pairs:count seed:count"},
    "cleaner": {
        "clean": "passages dry_run:flag again:flag progress",
        "screen": "passages dry_run:flag",
    },
    "quarantine": {
        "restore": "ids",
        "purge": "ids",
        "stored": "passage:passage_id",
        "history": "passage:passage_id",
    },
    "splitter": {"split": "passages"},
    "parser": {"parse": "text:query"},
    "encoder": {"encode_queries": "texts:queries names"},
}
"""Object -> method -> its arguments, each with the kind of its values where it is another word."""
REQUIRED = {
    *("passages", "ids", "query", "queries", "statement", "passage_id", "pairs"),
    *("texts", "passage", "text", "source", "k"),
}


class Calls(Target):
    """Every public method, with one or two of its arguments hostile."""

    name = "calls"
    share = 25

    def __init__(self) -> None:
        self._open()

    def _open(self) -> None:
        index = self._index = open_index()
        encoder = index.encoder
        index.add(inns())
        cleaner = lr.CorpusCleaner(index, ledger=Ledger())
        self._objects: dict[str, Any] = {
            "index": index,
            "engine": lr.Engine(index, judge=None),
            "reranker": lr.Reranker(encoder, judge=None),
            "conflicts": lr.ContradictionFilter(encoder),
            "contradictions": lr.ContradictionSearch(index),
            "scorer": lr.ContradictionScorer(encoder),
            "cleaner": cleaner,
            "quarantine": Quarantine(index, cleaner.ledger),
            "splitter": lr.Splitter.for_encoder(encoder),
            "parser": lr.RuleParser(),
            "encoder": lr.RecentEncoder(encoder),
        }

    def generate(self, random: Random) -> tuple[str, str, dict[str, Any]]:
        """An object, a method and its arguments; those that it needs are there, right or wrong."""
        owner = random.choice((*METHODS, "index", "engine"))
        method = random.choice(sorted(METHODS[owner]))
        kinds = dict((*name.split(":"), name)[:2] for name in METHODS[owner][method].split())
        hostile_names = random.sample(sorted(kinds), min(len(kinds), random.choice((1, 1, 2))))
        arguments = {}
        for name, kind in kinds.items():
            if name in hostile_names:
                odd = random.random() < 0.35
                value = hostile(random) if odd else random.choice(ARGUMENTS[kind] or (None,))
                if kind == "progress" and callable(value):  # what a user's code does is his
                    value = no_progress
                arguments[name] = (
                    text(random) if kind == "query" and random.random() < 0.3 else value
                )
            elif name in REQUIRED:
                arguments[name] = ARGUMENTS[kind][0]
        return owner, method, arguments

    def run(self, value: tuple[str, str, dict[str, Any]]) -> None:
        """Calls it; a list of hits survives JSON, a search changes nothing."""
        owner, method, arguments = value
        target = self._objects[owner]
        try:
            result = _consumed(getattr(target, method)(**arguments))
            with accepted(f"{owner}.{method} gave a result"):
                if owner in ("engine", "reranker", "contradictions"):
                    _check_hits(result, arguments.get("k"))
                if owner in ("engine", "contradictions", "scorer") and hasattr(
                    target, f"a{method}"
                ):
                    later = asyncio.run(_await(getattr(target, f"a{method}"), arguments))
                    expect(_as_json(later) == _as_json(result), "the asynchronous form differs")
        finally:
            if self._index.count() != len(inns()):
                self._index.close()
                self._open()

    def close(self) -> None:
        """Closes the index."""
        self._index.close()


def _consumed(result: Any) -> Any:
    return list(result) if inspect.isgenerator(result) else result


async def _await(method: Callable[..., Any], arguments: dict[str, Any]) -> Any:
    return await method(**arguments)


def _check_hits(result: Any, k: Any) -> None:
    lists = result if result and isinstance(result[0], list) else [result]
    for hits in lists:
        expect(k is None or len(hits) <= k, "more than k hits")
        expect([hit.rank for hit in hits] == list(range(1, len(hits) + 1)), "ranks")
        json.dumps([hit.to_dict() for hit in hits], allow_nan=False)


def _as_json(result: Any) -> str:
    return repr(asdict(result) if is_dataclass(result) else result)
