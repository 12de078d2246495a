"""Boolean queries over LIMIT's people and their likes, with computed labels."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from itertools import combinations
from random import Random

from logic_retrievers.errors import ConfigurationError
from logic_retrievers.evaluation import Dataset, Query
from logic_retrievers.queries import Atom

_QUESTION = re.compile(r"Who likes (.+)\?")


def limit_queries(dataset: Dataset, count: int = 500, seed: int = 0) -> Dataset:
    """Make AND and NOT queries over pairs of things that exactly one person likes both of.

    A pair (A, B) gives two queries. "Who likes A and B?" has this person as its only answer; people
    who like just one of the two violate. "Who likes A but not B?" has the others who like A as
    answers; this person violates. Both queries share a ``group``, and ``extra`` holds
    ``expression`` and ``template`` (``a_and_b`` or ``a_not_b``). The labels are as complete as
    those of ``dataset``.

    Args:
        dataset: ``limit_small`` or a similar set of questions "Who likes X?" (Weller et al. 2025).
        count: number of pairs; each gives two queries.
        seed: seeds the choice of pairs, and which thing of a pair comes first.

    Returns:
        The same documents with ``2 * count`` queries.
    """
    attributes = [(_attribute(query), query) for query in dataset.queries]
    pairs = _attribute_pairs(dataset)
    if not 0 < count <= len(pairs):
        raise ConfigurationError(
            f"{dataset.name} gives {len(pairs)} pairs of attributes that one person shares; "
            f"count is {count}"
        )
    random = Random(seed)
    queries: list[Query] = []
    for pair in random.sample(pairs, count):
        first, second = random.sample(pair, 2)
        queries.extend(_conjunction_and_exclusion(attributes[first], attributes[second]))
    return Dataset(f"{dataset.name}/boolean", dataset.documents, tuple(queries))


def _attribute(query: Query) -> str:
    match = _QUESTION.fullmatch(query.text.strip())
    if match is None:
        raise ConfigurationError(f"the query {query.id!r} is not of the form 'Who likes X?'")
    return match[1]


def _attribute_pairs(dataset: Dataset) -> list[tuple[int, int]]:
    """Find index pairs of queries that share exactly one answer and each have further ones."""
    liking: dict[str, list[int]] = {}
    for place, query in enumerate(dataset.queries):
        for person in query.grades if len(query.grades) > 1 else ():
            liking.setdefault(person, []).append(place)
    shared = Counter(pair for places in liking.values() for pair in combinations(places, 2))
    return sorted(pair for pair, persons in shared.items() if persons == 1)


def _conjunction_and_exclusion(a: tuple[str, Query], b: tuple[str, Query]) -> Iterator[Query]:
    (one, wanted), (other, excluded) = a, b
    likes_a, likes_b = wanted.satisfying, excluded.satisfying
    both, without = Atom(one) & Atom(other), Atom(one) & ~Atom(other)
    for sign, template, words, expression, right, wrong in (
        ("+", "a_and_b", f"{one} and {other}", both, likes_a & likes_b, likes_a ^ likes_b),
        ("-", "a_not_b", f"{one} but not {other}", without, likes_a - likes_b, likes_a & likes_b),
    ):
        yield Query(
            id=f"{wanted.id}{sign}{excluded.id}",
            text=f"Who likes {words}?",
            grades=dict.fromkeys(sorted(right), 1),
            violating=wrong,
            extra={
                "expression": expression.to_dict(),
                "template": template,
                "group": f"{wanted.id} {excluded.id}",
            },
        )
