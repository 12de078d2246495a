"""The steps that a search and a reranking share: choose, check, encode, explain."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import numpy.typing as npt

from logic_retrievers.errors import (
    ConfigurationError,
    EmptyTextError,
    InputError,
    UntrainedVectorWarning,
    warn,
)
from logic_retrievers.index import LeafSearch, lexical
from logic_retrievers.index.encoding import encode_passages
from logic_retrievers.index.lexical import term_vector
from logic_retrievers.index.requests import QueryVector
from logic_retrievers.policies import Chooser, Policy, Ranked
from logic_retrievers.procedures import Procedure, Work
from logic_retrievers.queries import Expression, ParsedQuery
from logic_retrievers.scoring import ordinal_ranks
from logic_retrievers.types import Evidence, Hit, Leaf, Passage, Pool

if TYPE_CHECKING:
    from logic_retrievers.encoders.base import Encoder, VectorSpec
    from logic_retrievers.index.passages import PassageIndex

Query: TypeAlias = str | ParsedQuery | Expression
CheckedQuery: TypeAlias = str | ParsedQuery
AnyPolicy: TypeAlias = str | Policy | Chooser
Plans: TypeAlias = Sequence[tuple[Leaf, ...]]


def text_of(query: CheckedQuery) -> str:
    """The query's text as a whole."""
    return query.text if isinstance(query, ParsedQuery) else query


def checked_query(query: Any) -> CheckedQuery:
    """The query; an expression as a parsed query that states it.

    Raises:
        InputError: neither a string nor a parsed query nor an expression.
        EmptyTextError: nothing but white space.
        ExpressionError: an expression that says only what is not wanted.
    """
    if isinstance(query, Expression):
        return ParsedQuery.stating(query)
    if not isinstance(query, str | ParsedQuery):
        raise InputError(
            f"a query is a string, ParsedQuery or Expression, not {type(query).__name__}"
        )
    if not text_of(query).strip():
        raise EmptyTextError("the query is empty; pass a text to search for")
    return query


def check_count(name: str, count: Any) -> None:
    """Refuses a number of hits that is no whole number of at least 1."""
    if isinstance(count, bool) or not isinstance(count, int) or count < 1:
        raise ConfigurationError(f"{name} must be a whole number of at least 1, not {count!r}")


def policy_for(
    query: CheckedQuery,
    policy: Policy | Chooser,
    specs: Mapping[str, VectorSpec],
    vectors: Collection[str],
) -> Policy:
    """The policy itself, or the one that a chooser takes for this query.

    Args:
        query: as the caller gave it.
        policy: what was asked for.
        specs: of the encoder.
        vectors: names of the vectors that there are of the passages.
    """
    if isinstance(policy, Policy):
        return policy
    trained = [v for v in vectors if v == lexical.NAME or (v in specs and specs[v].trained)]
    constants = specs["topical"].exclusion if "topical" in specs else None
    return policy.choose(query, trained, constants)


def warn_if_untrained(plans: Plans, specs: Mapping[str, VectorSpec], policy: str) -> None:
    """Warns where a policy ranks by a vector that the encoder was not trained for."""
    needed = {leaf.vector for plan in plans for leaf in plan}
    untrained = sorted(name for name in needed if name in specs and not specs[name].trained)
    if untrained:
        warn(
            UntrainedVectorWarning,
            f"policy {policy!r} ranks by {untrained[0]!r}, which this encoder has not been trained "
            "for: its vectors repeat another head's, so the policy cannot tell violating passages",
        )


def encode_leaves(plans: Plans, encoder: Encoder) -> Procedure[dict[tuple[str, str], QueryVector]]:
    """Encodes every (vector, text) of the plans once; the sparse ``lexical`` one needs no encoder.

    Texts that need the same named vectors go through the encoder together.
    """
    names_of: dict[str, set[str]] = {}
    for plan in plans:
        for leaf in plan:
            names_of.setdefault(leaf.text, set()).add(leaf.vector)
    groups: dict[tuple[str, ...], list[str]] = {}
    for text, names in names_of.items():
        groups.setdefault(tuple(sorted(names)), []).append(text)

    def encode() -> dict[tuple[str, str], QueryVector]:
        encoded: dict[tuple[str, str], QueryVector] = {}
        for names, texts in groups.items():
            if lexical.NAME in names:
                encoded.update({(lexical.NAME, t): term_vector(t, query=True) for t in texts})
            dense = [name for name in names if name != lexical.NAME]
            for name, rows in (encoder.encode_queries(texts, dense) if dense else {}).items():
                encoded.update({(name, text): row for text, row in zip(texts, rows, strict=True)})
        return encoded

    vectors: dict[tuple[str, str], QueryVector] = yield Work(encode)
    return vectors


def leaf_searches(plans: Plans, encoder: Encoder) -> Procedure[list[list[LeafSearch]]]:
    """The leaves of every plan with their queries encoded; what an index gathers pools for."""
    vectors = yield from encode_leaves(plans, encoder)
    return [
        [
            LeafSearch(leaf.name, leaf.vector, vectors[leaf.vector, leaf.text], leaf.depth)
            for leaf in plan
        ]
        for plan in plans
    ]


def passage_vectors(
    passages: Sequence[Passage],
    names: Sequence[str],
    encoder: Encoder,
    index: PassageIndex | None = None,
) -> Procedure[dict[str, npt.NDArray[np.float64]]]:
    """Vectors of given passages: those that an index has of them, the others made now.

    Args:
        passages: with text, and ids that differ.
        names: of the vectors.
        encoder: makes the vectors.
        index: a collection that may hold some of the passages; of its vectors only those are taken
            that its encoder makes alike.

    Returns:
        Vector name -> shape (passages, dimension).
    """
    known: dict[tuple[str, str], npt.NDArray[np.float64]] = {}
    if index is not None:
        theirs, ours = index.encoder.specs, encoder.specs
        shared = [
            name
            for name in names
            if name in theirs and theirs[name].fingerprint == ours[name].fingerprint
        ]
        known = yield from index.stored(passages, shared)

    def complete() -> dict[str, npt.NDArray[np.float64]]:
        lacking = {
            one.id: one for one in passages if any((name, one.id) not in known for name in names)
        }
        made = encode_passages(encoder, list(lacking.values()), names) if lacking else {}
        rows = {
            (name, one): row.astype(np.float64)
            for name, vectors in made.items()
            for one, row in zip(lacking, vectors, strict=True)
        }
        rows |= known
        return {name: np.stack([rows[name, one.id] for one in passages]) for name in names}

    matrices: dict[str, npt.NDArray[np.float64]] = yield Work(complete)
    return matrices


def hits(
    policy: str, pool: Pool, ranking: Sequence[Ranked], passages: Mapping[str, Passage]
) -> list[Hit]:
    """The ranked candidates as hits; one that was deleted in the meantime is left out."""
    ranks = {leaf: ordinal_ranks(scores) for leaf, scores in pool.scores.items()}
    found: list[Hit] = []
    for ranked in ranking:
        passage = passages.get(pool.ids[ranked.index])
        if passage is None:
            continue
        evidence = Evidence(
            policy=policy,
            scores={leaf: _or_none(scores[ranked.index]) for leaf, scores in pool.scores.items()},
            ranks={leaf: int(column[ranked.index]) or None for leaf, column in ranks.items()},
            kept=ranked.kept,
            reason=ranked.reason,
            details=ranked.details,
        )
        found.append(Hit(passage, len(found) + 1, ranked.score, evidence))
    return found


def _or_none(score: float) -> float | None:
    return None if np.isnan(score) else float(score)
