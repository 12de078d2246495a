"""How a collection is kept: set at creation, compared at opening, refused where it is ignored."""

from __future__ import annotations

import pytest
from qdrant_client import models
from typer.testing import CliRunner

from logic_retrievers.cli.app import app
from logic_retrievers.errors import CollectionMismatchError, ConfigurationError
from logic_retrievers.index import PassageIndex
from logic_retrievers.index.collection_options import CollectionOptions
from logic_retrievers.types import Passage

WANTED = {
    "shard_number": 3,
    "replication_factor": 2,
    "write_consistency_factor": 2,
    "on_disk_payload": True,
    "on_disk": True,
    "hnsw_config": {"m": 8, "on_disk": True},
    "optimizers_config": models.OptimizersConfigDiff(indexing_threshold=1000),
    "quantization_config": {"scalar": {"type": "int8", "always_ram": True}},
    "strict_mode_config": {"enabled": True, "max_query_limit": 500},
}


@pytest.mark.parametrize("asynchronous", [False, True])
async def test_a_new_collection_is_made_as_it_is_wanted(
    wire_double, wire_settings, encoder, asynchronous
):
    """Without replicas a single dead node makes even opening fail."""
    settings = {**wire_settings, "collection_options": WANTED}
    if asynchronous:
        index = await PassageIndex.aopen("p", encoder, **settings)
    else:
        index = PassageIndex.open("p", encoder, **settings)
    index.add([Passage("x", "quiet hotel")])
    index.close()
    body = wire_double.created["p"]
    assert (body.shard_number, body.replication_factor, body.write_consistency_factor) == (3, 2, 2)
    assert body.on_disk_payload
    assert all(vector.on_disk for vector in body.vectors.values())
    assert (body.hnsw_config.m, body.hnsw_config.on_disk) == (8, True)
    assert body.optimizers_config.indexing_threshold == 1000
    assert body.quantization_config.scalar.type == "int8"
    assert body.strict_mode_config.max_query_limit == 500


def config(**params) -> models.CollectionConfig:
    """Of a server, with defaults."""
    vectors = {"topical": models.VectorParams(size=4, distance="Cosine", on_disk=False)}
    return models.CollectionConfig(
        params=models.CollectionParams(
            vectors=vectors, shard_number=1, replication_factor=1, on_disk_payload=True, **params
        ),
        hnsw_config=models.HnswConfig(m=16, ef_construct=100, full_scan_threshold=10_000),
        optimizer_config=models.OptimizersConfig(
            deleted_threshold=0.2, vacuum_min_vector_number=1000, default_segment_number=0,
            flush_interval_sec=5,
        ),
    )  # fmt: skip


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"replication_factor": 2}, r"replication_factor = 1, not 2\..*update_collection"),
        ({"shard_number": 2}, r"shard_number = 1, not 2\..*index into another"),
        ({"on_disk": True}, "on_disk = False, not True"),
        ({"on_disk_payload": False}, "on_disk_payload = True, not False"),
        ({"hnsw_config": {"m": 8}}, r"hnsw_config\.m = 16, not 8"),
        ({"optimizers_config": {"flush_interval_sec": 1}}, "flush_interval_sec = 5, not 1"),
        ({"quantization_config": {"scalar": {"type": "int8"}}}, "quantization_config.* = None"),
        ({"strict_mode_config": {"enabled": True}}, r"strict_mode_config\.enabled = None"),
    ],
)
def test_an_existing_collection_that_is_kept_otherwise(options, message):
    with pytest.raises(CollectionMismatchError, match=message):
        CollectionOptions.read(options).check("p", config())


def test_an_existing_collection_that_is_kept_so():
    options = {"replication_factor": 1, "hnsw_config": {"m": 16}}
    CollectionOptions.read(options).check("p", config())
    CollectionOptions.read(None).check("p", config())


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"replicas": 2}, "'replicas'.*There are shard_number, replication_factor"),
        ({"replication_factor": 0}, "'replication_factor'.*greater than 0"),
        ({"hnsw_config": {"m": "many"}}, r"'hnsw_config\.m'"),
        ({"hnsw_config": {"links": 8}}, r"'hnsw_config\.links'"),
    ],
)
def test_options_that_do_not_exist(encoder, options, message):
    with pytest.raises(ConfigurationError, match=message):
        PassageIndex.open("p", encoder, collection_options=options)


def test_what_the_embedded_engine_does_not_have(encoder, tmp_path):
    for options, words in (
        ({"replication_factor": 2, "on_disk": True}, "has no on_disk, replication_factor"),
        ({"quantization_config": {"binary": {}}}, "has no quantization_config.*int8 alone"),
    ):
        with pytest.raises(ConfigurationError, match=words):
            PassageIndex.open("p", encoder, location=tmp_path / "i", collection_options=options)
    int8 = {"quantization_config": {"scalar": {"type": "int8"}}}
    with PassageIndex.open("p", encoder, location=tmp_path / "i", collection_options=int8) as index:
        index.add([Passage("x", "quiet hotel")])
    PassageIndex.open("p", encoder, location=tmp_path / "i", collection_options=int8).close()
    with pytest.raises(ConfigurationError, match="not both"):
        PassageIndex.open("p", encoder, quantized=True, collection_options=int8)


def test_the_command_line_names_them(wire_double, tmp_path):
    (tmp_path / "text.txt").write_text("A quiet hotel.")
    (tmp_path / "options.json").write_text('{"on_disk": true, "shard_number": 6}')
    command = ["index", str(tmp_path / "text.txt"), "--location", wire_double.url]
    named = ["--replicas", "2", "--shards", "3", "--quantize", "int8"]
    file = ["--collection-options", str(tmp_path / "options.json")]
    done = CliRunner().invoke(app, [*command, *named, *file, "--contradictions"])
    assert done.exit_code == 0, done.output
    body = wire_double.created["passages"]
    assert (body.shard_number, body.replication_factor) == (3, 2)
    assert body.vectors["topical"].on_disk
    assert body.quantization_config.scalar.type == "int8"
    done = CliRunner().invoke(app, [*command, "--replicas", "3"])
    assert done.exit_code == 1
    assert "replication_factor = 2, not 3. Change it in Qdrant (PATCH" in flat(done.stderr)
    (tmp_path / "options.json").write_text("[]")
    done = CliRunner().invoke(app, [*command, *file])
    assert "holds no JSON object" in flat(done.stderr)


def flat(text: str) -> str:
    """Without the terminal's line breaks."""
    return " ".join(text.split())
