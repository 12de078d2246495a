"""``doctor --location``: the parts of an index, and what would be slow."""

from __future__ import annotations

import json
import warnings
from importlib.metadata import version

import pytest
from fault_injection import WireDouble
from qdrant_client import QdrantClient
from typer.testing import CliRunner

from logic_retrievers.cli import doctor
from logic_retrievers.cli.app import app
from logic_retrievers.encoders import default_encoder
from logic_retrievers.errors import OptimizationWarning
from logic_retrievers.index import PassageIndex
from logic_retrievers.index.edge import collection
from logic_retrievers.types import Passage

PASSAGES = [Passage(f"p{n}", f"Room {n} by the sea", {"city": "Oslo"}) for n in range(60)]


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    """Skip the bundle check, which other tests cover."""
    monkeypatch.setattr(doctor, "_check_bundle", lambda _: iter(()))
    monkeypatch.delenv("LOGIC_RETRIEVERS_LOCATION", raising=False)


def diagnose(location, code=0):
    """Heading -> details, and the output."""
    arguments = ["doctor", "--location", str(location)]
    result = CliRunner().invoke(app, [*arguments, "--json"], catch_exceptions=False)
    assert result.exit_code == code, result.output
    found = {}
    for check in json.loads(result.stdout):
        found.setdefault(check["name"], []).append(check["detail"])
    text = CliRunner().invoke(app, arguments, catch_exceptions=False).stdout
    return found, text


def test_an_embedded_index_in_order(tmp_path):
    with PassageIndex.open(location=tmp_path) as index:
        index.add(PASSAGES)
    found, text = diagnose(tmp_path)
    assert found["index"] == [f"60 passages in 'passages' at {tmp_path}"]
    assert found["engine"][0].startswith("embedded, qdrant-edge-py 0.")
    assert "MiB on disk" in found["engine"][0]
    assert found["vectors"] == ["topical (384), compatibility (384), lexical (english)"]
    assert found["search"] == ["exact, over all passages; segments: 1"]
    assert "logic.id" in found["payload indexes"][0]
    assert "slow or missing" not in found
    assert "note" not in text


def test_an_embedded_index_with_all_that_can_be_wrong(monkeypatch, tmp_path):
    """Many passages without HNSW, no words, and an interrupted back-fill."""

    def stop(progress):
        raise KeyboardInterrupt

    monkeypatch.setattr(collection, "EXACT_LIMIT", 50)
    monkeypatch.setattr(collection, "_PROGRAM", "raise SystemExit('killed')")
    with (
        PassageIndex.open(location=tmp_path, lexical=False, vectors=["topical"]) as index,
        pytest.warns(OptimizationWarning),
    ):
        index.add(PASSAGES)
    with (
        PassageIndex.open(location=tmp_path, lexical=False) as index,
        pytest.raises(KeyboardInterrupt),
    ):
        index.backfill(progress=stop)
    found, text = diagnose(tmp_path)
    assert found["vectors"] == ["topical (384), compatibility (384)"]
    incomplete, words, hnsw = found["slow or missing"]
    assert incomplete.endswith("run `logic-retrievers backfill compatibility`")
    assert words.endswith("run `logic-retrievers backfill lexical`")
    assert "compares 60 passages one by one" in hnsw
    assert "optimize()" in hnsw
    assert text.count("note slow or missing") == 3
    monkeypatch.undo()
    monkeypatch.setattr(collection, "EXACT_LIMIT", 50)
    with PassageIndex.open(location=tmp_path) as index:
        index.optimize()
        index.backfill(["lexical", "compatibility"])
        index.optimize()
    monkeypatch.setattr(doctor, "_check_bundle", lambda _: iter(()))
    found, _ = diagnose(tmp_path)
    assert found["search"] == ["by HNSW, with 120 vectors in it; segments: 2"]
    assert "slow or missing" not in found


def test_a_server(monkeypatch, wire_double):
    """A server filters slowly, or refuses, where a field has no payload index."""
    monkeypatch.setattr(doctor, "SLOW_FILTER", 50)
    with PassageIndex.open(location=wire_double.url) as index:
        index.add(PASSAGES)
        found, _ = diagnose(wire_double.url)
        assert found["engine"] == [f"Qdrant server {version('qdrant-client')}"]
        assert found["strict mode"] == ["off"]
        assert "on the server" not in found
        assert "metadata.city" in found["slow or missing"][0]
        index.client.create_payload_index("passages", "metadata.city", "keyword")
    found, _ = diagnose(wire_double.url)
    assert "slow or missing" not in found
    assert "metadata.city" in found["payload indexes"][0]


def test_how_a_server_keeps_a_collection(monkeypatch):
    """Reports storage that is slow, unreachable or lost with one node, and the remedy."""
    strict = {"enabled": True, "max_query_limit": 50}
    options = {"shard_number": 3, "strict_mode_config": strict}
    with WireDouble(version="1.12.3") as double:
        with PassageIndex.open(location=double.url, collection_options=options) as index:
            index.add(PASSAGES[:3])
        found, text = diagnose(double.url)
    assert found["shards"] == ["3, copies of each: 1; payload in disk"]
    assert found["strict mode"] == ["max_query_limit 50"]
    apart, copies, limit = found["on the server"]
    assert "1.12.3" in apart
    assert "replication_factor 2" in copies
    assert "max_query_limit to 116" in limit
    assert text.count("note on the server") == 3


def test_places_without_an_index(tmp_path):
    """One line says what to do; the exit code is a failure's."""
    found, _ = diagnose(tmp_path, code=1)
    assert "no collection 'passages'" in found["index"][0]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        old = QdrantClient(path=str(tmp_path / "old"))
        PassageIndex.open("passages", default_encoder(), client=old).close()
        old.close()
    found, _ = diagnose(tmp_path / "old", code=1)
    assert "local mode" in found["index"][0]
    assert "Index into another folder" in found["index"][0]
