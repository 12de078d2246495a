"""Exclusions named by the caller: ``exclude`` and ``hard``, under every policy."""

from __future__ import annotations

import numpy as np
import pytest
from suites.hashed_encoder import HashedEncoder

from logic_retrievers import (
    AutoPolicy,
    Engine,
    Expression,
    ParsedQuery,
    Passage,
    PassageIndex,
    Reranker,
    SequentialPolicy,
)
from logic_retrievers.errors import (
    ConfigurationError,
    EmptyTextError,
    InputError,
    ShortListWarning,
)
from logic_retrievers.policies import PolicyRouter, TopicalPolicy
from logic_retrievers.policies.registry import POLICIES

QUERY = "a cake recipe"
CLEAN = {
    "lemon": "A lemon cake recipe.",
    "carrot": "A cake recipe with carrots.",
    "bread": "A bread recipe.",
    "soup": "A soup of the day.",
    "donut": "A recipe of donuts, deep fried.",
}
WITH_NUTS = {
    "nut": "A cake recipe with a nut on top.",
    "nuts": "A cake recipe with nuts.",
    "upper": "A CAKE RECIPE WITH NUTS.",
    "mussel": "A recipe of mussels and other shellfish.",
}
EXCLUDED = ["nuts", "shellfish"]


@pytest.fixture(scope="module")
def index():
    with PassageIndex.open("cakes", HashedEncoder(dimension=96), lexical=True) as index:
        index.add([Passage(name, text) for name, text in {**CLEAN, **WITH_NUTS}.items()])
        yield index


@pytest.fixture
def engine(index):
    return Engine(index)


def ids(hits):
    return [hit.passage.id for hit in hits]


def left_out(hits):
    return [hit.evidence.details.get("left_out") for hit in hits]


def test_an_expression_gets_and_not(engine):
    expression = Expression.parse('"cake recipe" OR "bread recipe"')
    for query in (expression, ParsedQuery.stating(expression)):
        hits = engine.search(query, 3, exclude=EXCLUDED)
        assert hits[0].evidence.details["expression"] == (
            '("cake recipe" OR "bread recipe") AND NOT "nuts" AND NOT "shellfish"'
        )
    hits = engine.search(QUERY, 3, exclude=["nuts"], policy="boolean")
    assert hits[0].evidence.details["expression"] == '"a cake recipe" AND NOT "nuts"'


@pytest.mark.parametrize("policy", ["auto", "boolean", "hybrid", "lexical", "sequential"])
def test_hard_leaves_them_out_under_every_policy(engine, policy):
    """Not one passage with nuts may remain."""
    hits = engine.search(QUERY, 9, policy=policy, exclude=EXCLUDED, hard=True)
    assert set(ids(hits)) <= CLEAN.keys()
    assert set(ids(hits)) >= {"lemon", "carrot", "bread"}  # it finds shared words only
    assert set(left_out(hits)) <= {3, 4}
    top = engine.search(QUERY, 2, policy=policy, exclude=EXCLUDED, hard=True)
    assert ids(top) == ids(hits)[:2]
    assert [hit.rank for hit in top] == [1, 2]


@pytest.mark.parametrize("policy", ["auto", "boolean", "coder-union", "lexical"])
def test_where_nothing_is_left_out_hard_changes_nothing_else(engine, policy):
    """If no passage has the words, ``hard`` keeps scores and order."""
    router = issubclass(POLICIES[policy], PolicyRouter)
    soft = engine.search(QUERY, 4, policy=policy, exclude=["zebra"] if router else ())
    hard = engine.search(QUERY, 4, policy=policy, exclude=["zebra"], hard=True)
    assert [(hit.passage, hit.rank, hit.score) for hit in hard] == [
        (hit.passage, hit.rank, hit.score) for hit in soft
    ]
    assert left_out(hard) == [0] * len(hard)
    assert engine.search(QUERY, 4, policy=policy, hard=True) == engine.search(
        QUERY, 4, policy=policy
    )


def test_hard_counts_what_the_query_says(engine):
    """An exclusion in the query counts like one in the list; a fixed policy reads no words."""
    query = "a cake recipe without nuts"
    assert not set(ids(engine.search(query, 9, hard=True))) & {"nut", "nuts", "upper"}
    assert len(engine.search(query, 9, hard=True, policy="topical")) == 9
    expression = Expression.parse('"cake recipe" AND NOT (nut OR shellfish)')
    assert set(ids(engine.search(expression, 9, hard=True))) == CLEAN.keys()
    both = Expression.parse('"cake recipe" AND NOT (nut AND shellfish)')
    assert len(engine.search(both, 9, hard=True)) == 9


SURE = {"A nut-free cake.": (0.7, 0.2, 0.1), "A cake of walnuts.": (0.1, 0.2, 0.7)}


@pytest.mark.parametrize(
    ("hard", "stay"),
    [(True, {"plain", "free", "other"}), ("words", {"plain", "wal", "other"})],
)
async def test_a_sure_judge_overrules_the_words(hard, stay):
    """Words alone would drop "nut-free" and keep walnuts."""
    passages = [
        Passage("plain", "A cake."),
        Passage("free", "A nut-free cake."),
        Passage("wal", "A cake of walnuts."),
        Passage("unsure", "A cake, hardly any nut."),
        Passage("other", "A cake of the day."),
        Passage("titled", "A cake of ours.", {"title": "Nut cakes"}),
        Passage("embedded", "A cake of theirs.", embed_text="Nut cakes: A cake of theirs."),
    ]
    asked = []

    def judge(pairs):
        asked.extend(pairs)
        return [SURE.get(text, (0.69, 0.3, 0.01)) for text, _ in pairs]

    with PassageIndex.open("sure", HashedEncoder(dimension=96)) as index:
        index.add(passages)
        engine = Engine(index, judge=judge)
        hits = engine.search("a cake", 9, exclude=["nut"], hard=hard)
        assert set(ids(hits)) == stay
        assert {query for _, query in asked} == {"a cake, without nut"}
        named = {hit.passage.id: hit.evidence.details.get("named") for hit in hits}
        assert named == {name: ["nut"] if name == "free" else None for name in stay}
        assert left_out(hits) == [7 - len(stay)] * len(stay)
        reranked = Reranker(index=index, judge=judge)
        assert await reranker_ids(reranked, passages, hard) == ids(hits)
        # this policy hides the list from its judge, and without a judge words decide
        by_words = engine.search("a cake", 9, exclude=["nut"], hard="words", policy="judge")
        assert engine.search("a cake", 9, exclude=["nut"], hard=True, policy="judge") == by_words
        unread = Engine(index, judge=None).search("a cake", 9, exclude=["nut"], hard=True)
        assert set(ids(unread)) == {"plain", "wal", "other"}


def test_a_judge_that_was_not_asked_about_a_text_keeps_no_passage_that_names_it():
    """The filter handles the city, so the judge is not asked; the passage still names it."""
    passages = [Passage("far", "A nut-free cake in Oslo."), Passage("near", "A nut-free cake.")]
    auto = AutoPolicy(fields={"city": ["Oslo"]})
    with PassageIndex.open("asked", HashedEncoder(dimension=96)) as index:
        index.add(passages)
        engine = Engine(index, auto, judge=lambda pairs: [(0.9, 0.1, 0.0)] * len(pairs))
        assert ids(engine.search("a cake", 9, exclude=["nut", "Oslo"], hard=True)) == ["near"]
        assert set(ids(engine.search("a cake", 9, exclude=["nut"], hard=True))) == {"near", "far"}


async def reranker_ids(reranker, passages, hard):
    return ids(await reranker.arerank("a cake", passages, exclude=["nut"], hard=hard))


def test_invisible_characters_hide_no_word():
    """Web pages put soft hyphens into long words, and attackers insert anything."""
    text = "A quick pea\u00adnut\u200b lunch."
    with PassageIndex.open("hidden", HashedEncoder()) as index:
        index.add([Passage("a", text), Passage("b", "A quick lunch."), Passage("c", "Peanut oil.")])
        engine = Engine(index)
        hits = engine.search("quick lunch", 3, exclude=["pea\u200dnut"], hard=True)
        assert ids(hits) == ["b"]
        assert ids(engine.search("lunch with\u00adout peanuts", 3, hard=True)) == ["b"]
        (found, *_) = engine.search("peanut lunch", 3, policy="hybrid")
        assert found.passage.text == text  # as given
        assert engine.search("pea\u00adnut lunch", 3) == engine.search("peanut lunch", 3)
        with pytest.raises(EmptyTextError):
            engine.search("lunch", 3, exclude=["\u200b"], hard=True)


async def test_sync_async_and_many_give_the_same(engine):
    """No entry point may forget the list."""
    queries = [QUERY, "a soup", "bread without carrots"]
    for settings in (
        {"exclude": EXCLUDED},
        {"exclude": ["cake"], "hard": True, "policy": "union", "min_score": 0.1},
    ):
        single = [engine.search(query, 3, **settings) for query in queries]
        assert [await engine.asearch(query, 3, **settings) for query in queries] == single
        assert engine.search_many(queries, 3, **settings) == single
        assert await engine.asearch_many(queries, 3, **settings) == single


@pytest.fixture(scope="module")
def nutty():
    """150 passages with nuts, all nearer to the query than the three without."""
    with PassageIndex.open("nutty", HashedEncoder(dimension=128)) as index:
        index.add([Passage(f"nut {n}", "A cake recipe with nuts.") for n in range(150)])
        index.add([Passage(name, f"Something {name} else.") for name in ("x", "y", "z")])
        yield index


@pytest.mark.parametrize("policy", ["auto", "union", "boolean"])
async def test_k_is_filled_from_however_far(nutty, policy):
    """Filtering the first k would leave nothing although three passages remain."""
    engine = Engine(nutty, policy)
    hits = engine.search("a cake recipe", 2, exclude=["nut"], hard=True)
    assert len(hits) == 2
    assert set(ids(hits)) < {"x", "y", "z"}
    assert left_out(hits) == [150, 150]
    assert await engine.asearch("a cake recipe", 2, exclude=["nut"], hard=True) == hits
    more = engine.search("a cake recipe", 50, exclude=["nut"], hard=True)
    assert sorted(ids(more)) == ["x", "y", "z"]
    # a policy that cuts its list keeps it cut: rejected candidates are not substitutes
    cutting = SequentialPolicy(tau=0.5, backfill=False)
    assert engine.search("a cake recipe", 2, policy=cutting, exclude=["nut"], hard=True) == []


def test_a_search_that_looks_no_further_says_so():
    """An empty list would look as if nothing existed."""
    with PassageIndex.open("nuts", HashedEncoder(dimension=32)) as index:
        index.add([Passage(f"nut {n}", "A cake recipe with nuts.") for n in range(210)])
        with pytest.warns(ShortListWarning, match="200 candidates") as caught:
            assert Engine(index, "topical").search(QUERY, 2, exclude=["nuts"], hard=True) == []
    assert caught[0].filename == __file__


def test_min_score_and_filter_hold(nutty, engine):
    """A substitute for an excluded passage must meet both as well."""
    best = engine.search(QUERY, 4, exclude=EXCLUDED, hard=True)
    bar = best[1].score
    cut = engine.search(QUERY, 4, exclude=EXCLUDED, hard=True, min_score=bar)
    assert ids(cut) == ids(best)[:2]
    nutty.add([Passage("w", "Something else.", {"city": "Oslo"})])
    filtered = Engine(nutty).search(QUERY, 2, exclude=["nut"], hard=True, filter={"city": "Oslo"})
    assert ids(filtered) == ["w"]
    assert left_out(filtered) == [0]
    nutty.delete(["w"])


def test_an_array_of_texts_is_a_list(index):
    """NumPy's comparison with an empty tuple raised its own ValueError."""
    engine = Engine(index)
    assert engine.search(QUERY, 9, exclude=np.array([])) == engine.search(QUERY, 9)
    hits = engine.search(QUERY, 9, exclude=np.array(EXCLUDED))
    assert hits == engine.search(QUERY, 9, exclude=EXCLUDED)


@pytest.mark.parametrize(
    ("settings", "error", "words"),
    [
        ({"exclude": "nuts"}, InputError, "list"),
        ({"exclude": ["nuts", 3]}, InputError, "string"),
        ({"exclude": ["nuts", " "]}, EmptyTextError, "empty"),
        ({"exclude": [f"text {n}" for n in range(32)]}, InputError, "31"),
        ({"exclude": ["nuts"], "policy": "topical"}, ConfigurationError, "hard=True"),
        ({"hard": "yes"}, ConfigurationError, "words"),
    ],
)
def test_what_cannot_be_excluded_is_refused(index, settings, error, words):
    """A string read as a list excludes every letter; a policy may read no exclusions at all."""
    with pytest.raises(error, match=words):
        Engine(index).search(QUERY, **settings)
    settings = dict(settings)
    reranker = Reranker(policy=settings.pop("policy", "auto"), index=index)
    with pytest.raises(error, match=words):
        reranker.rerank(QUERY, [Passage("a", "A cake.")], **settings)


def test_a_router_of_ones_own_reads_the_list(index):
    """A user's router has only `route`, so its input must be parsed already."""

    class Mine(PolicyRouter):
        name = "mine"
        seen = None

        def route(self, query, trained=(), constants=None):
            Mine.seen = query
            return TopicalPolicy()

    Engine(index, Mine()).search("a cake without carrots", exclude=["nuts"])
    assert Mine.seen.excluded == ("carrots", "nuts")
    Engine(index, Mine()).search("a cake without carrots")
    assert Mine.seen == "a cake without carrots"


@pytest.mark.parametrize("policy", ["auto", "topical"])
@pytest.mark.parametrize("k", [2, None])
async def test_a_reranker_leaves_out_as_a_search_does(index, policy, k):
    """Every part of an application must honour the list."""
    passages = list(index.scroll())
    reranker = Reranker(policy=policy, index=index)
    hits = reranker.rerank(QUERY, passages, k, exclude=EXCLUDED, hard=True)
    searched = Engine(index, policy).search(QUERY, k or 9, exclude=EXCLUDED, hard=True)
    assert [(hit.passage.id, hit.evidence.details["left_out"]) for hit in hits] == [
        (hit.passage.id, hit.evidence.details["left_out"]) for hit in searched
    ]
    assert await reranker.arerank(QUERY, passages, k, exclude=EXCLUDED, hard=True) == hits


def test_a_reranker_reads_what_it_cannot_judge(index):
    """A passage with an empty embedded text still has words."""
    odd = [Passage("a", "A nut.", embed_text=" "), Passage("b", ""), Passage("c", "A cake.")]
    hits = Reranker(index=index).rerank(QUERY, odd, exclude=["nuts"], hard=True)
    assert ids(hits) == ["c", "b"]
    assert left_out(hits) == [1, 1]
    soft = Reranker(index=index, policy="auto").rerank(QUERY, odd, exclude=["nuts"])
    assert soft[0].evidence.policy == "constraint"
