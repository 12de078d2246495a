"""A query encoder swapped in a running index: points stay, searches follow, all or nothing."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from query_files import write_noisy
from suites import HashedEncoder
from vector_queries import stored_points

from logic_retrievers import AutoPolicy, Engine, ParsedQuery, PassageIndex, Reranker
from logic_retrievers.encoders import RecentEncoder, default_encoder
from logic_retrievers.errors import (
    ConfigurationError,
    FingerprintMismatchError,
    MissingVectorError,
    QueryEncoderError,
)
from logic_retrievers.index.point_format import point_id
from logic_retrievers.types import Passage

WORDS = (
    *("quiet", "noisy", "hotel", "hostel", "river", "garden", "pool", "pets"),
    *("cheap", "warm", "harbour", "bar", "music"),
)
PASSAGES = [
    Passage(f"p{i}", " ".join(WORDS[(i * 5 + j * (i % 3 + 1)) % len(WORDS)] for j in range(6)))
    for i in range(26)
]
QUERY = "a quiet place by the river, but no music"


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_noisy(tmp_path_factory.mktemp("query") / "a.query.onnx", noise=0.4)


@pytest.fixture
def index() -> Any:
    encoder = RecentEncoder(default_encoder())
    with PassageIndex.open("lr-test", encoder, lexical=False) as opened:
        opened.add(PASSAGES)
        yield opened


def search_hits(index: PassageIndex, policy: str = "topical") -> list[tuple[str, float]]:
    return [(hit.passage.id, hit.score) for hit in Engine(index, policy).search(QUERY, 8)]


def test_no_stored_point_changes_and_the_way_back_gives_the_same_hits(index, file):
    """A swap needs one file and can be undone."""
    stored, info = stored_points(index.client), index.client.get_collection("lr-test")
    before = {policy: search_hits(index, policy) for policy in ("topical", "sequential", "auto")}
    index.use_query_encoder(file)
    assert search_hits(index) != before["topical"]
    assert stored_points(index.client) == stored
    report = index.add(PASSAGES)
    assert report.unchanged == len(PASSAGES)
    assert stored_points(index.client) == stored
    index.use_query_encoder(None)
    assert {policy: search_hits(index, policy) for policy in before} == before
    assert stored_points(index.client) == stored
    assert index.client.get_collection("lr-test").config == info.config


async def test_what_is_added_after_a_swap_lies_among_the_rest(index, file):
    """After a swap the bundle's own side still encodes documents."""
    await index.ause_query_encoder(file)
    index.add([Passage("late", "a river without any music")])
    with PassageIndex.open("lr-test", client=index.client) as again:
        assert again.encoder is default_encoder()
        stored = stored_points(index.client)[point_id("late")][1]["topical"]
        own = again.encoder.encode_documents(["a river without any music"])["topical"][0]
        np.testing.assert_allclose(stored, own, atol=1e-6)


def test_all_that_searches_an_index_follows(index, file):
    """A retriever that kept the old encoder would be measured as the new one."""
    engine, reranker = Engine(index, "topical"), Reranker(index=index, policy="topical")
    own = Reranker(default_encoder(), "topical", index=index)
    before = [hit.score for hit in reranker.rerank(QUERY, PASSAGES)]
    index.use_query_encoder(file)
    assert [(hit.passage.id, hit.score) for hit in engine.search(QUERY, 8)] == search_hits(index)
    after = [hit.score for hit in reranker.rerank(QUERY, PASSAGES)]
    assert after != before
    assert after[:8] == pytest.approx([score for _, score in search_hits(index)], abs=1.01e-6)
    assert [hit.score for hit in own.rerank(QUERY, PASSAGES)] == before


def test_another_index_over_the_same_encoder_does_not(index, file):
    """All indexes of a process may share one encoder."""
    with PassageIndex.open("other") as other:
        other.add(PASSAGES)
        before = search_hits(other)
        index.use_query_encoder(file)
        assert search_hits(other) == before
        assert default_encoder().specs["topical"].fingerprint_for("query") == (
            default_encoder().specs["topical"].fingerprint
        )


def test_queries_for_other_documents_are_refused(index, file, tmp_path):
    """A refused swap changes nothing."""
    before = search_hits(index)
    other = write_noisy(tmp_path / "o.query.onnx", document_fingerprint="0" * 32)
    with pytest.raises(
        FingerprintMismatchError, match=r"another encoder than the one that made 'topical' in"
    ):
        index.use_query_encoder(other)
    with pytest.raises(FingerprintMismatchError):
        index.use_query_encoder(file, head="compatibility")
    with pytest.raises(MissingVectorError, match="'topic' is missing"):
        index.use_query_encoder(None, head="topic")
    with pytest.raises(MissingVectorError, match="contradiction"):
        index.use_query_encoder(write_noisy(tmp_path / "c.query.onnx", head="contradiction"))
    with pytest.raises(QueryEncoderError, match="Check the path"):
        index.use_query_encoder(tmp_path / "nothing.query.onnx")
    assert search_hits(index) == before
    assert [p.name for p in tmp_path.iterdir()]


def test_an_encoder_of_ones_own_is_told_apart(file):
    """A custom encoder's vectors are not the bundle's, whatever their names."""
    with PassageIndex.open("lr-test", HashedEncoder()) as index:
        index.use_query_encoder(None)
        with pytest.raises(FingerprintMismatchError):
            index.use_query_encoder(file)
        own = index.encoder.specs["topical"].fingerprint
        mine = write_noisy(file.with_name("mine.query.onnx"), document_fingerprint=own)
        with pytest.raises(ConfigurationError, match="HashedEncoder takes no query encoder"):
            index.use_query_encoder(mine)


def test_a_search_that_runs_keeps_its_encoder(index, file):
    """A search that switched encoders would rank by scores of two spaces."""
    before = search_hits(index)

    class Swapping:
        def parse(self, text):
            index.use_query_encoder(file)
            return ParsedQuery(text)

    hits = Engine(index, AutoPolicy(parser=Swapping(), base="topical")).search(QUERY, 8)
    assert [(hit.passage.id, hit.score) for hit in hits] == before
    assert search_hits(index) != before


def test_two_swaps_at_once_both_count(index, file, tmp_path):
    """Each swap reads the encoder and replaces it, so one could undo the other."""
    second = write_noisy(tmp_path / "b.query.onnx", head="compatibility")
    own = index.encoder.specs

    async def both() -> None:
        await asyncio.gather(index.ause_query_encoder(file), index.ause_query_encoder(second))

    asyncio.run(both())
    for name in ("topical", "compatibility"):
        assert index.encoder.specs[name].fingerprint_for("query") != own[name].fingerprint_for(
            "query"
        )
