"""``ContradictionSearch``: finds passages that contradict a statement or a stored passage."""

# ruff: noqa: A002 - "filter" is the word that vector stores use
from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from logic_retrievers.checks import check_count, check_number
from logic_retrievers.conflicts.candidate_pairs import LEAST_COSINE_READ, CandidatePair
from logic_retrievers.conflicts.pair_judge import (
    AnyPairJudge,
    Reader,
    ReaderName,
    check_pair_judge,
    judge_pairs,
)
from logic_retrievers.conflicts.scorer import Values
from logic_retrievers.conflicts.settings import (
    CONTRADICTION,
    TOPICAL,
    VECTORS,
    ContradictionConstants,
    ContradictionSettings,
    merge_constants,
)
from logic_retrievers.effects import Compute, Operation
from logic_retrievers.errors import EmptyTextError, InputError, MissingVectorError, warn_each
from logic_retrievers.index import EncodedVectorQuery, PassageIndex
from logic_retrievers.index.client_calls import batches
from logic_retrievers.index.filters import UserFilter
from logic_retrievers.index.point_format import possible_point_ids
from logic_retrievers.ranking.execution import passage_vectors
from logic_retrievers.scoring import ordinal_ranks, sparsity
from logic_retrievers.text import is_blank, unjudgeable_reason
from logic_retrievers.tracing import Attributes, own_attributes, retrieval_attributes, traced
from logic_retrievers.types import SCORE_DECIMALS, CandidatePool, Evidence, Hit, Passage
from logic_retrievers.validation import check_parts
from logic_retrievers.validity import AsOf, Validity, check_as_of, check_validity, validity_filter

# number of contradiction vectors that a search holds in memory at a time
VECTORS_PER_BATCH = 256

POLICY = "contradiction"
# A judge reads this many candidates with the highest F, and half as many of the nearest.
MAX_READ = 20


@dataclass(frozen=True, slots=True, eq=False)
class StatementQuery:
    """The statement, or stored passage, whose contradictions are searched for.

    ``opponent`` names the query in a hit's evidence: the statement's text, or the passage's id.
    Vectors have shape (dimension,). The query's own ``points`` in the collection are not
    candidates.
    """

    text: str
    opponent: str
    vectors: Mapping[str, npt.NDArray[Any]]
    points: Collection[str] = ()


@dataclass(frozen=True, slots=True)
class Candidate:
    """A stored passage that may contradict a statement.

    Args:
        point: the passage's point in the collection.
        pair: the statement as 0, and the candidate. Without a contradiction vector F is the cosine.
        sparsity: Hoyer sparsity; None without a contradiction vector.
        ranks: vector name -> rank among the candidates; None if the candidate lacks the vector.
        threshold: least probability of a conflict.
    """

    point: str
    pair: CandidatePair
    sparsity: float | None
    ranks: Mapping[str, int | None]
    threshold: float

    def unjudgeable(self, query: StatementQuery, passage: Passage) -> str:
        """Return why the candidate cannot be judged, given its passage; empty if it can."""
        if self.sparsity is None:
            return "has no contradiction vector to judge it by"
        reason = unjudgeable_reason(query.text) or unjudgeable_reason(passage.text)
        return reason and f"one of the two {reason}"

    def hit(self, query: StatementQuery, passage: Passage, rank: int, alpha: float) -> Hit:
        pair, probability, conflict = self.pair, None, False
        if not (reason := self.unjudgeable(query, passage)):
            probability = pair.probability
            conflict = probability >= self.threshold
            reason = f"no conflict: probability {probability:.2f}, threshold {self.threshold:.2f}"
            if conflict:
                reason = f"contradicts it with probability {probability:.2f}"
        evidence = Evidence(
            policy=POLICY,
            scores={
                TOPICAL: pair.cosine,
                CONTRADICTION: None if self.sparsity is None else pair.score,
            },
            ranks=self.ranks,
            passed_filter=self.sparsity is not None,
            reason=reason,
            details={
                "sparsity": self.sparsity,
                "probability": probability,
                "alpha": alpha,
                "conflict": conflict,
                "opponent": query.opponent,
                "read": pair.judged is not None,
            },
        )
        return Hit(passage, rank, pair.score, evidence)


def rank_candidates(
    query: StatementQuery,
    pool: CandidatePool,
    sparsities: Values,
    has_vector: npt.NDArray[np.bool_],
    constants: ContradictionConstants,
) -> list[Candidate]:
    """Order the candidates by F; candidates without a contradiction vector come last, by cosine.

    The statement itself and its copies are left out; the copies' sparsity is NaN. ``sparsities``
    and ``has_vector`` have shape (candidates,).
    """
    is_copy = has_vector & np.isnan(sparsities)
    kept = [n for n, point in enumerate(pool.ids) if point not in query.points and not is_copy[n]]
    cosines, hoyer, known = pool.scores[TOPICAL][kept], sparsities[kept], has_vector[kept]
    scores = np.round(constants.score(cosines, hoyer), SCORE_DECIMALS)
    probabilities = np.round(constants.probability(cosines, hoyer), SCORE_DECIMALS)
    hoyer = np.round(hoyer, SCORE_DECIMALS)
    ranks = {TOPICAL: ordinal_ranks(cosines), CONTRADICTION: ordinal_ranks(scores)}
    scores = np.where(known, scores, cosines)
    return [
        Candidate(
            pool.ids[kept[n]],
            CandidatePair(0, n + 1, float(cosines[n]), float(scores[n]), float(probabilities[n])),
            float(hoyer[n]) if known[n] else None,
            {name: int(row[n]) or None for name, row in ranks.items()},
            constants.threshold,
        )
        # the sort is stable, so ties stay in pool order, which is by id
        for n in np.lexsort((-scores, ~known)).tolist()
    ]


def _describe_search(
    hits: Sequence[Hit],
    search: ContradictionSearch,  # noqa: ARG001
    statement: str,
    k: int = 10,
    **_: Any,
) -> Attributes:
    return {**retrieval_attributes(hits, statement, POLICY, k), **_count_conflicts(hits)}


def _describe_search_like(
    hits: Sequence[Hit],
    search: ContradictionSearch,  # noqa: ARG001
    passage_id: str,
    k: int = 10,
    **_: Any,
) -> Attributes:
    named = own_attributes(passage_id=passage_id)
    return {**retrieval_attributes(hits, None, POLICY, k), **named, **_count_conflicts(hits)}


def _count_conflicts(hits: Sequence[Hit]) -> Attributes:
    return own_attributes(conflicts=sum(hit.evidence.details["conflict"] for hit in hits))


class ContradictionSearch:
    """Finds the passages of a collection that contradict a statement.

    The candidates are the topically nearest passages, ordered by F = cosine + alpha * Hoyer (Xu et
    al. 2024, "SparseCL"). The statement itself and copies of it are not candidates.

    Args:
        index: a collection that has the contradiction vector.
        candidates: number of topically nearest passages to score; raised if copies of the
            statement leave fewer than k.
        settings: overrides the constants of the index's encoder.
        alpha: weight of the sparsity; replaces that of the settings.
        min_probability: least probability of a contradiction for a hit. By default k passages are
            returned whether they contradict the statement or not, each with its probability.
        judge: reads the statement with each of the first 20 candidates and the 10 nearest. These
            then come first, ordered by the judge's probability; a hit's score stays F. With
            ``auto`` the package's cross-encoders read: one for statements, one for stored passages.
            Or pass ``judging.OnnxNLI`` or ``judging.OnnxRelation`` of a different bundle, which
            reads both, or your own model. See :class:`ContradictionFilter`.
        validity: two metadata fields that say when a passage is valid, as for
            :class:`~logic_retrievers.Engine`.

    Raises:
        ConfigurationError: the encoder lacks the vector or its constants, or a value cannot work.

    Examples:
        >>> index = PassageIndex.open(vectors=("topical", "contradiction"))  # doctest: +SKIP
        >>> against = ContradictionSearch(index)                             # doctest: +SKIP
        >>> against.search("The inn is quiet.", k=3)                         # doctest: +SKIP
    """

    def __init__(
        self,
        index: PassageIndex,
        *,
        candidates: int = 1000,
        settings: ContradictionSettings | None = None,
        alpha: float | None = None,
        min_probability: float | None = None,
        judge: AnyPairJudge = None,
        validity: Validity | None = None,
    ) -> None:
        check_parts(index=index, needs_index=True)
        check_count("candidates", candidates)
        check_pair_judge(judge)
        if min_probability is not None:
            check_number("min_probability", min_probability, 0, 1)
        self.index = index
        self.candidates = candidates
        self.constants = merge_constants(index.encoder.specs, settings, alpha=alpha)
        self.min_probability = min_probability
        self.validity = check_validity(validity)
        self.judge = judge
        self._readers: dict[ReaderName, Reader | None] = {
            "nli": Reader.of(judge, "nli", "relation"),
            "relation": Reader.of(judge, "relation", "nli"),
        }
        self._threshold = None if settings is None else settings.threshold

    @traced("contradiction_search", "RETRIEVER", _describe_search)
    def search(
        self, statement: str, k: int = 10, *, filter: UserFilter = None, as_of: AsOf = None
    ) -> list[Hit]:
        """Find the k passages that contradict a statement most, best first.

        Args:
            statement: a sentence or passage; a question contradicts nothing.
            k: number of hits; fewer only if the collection has no more, or ``min_probability``
                rejects the rest.
            filter: selects the passages to search; as in :meth:`Engine.search`.
            as_of: time at which the passages are valid; as in :meth:`Engine.search`.

        Raises:
            EmptyTextError: the statement is empty or white space.
            ConfigurationError: k is under 1.
            MissingVectorError: the collection has no contradiction vector.
            ServerError: Qdrant failed or could not be reached.
        """
        return self.index.run(self._search(statement, k, filter, as_of))

    @traced("contradiction_search", "RETRIEVER", _describe_search)
    async def asearch(
        self, statement: str, k: int = 10, *, filter: UserFilter = None, as_of: AsOf = None
    ) -> list[Hit]:
        """:meth:`search` without blocking the event loop; the same hits."""
        return await self.index.arun(self._search(statement, k, filter, as_of))

    @traced("contradiction_search", "RETRIEVER", _describe_search_like)
    def search_like(
        self, passage_id: str, k: int = 10, *, filter: UserFilter = None, as_of: AsOf = None
    ) -> list[Hit]:
        """Find the k passages that contradict a stored passage most, by its stored vectors.

        The stored passage need not match the filter; the options are as in :meth:`search`.

        Raises:
            InputError: no passage has that id.
            ConfigurationError, MissingVectorError, ServerError: as in :meth:`search`.
        """
        return self.index.run(self._search_like(passage_id, k, filter, as_of))

    @traced("contradiction_search", "RETRIEVER", _describe_search_like)
    async def asearch_like(
        self, passage_id: str, k: int = 10, *, filter: UserFilter = None, as_of: AsOf = None
    ) -> list[Hit]:
        """:meth:`search_like` without blocking the event loop; the same hits."""
        return await self.index.arun(self._search_like(passage_id, k, filter, as_of))

    def _search(
        self, statement: str, k: int, user_filter: UserFilter, as_of: AsOf
    ) -> Operation[list[Hit]]:
        if not isinstance(statement, str):
            raise InputError(f"a statement is a string, not {type(statement).__name__}")
        if is_blank(statement):
            raise EmptyTextError("the statement is empty; pass a text to contradict")
        valid = self._check(k, as_of)
        # both texts of a pair are encoded as documents
        rows = yield Compute(lambda: self.index.encoder.encode_documents([statement], VECTORS))
        vectors = {name: rows[name][0] for name in VECTORS}
        query = StatementQuery(statement, statement, vectors)
        return (yield from self._search_query(query, k, user_filter, valid, "nli"))

    def _search_like(
        self, passage_id: str, k: int, user_filter: UserFilter, as_of: AsOf
    ) -> Operation[list[Hit]]:
        valid = self._check(k, as_of)
        passages = yield from self.index.get_passages([passage_id])
        if not passages:
            raise InputError(
                f"there is no passage {passage_id!r} in collection {self.index.collection!r}"
            )
        rows = yield from passage_vectors(passages, VECTORS, self.index.encoder, self.index)
        points = {str(point) for point in possible_point_ids(passage_id, self.index.tenant)}
        vectors = {name: matrix[0] for name, matrix in rows.items()}
        query = StatementQuery(passages[0].text, passage_id, vectors, points)
        return (yield from self._search_query(query, k, user_filter, valid, "relation"))

    def _check(self, k: int, as_of: AsOf) -> list[Mapping[str, Any]]:
        """Check the arguments; return the filters that a search adds to the user's."""
        check_count("k", k)
        if missing := [name for name in VECTORS if name not in self.index.vectors]:
            raise MissingVectorError(
                f"Collection {self.index.collection!r} has no {missing[0]!r} vector that can be"
                f" searched (only {', '.join(self.index.vectors)}).",
                f"Make it once for all passages: index.backfill({missing!r}).",
                names=missing,
            )
        moment = check_as_of(as_of, self.validity)
        return [validity_filter(self.validity, moment)] if self.validity and moment else []

    def _search_query(
        self,
        query: StatementQuery,
        k: int,
        user_filter: UserFilter,
        valid: Sequence[Mapping[str, Any]],
        name: ReaderName,
    ) -> Operation[list[Hit]]:
        limit = max(self.candidates, k) + len(query.points)
        while True:
            vector_query = EncodedVectorQuery(TOPICAL, TOPICAL, query.vectors[TOPICAL], limit)
            (pool,) = yield from self.index.find_candidates([[vector_query]], user_filter, [valid])
            candidates = yield from self._rank(query, pool)
            # copies show only in the vectors; if too few candidates are left, enlarge the pool
            if len(candidates) >= k or len(pool.ids) < limit:
                break
            limit *= 2
        if self.judge is not None:
            candidates = yield from self._read(query, candidates, name)
        return (yield from self._build_hits(query, candidates, k))

    def _read(
        self, query: StatementQuery, candidates: Sequence[Candidate], name: ReaderName
    ) -> Operation[list[Candidate]]:
        """Have the judge read the first and the nearest candidates, which then come first."""
        reader = self._readers[name]
        # a cross-encoder mistakes some texts about different things for contradictions
        least_cosine = -1.0 if reader is None else LEAST_COSINE_READ
        nearest = sorted(candidates, key=lambda candidate: -candidate.pair.cosine)
        chosen = {c.point: c for c in (*candidates[:MAX_READ], *nearest[: MAX_READ // 2])}
        found = yield from self.index.fetch_passages(list(chosen))
        known = {
            candidate.pair.other: candidate
            for point, candidate in chosen.items()
            if point in found
            and candidate.pair.cosine >= least_cosine
            and not candidate.unjudgeable(query, found[point])
        }
        # no metadata are read, because a statement has none
        texts = {n: Passage(c.point, found[c.point].text) for n, c in known.items()}
        texts[0] = Passage("statement", query.text)
        pairs = sorted((candidate.pair for candidate in known.values()), key=lambda p: p.sort_key)
        threshold = self.constants.threshold
        if reader is None:
            judged, warnings = yield from judge_pairs(self.judge, pairs, texts, 0)
            warn_each(warnings)
        else:
            threshold = self._threshold or reader.constants["threshold"]
            judged = yield Compute(partial(reader.judge, pairs, texts))
        read = [
            replace(known[pair.other], pair=pair, threshold=threshold)
            for pair in judged
            if pair.judged is not None
        ]
        points = {candidate.point for candidate in read}
        return [*read, *(other for other in candidates if other.point not in points)]

    def _build_hits(
        self, query: StatementQuery, candidates: Sequence[Candidate], k: int
    ) -> Operation[list[Hit]]:
        """Fetch passages k at a time, until k of them can be returned."""
        least, hits = self.min_probability, list[Hit]()
        probable = [c for c in candidates if least is None or c.pair.probability >= least]
        for batch in batches(probable, k):
            passages = yield from self.index.fetch_passages([c.point for c in batch])
            for candidate in batch:
                passage = passages.get(candidate.point)
                if passage is None:  # deleted in the meantime
                    continue
                if least is None or not candidate.unjudgeable(query, passage):
                    rank, alpha = len(hits) + 1, self.constants.alpha
                    hits.append(candidate.hit(query, passage, rank, alpha))
            if len(hits) >= k:
                break
        return hits[:k]

    def _rank(self, query: StatementQuery, pool: CandidatePool) -> Operation[list[Candidate]]:
        """Read vectors in batches, and keep only the sparsity of each candidate."""
        sparsities = np.full(len(pool.ids), np.nan)
        has_vector = np.zeros(len(pool.ids), dtype=bool)
        for positions in batches(range(len(pool.ids)), VECTORS_PER_BATCH):
            rows = yield from self.index.fetch_vectors(
                [CONTRADICTION], [pool.ids[n] for n in positions]
            )
            row_of, vectors = rows[CONTRADICTION]
            stored = [position for position in positions if pool.ids[position] in row_of]
            if stored:
                chosen = vectors[[row_of[pool.ids[position]] for position in stored]]
                sparsities[stored] = sparsity(query.vectors[CONTRADICTION], chosen)
                has_vector[stored] = True
        return rank_candidates(query, pool, sparsities, has_vector, self.constants)
