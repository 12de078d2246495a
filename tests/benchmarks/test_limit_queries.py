"""Boolean queries derived from LIMIT: their truth is that of its labels."""

from __future__ import annotations

import pytest

from benchmarks.papers.limit_queries import limit_queries
from benchmarks.papers.logicol_measures import complementary_pairs
from logic_retrievers.evaluation import Dataset, Query, load_dataset
from logic_retrievers.queries import Atom

LIKES = {"tea": {"ann", "bo"}, "owls": {"bo", "cy"}, "ink": {"di", "ed"}, "jam": {"bo", "cy"}}


def people(likes: dict[str, set[str]]) -> Dataset:
    queries = tuple(
        Query(f"q{n}", f"Who likes {what}?", dict.fromkeys(sorted(who), 1))
        for n, (what, who) in enumerate(likes.items())
    )
    return Dataset("toy", {name: name for who in likes.values() for name in who}, queries)


def test_truth_by_hand() -> None:
    """Owls and jam share two people, ink none with anybody: only tea goes with either."""
    dataset = limit_queries(people(LIKES), count=2)
    assert dataset.name == "toy/boolean"
    groups = {frozenset((query.group or "").split()) for query in dataset.queries}
    assert groups == {frozenset({"q0", "q1"}), frozenset({"q0", "q3"})}
    assert len(dataset.queries) == 4
    for both, without in zip(dataset.queries[::2], dataset.queries[1::2], strict=True):
        first, second = both.expression.atoms
        assert both.text == f"Who likes {first} and {second}?"
        assert without.text == f"Who likes {first} but not {second}?"
        assert (both.template, without.template) == ("a_and_b", "a_not_b")
        assert without.expression == Atom(first) & ~Atom(second)
        assert both.satisfying == without.violating == {"bo"}
        assert without.satisfying == LIKES[first] - {"bo"}
        assert both.violating == LIKES[first] ^ LIKES[second]
        assert both.group == without.group
        assert (both.is_negation, without.is_negation) == (False, True)


@pytest.mark.data
def test_the_real_set() -> None:
    """The same seed draws the same; every query has the answers that the labels give."""
    people = load_dataset("limit_small")
    liking = {query.text[len("Who likes ") : -1]: query.satisfying for query in people.queries}
    dataset = limit_queries(people)
    assert dataset == limit_queries(people)
    assert dataset != limit_queries(people, seed=1)
    assert len(dataset.queries) == len({query.id for query in dataset.queries}) == 1000
    assert len(complementary_pairs(dataset.queries)) == 500
    for query in dataset.queries:
        a, b = (liking[atom] for atom in query.expression.atoms)
        right, wrong = (a - b, a & b) if query.is_negation else (a & b, a ^ b)
        assert (query.satisfying, query.violating) == (right, wrong)
        assert (len(right), len(wrong)) == (1, 1 if query.is_negation else 2)
