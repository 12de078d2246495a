"""Groups of passages on one topic: clusters of passages, and the groups drawn from them."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
from sklearn.cluster import AgglomerativeClustering
from sklearn.utils.extmath import randomized_svd

from logic_retrievers.encoders.base import Vectors
from logic_retrievers.errors import ConfigurationError

Rows: TypeAlias = npt.NDArray[np.intp]


@dataclass(frozen=True, slots=True)
class ClusteringSettings:
    """Bounds of the clusters; BoolQuestions prints none of these figures (?).

    Args:
        dimension: of the vectors after truncated SVD.
        most: largest number of passages per cluster.
        least_cosine: least mean cosine of merged clusters, after the SVD; passages further apart
            share no topic.
        most_cosine: of two passages of a cluster, before the SVD; closer ones say the same, no
            question can separate them, and the later one is dropped.
        block: passages that are clustered at once. Larger sets are first split recursively where
            they differ most, since clustering takes quadratic memory (64 MB for 4,000).

    Raises:
        ConfigurationError: numbers that cannot work.
    """

    dimension: int = 64
    most: int = 8
    least_cosine: float = 0.5
    most_cosine: float = 0.95
    block: int = 4000

    def __post_init__(self) -> None:
        if self.dimension < 1 or self.most < 2 or self.block < self.most:
            raise ConfigurationError(
                f"dimension is at least 1, most at least 2 and block at least most: {self}"
            )
        if not -1 <= self.least_cosine < 1 or not -1 < self.most_cosine <= 1:
            raise ConfigurationError(f"cosines are between -1 and 1: {self}")


def cluster_passages(
    vectors: Vectors, settings: ClusteringSettings | None = None, *, seed: int = 0
) -> list[tuple[int, ...]]:
    """Clusters of two to ``most`` rows of the vectors; no row is in two.

    Agglomerative clustering is cut where a cluster would exceed the bounds, so clusters are as
    large as the bounds allow. Passages without neighbours are in none.

    Args:
        vectors: shape (passages, dimension), rows of length 1.
        settings: the defaults where None.
        seed: of the SVD.

    Returns:
        Ascending rows in each cluster; clusters ordered by their first rows.
    """
    bounds = settings or ClusteringSettings()
    if len(vectors) < 2:
        return []
    reduced = _reduce_dimension(vectors, bounds.dimension, seed)
    clusters = [
        cluster
        for block in _split_blocks(reduced, np.arange(len(reduced)), bounds.block, seed)
        for members in _merge_clusters(reduced[block], bounds)
        if len(cluster := _drop_near_duplicates(vectors, sorted(block[members].tolist()), bounds))
        > 1
    ]
    return sorted(clusters)


def _reduce_dimension(vectors: Vectors, dimension: int, seed: int) -> npt.NDArray[Any]:
    """Fewer coordinates, normalised again; vectors that the SVD loses stay 0."""
    reduced: npt.NDArray[Any] = vectors
    if dimension < vectors.shape[1]:
        wanted = min(dimension, len(vectors))
        _, _, directions = randomized_svd(vectors, wanted, random_state=seed)
        reduced = vectors @ directions.T
    lengths = np.linalg.norm(reduced, axis=1, keepdims=True)
    return np.asarray(reduced / np.where(lengths > 0, lengths, 1))


def _split_blocks(points: npt.NDArray[Any], rows: Rows, most: int, seed: int) -> Iterator[Rows]:
    """The rows in blocks of at most ``most``, with similar ones mostly together."""
    if len(rows) <= most:
        yield rows
        return
    centred = points[rows] - points[rows].mean(axis=0)
    _, _, (direction,) = randomized_svd(centred, 1, random_state=seed)
    places = centred @ direction
    order = np.argsort(places, kind="stable")
    # at the widest gap of the middle half, where the fewest topics are split
    quarter = len(order) // 4
    gaps = np.diff(places[order[quarter : len(order) - quarter]])
    cut = quarter + 1 + int(np.argmax(gaps))
    for part in (rows[order[:cut]], rows[order[cut:]]):
        yield from _split_blocks(points, part, most, seed)


def _merge_clusters(points: npt.NDArray[Any], settings: ClusteringSettings) -> Iterator[Rows]:
    """The largest subtrees of the dendrogram within the bounds."""
    if len(points) < 2:
        return
    tree = AgglomerativeClustering(1, linkage="average", compute_distances=True).fit(points)
    # between points of length 1: distance^2 = 2 - 2 cosine
    widest = np.sqrt(2 - 2 * settings.least_cosine)
    members: dict[int, Rows] = {row: np.array([row]) for row in range(len(points))}
    for number, ((left, right), distance) in enumerate(
        zip(tree.children_.tolist(), tree.distances_.tolist(), strict=True), start=len(points)
    ):
        halves = [members.pop(half, None) for half in (left, right)]
        whole = [half for half in halves if half is not None]
        if len(whole) == 2 and sum(map(len, whole)) <= settings.most and distance <= widest:
            members[number] = np.concatenate(whole)
        else:  # no larger merge is within the bounds either
            yield from whole
    yield from members.values()


def _drop_near_duplicates(
    vectors: Vectors, rows: list[int], settings: ClusteringSettings
) -> tuple[int, ...]:
    distinct: list[int] = []
    for row in rows:
        if all(vectors[row] @ vectors[other] < settings.most_cosine for other in distinct):
            distinct.append(row)
    return tuple(distinct)


@dataclass(frozen=True, slots=True)
class PassageGroup:
    """Passages on one topic.

    Args:
        id: unique among the groups of a seed.
        names: ids of the passages. An AND question asks for the first, a NOT question excludes it.
        texts: of the passages, in the same order.
    """

    id: str
    names: tuple[str, ...]
    texts: tuple[str, ...]


def draw_groups(
    clusters: Sequence[Sequence[str]],
    documents: Mapping[str, str],
    *,
    sizes: Collection[int] = (2, 3),
    seed: int = 0,
) -> Iterator[PassageGroup]:
    """Groups in random order, the first of every cluster before the second of any.

    No passage is in two groups. Sizes are random; left-over passages of a cluster are in none.

    Args:
        clusters: ids of passages.
        documents: id -> text.
        sizes: 2, 3, or both.
        seed: of all random choices.

    Raises:
        ConfigurationError: other sizes.
    """
    if not sizes or not set(sizes) <= {2, 3}:
        raise ConfigurationError(f"a group has 2 or 3 passages, not {sorted(sizes)}")
    random = Random(f"{seed}:groups")
    groups: list[tuple[int, float, tuple[str, ...]]] = []
    for cluster in clusters:
        remaining = random.sample(list(cluster), len(cluster))
        turn = 0
        while fitting := [size for size in sorted(sizes) if size <= len(remaining)]:
            size = random.choice(fitting)
            groups.append((turn, random.random(), tuple(remaining[:size])))
            remaining, turn = remaining[size:], turn + 1
    for number, (_, _, names) in enumerate(sorted(groups)):
        yield PassageGroup(f"b{number:05d}", names, tuple(documents[name] for name in names))
