"""The engine against a plain reference."""

from __future__ import annotations

import random
import uuid
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pytest
import reference
from qdrant_client import models
from table import TableEncoder

from logic_retrievers import CoderUnionPolicy, Engine, PassageIndex, SequentialPolicy, TopicalPolicy
from logic_retrievers.effects import ClientCall, Operation

DIMENSION = 16
CASES = 300


@dataclass
class World:
    """A collection with known scores."""

    index: PassageIndex
    ids: list[str]
    groups: dict[str, int]
    scores: dict[str, dict[str, dict[str, float]]]  # query -> vector -> id -> cosine


def dyadic(rng: random.Random) -> np.ndarray:
    """Entries of plus or minus a quarter: length 1, cosines multiples of 1/8, ties exact."""
    return np.array([rng.choice((-0.25, 0.25)) for _ in range(DIMENSION)], dtype=np.float32)


def smooth(rng: random.Random) -> np.ndarray:
    """Any direction: no two passages tie, so the edge of a pool is well defined."""
    vector = np.array([rng.gauss(0, 1) for _ in range(DIMENSION)])
    return (vector / np.linalg.norm(vector)).astype(np.float32)


def store(collection: str, points: list[models.PointStruct]) -> Operation[None]:
    """Past the index's own ingestion, which never leaves a vector out."""
    yield ClientCall("upsert", {"collection_name": collection, "points": points, "wait": True})


def build(make, points: int, queries: int, seed: int) -> World:
    rng = random.Random(seed)
    ids = [str(uuid.UUID(int=rng.getrandbits(128), version=4)) for _ in range(points)]
    stored = {i: {"topical": make(rng), "compatibility": make(rng)} for i in ids}
    for i in rng.sample(ids, points // 4):
        del stored[i]["compatibility"]
    groups = {i: rng.randrange(8) for i in ids}
    table = {f"q{n}": {"topical": make(rng), "compatibility": make(rng)} for n in range(queries)}
    index = PassageIndex.open("world", TableEncoder(table, DIMENSION))
    points = [
        models.PointStruct(
            id=i,
            vector={name: row.tolist() for name, row in stored[i].items()},
            payload={"page_content": i, "metadata": {"group": groups[i]}, "logic": {"id": i}},
        )
        for i in ids
    ]
    index.run(store(index.collection, points))
    scores = {
        query: {
            name: {
                i: round(float(np.float64(rows[name]) @ np.float64(stored[i][name])), 6)
                for i in ids
                if name in stored[i]
            }
            for name in ("topical", "compatibility")
        }
        for query, rows in table.items()
    }
    return World(index, ids, groups, scores)


def well_separated(world: World) -> list[str]:
    """Queries whose scores lie further apart than float32 can blur."""
    return [
        query
        for query, columns in world.scores.items()
        if all(np.diff(sorted(column.values())).min() > 1e-5 for column in columns.values())
    ]


def cases(world: World, count: int, rng: random.Random, *, shallow: bool) -> Iterator[tuple]:
    """(query, k, filter group, policy, expected list)."""
    queries = well_separated(world) if shallow else sorted(world.scores)
    for _ in range(count):
        query = rng.choice(queries)
        group = rng.choice([None, None, 0, 1, 2, 99])
        allowed = {i for i in world.ids if group is None or world.groups[i] == group}
        topical, compatibility = (
            {i: s for i, s in world.scores[query][name].items() if i in allowed}
            for name in ("topical", "compatibility")
        )
        k = rng.choice([1, 3, 10, 40])
        limit = rng.choice([5, 20, 60]) if shallow else len(world.ids)
        alpha, cut = rng.choice([0.0, 0.2, 0.3, 0.8, 1.0]), rng.random() < 0.3
        kind = rng.choice(["topical", "sequential", "union", "union"])
        if kind == "topical":
            k = k if shallow else len(world.ids)  # a tie at the edge of a list is the server's
            expected = [(i, topical[i]) for i in reference.nearest(topical, k)]
            yield query, k, group, TopicalPolicy(), expected
        elif kind == "sequential":
            tau = rng.choice([-0.25, 0.125, 0.3, 0.9])
            expected = reference.sequential(
                topical, compatibility, k, alpha=alpha, tau=tau, limit=limit, cut=cut
            )
            yield query, k, group, SequentialPolicy(alpha, tau, limit, not cut), expected
        else:
            keep = rng.choice([0.0, 0.1, 0.5, 0.8, 1.0])
            expected = reference.union(
                topical, compatibility, k, alpha=alpha, keep=keep, limit=limit, cut=cut
            )
            yield query, k, group, CoderUnionPolicy(alpha, keep, limit, not cut), expected


def listed(hits) -> list[tuple[str, float]]:
    return [(hit.passage.id, pytest.approx(hit.score, abs=2e-6)) for hit in hits]


@pytest.mark.parametrize(
    ("make", "queries", "shallow"),
    [(dyadic, 40, False), (smooth, 120, True)],
    ids=["ties", "pools"],
)
def test_embedded_equals_reference(make, queries, shallow):
    """Ties that fall another way make figures unrepeatable; a shallow pool misses scores."""
    world = build(make, points=120, queries=queries, seed=1)
    engine = Engine(world.index)
    for query, k, group, policy, expected in cases(world, CASES, random.Random(2), shallow=shallow):
        condition = None if group is None else {"group": group}
        hits = engine.search(query, k, policy=policy, filter=condition)
        assert listed(hits) == expected, (query, k, group, policy)
    world.index.close()
