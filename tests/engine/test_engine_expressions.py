"""Boolean expressions in the engine, with the shipped encoder, embedded and over the wire."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import pytest

from logic_retrievers import (
    Atom,
    Engine,
    Expression,
    OnnxEncoder,
    Passage,
    PassageIndex,
    UnionPolicy,
)
from logic_retrievers.errors import (
    ConfigurationError,
    ExpressionError,
    InputError,
    UnknownPolicyError,
)
from logic_retrievers.ranking.query_input import check_syntax, read_query

PASSAGES = [
    Passage("both", "Orchids of Malaysia and Thailand: a field guide."),
    Passage("malaysia", "The orchids of Malaysia grow in its rain forests."),
    Passage("thailand", "The orchids of Thailand flower in the dry season."),
    Passage("roses", "Roses of England, and how to prune them."),
    Passage("copper", "Copper prices rose again this week."),
    Passage("inn", "A hotel by the harbour with quiet rooms."),
]
MALAYSIA, THAILAND = Atom("orchids of Malaysia"), Atom("orchids of Thailand")


@pytest.fixture(scope="module")
def encoder() -> OnnxEncoder:
    return OnnxEncoder(threads=1)


@pytest.fixture(scope="module", params=[False, True], ids=["dense", "hybrid"])
def index(encoder: OnnxEncoder, request: pytest.FixtureRequest) -> Iterator[PassageIndex]:
    with PassageIndex.open("flowers", encoder, lexical=request.param) as index:
        index.add(PASSAGES)
        yield index


def ids(hits):
    return [hit.passage.id for hit in hits]


def test_and_or_not(index: PassageIndex):
    engine = Engine(index)
    assert ids(engine.search(MALAYSIA & THAILAND, 1)) == ["both"]
    assert set(ids(engine.search(MALAYSIA | THAILAND, 3))) == {"both", "malaysia", "thailand"}
    assert ids(engine.search(MALAYSIA & ~THAILAND, 1)) == ["malaysia"]
    assert ids(engine.search((THAILAND | MALAYSIA) & ~MALAYSIA, 1)) == ["thailand"]
    assert ids(engine.search(Atom("roses") | Atom("copper prices"), 2)) != ["both", "malaysia"]


def test_the_same_hits_by_every_road(index: PassageIndex):
    expressions = [MALAYSIA & THAILAND, MALAYSIA & ~THAILAND, THAILAND]
    engine = Engine(index)
    single = [engine.search(expression, 4) for expression in expressions]
    assert engine.search(Expression.parse(str(expressions[1])), 4) == single[1]
    assert engine.search(expressions[1], 4, policy="boolean") == single[1]
    mixed = ["quiet rooms", *expressions]
    assert engine.search_many(mixed, 4) == [engine.search("quiet rooms", 4), *single]
    assert asyncio.run(engine.asearch_many(mixed, 4))[1:] == single


def test_what_cannot_be_searched_for(index: PassageIndex):
    engine = Engine(index)
    with pytest.raises(ExpressionError, match="which are wanted"):
        engine.search(~MALAYSIA)
    with pytest.raises(InputError, match="Expression"):
        engine.search({"op": "atom", "text": "orchids"})


def test_what_cannot_be_read_is_refused():
    """A policy that cannot see the expression would search for it as a phrase."""
    for syntax in ("sql", None):
        with pytest.raises(ConfigurationError, match="query_syntax"):
            read_query("inns", syntax, "auto")
    for policy in ("topical", UnionPolicy()):
        check_syntax("words", policy)
        with pytest.raises(ConfigurationError, match="boolean"):
            read_query("inns", "expression", policy)
    with pytest.raises(UnknownPolicyError):
        check_syntax("expression", "onion")
    for syntax in ("words", "expression"):  # a tracer would write an object without its operators
        with pytest.raises(InputError, match="str"):
            read_query(Atom("inns"), syntax, "auto")
