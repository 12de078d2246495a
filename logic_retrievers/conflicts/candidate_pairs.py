"""Find pairs of given and trusted passages that may contradict each other, for a filter."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
from qdrant_client import models

from logic_retrievers.conflicts.scorer import Rows, score_against
from logic_retrievers.conflicts.settings import TOPICAL, VECTORS, ContradictionConstants
from logic_retrievers.conflicts.stances import Group
from logic_retrievers.effects import Compute, Operation
from logic_retrievers.encoders.base import Encoder
from logic_retrievers.errors import ConfigurationError
from logic_retrievers.index import EncodedVectorQuery
from logic_retrievers.index.filters import UserFilter, matching, to_qdrant_filter
from logic_retrievers.index.passage_index import PassageIndex
from logic_retrievers.index.point_format import METADATA
from logic_retrievers.judging.relation import conflict_share
from logic_retrievers.ranking.execution import passage_vectors
from logic_retrievers.text import is_blank, unjudgeable_reason, words_of
from logic_retrievers.types import SCORE_DECIMALS, Passage
from logic_retrievers.validation import distinct

# {"key": wanted} over the metadata, a Qdrant filter, or a function of a passage
TrustedFilter: TypeAlias = UserFilter | Callable[[Passage], bool]
# id of a passage and the texts that its vectors are made from -> vector name -> vector
VectorCache: TypeAlias = dict[tuple[str, ...], dict[str, Rows]]
# position -> positions of passages that say the same in nearly the same words
Copies: TypeAlias = Mapping[int, frozenset[int]]

# Number of nearest passages that are candidates at any probability if a cross-encoder reads pairs.
# The vectors miss most contradictions in other words. With five as many are found, at a precision
# of .48 in place of .55 (relations_dev, end to end).
NEAREST_READ = 2
# Number that a cleaner reads besides, found by the words that two passages share: of the
# contradictions of relations_dev .06 more are read.
BY_WORDS_READ = 1
# Least topical cosine of a pair that a cross-encoder reads, because passages further apart are
# about different things. (But a filter reads all probable pairs.)
LEAST_COSINE_READ = 0.35
# topical cosine from which two passages say the same, if they do not contradict each other
COPY_COSINE = 0.97


@dataclass(frozen=True, slots=True)
class CandidatePair:
    """Two passages, by position, that may contradict each other.

    ``score`` is F. ``probability`` comes from the judge if it has read the pair, else from the
    vectors; ``own_probability`` comes from the vectors alone. ``read`` is true if a cross-encoder
    has read both. ``relation`` has probabilities of ``judging.RELATIONS``, for a cleaner.
    """

    one: int
    other: int
    cosine: float
    score: float
    probability: float
    own_probability: float
    read: bool = False
    relation: tuple[float, ...] | None = None

    @property
    def conflict_probability(self) -> float:
        """Probability of a contradiction or of two states of one thing, as read if it was read."""
        return self.probability if self.relation is None else conflict_share(self.relation)

    @property
    def sort_key(self) -> tuple[float, float, int, int]:
        """Sort key: the most probable pair first, then by score and position."""
        return (-self.probability, -self.score, self.one, self.other)


@dataclass(frozen=True, slots=True)
class ConflictCase:
    """The candidate pairs of a list of passages, and what their resolution depends on.

    Args:
        passages: the given passages in their order, then trusted ones that were not given.
        given_count: number of given passages.
        trusted: positions of the trusted passages, given or not.
        pairs: pairs that may contradict each other, the strongest first.
        copies: copies among the given passages.
        unjudgeable: position -> why a passage cannot be judged.
        unjudgeable_trusted: id -> why a trusted passage, given or not, cannot judge others.
        groups: as in ConflictGraph; a filter has none.
    """

    passages: Sequence[Passage]
    given_count: int
    trusted: frozenset[int]
    pairs: tuple[CandidatePair, ...]
    copies: Copies = field(default_factory=dict)
    unjudgeable: Mapping[int, str] = field(default_factory=dict)
    unjudgeable_trusted: Mapping[str, str] = field(default_factory=dict)
    groups: Mapping[tuple[int, int], Group] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class FilterContext:
    """Settings that all calls of a ``ContradictionFilter`` share.

    ``nearest_read`` is the number of nearest passages that are candidates at any probability.
    ``cache`` keeps the vectors of ``trusted``.
    """

    encoder: Encoder
    index: PassageIndex | None
    constants: ContradictionConstants
    min_probability: float
    trusted: tuple[Passage, ...]
    trusted_filter: TrustedFilter
    trusted_candidates: int
    nearest_read: int = 0
    cache: VectorCache = field(default_factory=dict)


def gather_candidate_pairs(
    context: FilterContext, passages: Sequence[Passage], trusted: Sequence[Passage]
) -> Operation[ConflictCase]:
    """Find the pairs of distinct given and trusted passages that may be contradictions."""
    given = distinct(passages)
    keys = [passage_key(passage) for passage in given]
    unjudgeable = {
        position: reason
        for position, passage in enumerate(given)
        if (reason := _unjudgeable_reason(passage))
    }
    judgeable = [position for position in range(len(given)) if position not in unjudgeable]
    prefixes = (METADATA,) if context.index is None else context.index.prefixes
    trusted_given = trusted_positions(given, context.trusted_filter, prefixes)
    named = {passage_key(passage): passage for passage in (*context.trusted, *trusted)}
    trusted_given |= {position for position, key in enumerate(keys) if key in named}
    silent = {key: reason for key, p in named.items() if (reason := _unjudgeable_reason(p))}
    all_trusted = {key: p for key, p in named.items() if key not in silent}
    named_only = all_trusted.keys() - set(keys)
    cache = dict(context.cache)
    untrusted = [given[position] for position in judgeable if position not in trusted_given]
    stored = yield from _trusted_in_index(context, untrusted, cache)
    all_trusted |= {passage_key(p): p for p in stored if not _unjudgeable_reason(p)}
    trusted_given |= {position for position, key in enumerate(keys) if key in all_trusted}
    extra = [passage for key, passage in all_trusted.items() if key not in keys]
    compared = [given[position] for position in judgeable] + extra
    pairs: tuple[CandidatePair, ...] = ()
    copies: Copies = {}
    if len(compared) > 1:
        vectors = yield from _vectors(context, compared, cache)
        pairs, copies = yield Compute(
            partial(
                compare_passages,
                compared,
                vectors,
                context.constants,
                context.min_probability,
                given_count=len(judgeable),
                trusted=[
                    len(judgeable) + number
                    for number, passage in enumerate(extra)
                    if passage_key(passage) in named_only
                ],
                trusted_given=[n for n, p in enumerate(judgeable) if p in trusted_given],
                nearest_read=context.nearest_read,
            )
        )
        made = map(_cache_key, context.trusted)
        context.cache.update({key: cache[key] for key in made if key in cache})
    positions = judgeable + [len(given) + number for number in range(len(extra))]
    return ConflictCase(
        (*given, *extra),
        len(given),
        frozenset(trusted_given) | frozenset(range(len(given), len(given) + len(extra))),
        tuple(
            replace(pair, one=positions[pair.one], other=positions[pair.other]) for pair in pairs
        ),
        {
            positions[number]: frozenset(positions[other] for other in others)
            for number, others in copies.items()
        },
        unjudgeable,
        {passage_id: reason for (passage_id, _), reason in silent.items()},
    )


def compare_passages(
    passages: Sequence[Passage],
    vectors: Mapping[str, Rows],
    constants: ContradictionConstants,
    min_probability: float,
    *,
    given_count: int | None = None,
    trusted: Collection[int] = (),
    trusted_given: Collection[int] = (),
    nearest_read: int = 0,
) -> tuple[tuple[CandidatePair, ...], Copies]:
    """Compare the given passages with each other and with the trusted ones after them.

    Two trusted passages after the given ones are compared only if a given passage may contradict
    one of them, or if ``trusted`` names one. ``trusted_given`` names the trusted passages among the
    given ones. ``nearest_read`` is as in :class:`FilterContext`.

    ``vectors``: name -> shape (passages, dimension), for the names in ``settings.VECTORS``. If
    ``given_count`` is None, all passages are given ones.

    Returns:
        The pairs, the strongest first, and the copies.
    """
    count = len(passages) if given_count is None else given_count
    texts = [passage.text for passage in passages]
    words = [tuple(words_of(text)) for text in texts]
    rows = {name: matrix.astype(np.float32) for name, matrix in vectors.items()}

    def compare(one: int, first: int) -> tuple[list[CandidatePair], npt.NDArray[np.bool_]]:
        """Return pairs of one passage with those from ``first`` on, and a mask of its copies."""
        others = {name: matrix[first:] for name, matrix in rows.items()}
        row = {name: matrix[one] for name, matrix in rows.items()}
        scores = score_against(row, others, constants)
        is_copy = np.isnan(scores.sparsities)
        probable = np.round(scores.probabilities, SCORE_DECIMALS) >= min_probability
        listed = probable | ((scores.cosines >= LEAST_COSINE_READ) & (nearest_read > 0))
        found = []
        for column in np.flatnonzero(listed & ~is_copy).tolist():
            other = first + column
            if other != one and texts[one] != texts[other]:
                cosine, score, probability = (
                    round(float(values[column]), SCORE_DECIMALS)
                    for values in (scores.cosines, scores.scores, scores.probabilities)
                )
                positions = (min(one, other), max(one, other))
                found.append(CandidatePair(*positions, cosine, score, probability, probability))
        # a pair that contradicts by a cross-encoder is taken out of the copies later
        is_near = (scores.cosines >= COPY_COSINE) & (~probable | (nearest_read > 0))
        return found, is_copy | is_near

    pairs: list[CandidatePair] = []
    copies: dict[int, frozenset[int]] = {}
    for one in range(min(count, len(passages) - 1)):
        found, alike = compare(one, one + 1)
        pairs += found
        for other in range(one + 1, count):
            if words[one] == words[other] or alike[other - one - 1]:
                copies[one] = copies.get(one, frozenset()) | {other}
                copies[other] = copies.get(other, frozenset()) | {one}
    all_trusted = {*trusted_given, *range(count, len(passages))}
    pairs = _nearest_or_probable(pairs, nearest_read, min_probability, all_trusted)
    to_compare = set(trusted) | {pair.other for pair in pairs if pair.other >= count}
    among_trusted = [
        pair
        for one in sorted(to_compare)
        for pair in compare(one, count)[0]
        if pair.one == one or pair.one not in to_compare  # else the other's row has it
    ]
    pairs += _nearest_or_probable(among_trusted, nearest_read, min_probability, all_trusted)
    return tuple(sorted(pairs, key=lambda pair: pair.sort_key)), copies


def _nearest_or_probable(
    pairs: Sequence[CandidatePair],
    nearest: int,
    min_probability: float,
    trusted: Collection[int],
) -> list[CandidatePair]:
    """Keep probable pairs, and each passage's pairs with its ``nearest`` others; 0 keeps all.

    The nearest are chosen among the passages before it in the list, so that no pair depends on
    later passages. The same number is chosen among the trusted passages, at any place in the list.
    """
    if not nearest:
        return list(pairs)
    of_passage: dict[tuple[int, bool], list[CandidatePair]] = {}
    for pair in pairs:
        judged = pair.one if pair.other in trusted and pair.one not in trusted else pair.other
        opponent = pair.one + pair.other - judged
        of_passage.setdefault((judged, opponent in trusted), []).append(pair)
    kept = {pair for pair in pairs if pair.own_probability >= min_probability}
    for others in of_passage.values():
        kept.update(sorted(others, key=lambda pair: -pair.cosine)[:nearest])
    return [pair for pair in pairs if pair in kept]


def _trusted_in_index(
    context: FilterContext, passages: Sequence[Passage], cache: VectorCache
) -> Operation[list[Passage]]:
    """Find the trusted passages of the index that are nearest to each given passage."""
    index, condition = context.index, index_filter(context.trusted_filter)
    if index is None or condition is None or not passages or not context.trusted_candidates:
        return []
    vectors = yield from _vectors(context, passages, cache)
    queries = vectors[TOPICAL]
    index_spec = index.encoder.specs.get(TOPICAL)
    if index_spec is None or index_spec.fingerprint != context.encoder.specs[TOPICAL].fingerprint:
        of_index = yield from passage_vectors(passages, [TOPICAL], index.encoder, index)
        queries = of_index[TOPICAL]
    # each passage is a query, because what refutes it is near to it, not to the user's query
    pools = yield from index.find_candidates(
        [
            [EncodedVectorQuery(TOPICAL, TOPICAL, row, context.trusted_candidates)]
            for row in queries
        ],
        condition,
    )
    points = sorted({point for pool in pools for point in pool.ids})
    found = yield from index.fetch_passages(points)
    return [found[point] for point in points if point in found]


def _vectors(
    context: FilterContext, passages: Sequence[Passage], cache: VectorCache
) -> Operation[dict[str, Rows]]:
    """Return vector name -> shape (passages, dimension), and add new vectors to the cache.

    An index is asked by id, so two passages with one id (a trusted one and its older version) take
    two rounds.
    """
    while missing := {p.id: p for p in passages if _cache_key(p) not in cache}:
        batch = list(missing.values())
        vectors = yield from passage_vectors(batch, VECTORS, context.encoder, context.index)
        for row, passage in enumerate(batch):
            cache[_cache_key(passage)] = {name: rows[row] for name, rows in vectors.items()}
    keys = [_cache_key(passage) for passage in passages]
    return {name: np.stack([cache[key][name] for key in keys]) for name in VECTORS}


def _cache_key(passage: Passage) -> tuple[str, ...]:
    return passage.id, *(passage.text_for(name) for name in VECTORS)


def _unjudgeable_reason(passage: Passage) -> str:
    return unjudgeable_reason("" if is_blank(passage.text_to_embed) else passage.text)


def passage_key(passage: Passage) -> tuple[str, str]:
    """Return id and text, because a passage of another collection may have the same id."""
    return passage.id, passage.text


def check_trusted_filter(trusted_filter: TrustedFilter) -> None:
    """Refuse a filter that cannot say which passages are trusted.

    Raises:
        InputError: the filter cannot be read.
        ConfigurationError: the filter is empty, which would trust every passage.
    """
    if trusted_filter is None or (
        callable(trusted_filter) and not isinstance(trusted_filter, Mapping | models.Filter)
    ):
        return
    if to_qdrant_filter(trusted_filter) in (None, models.Filter()):
        raise ConfigurationError("an empty trusted_filter would trust every passage")


def index_filter(trusted_filter: TrustedFilter) -> Mapping[str, Any] | models.Filter | None:
    """Return the filter if a collection understands it, else None."""
    return trusted_filter if isinstance(trusted_filter, Mapping | models.Filter) else None


def trusted_positions(
    passages: Sequence[Passage],
    trusted_filter: TrustedFilter,
    prefixes: Sequence[str] = (METADATA,),
) -> set[int]:
    """Return positions of the passages that the filter selects, as a collection would do.

    ``prefixes`` says where a collection keeps metadata, for Qdrant filters written by hand.
    """
    if callable(trusted_filter) and not isinstance(trusted_filter, Mapping | models.Filter):
        return {i for i, passage in enumerate(passages) if trusted_filter(passage)}
    condition = to_qdrant_filter(trusted_filter, prefixes=prefixes)
    if condition is None:
        return set()
    return {at for at, passes in enumerate(matching(passages, condition, prefixes)) if passes}
