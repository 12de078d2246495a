"""The null distribution: sparsity of the differences of texts that are unrelated."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from logic_retrievers.contradiction.settings import ContradictionSettings
from logic_retrievers.encoders.texts import check_texts
from logic_retrievers.errors import InputError

LEAST = 30
"""Pairs under which mean and deviation say little."""

Pair = tuple[str, str]


def unrelated_pairs(texts: Sequence[str], count: int, seed: int) -> list[Pair]:
    """Pairs of different texts, drawn at random without repetition; all where there are no more.

    In a corpus about many things two texts drawn at random have nothing to do with each other.

    Args:
        texts: of the corpus; copies count once.
        count: how many pairs are wanted.
        seed: of the draw.

    Raises:
        InputError: no texts, or they do not give 30 pairs.
        EmptyTextError: a text with nothing but white space.
    """
    check_texts(texts)
    distinct = list(dict.fromkeys(texts))
    possible = len(distinct) * (len(distinct) - 1) // 2
    if min(count, possible) < LEAST:
        raise InputError(
            f"{len(distinct)} texts that differ give {min(count, possible)} pairs; at least {LEAST}"
            " are needed to tell how sparse unrelated texts differ. Pass more texts of the corpus."
        )
    generator = np.random.default_rng(seed)
    if possible <= 4 * count:
        left, right = np.triu_indices(len(distinct), k=1)
        chosen = generator.permutation(possible)[:count]
        return [(distinct[left[n]], distinct[right[n]]) for n in chosen]
    drawn: dict[tuple[int, int], None] = {}
    while len(drawn) < count:
        one, other = sorted(generator.integers(len(distinct), size=2).tolist())
        if one != other:
            drawn[one, other] = None
    return [(distinct[one], distinct[other]) for one, other in drawn]


def with_null(
    settings: ContradictionSettings, sparsities: npt.NDArray[np.float64]
) -> ContradictionSettings:
    """The constants with the mean and deviation of these sparsities.

    Args:
        settings: whose other constants stay.
        sparsities: Hoyer, of unrelated pairs; NaN of copies, which are left out.

    Raises:
        InputError: nearly all are copies, or all are equally sparse.
    """
    known = sparsities[~np.isnan(sparsities)]
    if len(known) < LEAST or not known.std():
        raise InputError(
            f"Only {len(known)} of {len(sparsities)} pairs are no copies, or all differ alike; pass"
            " texts that are about different things."
        )
    return replace(settings, null_mean=float(known.mean()), null_deviation=float(known.std(ddof=1)))
