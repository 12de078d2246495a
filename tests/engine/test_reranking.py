"""Passages from a different search, ordered as the engine orders them; input and errors."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from suites import HashedEncoder, WatchedEncoder

from logic_retrievers import (
    AutoPolicy,
    ContradictionFilter,
    Engine,
    ParsedQuery,
    Passage,
    PassageIndex,
    Reranker,
    TopicalPolicy,
)
from logic_retrievers.encoders import default_encoder
from logic_retrievers.errors import (
    ConfigurationError,
    EmptyTextError,
    InputError,
    UnknownPolicyError,
)

# --- against the engine

STAYS = [
    Passage("inn", "A hotel by the harbour with quiet rooms.", {"city": "Bergen"}),
    Passage("club", "Hotel rooms above the nightclub, music until four.", {"city": "Oslo"}),
    Passage("night", "The nightclub by the harbour opens at ten.", {"city": ["Oslo", "Rome"]}),
    Passage("farm", "A farm stay in the hills, far from any nightclub.", {"city": "Voss"}),
    Passage("copper", "Copper prices rose again this week."),
    Passage("rust", "Gold and platinum do not rust.", embed_text="Metals. They do not rust."),
]
QUERIES = [
    "hotel by the harbour",
    "hotels without a nightclub",
    "which metals do not rust",
    "places with music, except in oslo",
    ParsedQuery.excluding("a place by the harbour", ["nightclub"]),
]


@pytest.fixture(scope="module")
def stays():
    with PassageIndex.open("stays", default_encoder(), lexical=False) as index:
        index.add(STAYS)
        yield index


def same_hits(hits, expected):
    assert [hit.passage for hit in hits] == [hit.passage for hit in expected]
    assert [h.score for h in hits] == pytest.approx([h.score for h in expected], abs=3e-6)
    for left, right in zip(hits, expected, strict=True):
        assert (left.rank, left.evidence.policy) == (right.rank, right.evidence.policy)
        assert (left.evidence.ranks, left.evidence.passed_filter) == (
            right.evidence.ranks,
            right.evidence.passed_filter,
        )
        assert left.evidence.scores == pytest.approx(right.evidence.scores, abs=3e-6)


GERMAN_STAYS = [
    Passage("inn", "Ruhiges Hotel am Hafen mit Garten."),
    Passage("club", "Der Nachtclub am Hafen hat bis vier Uhr offen."),
    Passage("station", "Hotel am Bahnhof."),
    Passage("cellar", "Hotel mit Nachtclub im Keller."),
    Passage("farm", "Zimmer auf dem Bauernhof."),
]


@pytest.mark.parametrize(
    ("query", "passages"),
    [
        ("hotels without a nightclub", STAYS),
        ("Hotels am Hafen, aber ohne Nachtclub", GERMAN_STAYS),
    ],
)
@pytest.mark.parametrize("judge", ["auto", None])
def test_by_default_what_a_query_excludes_is_moved_down(query, passages, judge):
    """A reranker that ignores exclusions undoes the search before it."""
    plain, hits = (
        {hit.passage.id: hit for hit in reranker.rerank(query, passages)}
        for reranker in (Reranker(policy="topical"), Reranker(judge=judge))
    )
    assert hits["inn"].rank < hits["club"].rank
    assert hits["club"].rank > plain["club"].rank
    assert hits["club"].evidence.reason.startswith("moved down: near to ")


def test_what_a_field_rules_out_is_left_out(stays):
    """A filter cannot be outranked: a passage of the excluded city must be absent, not last."""
    policy = AutoPolicy(fields={"city": ["Oslo", "Bergen"]})
    hits = Reranker(None, policy).rerank(QUERIES[3], STAYS)
    assert {hit.passage.id for hit in hits} == {"inn", "farm", "copper", "rust"}
    assert hits[0].evidence.details["must_not"] == {"city": ["Oslo"]}
    same_hits(hits, Engine(stays, policy).search(QUERIES[3], 10))
    assert Reranker(None, policy).rerank(QUERIES[3], STAYS[1:3]) == []


@pytest.mark.parametrize("policy", ["auto", "sequential", "coder-union"])
@pytest.mark.parametrize("with_index", [False, True])
async def test_a_whole_collection_is_ordered_as_a_search_orders_it(stays, policy, with_index):
    """A reranker must not contradict the search before it."""
    reranker = Reranker(None, policy, index=stays if with_index else None)
    for query in QUERIES:
        expected = Engine(stays, policy).search(query, 10)
        same_hits(reranker.rerank(query, STAYS[::-1]), expected)
        hits = reranker.rerank(query, iter(STAYS), 2)
        same_hits(hits, expected[:2])
        assert await reranker.arerank(query, STAYS, 2) == hits


# --- input and errors


@pytest.fixture
def encoder():
    return WatchedEncoder(HashedEncoder(query_prefix="query "))


@pytest.fixture
def passages():
    return [Passage(word, f"a {word} hotel number {n}") for n, word in enumerate("abcdef")]


@pytest.mark.parametrize("with_index", [False, True])
async def test_of_one_id_copies_count_once_and_others_stay(encoder, passages, with_index):
    """Parts of a document may share its id: none of them may vanish."""
    other = replace(passages[1], embed_text="a title. a hotel")
    found = [*passages, other, passages[1], replace(passages[0])]
    with PassageIndex.open("some", encoder, lexical=False) as index:
        index.add(passages)
        reranker = Reranker(encoder, "topical", index=index if with_index else None)
        hits = reranker.rerank("hotel", found)
        assert await reranker.arerank("hotel", found) == hits
    assert [hit.rank for hit in hits] == list(range(1, 8))
    twins = [hit for hit in hits if hit.passage.id == other.id]
    assert {id(hit.passage) for hit in twins} == {id(passages[1]), id(other)}
    for hit in twins:  # each by its own vectors
        [alone] = Reranker(encoder, "topical").rerank("hotel", [hit.passage])
        assert hit.score == pytest.approx(alone.score, abs=2e-6)


def test_what_has_no_text_follows_behind(encoder, passages):
    """An image node must neither fail the list nor vanish from it."""
    blank = [Passage("blank", " \n"), Passage("none", "", embed_text=""), Passage("e", "x", {}, *N)]
    blank += [Passage(text, text) for text in UNSEEN]
    hits = Reranker(encoder).rerank("hotel", [blank[0], *passages[:2], *blank[1:]])
    assert [hit.passage.id for hit in hits[2:]] == ["blank", "none", "e", *UNSEEN]
    assert [hit.rank for hit in hits] == [*range(1, 10)]
    assert [hit.evidence.passed_filter for hit in hits[2:]] == [False] * 7
    assert {hit.score for hit in hits[2:]} == {hits[1].score}
    assert hits[:2] == Reranker(encoder).rerank("hotel", passages[:2])
    assert json.loads(json.dumps(hits[-1].to_dict()))["evidence"]["scores"] == {}
    assert len(Reranker(encoder).rerank("hotel", [*blank, *passages], 3)) == 3
    alone = Reranker(encoder).rerank("hotel", blank, 2)
    assert [(hit.passage.id, hit.rank, hit.score) for hit in alone] == [
        ("blank", 1, 0.0),
        ("none", 2, 0.0),
    ]


N = (None, None, "  ")  # source, span, embed_text
UNSEEN = ("\ufe0f", "\u034f", "\u3164", "\u200d")


def test_ties_keep_the_order_in_which_the_passages_came(encoder):
    """The first retriever's order has value; ids have none."""
    given = [Passage(name, f"a hotel {n % 3}") for n, name in enumerate("zaybxc")]
    hits = Reranker(encoder, "topical").rerank("hotel", given)
    places = {hit.passage.id: hit.rank for hit in hits}
    assert places["z"] < places["b"]
    assert places["a"] < places["x"]
    assert places["y"] < places["c"]


def test_k(encoder, passages):
    """Ignoring k would fill the prompt with the last-ranked passages."""
    everything = Reranker(encoder).rerank("hotel", passages)
    assert len(everything) == 6
    for k in (1, 5, 6, 99):
        assert Reranker(encoder).rerank("hotel", passages, k) == everything[:k]
    for k in (0, 2.5, True):
        with pytest.raises(ConfigurationError, match="k must be"):
            Reranker(encoder).rerank("hotel", passages, k)


def test_queries_that_cannot_be(encoder, passages):
    """An empty query would be near to anything."""
    for query, error in ((" ", EmptyTextError), (3, InputError)):
        for given in (passages, []):
            with pytest.raises(error):
                Reranker(encoder).rerank(query, given)
    assert Reranker(encoder).rerank("hotel", []) == []
    with pytest.raises(UnknownPolicyError):
        Reranker(encoder, "onion")
    with pytest.raises(InputError, match="Passage"):  # newcomers pass this first
        Reranker(encoder).rerank("query", ["a text"])


def test_an_encoder_without_the_vector_is_refused(passages):
    """Without the compatibility vector the order would be topical under a false name."""
    topical = WatchedEncoder(HashedEncoder(["topical"]))
    with pytest.raises(ConfigurationError, match="compatibility"):
        Reranker(topical, "sequential").rerank("hotel", passages)
    with pytest.raises(ConfigurationError, match="search there, or rerank with another policy"):
        Reranker(topical, "lexical").rerank("hotel", passages)
    assert topical.queries == topical.documents == []
    assert len(Reranker(topical).rerank("hotel", passages)) == 6


def test_a_passage_that_the_tokenizer_drops_takes_no_other_with_it():
    """A lone bullet of a PDF's symbol font kept a whole list from being ordered or filtered."""
    given = [Passage(text, text) for text in ("\uf0b7", "a quiet inn", "a loud bar", "\ufffd")]
    hits = Reranker().rerank("an inn, but no bars", given)
    assert sorted(hit.passage.id for hit in hits) == sorted(passage.id for passage in given)
    assert hits[0].passage.id == "a quiet inn"
    assert len(ContradictionFilter().filter(given).hits) == 4


def test_a_policy_plans_for_all_passages():
    """A user's policy may size its plan by the number of passages."""
    planned = []

    class Recording(TopicalPolicy):
        def plan(self, query, k):
            planned.append(k)
            return super().plan(query, k)

    passages = [Passage(str(n), f"inn number {n}") for n in range(5)]
    encoder = HashedEncoder(("topical",), dimension=8)
    Reranker(encoder, policy=Recording(), judge=None).rerank("inn", passages, 2)
    assert planned == [5]


def test_vectors_of_another_encoder_are_not_taken(encoder, passages):
    """A cosine between two models' vectors means nothing."""
    newer = WatchedEncoder(HashedEncoder(versions={"compatibility": "2"}))
    expected = Reranker(newer, "union").rerank("a hotel", passages)
    newer.documents.clear()
    with PassageIndex.open("some", encoder) as index:
        index.add(passages)
        hits = Reranker(newer, "union", index=index).rerank("a hotel", passages)
        assert sorted(newer.documents) == sorted(passage.text for passage in passages)
        newer.documents.clear()
        Reranker(newer, "topical", index=index).rerank("a hotel", passages)
    assert newer.documents == []
    assert [hit.passage for hit in hits] == [hit.passage for hit in expected]
    assert [h.score for h in hits] == pytest.approx([h.score for h in expected], abs=2e-6)
