"""Passages that somebody else found, ordered under a policy."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from logic_retrievers.answering import (
    AnyPolicy,
    Query,
    check_count,
    checked_query,
    encode_leaves,
    hits,
    passage_vectors,
    policy_for,
    text_of,
    warn_if_untrained,
)
from logic_retrievers.encoders import default_encoder
from logic_retrievers.errors import ConfigurationError, InputError
from logic_retrievers.index.pools import DECIMALS
from logic_retrievers.index.requests import QueryVector
from logic_retrievers.policies import Policy, resolve_policy
from logic_retrievers.policies.base import LEXICAL
from logic_retrievers.procedures import Procedure, arun, encoding, run
from logic_retrievers.scoring import cosine
from logic_retrievers.types import Evidence, Hit, Leaf, Passage, Pool

if TYPE_CHECKING:
    from logic_retrievers.encoders.base import Encoder
    from logic_retrievers.index.passages import PassageIndex
    from logic_retrievers.types import Scores


class Reranker:
    """A policy over given passages: each is scored on every leaf that the policy plans.

    Args:
        encoder: makes the vectors; the index's where None, or that of the bundle that comes with
            the package.
        policy: a name or a policy with settings of your own.
        index: a collection that holds some of the passages. Their stored vectors are taken, so that
            only those of the others, or of a changed text, have to be made.

    Raises:
        UnknownPolicyError: no policy has that name.
        ConfigurationError: the encoder lacks a vector that the policy needs (when reranking).

    Example:
        >>> reranker = Reranker()                                          # doctest: +SKIP
        >>> reranker.rerank("quiet, not above a nightclub", passages, k=5)  # doctest: +SKIP
    """

    def __init__(
        self,
        encoder: Encoder | None = None,
        policy: AnyPolicy = "sequential",
        *,
        index: PassageIndex | None = None,
    ) -> None:
        self.policy = resolve_policy(policy)
        self.index = index
        if encoder is None and index is None:
            encoder = default_encoder()
        self._encoder = encoder

    @property
    def encoder(self) -> Encoder:
        """What makes the vectors; of an index whatever it uses now."""
        if self._encoder is not None:
            return self._encoder
        return default_encoder() if self.index is None else self.index.encoder

    def rerank(self, query: Query, passages: Sequence[Passage], k: int | None = None) -> list[Hit]:
        """The k best of the passages, best first.

        Passages of one id count once, the first of them; equal scores keep the order in which the
        passages came. One without text cannot be judged and follows behind all others.

        Args:
            query: any text that is not empty, a :class:`ParsedQuery`, or an
                :class:`Expression`.
            passages: in any order.
            k: how many hits; all of them where None.

        Raises:
            EmptyTextError, InputError: the query is no text, or a passage is none.
            ConfigurationError: k is under 1, or the encoder lacks a vector that the policy needs.
            ServerError: the index failed or could not be reached.
        """
        procedure = self._rerank(query, passages, k)
        if self.index is not None:
            return self.index.run(procedure)
        return run(procedure, encoding)

    async def arerank(
        self, query: Query, passages: Sequence[Passage], k: int | None = None
    ) -> list[Hit]:
        """:meth:`rerank` without blocking the event loop; the same hits."""
        procedure = self._rerank(query, passages, k)
        if self.index is not None:
            return await self.index.arun(procedure)
        return await arun(procedure, encoding)

    def _rerank(
        self, query: Query, passages: Sequence[Passage], k: int | None
    ) -> Procedure[list[Hit]]:
        """Checks at once, so that errors and warnings come from the caller's line."""
        checked = checked_query(query)
        if k is not None:
            check_count("k", k)
        for passage in passages:
            if not isinstance(passage, Passage):
                raise InputError(f"a Passage is needed, not {type(passage).__name__}")
        encoder = self.encoder  # one for the whole reranking, whatever is swapped meanwhile
        specs = encoder.specs
        policy = policy_for(checked, self.policy, specs, list(specs))
        found = {passage.id: passage for passage in reversed(passages)}
        candidates = [found.pop(passage.id) for passage in passages if passage.id in found]
        allowed = [one for one in candidates if not _ruled_out(one, policy.must_not)]
        plan = policy.plan(text_of(checked), max(1, len(allowed)))
        if missing := sorted({leaf.vector for leaf in plan} - set(specs)):
            remedy = (
                "words are matched in an index alone: search there, or rerank with another policy"
                if missing[0] == LEXICAL
                else "pass an encoder that makes them"
            )
            raise ConfigurationError(
                f"policy {policy.name!r} needs {missing[0]!r} vectors, and the encoder makes only "
                f"{', '.join(sorted(specs))}; {remedy}"
            )
        warn_if_untrained([plan], specs, policy.name)
        return self._answer(policy, plan, encoder, allowed, len(allowed) if k is None else k)

    def _answer(
        self,
        policy: Policy,
        plan: tuple[Leaf, ...],
        encoder: Encoder,
        passages: Sequence[Passage],
        k: int,
    ) -> Procedure[list[Hit]]:
        readable = [passage for passage in passages if passage.embedded.strip()]
        if not readable:
            return _unread(policy, passages, [])[:k]
        queries = yield from encode_leaves([plan], encoder)
        matrices = yield from passage_vectors(
            readable, sorted({leaf.vector for leaf in plan}), encoder, self.index
        )
        pool = Pool(
            tuple(f"{number:09d}" for number in range(len(readable))),  # ties: as they came
            {
                leaf.name: _cosines(queries[leaf.vector, leaf.text], matrices[leaf.vector])
                for leaf in plan
            },
        )
        ranked = hits(
            policy.name,
            pool,
            policy.rank(pool, k),
            dict(zip(pool.ids, readable, strict=True)),
        )
        return _unread(policy, [one for one in passages if not one.embedded.strip()], ranked)[:k]


def _cosines(query: QueryVector, rows: Scores) -> Scores:
    return np.round(cosine(np.asarray(query, dtype=np.float64), rows), DECIMALS)


def _unread(policy: Policy, passages: Sequence[Passage], ranked: list[Hit]) -> list[Hit]:
    """The hits, and behind them the passages that could not be judged."""
    last = ranked[-1].score if ranked else 0.0
    evidence = Evidence(policy.name, {}, {}, kept=False, reason="has no text to judge it by")
    behind = [
        Hit(passage, len(ranked) + number, last, evidence)
        for number, passage in enumerate(passages, start=1)
    ]
    return ranked + behind


def _ruled_out(passage: Passage, must_not: Mapping[str, object]) -> bool:
    """Whether a field holds one of the values that the query pushed down to a filter."""
    for field, values in must_not.items():
        has = passage.metadata.get(field)
        if any(value in (has if isinstance(has, list) else [has]) for value in values):  # type: ignore[attr-defined]
            return True
    return False
