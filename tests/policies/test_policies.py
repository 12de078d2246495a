"""The policies against plain references, on pools full of ties, gaps and short lists."""

from __future__ import annotations

import numpy as np
import pytest
import reference
from hypothesis import given, settings
from hypothesis import strategies as st

from logic_retrievers.errors import UnknownPolicyError
from logic_retrievers.policies import (
    POLICIES,
    CompatibilityPolicy,
    Policy,
    SequentialPolicy,
    TopicalPolicy,
    UnionPolicy,
    resolve_policy,
)
from logic_retrievers.types import CandidatePool

share = st.sampled_from([0.0, 0.1, 0.2, 0.3, 0.5, 0.8, 1.0])
cosine = st.integers(-4, 4).map(lambda n: n / 4)  # few values, so ties are frequent
collection = st.dictionaries(
    st.text("abcdef", min_size=1, max_size=3),
    st.tuples(st.none() | cosine, st.none() | cosine),
    max_size=25,
)
k = st.integers(1, 12)
limit = st.integers(1, 12)


def scores_of(collection, column):
    return {i: row[column] for i, row in collection.items() if row[column] is not None}


def pool_of(policy: Policy, collection, k: int) -> CandidatePool:
    """The index's pool for the plan, computed naively."""
    columns = {"topical": scores_of(collection, 0), "compatibility": scores_of(collection, 1)}
    plan = policy.plan("q", k)
    members = sorted(
        {i for leaf in plan for i in reference.nearest(columns[leaf.vector], leaf.limit)}
    )
    return CandidatePool(
        tuple(members),
        {
            leaf.name: np.array([columns[leaf.vector].get(i, np.nan) for i in members])
            for leaf in plan
        },
    )


def ranked(policy: Policy, collection, k: int) -> list[tuple[str, float]]:
    pool = pool_of(policy, collection, k)
    return [(pool.ids[r.index], r.score) for r in policy.rank(pool, k)]


@settings(max_examples=500)
@given(collection, k, share, st.sampled_from([-1.0, 0.0, 0.25, 0.3, 0.9]), limit, st.booleans())
def test_sequential_equals_reference(collection, k, alpha, tau, limit, cut):
    """A wrong tie, threshold or fall-back shifts scores too little to notice."""
    policy = SequentialPolicy(alpha, tau, limit, not cut)
    assert ranked(policy, collection, k) == reference.sequential(
        scores_of(collection, 0),
        scores_of(collection, 1),
        k,
        alpha=alpha,
        tau=tau,
        limit=limit,
        cut=cut,
    )


@settings(max_examples=500)
@given(
    collection,
    k,
    share,
    share,
    limit,
    st.booleans(),
    st.sampled_from(["reciprocal_rank", "cosine"]),
)
def test_union_equals_reference(collection, k, alpha, keep, limit, cut, fusion):
    """A wrong filter changes only the lower ranks, and the list looks right."""
    policy = UnionPolicy(alpha, keep, limit, not cut, fusion=fusion)
    assert ranked(policy, collection, k) == reference.union(
        scores_of(collection, 0),
        scores_of(collection, 1),
        k,
        alpha=alpha,
        keep=keep,
        limit=limit,
        cut=cut,
        fusion=fusion,
    )


@given(collection, k)
def test_single_vector_policies_are_plain_search(collection, k):
    for policy, column in ((TopicalPolicy(), 0), (CompatibilityPolicy(), 1)):
        scores = scores_of(collection, column)
        assert ranked(policy, collection, k) == [
            (i, scores[i]) for i in reference.nearest(scores, k)
        ]


def test_unknown_name_lists_the_known_ones():
    known = "topical, compatibility, sequential, union, coder-union"
    with pytest.raises(UnknownPolicyError, match=known):
        resolve_policy("onion")
    assert all(resolve_policy(name).name == name for name in POLICIES)
