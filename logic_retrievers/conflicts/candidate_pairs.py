"""Find pairs of given and trusted passages that may contradict each other; used by a filter."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TypeAlias

import numpy as np

from logic_retrievers.conflicts.scorer import Rows, score_against
from logic_retrievers.conflicts.settings import TOPICAL, VECTORS, ContradictionConstants
from logic_retrievers.conflicts.stances import Group
from logic_retrievers.effects import Compute, Operation
from logic_retrievers.encoders import Encoder
from logic_retrievers.errors import ConfigurationError
from logic_retrievers.index import EncodedVectorQuery
from logic_retrievers.index.filters import UserFilter, matching, to_qdrant_filter
from logic_retrievers.index.passage_index import PassageIndex
from logic_retrievers.index.point_format import METADATA
from logic_retrievers.ranking.execution import passage_vectors
from logic_retrievers.text import is_blank, unjudgeable_reason
from logic_retrievers.types import SCORE_DECIMALS, Passage
from logic_retrievers.validation import distinct
from logic_retrievers.validity import Validity, are_apart

# a passage's id and the texts that its vectors encode -> vector name -> vector
VectorCache: TypeAlias = dict[tuple[str, ...], dict[str, Rows]]
# {"key": wanted} over the metadata, a Qdrant filter, or a function of a passage
TrustedFilter: TypeAlias = UserFilter | Callable[[Passage], bool]

# If a cross-encoder reads pairs, this many nearest passages are candidates at any probability,
# because the vectors miss most contradictions in different words. Five add .01 recall, but lower
# the precision from .61 to .48 (relations_dev, end to end).
NEAREST_READ = 2
# Per passage, a cleaner also reads this many found by shared words, which adds .06 of
# relations_dev's contradictions.
BY_WORDS_READ = 1
# Least topical cosine of a pair that a cross-encoder reads, because passages further apart are
# about different things. (A filter also reads every probable pair.)
LEAST_COSINE_READ = 0.35


@dataclass(frozen=True, slots=True)
class CandidatePair:
    """Two passages that may contradict each other.

    Args:
        one, other: positions of the two.
        cosine: cosine of the topical vectors.
        score: F = cosine + alpha * sparsity.
        own_probability: probability of a contradiction from the vectors alone.
        judged: probability of a contradiction from the judge; None if no judge read the pair. For
            the package's cross-encoder, two states of one thing count too.
        reading: probabilities of the cross-encoder's labels; None if none read the pair.
    """

    one: int
    other: int
    cosine: float
    score: float
    own_probability: float
    judged: float | None = None
    reading: tuple[float, ...] | None = None

    @property
    def probability(self) -> float:
        """Probability of a conflict; the judge's if it read the pair."""
        return self.own_probability if self.judged is None else self.judged

    @property
    def sort_key(self) -> tuple[float, float, int, int]:
        """Sort key: the most probable pair first, then by score and position."""
        return (-self.probability, -self.score, self.one, self.other)


@dataclass(frozen=True, slots=True)
class ConflictCase:
    """The candidate pairs of a list of passages, with everything that their resolution needs.

    Args:
        passages: the passages as given, then trusted passages that were not given.
        given_count: number of given passages.
        trusted: positions of the trusted passages, given or not.
        pairs: pairs that may contradict each other, the strongest first.
        unjudgeable: position -> why the passage cannot be judged.
        unjudgeable_trusted: id -> why the trusted passage, given or not, cannot judge others.
        groups: as in ConflictGraph; empty for a filter.
    """

    passages: Sequence[Passage]
    given_count: int
    trusted: frozenset[int]
    pairs: tuple[CandidatePair, ...]
    unjudgeable: Mapping[int, str] = field(default_factory=dict)
    unjudgeable_trusted: Mapping[str, str] = field(default_factory=dict)
    groups: Mapping[tuple[int, int], Group] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class FilterContext:
    """Settings that all calls of a ``ContradictionFilter`` share.

    The ``nearest_read`` nearest passages are candidates at any probability. ``validity`` names the
    metadata keys of the dates that tell passages apart. ``cache`` keeps the vectors of ``trusted``.
    """

    encoder: Encoder
    index: PassageIndex | None
    constants: ContradictionConstants
    min_probability: float
    trusted: tuple[Passage, ...]
    trusted_filter: TrustedFilter
    trusted_candidates: int
    nearest_read: int = 0
    validity: Validity | None = None
    cache: VectorCache = field(default_factory=dict)


def gather_candidate_pairs(
    context: FilterContext, passages: Sequence[Passage], trusted: Sequence[Passage]
) -> Operation[ConflictCase]:
    """Find the pairs of distinct given and trusted passages that may be contradictions."""
    given, index = distinct(passages), context.index
    keys = [passage_key(passage) for passage in given]
    unjudgeable = {n: reason for n, p in enumerate(given) if (reason := _unjudgeable_reason(p))}
    named = {passage_key(passage): passage for passage in (*context.trusted, *trusted)}
    silent = {key: reason for key, p in named.items() if (reason := _unjudgeable_reason(p))}
    outside = {key: p for key, p in named.items() if key not in silent and key not in keys}
    among_given = trusted_positions(
        given, context.trusted_filter, (METADATA,) if index is None else index.prefixes
    )
    among_given |= {position for position, key in enumerate(keys) if key in named}
    judgeable = [position for position in range(len(given)) if position not in unjudgeable]
    untrusted = [given[position] for position in judgeable if position not in among_given]
    cache = dict(context.cache)
    found = yield from _trusted_in_index(context, untrusted, cache)
    among_given |= {position for position, key in enumerate(keys) if key in found}
    extra = {**outside, **{key: p for key, p in found.items() if key not in keys}}
    compared = [*(given[position] for position in judgeable), *extra.values()]
    positions = [*judgeable, *range(len(given), len(given) + len(extra))]
    pairs: tuple[CandidatePair, ...] = ()
    if len(compared) > 1:
        vectors = yield from _vectors(context, compared, cache)
        kept = map(_cache_key, context.trusted)
        context.cache.update({key: cache[key] for key in kept if key in cache})
        pairs = yield Compute(
            partial(
                compare_passages,
                compared,
                vectors,
                context.constants,
                context.min_probability,
                given_count=len(judgeable),
                trusted=range(len(judgeable), len(judgeable) + len(outside)),
                trusted_given=[n for n, p in enumerate(judgeable) if p in among_given],
                nearest_read=context.nearest_read,
                validity=context.validity,
            )
        )
    return ConflictCase(
        (*given, *extra.values()),
        len(given),
        frozenset(among_given) | frozenset(range(len(given), len(given) + len(extra))),
        tuple(
            replace(pair, one=positions[pair.one], other=positions[pair.other]) for pair in pairs
        ),
        unjudgeable,
        {passage_id: reason for (passage_id, _), reason in silent.items()},
    )


def compare_passages(
    passages: Sequence[Passage],
    vectors: Mapping[str, Rows],
    constants: ContradictionConstants,
    min_probability: float,
    *,
    given_count: int,
    trusted: Collection[int] = (),
    trusted_given: Collection[int] = (),
    nearest_read: int = 0,
    validity: Validity | None = None,
) -> tuple[CandidatePair, ...]:
    """Compare the given passages with each other and with the trusted passages after them.

    Two trusted passages after the given ones are compared only if a given passage may contradict
    one of them, or if ``trusted`` holds the position of one. ``trusted_given`` holds the positions
    of given trusted passages. ``nearest_read`` and ``validity`` are as in
    :class:`FilterContext`.

    ``vectors``: name -> shape (passages, dimension), for the names in ``settings.VECTORS``.

    Returns:
        The pairs, the strongest first.
    """
    rows = {name: matrix.astype(np.float32) for name, matrix in vectors.items()}

    def compare(one: int, first: int) -> Iterator[CandidatePair]:
        """Pair passage ``one`` with all passages from position ``first`` on."""
        others = {name: matrix[first:] for name, matrix in rows.items()}
        scores = score_against({name: row[one] for name, row in rows.items()}, others, constants)
        listed = np.round(scores.probabilities, SCORE_DECIMALS) >= min_probability
        listed |= (scores.cosines >= LEAST_COSINE_READ) & (nearest_read > 0)
        columns = (scores.cosines, scores.scores, scores.probabilities)
        for column in np.flatnonzero(listed & ~np.isnan(scores.sparsities)).tolist():
            other = first + column
            if are_apart(passages[one].metadata, passages[other].metadata, validity):
                continue
            if other != one and passages[one].text != passages[other].text:
                cosine, score, own = (round(float(c[column]), SCORE_DECIMALS) for c in columns)
                yield CandidatePair(min(one, other), max(one, other), cosine, score, own)

    def select(pairs: Iterable[CandidatePair]) -> list[CandidatePair]:
        once = {(pair.one, pair.other): pair for pair in pairs}
        all_trusted = {*trusted_given, *range(given_count, len(passages))}
        return _nearest_or_probable(once.values(), nearest_read, min_probability, all_trusted)

    last = len(passages) - 1
    pairs = select(pair for one in range(min(given_count, last)) for pair in compare(one, one + 1))
    opponents = {*trusted, *(pair.other for pair in pairs if pair.other >= given_count)}
    pairs += select(pair for one in sorted(opponents) for pair in compare(one, given_count))
    return tuple(sorted(pairs, key=lambda pair: pair.sort_key))


def _nearest_or_probable(
    pairs: Collection[CandidatePair],
    nearest: int,
    min_probability: float,
    trusted: Collection[int],
) -> list[CandidatePair]:
    """Keep probable pairs, and each passage's pairs with its ``nearest`` others; 0 keeps all.

    The nearest are chosen among earlier passages in the list, so that no pair depends on later
    passages. As many are chosen among the trusted passages: for an untrusted passage anywhere in
    the list, for a trusted one among earlier passages.
    """
    if not nearest:
        return list(pairs)
    of_passage: dict[tuple[int, bool], list[CandidatePair]] = {}
    for pair in sorted(pairs, key=lambda pair: -pair.cosine):
        judged = pair.one if pair.other in trusted and pair.one not in trusted else pair.other
        opponent = pair.one + pair.other - judged
        of_passage.setdefault((judged, opponent in trusted), []).append(pair)
    kept = {pair for others in of_passage.values() for pair in others[:nearest]}
    return [pair for pair in pairs if pair in kept or pair.own_probability >= min_probability]


def _trusted_in_index(
    context: FilterContext, passages: Sequence[Passage], cache: VectorCache
) -> Operation[dict[tuple[str, str], Passage]]:
    """Find the judgeable trusted passages of the index that are nearest to each given passage."""
    index, condition = context.index, index_filter(context.trusted_filter)
    if index is None or condition is None or not passages or not context.trusted_candidates:
        return {}
    vectors: Mapping[str, Rows] = yield from _vectors(context, passages, cache)
    index_spec = index.encoder.specs.get(TOPICAL)
    if index_spec is None or index_spec.fingerprint != context.encoder.specs[TOPICAL].fingerprint:
        vectors = yield from passage_vectors(passages, [TOPICAL], index.encoder, index)
    # query by each passage: what refutes it is near it, not near the user's query
    pools = yield from index.find_candidates(
        [
            [EncodedVectorQuery(TOPICAL, TOPICAL, row, context.trusted_candidates)]
            for row in vectors[TOPICAL]
        ],
        condition,
    )
    points = sorted({point for pool in pools for point in pool.ids})
    found = yield from index.fetch_passages(points)
    trusted = [found[point] for point in points if point in found]
    return {passage_key(p): p for p in trusted if not _unjudgeable_reason(p)}


def _vectors(
    context: FilterContext, passages: Sequence[Passage], cache: VectorCache
) -> Operation[dict[str, Rows]]:
    """Return vector name -> shape (passages, dimension), and add new vectors to the cache.

    An index is queried by id, so passages that share an id (a trusted passage and its older
    version) take several rounds.
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
    """Return id and text, because passages of different collections may share an id."""
    return passage.id, passage.text


def check_trusted_filter(trusted_filter: TrustedFilter) -> None:
    """Refuse a filter that cannot select trusted passages.

    Raises:
        InputError: the filter cannot be read.
        ConfigurationError: the filter has no condition, so it would trust every passage.
    """
    if trusted_filter is None or callable(trusted_filter):
        return
    condition = to_qdrant_filter(trusted_filter)
    if condition is None or not any(conditions for _, conditions in condition):
        raise ConfigurationError("an empty trusted_filter would trust every passage")


def index_filter(trusted_filter: TrustedFilter) -> UserFilter:
    """Return the filter if a collection can apply it, else None."""
    return None if callable(trusted_filter) else trusted_filter


def trusted_positions(
    passages: Sequence[Passage],
    trusted_filter: TrustedFilter,
    prefixes: Sequence[str] = (METADATA,),
) -> set[int]:
    """Return positions of the passages that the filter selects, by a collection's rules.

    ``prefixes`` are a collection's metadata prefixes, which hand-written Qdrant filters use.
    """
    if callable(trusted_filter):
        return {i for i, passage in enumerate(passages) if trusted_filter(passage)}
    condition = to_qdrant_filter(trusted_filter, prefixes=prefixes)
    if condition is None:
        return set()
    return {at for at, passes in enumerate(matching(passages, condition, prefixes)) if passes}
