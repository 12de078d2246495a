"""Lexical search and plain hybrid search."""

from __future__ import annotations

import numpy as np
import pytest

from logic_retrievers import AutoPolicy, Engine, OnnxEncoder, Passage, PassageIndex, Reranker
from logic_retrievers.errors import MissingVectorError
from logic_retrievers.policies import HybridPolicy, LexicalPolicy
from logic_retrievers.types import CandidatePool

PASSAGES = [
    Passage("zorbat", "Mrs Zorbat likes zithers."),
    Passage("dogs", "A story about dogs and their owners."),
    Passage("puppies", "Young hounds at play in a meadow."),
]


def test_scores_are_fused_and_a_missing_one_adds_nothing():
    pool = CandidatePool(
        ("a", "b", "c", "d"),
        {
            "topical": np.array([0.8, 0.4, 0.6, -0.4]),
            "lexical": np.array([np.nan, 8.0, 2.0, 4.0]),
        },
    )
    ranked = HybridPolicy().rank(pool, 4)
    assert [r.index for r in ranked] == [1, 0, 2, 3]
    assert [r.score for r in ranked] == pytest.approx([0.6, 0.4, 0.4, 0.2], abs=1e-12)
    assert ranked[1].reason == "topical cosine 0.800, 0 % of the best lexical score"
    assert {leaf.limit for leaf in HybridPolicy(limit=5).plan("q", 9)} == {9}
    for scores in ([], [0.3, np.nan, -0.5]):  # no shared word
        columns = {"topical": np.array(scores), "lexical": np.full(len(scores), np.nan)}
        ranked = HybridPolicy().rank(CandidatePool(("a", "b", "c")[: len(scores)], columns), 3)
        assert [r.score for r in ranked] == [0.3, 0.0, -0.5][: len(scores)]


def test_words_find_what_shares_one_and_both_find_all():
    with PassageIndex.open("words", OnnxEncoder(threads=1), lexical=True) as index:
        index.add(PASSAGES)
        words = Engine(index, "lexical").search("Who is Zorbat?", 3)
        assert [hit.passage.id for hit in words] == ["zorbat"]
        assert words[0].evidence.reason.startswith("lexical score ")
        both = Engine(index, "hybrid").search("stories of dogs", 3)
        assert both[0].passage.id == "dogs"
        assert len(both) == len(PASSAGES)
    assert LexicalPolicy().plan("q", 4)[0].limit == 4


PLAIN = ["Who is Zorbat?", "stories of dogs", "zithers in a meadow", "hounds"]
CONSTRAINED = [
    "animals but not hounds",
    "stories of dogs or stories of zithers",
    "dogs and zithers, but no meadow",
]
WITH_WORDS = AutoPolicy(base="hybrid")


def hit_lists(index, policy, queries=PLAIN):
    lists = Engine(index, policy).search_many(queries, 3)
    return [[hit.to_dict() for hit in hits] for hits in lists]


def test_a_query_without_a_constraint_gets_exactly_what_its_base_gives():
    """Same ids, order, scores and evidence."""
    with PassageIndex.open("base", OnnxEncoder(threads=1), lexical=True) as index:
        index.add(PASSAGES)
        topical, hybrid = hit_lists(index, "topical"), hit_lists(index, "hybrid")
        assert topical != hybrid
        assert hit_lists(index, AutoPolicy(base="topical")) == topical
        assert hit_lists(index, "auto") == hit_lists(index, WITH_WORDS) == hybrid
        constrained = hit_lists(index, "auto", CONSTRAINED)
        assert hit_lists(index, WITH_WORDS, CONSTRAINED) == constrained
        assert {hits[0]["evidence"]["policy"] for hits in constrained} == {"constraint", "boolean"}


@pytest.mark.parametrize("query", ["stories of dogs", "animals but not hounds"])
def test_a_base_with_words_needs_words(query):
    """The check must not wait for the first plain query, weeks later."""
    with PassageIndex.open("dense", OnnxEncoder(threads=1), lexical=False) as index:
        index.add(PASSAGES)
        with pytest.raises(MissingVectorError, match=r"backfill\(\['lexical'\]\)"):
            Engine(index, WITH_WORDS).search(query)
        with pytest.raises(MissingVectorError, match=r"backfill\(\['lexical'\]\)"):
            Engine(index, "hybrid").search(query)
        with pytest.raises(MissingVectorError, match="as a reranker must"):
            Reranker(index=index, policy=WITH_WORDS).rerank(query, PASSAGES)
        report = index.backfill(["lexical"])
        with PassageIndex.open(
            report.collection, OnnxEncoder(threads=1), client=index.client
        ) as filled:
            assert Engine(filled, WITH_WORDS).search(query)
