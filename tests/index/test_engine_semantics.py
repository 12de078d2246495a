"""What we assume of Qdrant, asked of its own engine, in process."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
import qdrant_edge as edge
from qdrant_client import models

from logic_retrievers.index.edge.translation import to_queries
from logic_retrievers.index.requests import by_id, nearest_request, scores_request

DIMENSION = 16
COUNT = 300
NAMES = ("topical", "compatibility")
EXACT = models.SearchParams(exact=True)
_RANDOM = np.random.default_rng(7)
IDS = [str(uuid.UUID(int=int(n))) for n in _RANDOM.integers(2**60, size=COUNT)]
VECTORS = {name: _RANDOM.normal(size=(COUNT, DIMENSION)).astype(np.float32) for name in NAMES}
QUERIES = _RANDOM.normal(size=(2, DIMENSION)).astype(np.float32)
BARE = set(IDS[:40])  # these have no compatibility vector


def cosines(name: str, query: np.ndarray) -> dict[str, float]:
    rows = VECTORS[name].astype(np.float64)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    scores = rows @ (query / np.linalg.norm(query.astype(np.float64)))
    return {
        i: score for i, score in zip(IDS, scores, strict=True) if name == "topical" or i not in BARE
    }


@pytest.fixture(scope="module")
def shard(tmp_path_factory: pytest.TempPathFactory) -> Iterator[edge.EdgeShard]:
    params = edge.EdgeVectorParams(DIMENSION, edge.Distance.Cosine)
    path: Path = tmp_path_factory.mktemp("edge")
    shard = edge.EdgeShard.create(str(path), edge.EdgeConfig(vectors=dict.fromkeys(NAMES, params)))
    points = [
        edge.Point(
            i,
            {n: VECTORS[n][at].tolist() for n in NAMES if n == "topical" or i not in BARE},
            {"half": at % 2},
        )
        for at, i in enumerate(IDS)
    ]
    shard.update(edge.UpdateOperation.upsert_points(points))
    yield shard
    shard.close()


def ask(shard: edge.EdgeShard, request: models.QueryRequest) -> dict[str, float]:
    return {str(point.id): point.score for point in shard.query(to_queries([request])[0])}


@pytest.mark.parametrize("name", NAMES)
def test_a_vector_query_gives_the_nearest_by_cosine(shard, name):
    """Scores on another scale would break thresholds."""
    found = ask(shard, nearest_request(QUERIES[0] * 5, name, 10, None))
    truth = cosines(name, QUERIES[0])
    best = sorted(truth, key=lambda i: -truth[i])[:10]
    assert list(found) == best
    assert found == pytest.approx({i: truth[i] for i in best}, abs=1e-6)


@pytest.mark.parametrize("name", NAMES)
def test_scores_of_given_points_are_all_there_and_exact(shard, name):
    """Phase 2: points without the vector are absent, all others have their score."""
    asked = IDS[20:80]
    found = ask(shard, scores_request(QUERIES[1], name, by_id(asked), EXACT))
    truth = cosines(name, QUERIES[1])
    assert found == pytest.approx({i: truth[i] for i in asked if i in truth}, abs=1e-6)


def test_scores_without_exactness_are_complete_too(shard):
    """What a strict server gets instead."""
    unquantized = models.SearchParams(quantization=models.QuantizationSearchParams(ignore=True))
    asked = IDS[50:150]
    found = ask(shard, scores_request(QUERIES[1], "topical", by_id(asked), unquantized))
    truth = cosines("topical", QUERIES[1])
    assert found == pytest.approx({i: truth[i] for i in asked}, abs=1e-6)


def test_stored_vectors_have_length_1_and_are_kept_when_copied(shard, tmp_path):
    """A copy of a collection must not drift from its original by rounding twice."""
    [record] = shard.retrieve([IDS[100]], with_payload=False, with_vector=True)
    stored = np.float32(record.vector["topical"])
    assert np.linalg.norm(stored) == pytest.approx(1.0, abs=1e-6)
    params = edge.EdgeVectorParams(DIMENSION, edge.Distance.Cosine)
    copy = edge.EdgeShard.create(str(tmp_path), edge.EdgeConfig(vectors={"topical": params}))
    point = edge.Point(1, {"topical": record.vector["topical"]}, {})
    copy.update(edge.UpdateOperation.upsert_points([point]))
    [again] = copy.retrieve([1], with_payload=False, with_vector=True)
    np.testing.assert_array_equal(np.float32(again.vector["topical"]), stored)
    copy.close()
