"""Search by a vector, or for diverse results, over topical vectors only.

A vector does not say what a query excludes, so no policy is applied.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from logic_retrievers.checks import MAX_COUNT, check_count, check_number
from logic_retrievers.effects import Operation
from logic_retrievers.errors import InputError
from logic_retrievers.index import PassageIndex, UserFilter
from logic_retrievers.index.candidate_search import EncodedVectorQuery
from logic_retrievers.index.search_params import SearchParams, check_params
from logic_retrievers.scoring.fusion import maximal_marginal_relevance
from logic_retrievers.types import Evidence, Hit

TOPICAL = "topical"


def nearest_hits(
    index: PassageIndex,
    vector: Sequence[float],
    k: int,
    filter: UserFilter = None,  # noqa: A002 - the name in vector stores
    *,
    min_score: float | None = None,
    offset: int = 0,
    params: SearchParams = None,
) -> Operation[list[Hit]]:
    """Find the k passages whose topical vectors are nearest to a vector.

    Args:
        index: holds the passages.
        vector: a vector of the index's encoder.
        k: number of passages.
        filter: only matching passages are searched.
        min_score: lowest cosine of a hit.
        offset: number of first hits to skip.
        params: see :class:`logic_retrievers.SearchOptions`.

    Raises:
        InputError: the vector has a different dimension, is not finite, or has length 0.
        ConfigurationError: k is under 1, or a setting is wrong.
        MissingVectorError: the collection has no topical vectors.
    """
    check_count("k", k)
    check_count("offset", offset, MAX_COUNT - k, least=0)
    if min_score is not None:
        check_number("min_score", min_score)
    given = check_params(params)
    query = EncodedVectorQuery(TOPICAL, TOPICAL, _unit_vector(index, vector), offset + k)
    [pool] = yield from index.find_candidates([[query]], filter, None, given)
    passages = yield from index.fetch_passages(pool.ids)
    scores = dict(zip(pool.ids, pool.scores[TOPICAL].tolist(), strict=True))
    order = sorted(passages, key=lambda point: (-scores[point], point))
    nearest = [point for point in order if min_score is None or scores[point] >= min_score]
    hits = [
        Hit(
            passages[point],
            rank,
            scores[point],
            Evidence(TOPICAL, {TOPICAL: scores[point]}, {TOPICAL: rank}, reason="by a vector"),
        )
        for rank, point in enumerate(nearest[: offset + k], 1)
    ]
    return hits[offset:]


def diverse_hits(
    index: PassageIndex, hits: Sequence[Hit], k: int, weight: float
) -> Operation[list[Hit]]:
    """Pick k relevant and diverse hits (MMR) by their topical vectors.

    Args:
        index: the index that found the hits.
        hits: hits of a plain topical search. A hit without a stored vector resembles no other.
        k: number of hits to pick.
        weight: weight of relevance, 0 to 1; similarity to picked hits costs 1 - weight.

    Raises:
        ConfigurationError: k is under 1, or the weight is outside [0, 1].
    """
    check_count("k", k)
    check_number("the weight of relevance", weight, 0, 1)
    stored = yield from index.stored_vectors([hit.passage for hit in hits], [TOPICAL])
    rows = np.zeros((len(hits), index.encoder.specs[TOPICAL].dimension))
    for row, hit in enumerate(hits):
        rows[row] = stored.get((TOPICAL, hit.passage.id), 0.0)
    relevance = np.array([hit.score for hit in hits])
    chosen = maximal_marginal_relevance(relevance, rows @ rows.T, k, weight)
    return [replace(hits[item], rank=rank) for rank, item in enumerate(chosen, 1)]


def _unit_vector(index: PassageIndex, vector: Any) -> np.ndarray[Any, np.dtype[np.float32]]:
    dimension = index.encoder.specs[TOPICAL].dimension if TOPICAL in index.encoder.specs else 0
    try:
        array = np.asarray(vector, dtype=np.float32)
    except (TypeError, ValueError):
        array = np.empty(0, np.float32)
    length = float(np.linalg.norm(array))
    if array.shape != (dimension,) or not np.isfinite(length) or not length:
        raise InputError(
            f"a query vector must be {dimension} finite numbers that are not all 0, as"
            f" LogicEmbeddings makes them; this one has the shape {array.shape}"
        )
    return array / np.float32(length)
