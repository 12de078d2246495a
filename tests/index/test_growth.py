"""Needs of a large embedded collection: HNSW, int8 vectors and messages about missing parts."""

from __future__ import annotations

import multiprocessing
import sys
from functools import partial
from multiprocessing.spawn import get_executable

import numpy as np
import pytest
from vector_queries import QUERIES, vector_queries

from logic_retrievers.errors import CollectionMismatchError, OptimizationWarning, StorageError
from logic_retrievers.index import PassageIndex
from logic_retrievers.index.edge import collection
from logic_retrievers.index.point_format import point_id
from logic_retrievers.python_process import python_command
from logic_retrievers.types import Passage


@pytest.fixture(autouse=True)
def small_limit(monkeypatch):
    """Build HNSW from 50 points on."""
    monkeypatch.setattr(collection, "EXACT_LIMIT", 50)


def pools(index, encoder):
    return index.run(index.find_candidates([vector_queries(encoder, query) for query in QUERIES]))


def indexed(index):
    return index.client.get_collection(index.collection).indexed_vectors_count


def assert_exact(index, encoder, passages):
    """Check that every score of every pool is the cosine of the original vectors."""
    texts = [passage.text for passage in passages]
    stored = encoder.encode_documents(texts)
    rows = {point_id(passage.id, None): row for row, passage in enumerate(passages)}
    for query, pool in zip(QUERIES, pools(index, encoder), strict=True):
        assert len(pool.ids) > 0
        for vector_query in vector_queries(encoder, query):
            if vector_query.vector not in stored:
                continue
            cosines = stored[vector_query.vector] @ np.asarray(vector_query.query)
            expected = [cosines[rows[point]] for point in pool.ids]
            assert pool.scores[vector_query.name] == pytest.approx(expected, abs=3e-6)


def test_int8_vectors_find_and_the_original_ones_score(encoder, make_passages, tmp_path):
    """A quantised score errs in the third digit, and policies compare it with exact scores."""
    passages = list(make_passages(300))
    with PassageIndex.open("p", encoder, location=tmp_path, quantized=True) as index:
        index.add(passages)
        assert indexed(index) == 900
        assert_exact(index, encoder, passages)
    assert list(tmp_path.rglob("quantized.data"))
    with PassageIndex.open("p", encoder, location=tmp_path) as index:
        assert_exact(index, encoder, passages)
        index.copy_to("copy", client=index.client)
        assert index.client.get_collection("copy").config.quantization_config is not None


def test_an_existing_collection_without_int8_is_refused(encoder, tmp_path):
    """A user must not believe that an existing collection uses int8."""
    PassageIndex.open("p", encoder, location=tmp_path).close()
    with pytest.raises(CollectionMismatchError, match="no int8 vectors"):
        PassageIndex.open("p", encoder, location=tmp_path, quantized=True)


def test_add_does_not_fail_where_only_hnsw_does(encoder, make_passages, monkeypatch, tmp_path):
    """All passages are stored: after an error the caller would store them again and fail again."""
    monkeypatch.setattr(collection, "_PROGRAM", "raise SystemExit('No space left on device')")
    with PassageIndex.open("p", encoder, location=tmp_path) as index:
        with pytest.warns(OptimizationWarning, match=r"No space left.*optimize\(\)"):
            assert index.add(make_passages(80)).added == 80
        assert index.count() == 80
        with pytest.raises(StorageError, match="No space left"):
            index.optimize()
        assert index.count() == 80
    assert len(list((tmp_path / "p").glob("shard-*"))) == 1


def test_nothing_of_the_current_folder_is_run(encoder, make_passages, monkeypatch, tmp_path):
    """The folder may hold anyone's files: `python -c` imports from there."""
    for name in ("qdrant_edge.py", "sys.py", "encodings.py"):
        (tmp_path / name).write_text("raise SystemExit('imported')")
    monkeypatch.chdir(tmp_path)
    with PassageIndex.open("p", encoder, lexical=False) as index:
        index.add(make_passages(20))
        assert index.optimize()


def test_a_program_that_is_no_python_is_not_started_again(
    encoder, make_passages, monkeypatch, request
):
    """A frozen application would open a second window, so this process builds the index."""
    request.addfinalizer(partial(multiprocessing.set_executable, get_executable()))
    for name in ("/opt/uwsgi", "", None):
        monkeypatch.setattr(sys, "executable", name)
        multiprocessing.set_executable(name)
        assert python_command("") is None
    monkeypatch.setattr(sys, "executable", "/usr/bin/python3.12")
    multiprocessing.set_executable(sys.executable)
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    assert python_command("") is None
    with PassageIndex.open("p", encoder, lexical=False) as index:
        index.add(make_passages(80))
        assert indexed(index) == 160


def test_vectors_that_are_not_made_yet_are_not_missing_in_hnsw(encoder, make_passages, tmp_path):
    """A vector not yet made must not make every call rebuild the whole collection."""
    with PassageIndex.open("p", encoder, location=tmp_path, vectors=["topical"]) as index:
        index.add(make_passages(200))
        assert indexed(index) == 400  # topical, and words
        [shard] = (tmp_path / "p").glob("shard-*")
        index.add([Passage("new", "a new text")])
        assert [shard] == list((tmp_path / "p").glob("shard-*"))
        assert index.client.unindexed_points("p") <= 1
        index.backfill()
        assert indexed(index) >= 600  # without a further call
