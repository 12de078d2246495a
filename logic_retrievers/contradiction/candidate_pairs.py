"""Candidate pairs of a filter: passages, trusted passages, and who may contradict whom.

The passages are compared all against all, a row at a time. Encoding and reading an index are the
only I/O of a filter, and happen here.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from logic_retrievers.contradiction.pair_scores import Rows, VectorScores, score_against
from logic_retrievers.contradiction.resolution_strategies import Group
from logic_retrievers.contradiction.settings import TOPICAL, VECTORS, ContradictionConstants
from logic_retrievers.contradiction.trusted_passages import (
    TrustedFilter,
    index_filter,
    nearest_trusted,
    passage_key,
    trusted_positions,
)
from logic_retrievers.effects import Compute, Operation
from logic_retrievers.encoders.base import Encoder
from logic_retrievers.index.passage_index import PassageIndex
from logic_retrievers.index.point_format import METADATA
from logic_retrievers.ranking.execution import passage_vectors
from logic_retrievers.text import is_blank, unjudgeable_reason, words_of
from logic_retrievers.types import SCORE_DECIMALS, Passage
from logic_retrievers.validation import distinct

VectorCache: TypeAlias = dict[tuple[str, ...], dict[str, Rows]]
"""Passage, by id and the texts that its vectors are made of -> vector name -> vector."""

Copies: TypeAlias = Mapping[int, frozenset[int]]
"""Position -> positions of passages that say the same in nearly the same words."""

NEAREST_READ = 5
"""Where a cross-encoder reads pairs, so many of the nearest are candidates whatever their
probability: the vectors miss most contradictions in other words."""

LEAST_COSINE_READ = 0.35
"""Of the nearest: pairs that are further apart speak of different things."""

COPY_COSINE = 0.97
"""Topical cosine from which two passages that do not contradict each other say the same."""


@dataclass(frozen=True, slots=True)
class CandidatePair:
    """Two passages, by position, that may contradict each other.

    ``score`` is F, by which pairs are ordered. ``probability`` is the judge's if it has read the
    pair, ``own_probability`` that of the vectors alone. ``read``: whether cross-encoders have read
    sentences of both. ``kinds``: probabilities of :data:`logic_retrievers.judging.PAIR_KINDS`, for
    a cleaner.
    """

    one: int
    other: int
    cosine: float
    score: float
    probability: float
    own_probability: float
    read: bool = False
    kinds: tuple[float, ...] | None = None

    @property
    def sort_key(self) -> tuple[float, float, int, int]:
        """Sorts the strongest pair first; equal ones by position."""
        return (-self.probability, -self.score, self.one, self.other)


@dataclass(frozen=True, slots=True)
class ConflictCase:
    """The candidate pairs of a list of passages, and what their resolution depends on.

    Args:
        passages: the given ones in their order, then trusted ones that were not given.
        given_count: how many are given.
        trusted: positions of the trusted ones, given or not.
        pairs: that may contradict each other, the strongest first.
        copies: of the given passages.
        unjudgeable: position -> why a passage cannot be judged.
        unjudgeable_trusted: id -> why a trusted passage, given or not, judges nobody.
        groups: neighbours of pairs in conflict, where they are known; see ConflictGraph.
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
    """What stays the same from call to call; see ``ContradictionFilter``.

    ``nearest_read``: how many of the nearest of each passage are candidates whatever their
    probability. ``cache`` has the vectors of the trusted passages, once they have been made.
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
    """The passages, each once, the trusted ones, and the pairs that may be contradictions."""
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
    """Compares the given passages with each other and with the trusted ones after them.

    Trusted ones that no given passage contradicts are not compared among themselves, unless
    ``trusted`` names them. ``trusted_given``: given ones that are trusted. ``nearest_read``: so
    many of the nearest of each passage are candidates whatever their probability.

    ``vectors``: name -> shape (passages, dimension), for the names in ``settings.VECTORS``. All
    passages are given ones where ``given_count`` is None.

    Returns:
        The pairs, the strongest first, and the copies.
    """
    count = len(passages) if given_count is None else given_count
    texts = [passage.text for passage in passages]
    words = [tuple(words_of(text)) for text in texts]
    rows = {name: matrix.astype(np.float32) for name, matrix in vectors.items()}
    pairs: list[CandidatePair] = []
    copies: dict[int, frozenset[int]] = {}
    for one in range(min(count, len(passages) - 1)):
        scores = _row_scores(rows, one, one + 1, constants)
        is_candidate = _candidate_mask(scores, min_probability)
        listed = is_candidate | _near_mask(scores) if nearest_read else is_candidate
        pairs += _row_pairs(scores, listed, one, one + 1, texts)
        near = np.isnan(scores.sparsities) | (scores.cosines >= COPY_COSINE)
        for other in range(one + 1, count):
            column = other - one - 1
            # what a cross-encoder reads as a contradiction is taken out of these later
            alike = near[column] and (nearest_read or not is_candidate[column])
            if words[one] == words[other] or alike:
                copies[one] = copies.get(one, frozenset()) | {other}
                copies[other] = copies.get(other, frozenset()) | {one}
    all_trusted = {*trusted_given, *range(count, len(passages))}
    if nearest_read:
        pairs = _nearest_or_probable(pairs, nearest_read, min_probability, all_trusted)
    to_compare = set(trusted) | {pair.other for pair in pairs if pair.other >= count}
    among_trusted: list[CandidatePair] = []
    for one in sorted(to_compare):
        scores = _row_scores(rows, one, count, constants)
        mask = _candidate_mask(scores, min_probability)
        mask = mask | _near_mask(scores) if nearest_read else mask
        for pair in _row_pairs(scores, mask, one, count, texts):
            if pair.one == one or pair.one not in to_compare:  # else it is in the other's row
                among_trusted.append(pair)
    if nearest_read:
        among_trusted = _nearest_or_probable(
            among_trusted, nearest_read, min_probability, all_trusted
        )
    pairs += among_trusted
    return tuple(sorted(pairs, key=lambda pair: pair.sort_key)), copies


def _nearest_or_probable(
    pairs: Sequence[CandidatePair],
    nearest: int,
    min_probability: float,
    trusted: Collection[int],
) -> list[CandidatePair]:
    """The probable pairs, and of each passage those with its ``nearest``.

    Near are those before it in the list, so that a pair does not depend on what comes later, and as
    many trusted ones, wherever they stand.
    """
    of_passage: dict[tuple[int, bool], list[CandidatePair]] = {}
    for pair in pairs:
        judged = pair.one if pair.other in trusted and pair.one not in trusted else pair.other
        opponent = pair.one + pair.other - judged
        of_passage.setdefault((judged, opponent in trusted), []).append(pair)
    kept = {pair for pair in pairs if pair.own_probability >= min_probability}
    for others in of_passage.values():
        kept.update(sorted(others, key=lambda pair: -pair.cosine)[:nearest])
    return [pair for pair in pairs if pair in kept]


def _row_scores(
    rows: Mapping[str, Rows], one: int, first: int, constants: ContradictionConstants
) -> VectorScores:
    """One passage against all from ``first`` on."""
    others = {name: matrix[first:] for name, matrix in rows.items()}
    return score_against({name: matrix[one] for name, matrix in rows.items()}, others, constants)


def _near_mask(scores: VectorScores) -> npt.NDArray[np.bool_]:
    return ~np.isnan(scores.sparsities) & (scores.cosines >= LEAST_COSINE_READ)


def _candidate_mask(scores: VectorScores, min_probability: float) -> npt.NDArray[np.bool_]:
    probable = np.round(scores.probabilities, SCORE_DECIMALS) >= min_probability
    return probable & ~np.isnan(scores.sparsities)


def _row_pairs(
    scores: VectorScores,
    is_candidate: npt.NDArray[np.bool_],
    one: int,
    first: int,
    texts: Sequence[str],
) -> list[CandidatePair]:
    pairs = []
    for column in np.flatnonzero(is_candidate).tolist():
        other = first + column
        if other == one or texts[one] == texts[other]:
            continue  # one text does not contradict itself
        cosine, score, probability = (
            round(float(values[column]), SCORE_DECIMALS)
            for values in (scores.cosines, scores.scores, scores.probabilities)
        )
        positions = (min(one, other), max(one, other))
        pairs.append(CandidatePair(*positions, cosine, score, probability, probability))
    return pairs


def _trusted_in_index(
    context: FilterContext, passages: Sequence[Passage], cache: VectorCache
) -> Operation[list[Passage]]:
    """The trusted passages of the index that are nearest to each of the passages."""
    index, condition = context.index, index_filter(context.trusted_filter)
    if index is None or condition is None or not passages or not context.trusted_candidates:
        return []
    vectors = yield from _vectors(context, passages, cache)
    queries = vectors[TOPICAL]
    index_spec = index.encoder.specs.get(TOPICAL)
    if index_spec is None or index_spec.fingerprint != context.encoder.specs[TOPICAL].fingerprint:
        of_index = yield from passage_vectors(passages, [TOPICAL], index.encoder, index)
        queries = of_index[TOPICAL]
    return (yield from nearest_trusted(index, condition, queries, context.trusted_candidates))


def _vectors(
    context: FilterContext, passages: Sequence[Passage], cache: VectorCache
) -> Operation[dict[str, Rows]]:
    """Vector name -> shape (passages, dimension); new vectors are added to the cache.

    Two passages of one id (a trusted one and its older version) take two rounds, since an index is
    asked by id.
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
    """Why a passage cannot be judged; empty where it can."""
    return unjudgeable_reason("" if is_blank(passage.text_to_embed) else passage.text)
