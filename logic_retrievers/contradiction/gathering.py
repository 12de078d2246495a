"""Everything that a filter has to look at: passages, trusted passages, vectors, pairs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from qdrant_client import models

from logic_retrievers.answering import passage_vectors
from logic_retrievers.contradiction.conflicts import Comparison, compare
from logic_retrievers.contradiction.judging import Rows
from logic_retrievers.contradiction.script import unjudged
from logic_retrievers.contradiction.settings import TOPICAL, VECTORS, ContradictionSettings
from logic_retrievers.contradiction.trust import TrustedFilter, nearest_trusted, picked, same
from logic_retrievers.contradiction.verdicts import Case
from logic_retrievers.errors import InputError
from logic_retrievers.index.payloads import METADATA
from logic_retrievers.index.validation import check_kinds
from logic_retrievers.procedures import Procedure, Work
from logic_retrievers.types import Passage

if TYPE_CHECKING:
    from logic_retrievers.encoders.base import Encoder
    from logic_retrievers.index.passages import PassageIndex

Known: TypeAlias = dict[tuple[str, ...], dict[str, Rows]]
"""Passage, by all that its vectors are made of -> vector name -> vector."""


@dataclass(frozen=True, slots=True)
class Room:
    """What does not change from call to call; see ``ContradictionFilter``.

    Args:
        least: probability from which a pair is of interest.
        known: vectors of the trusted passages, kept once they have been made.
    """

    encoder: Encoder
    index: PassageIndex | None
    settings: ContradictionSettings
    least: float
    trusted: tuple[Passage, ...]
    trusted_filter: TrustedFilter
    trusted_candidates: int
    known: Known = field(default_factory=dict)


def checked_passages(passages: Iterable[Passage]) -> tuple[Passage, ...]:
    """The passages.

    Raises:
        InputError: one of them is none, or they are no list.
    """
    if isinstance(passages, Passage) or not isinstance(passages, Iterable):
        raise InputError(f"A list of passages is needed, not {type(passages).__name__}.")
    found = tuple(passages)
    for passage in found:
        check_kinds(passage)
    return found


def gathered(
    room: Room, passages: Sequence[Passage], trusted: Sequence[Passage]
) -> Procedure[Case]:
    """The passages, each once, the trusted ones, and the pairs that may contradict each other.

    Args:
        room: with the settings.
        passages: the given ones.
        trusted: for this call.
    """
    first: dict[str, Passage] = {}
    for one in passages:
        first.setdefault(one.id, one)
    given = list(first.values())
    place_of = {same(one): place for place, one in enumerate(given)}
    unjudged = {place: why for place, one in enumerate(given) if (why := _unjudged(one))}
    judged = [place for place in range(len(given)) if place not in unjudged]
    prefixes = (METADATA,) if room.index is None else room.index.prefixes
    marked = picked(given, room.trusted_filter, prefixes)
    named = {same(one): one for one in (*room.trusted, *trusted)}
    marked |= {place_of[key] for key in named.keys() & place_of.keys()}
    vouched = {key: one for key, one in named.items() if not _unjudged(one)}
    declared = vouched.keys() - place_of.keys()
    known = dict(room.known)
    asking = [given[place] for place in judged if place not in marked]
    found = yield from _from_index(room, asking, known)
    vouched |= {same(one): one for one in found if not _unjudged(one)}
    marked |= {place_of[key] for key in vouched.keys() & place_of.keys()}
    extra = [one for key, one in vouched.items() if key not in place_of]
    compared = [given[place] for place in judged] + extra
    comparison = Comparison()
    if len(compared) > 1:
        vectors = yield from _vectors(room, compared, known)
        behind = [len(judged) + at for at, one in enumerate(extra) if same(one) in declared]
        comparison = yield Work(
            partial(
                compare,
                compared,
                vectors,
                room.settings,
                room.least,
                given=len(judged),
                trusted=behind,
            )
        )
        room.known.update(
            {_read(one): known[_read(one)] for one in room.trusted if _read(one) in known}
        )
    places = judged + [len(given) + at for at in range(len(extra))]
    return Case(
        (*given, *extra),
        len(given),
        frozenset(marked) | frozenset(range(len(given), len(given) + len(extra))),
        unjudged,
        tuple(
            replace(pair, one=places[pair.one], other=places[pair.other])
            for pair in comparison.pairs
        ),
        {
            places[place]: frozenset(places[other] for other in others)
            for place, others in comparison.copies.items()
        },
        {one.id: why for one in named.values() if (why := _unjudged(one))},
    )


def _from_index(room: Room, asking: Sequence[Passage], known: Known) -> Procedure[list[Passage]]:
    """The trusted passages of the index that lie nearest to each of those that ask."""
    index, wanted = room.index, room.trusted_filter
    if index is None or not isinstance(wanted, Mapping | models.Filter):
        return []
    if not asking or not room.trusted_candidates:
        return []
    rows = yield from _vectors(room, asking, known)
    queries = rows[TOPICAL]
    theirs, ours = index.encoder.specs.get(TOPICAL), room.encoder.specs[TOPICAL]
    if theirs is None or theirs.fingerprint != ours.fingerprint:
        made = yield from passage_vectors(asking, [TOPICAL], index.encoder, index)
        queries = made[TOPICAL]
    found = yield from nearest_trusted(index, wanted, queries, room.trusted_candidates)
    return found


def _vectors(room: Room, passages: Sequence[Passage], known: Known) -> Procedure[dict[str, Rows]]:
    """Vector name -> shape (passages, dimension); what has to be made is added to ``known``.

    Two passages of one id (a trusted one and its older version) take two rounds: an index is asked
    by id.
    """
    while lacking := {one.id: one for one in passages if _read(one) not in known}:
        some = list(lacking.values())
        made = yield from passage_vectors(some, VECTORS, room.encoder, room.index)
        for at, one in enumerate(some):
            known[_read(one)] = {name: rows[at] for name, rows in made.items()}
    return {name: np.stack([known[_read(one)][name] for one in passages]) for name in VECTORS}


def _read(passage: Passage) -> tuple[str, ...]:
    return passage.id, *(passage.text_for(name) for name in VECTORS)


def _unjudged(passage: Passage) -> str:
    """Why a passage cannot be judged; empty where it can."""
    return unjudged(passage.text if passage.embedded.strip() else "")
