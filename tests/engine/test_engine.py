"""The engine's input, evidence, and its calls to encoder and index."""

from __future__ import annotations

import asyncio
import json
import threading
from dataclasses import replace

import numpy as np
import pytest

from logic_retrievers import (
    Atom,
    AutoPolicy,
    CoderUnionPolicy,
    Engine,
    Hit,
    ParsedQuery,
    Passage,
    PassageIndex,
    Policy,
    Reranker,
    UnionPolicy,
)
from logic_retrievers.encoders import VectorSpec
from logic_retrievers.errors import (
    ConfigurationError,
    EmptyTextError,
    InputError,
    MissingVectorError,
    ShortListWarning,
    UnknownPolicyError,
    UntrainedVectorWarning,
)
from logic_retrievers.policies import Ranked
from logic_retrievers.types import VectorQuery


class TableEncoder:
    """Looks its vectors up, so tests know every score beforehand."""

    def __init__(self) -> None:
        self.calls = []
        names = ("topical", "compatibility")
        self.specs = {name: VectorSpec(name, 2, 512, f"table-{name}") for name in names}

    def encode_queries(self, texts, names=None):
        wanted = tuple(names or self.specs)
        self.calls.append((tuple(texts), wanted))
        return {name: np.stack([TABLE[text][name] for text in texts]) for name in wanted}

    encode_documents = encode_queries

    def token_spans(self, text):
        return [(i, i + 1) for i in range(len(text))]


TEXTS = ("near", "middle", "far")


def unit(angle: float) -> np.ndarray:
    return np.array([np.cos(angle), np.sin(angle)], dtype=np.float32)


TABLE = {
    "query": {"topical": unit(0.0), "compatibility": unit(0.0)},
    "near": {"topical": unit(0.1), "compatibility": unit(1.2)},
    "middle": {"topical": unit(0.5), "compatibility": unit(0.2)},
    "far": {"topical": unit(1.0), "compatibility": unit(0.6)},
}


@pytest.fixture
def encoder():
    return TableEncoder()


@pytest.fixture
def index(encoder):
    with PassageIndex.open("few", encoder) as index:
        index.add([Passage(text, text, {"length": len(text)}) for text in TEXTS])
        encoder.calls.clear()
        yield index


def ids(hits: list[Hit]) -> list[str]:
    return [hit.passage.id for hit in hits]


def test_policies_order_as_they_should(index):
    assert ids(Engine(index).search("query")) == ["near", "middle", "far"]
    assert ids(Engine(index, "compatibility").search("query")) == ["middle", "far", "near"]
    assert ids(Engine(index, "union").search("query")) == ["middle", "far", "near"]
    assert ids(Engine(index, UnionPolicy(alpha=0.95)).search("query")) == ["near", "middle", "far"]
    assert ids(Engine(index, CoderUnionPolicy(backfill=False)).search("query")) == ["middle"]


def test_evidence_survives_json_and_tells_scores_ranks_and_reason(index):
    hit = Engine(index, "coder-union").search("query", 1)[0]
    record = json.loads(json.dumps(hit.to_dict()))
    assert record["evidence"]["scores"] == pytest.approx(
        {"topical": np.cos(0.5), "compatibility": np.cos(0.2)}, abs=1e-5
    )
    assert record["evidence"]["ranks"] == {"topical": 2, "compatibility": 1}
    assert record["evidence"]["passed_filter"] is True
    assert "compatibility rank 1 of 3: within the first 1" in record["evidence"]["reason"]
    assert (record["rank"], record["id"], record["metadata"]) == (1, "middle", {"length": 6})


def test_one_call_of_the_encoder_serves_all_leaves(index, encoder):
    """Encoding takes most of a search; one call per leaf would double it."""
    Engine(index, "union").search_many(["query", "near", "query"], 2)
    assert [(sorted(texts), names) for texts, names in encoder.calls] == [
        (["near", "query"], ("compatibility", "topical"))
    ]
    encoder.calls.clear()
    Engine(index).search("query")
    assert encoder.calls == [(("query",), ("topical",))]


def test_min_score_and_filter(index):
    engine = Engine(index, "topical")
    assert ids(engine.search("query", min_score=0.8)) == ["near", "middle"]
    assert ids(engine.search("query", filter={"length": {"gte": 4}})) == ["near", "middle"]
    assert engine.search("query", filter={"length": 99}) == []
    assert engine.search_many([]) == []
    for query in ("query", ParsedQuery("query"), Atom("query")):
        with pytest.raises(InputError, match="list of queries"):
            engine.search_many(query)


def test_an_untrained_head_is_warned_about_where_the_user_stands(index, encoder):
    """The warning must name the user's line, not ours."""
    encoder.specs["compatibility"] = replace(encoder.specs["compatibility"], trained=False)
    with pytest.warns(UntrainedVectorWarning, match="has not been trained") as caught:
        Engine(index, "union").search("query")
    assert caught[0].filename == __file__


@pytest.mark.parametrize(
    ("arguments", "settings", "error", "word"),
    [
        (["  \n\t"], {}, EmptyTextError, "empty"),
        (["query", 0], {}, ConfigurationError, "k must be"),
        ([3], {}, InputError, "int"),
        (["a" * 100_001], {}, InputError, "characters"),
        (["query"], {"policy": "onion"}, UnknownPolicyError, "onion"),
        # no score is below NaN, so every hit would vanish silently
        (["query"], {"min_score": float("nan")}, ConfigurationError, "min_score"),
    ],
)
def test_input_that_cannot_work(index, arguments, settings, error, word):
    with pytest.raises(error, match=word):
        Engine(index).search(*arguments, **settings)


def test_a_policy_without_its_vector_is_refused_before_anything_is_encoded(encoder):
    with PassageIndex.open("one", encoder, vectors=["topical"]) as index:
        index.add([Passage("near", "near")])
        encoder.calls.clear()
        with pytest.raises(MissingVectorError, match="backfill"):
            Engine(index, "union").search("query")
        assert encoder.calls == []
        assert ids(Engine(index).search("query")) == ["near"]


def test_a_policy_of_ones_own_may_rank_by_words(encoder):
    """The sparse vector needs no encoder, so the encoder must not be asked for it."""

    class ByWords(Policy):
        name = "words"

        def plan(self, query, k):
            return (VectorQuery("words", "lexical", query, k),)

        def rank(self, pool, k):
            order = np.argsort(-pool.scores["words"])[:k]
            return [Ranked(int(i), float(pool.scores["words"][i])) for i in order]

    with PassageIndex.open("words", encoder, lexical=True) as index:
        index.add([Passage(text, text) for text in TEXTS])
        assert ids(Engine(index, ByWords()).search("far", 1)) == ["far"]


async def test_a_slow_parser_leaves_the_loop_free(index):
    """A parser may call a model, and waiting for it must not block the server."""
    begun, freed = threading.Event(), threading.Event()

    class Slow:
        def parse(self, text):
            begun.set()
            assert freed.wait(5), "the loop stood still"
            return ParsedQuery(text)

    async def tick():
        while not begun.is_set():
            await asyncio.sleep(0.001)
        freed.set()

    engine = Engine(index, AutoPolicy(parser=Slow()))
    reranker = Reranker(policy=engine.policy, index=index)
    for search in (
        lambda: engine.asearch("query"),
        lambda: engine.asearch("query", hard=True),
        lambda: engine.asearch_many(["query"]),
        lambda: reranker.arerank("query", list(index.scroll())),
    ):
        begun.clear()
        freed.clear()
        await asyncio.gather(search(), tick())


def test_what_is_deleted_during_a_search_is_replaced(index, monkeypatch):
    """The list must have no gap if the collection has a further passage."""
    fetch, calls = index.fetch_passages, []

    def fetch_after_deletion(point_ids):
        if not calls:
            index.delete(["near"])
        calls.append(point_ids)
        return fetch(point_ids)

    monkeypatch.setattr(index, "fetch_passages", fetch_after_deletion)
    hits = Engine(index, "topical").search("query", k=2)
    assert [(hit.rank, hit.passage.id) for hit in hits] == [(1, "middle"), (2, "far")]
    assert len(calls) == 2


def test_a_passage_that_is_hidden_during_a_search_is_no_hit(index, monkeypatch):
    """A search must not show a passage that the cleaner has just hidden."""
    find = index.find_candidates

    def find_then_hide(*arguments):
        pools = yield from find(*arguments)
        yield from index.hide(["near"])
        return pools

    monkeypatch.setattr(index, "find_candidates", find_then_hide)
    assert ids(Engine(index, "topical").search("query", k=2)) == ["middle", "far"]


def test_a_list_that_stays_short_says_so(index, monkeypatch):
    """A caller who counts on k hits must learn that others kept deleting them."""
    fetch, calls = index.fetch_passages, []

    def fetch_less(point_ids):
        calls.append(point_ids)
        passages = yield from fetch(point_ids)
        return dict(list(passages.items())[1:])

    monkeypatch.setattr(index, "fetch_passages", fetch_less)
    with pytest.warns(ShortListWarning, match="1 candidates were deleted or hidden"):
        hits = Engine(index, "topical").search("query", k=2)
    assert len(hits) == 1
    assert len(calls) == 4
