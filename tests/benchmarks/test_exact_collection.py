"""The in-memory collection ranks as the engine does."""

from __future__ import annotations

import pytest
from suites.hashed_encoder import HashedEncoder

from benchmarks.common.boolean_baselines import ENSEMBLE, SETS
from benchmarks.common.dataset_search import engine_search, index_dataset
from benchmarks.common.exact_collection import ExactCollection
from logic_retrievers import Atom, BooleanPolicy
from logic_retrievers.evaluation import Dataset, Query
from logic_retrievers.queries import ParsedQuery

WORDS = ("quiet", "loud", "hotel", "sea", "garden")
# each has its own word with growing frequency, so that no two cosines are equal
TEXTS = {
    f"d{n:02d}": " ".join([word for bit, word in enumerate(WORDS) if n >> bit & 1] + [f"no{n}"] * n)
    for n in range(1, 32)
}
"""No two are equally near to a query: ties would be broken by other ids than the engine's."""
EXPRESSIONS = [
    Atom("quiet hotel"),
    Atom("hotel") & Atom("sea"),
    Atom("hotel") & ~Atom("loud"),
    Atom("garden") | Atom("sea"),
]
HYBRID = ("topical", "compatibility", "lexical")


def dataset() -> Dataset:
    queries = tuple(
        Query(f"q{n}", str(expression), {"d01": 1}, extra={"expression": expression.to_dict()})
        for n, expression in enumerate(EXPRESSIONS)
    )
    return Dataset("made", TEXTS, queries)


@pytest.mark.parametrize(
    ("policy", "lexical"),
    [(BooleanPolicy(), False), (BooleanPolicy(), True), (ENSEMBLE, False), (SETS, False)],
)
def test_it_ranks_as_the_engine_does(policy, lexical):
    """Otherwise metrics over many queries would not describe the package."""
    vectors = HYBRID if lexical else HYBRID[:2]
    exact = ExactCollection(TEXTS, HashedEncoder())
    with index_dataset(dataset(), HashedEncoder(), lexical=lexical) as index:
        engine_lists = engine_search(index, policy, EXPRESSIONS)([], 8)
    for expression, their in zip(EXPRESSIONS, engine_lists, strict=True):
        exact_list = exact.search(policy.route(ParsedQuery.stating(expression), vectors), "", 8)
        assert [score for _, score in exact_list] == pytest.approx([s for _, s in their], abs=1e-4)
        last = their[-1][1] + 1e-4  # below it ties decide the list's members
        assert {name for name, score in exact_list if score > last} == {
            name for name, score in their if score > last
        }


def test_words_that_no_text_has_score_nothing():
    """A score of zero would list every film without the word."""
    scores = ExactCollection(TEXTS, HashedEncoder()).scores("lexical", "volcano")
    assert all(score != score for score in scores)
