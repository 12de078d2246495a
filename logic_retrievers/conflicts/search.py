"""``ContradictionSearch``: stored passages that contradict a statement or a stored passage."""

# ruff: noqa: A002 - "filter" is the word that vector stores use
from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
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
from logic_retrievers.types import SCORE_DECIMALS, CandidatePool, Evidence, Hit, Passage
from logic_retrievers.validation import check_parts

# contradiction vectors that a search holds in memory at a time
VECTORS_PER_BATCH = 256

POLICY = "contradiction"
# first candidates (by F) that a judge reads; it also reads half as many of the nearest
MAX_READ = 20


@dataclass(frozen=True, slots=True, eq=False)
class StatementQuery:
    """The statement, or stored passage, that the hits are to contradict.

    ``opponent`` is its name in a hit's evidence: the statement itself, or the id of a passage.
    Vectors have shape (dimension,). Its own ``points`` in the collection are no candidates.
    """

    text: str
    opponent: str
    vectors: Mapping[str, npt.NDArray[Any]]
    points: Collection[str] = ()


class RankedCandidates:
    """The candidates of a query, ordered by F; makes hits with evidence from them.

    Candidates that a judge has read come first, by its probability. Candidates without a
    contradiction vector come last, by cosine.

    Args:
        query: statement or passage that the candidates are to contradict.
        pool: the candidates, with their topical scores.
        sparsities: of shape (candidates,); NaN for a copy of the statement.
        has_vector: whether each has a contradiction vector.
        constants: of the contradiction vector.

    Attributes:
        order: positions in the pool, best first; without the statement itself and its copies.
    """

    def __init__(
        self,
        query: StatementQuery,
        pool: CandidatePool,
        sparsities: Values,
        has_vector: npt.NDArray[np.bool_],
        constants: ContradictionConstants,
    ) -> None:
        own = np.array([point in query.points for point in pool.ids], dtype=bool)
        left_out = own | (has_vector & np.isnan(sparsities))
        cosines = np.where(left_out, np.nan, pool.scores[TOPICAL])
        sparsities = np.where(left_out, np.nan, sparsities)
        scores = np.round(constants.score(cosines, sparsities), SCORE_DECIMALS)
        # the sort is stable, so ties stay in the order of the pool, which is by id
        order = np.lexsort((-np.where(has_vector, scores, cosines), ~has_vector))
        self.order = [i for i in order.tolist() if not left_out[i]]
        self._opponent, self._constants = query.opponent, constants
        self._read: list[int] = []
        self._read_threshold = constants.threshold
        self._query_reason = unjudgeable_reason(query.text)
        self._cosines, self._scores = cosines, scores
        self._sparsities = np.round(sparsities, SCORE_DECIMALS)
        probabilities = constants.probability(cosines, sparsities)
        self._probabilities = np.round(probabilities, SCORE_DECIMALS)
        self._ranks = {TOPICAL: ordinal_ranks(cosines), CONTRADICTION: ordinal_ranks(scores)}

    def pairs_to_read(self, least_cosine: float) -> list[CandidatePair]:
        """Pair the statement, as 0, with each candidate to read, as its position + 1."""
        nearest = sorted(self.order, key=lambda i: -self._cosines[i])[: MAX_READ // 2]
        chosen = dict.fromkeys(self.order[:MAX_READ] + nearest)
        return [
            CandidatePair(
                0,
                i + 1,
                float(self._cosines[i]),
                float(self._scores[i]),
                float(self._probabilities[i]),
                float(self._probabilities[i]),
            )
            for i in chosen
            if not np.isnan(self._sparsities[i]) and self._cosines[i] >= least_cosine
        ]

    def set_read(self, pairs: Sequence[CandidatePair], threshold: float) -> None:
        """Take the probabilities of read pairs, strongest first, and put their candidates first."""
        self._read_threshold = threshold
        answered = [p for p in pairs if p.read or p.probability != p.own_probability]
        for pair in answered:
            self._probabilities[pair.other - 1] = pair.probability
        self._read = [pair.other - 1 for pair in answered]
        self.order = [*self._read, *(i for i in self.order if i not in self._read)]

    def probable(self, min_probability: float | None) -> list[int]:
        """Return the positions in order; only those with ``min_probability`` if it is given."""
        if min_probability is None:
            return self.order
        return [i for i in self.order if self._probabilities[i] >= min_probability]

    def unjudgeable(self, position: int, passage: Passage) -> str:
        """Return why the candidate at a position of the pool cannot be judged; empty if it can."""
        if np.isnan(self._sparsities[position]):
            return "has no contradiction vector to judge it by"
        reason = self._query_reason or unjudgeable_reason(passage.text)
        return reason and f"one of the two {reason}"

    def hit(self, position: int, passage: Passage, rank: int) -> Hit:
        """Make a hit of the candidate at a position of the pool."""
        cosine, score = float(self._cosines[position]), _or_none(self._scores[position])
        probability: float | None = None
        conflict = False
        if not (reason := self.unjudgeable(position, passage)):
            probability = float(self._probabilities[position])
            is_read = position in self._read
            threshold = self._read_threshold if is_read else self._constants.threshold
            conflict = probability >= threshold
            reason = f"contradicts it with probability {probability:.2f}"
            if not conflict:
                reason = f"no conflict: probability {probability:.2f}, threshold {threshold:.2f}"
        evidence = Evidence(
            policy=POLICY,
            scores={TOPICAL: cosine, CONTRADICTION: score},
            ranks={name: int(ranks[position]) or None for name, ranks in self._ranks.items()},
            passed_filter=score is not None,
            reason=reason,
            details={
                "sparsity": _or_none(self._sparsities[position]),
                "probability": probability,
                "alpha": self._constants.alpha,
                "conflict": conflict,
                "opponent": self._opponent,
                "read": position in self._read,
            },
        )
        return Hit(passage, rank, cosine if score is None else score, evidence)


def _or_none(value: float) -> float | None:
    return None if np.isnan(value) else float(value)


class ContradictionSearch:
    """Finds the passages of a collection that contradict a statement.

    The candidates are the topically nearest passages, ordered by F = cosine + alpha * Hoyer (Xu et
    al. 2024, "SparseCL"). The statement itself and copies of it are not candidates.

    Args:
        index: a collection that has the contradiction vector.
        candidates: number of topically nearest passages that are scored; more if copies of the
            statement leave fewer than k.
        settings: overrides the constants of the index's encoder.
        alpha: weight of the sparsity; replaces that of the settings.
        min_probability: return only passages that contradict the statement with at least this
            probability. Without it k passages are returned whether they contradict or not, each
            with its probability.
        judge: reads the statement with each of the first 20 candidates and the 10 nearest. They
            then come first, ordered by its probability; a hit's score stays F. With ``auto`` the
            package's cross-encoders read: one for statements, one for stored passages. Or pass
            ``judging.OnnxNLI`` or ``judging.OnnxRelation`` of another bundle, which reads both, or
            a model of your own. See :class:`ContradictionFilter`.

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
        self.judge = judge
        self._readers: dict[ReaderName, Reader | None] = {
            "nli": Reader.of(judge, "nli", "relation"),
            "relation": Reader.of(judge, "relation", "nli"),
        }
        self._threshold = None if settings is None else settings.threshold

    def search(self, statement: str, k: int = 10, *, filter: UserFilter = None) -> list[Hit]:
        """Find the k passages that contradict a statement most, best first.

        Args:
            statement: a sentence or passage; a question contradicts nothing.
            k: number of hits; fewer only if the collection has no more, or ``min_probability``
                lets no more through.
            filter: only passages that match; as in :meth:`Engine.search`.

        Raises:
            EmptyTextError: the statement is empty or white space.
            ConfigurationError: k is under 1.
            MissingVectorError: the collection has no contradiction vector.
            ServerError: Qdrant failed or could not be reached.
        """
        return self.index.run(self._search(statement, k, filter))

    async def asearch(self, statement: str, k: int = 10, *, filter: UserFilter = None) -> list[Hit]:
        """:meth:`search` without blocking the event loop; the same hits."""
        return await self.index.arun(self._search(statement, k, filter))

    def search_like(self, passage_id: str, k: int = 10, *, filter: UserFilter = None) -> list[Hit]:
        """Find the k passages that contradict a stored passage most, by its stored vectors.

        The stored passage need not match the filter; ``k`` and ``filter`` are as in :meth:`search`.

        Raises:
            InputError: there is no such passage.
            ConfigurationError, MissingVectorError, ServerError: as in :meth:`search`.
        """
        return self.index.run(self._search_like(passage_id, k, filter))

    async def asearch_like(
        self, passage_id: str, k: int = 10, *, filter: UserFilter = None
    ) -> list[Hit]:
        """:meth:`search_like` without blocking the event loop; the same hits."""
        return await self.index.arun(self._search_like(passage_id, k, filter))

    def _search(self, statement: str, k: int, user_filter: UserFilter) -> Operation[list[Hit]]:
        if not isinstance(statement, str):
            raise InputError(f"a statement is a string, not {type(statement).__name__}")
        if is_blank(statement):
            raise EmptyTextError("the statement is empty; pass a text to contradict")
        self._check(k)
        # both texts of a pair are encoded as documents
        rows = yield Compute(lambda: self.index.encoder.encode_documents([statement], VECTORS))
        vectors = {name: rows[name][0] for name in VECTORS}
        query = StatementQuery(statement, statement, vectors)
        return (yield from self._search_query(query, k, user_filter, "nli"))

    def _search_like(
        self, passage_id: str, k: int, user_filter: UserFilter
    ) -> Operation[list[Hit]]:
        self._check(k)
        passages = yield from self.index.get_passages([passage_id])
        if not passages:
            raise InputError(
                f"there is no passage {passage_id!r} in collection {self.index.collection!r}"
            )
        rows = yield from passage_vectors(passages, VECTORS, self.index.encoder, self.index)
        points = {str(point) for point in possible_point_ids(passage_id, self.index.tenant)}
        vectors = {name: matrix[0] for name, matrix in rows.items()}
        query = StatementQuery(passages[0].text, passage_id, vectors, points)
        return (yield from self._search_query(query, k, user_filter, "relation"))

    def _check(self, k: int) -> None:
        check_count("k", k)
        if missing := [name for name in VECTORS if name not in self.index.vectors]:
            raise MissingVectorError(
                f"Collection {self.index.collection!r} has no {missing[0]!r} vector that can be"
                f" searched (only {', '.join(self.index.vectors)}).",
                f"Make it once for all passages: index.backfill({missing!r}).",
                names=missing,
            )

    def _search_query(
        self, query: StatementQuery, k: int, user_filter: UserFilter, name: ReaderName
    ) -> Operation[list[Hit]]:
        limit = max(self.candidates, k) + len(query.points)
        while True:
            vector_query = EncodedVectorQuery(TOPICAL, TOPICAL, query.vectors[TOPICAL], limit)
            (pool,) = yield from self.index.find_candidates([[vector_query]], user_filter)
            ranked = yield from self._rank(query, pool)
            # only vectors tell which candidates are copies; if copies fill the pool, it is enlarged
            if len(ranked.order) >= k or len(pool.ids) < limit:
                if self.judge is not None:
                    yield from self._read(query, pool, ranked, name)
                return (yield from self._build_hits(pool, ranked, k))
            limit *= 2

    def _read(
        self, query: StatementQuery, pool: CandidatePool, ranked: RankedCandidates, name: ReaderName
    ) -> Operation[None]:
        """Fetch the first candidates, and let the judge read them."""
        reader = self._readers[name]
        # a cross-encoder takes some texts about other things for contradictions
        pairs = ranked.pairs_to_read(-1.0 if reader is None else LEAST_COSINE_READ)
        found = yield from self.index.fetch_passages([pool.ids[pair.other - 1] for pair in pairs])
        texts = {0: Passage("statement", query.text)}  # without metadata, which a statement lacks
        for pair in pairs:
            passage = found.get(pool.ids[pair.other - 1])
            if passage is not None and not ranked.unjudgeable(pair.other - 1, passage):
                texts[pair.other] = Passage(passage.id, passage.text)
        known = sorted((p for p in pairs if p.other in texts), key=lambda pair: pair.sort_key)
        threshold = self.constants.threshold
        if reader is None:
            judged, warnings = yield from judge_pairs(self.judge, known, texts, 0)
            warn_each(warnings)
        else:
            threshold = self._threshold or reader.constants["threshold"]
            judged = yield Compute(partial(reader.judge, known, texts))
        ranked.set_read(judged, threshold)

    def _build_hits(
        self, pool: CandidatePool, ranked: RankedCandidates, k: int
    ) -> Operation[list[Hit]]:
        """Fetch passages k at a time, until k of them can be returned."""
        hits: list[Hit] = []
        for positions in batches(ranked.probable(self.min_probability), k):
            passages = yield from self.index.fetch_passages(
                [pool.ids[position] for position in positions]
            )
            for position in positions:
                passage = passages.get(pool.ids[position])
                if passage is None:  # deleted in the meantime
                    continue
                if self.min_probability is None or not ranked.unjudgeable(position, passage):
                    hits.append(ranked.hit(position, passage, len(hits) + 1))
            if len(hits) >= k:
                break
        return hits[:k]

    def _rank(self, query: StatementQuery, pool: CandidatePool) -> Operation[RankedCandidates]:
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
        return RankedCandidates(query, pool, sparsities, has_vector, self.constants)
