"""Options of a new collection, and payload indexes for the user's own fields."""

from __future__ import annotations

import pytest
from fault_injection import WireDouble
from qdrant_client import models
from suites import HashedEncoder
from typer.testing import CliRunner

from logic_retrievers import Engine, Passage, PassageIndex
from logic_retrievers.cli.app import app
from logic_retrievers.errors import CollectionMismatchError, ConfigurationError, ServerError

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


def test_a_new_collection_is_made_as_it_is_wanted(wire_double, wire_settings, encoder):
    """A new collection gets the given options; without replicas one dead node blocks opening."""
    PassageIndex.open("p", encoder, **wire_settings, collection_options=WANTED).close()
    body = wire_double.created["p"]
    assert (body.shard_number, body.replication_factor, body.write_consistency_factor) == (3, 2, 2)
    assert body.on_disk_payload
    assert all(vector.on_disk for vector in body.vectors.values())
    assert (body.hnsw_config.m, body.hnsw_config.on_disk) == (8, True)
    assert body.optimizers_config.indexing_threshold == 1000
    assert body.quantization_config.scalar.type == "int8"
    assert body.strict_mode_config.max_query_limit == 500


@pytest.mark.parametrize(
    "options",
    [
        {"replicas": 2},
        {"metadata": {}},
        {"hnsw_config": {"m": "many"}},
        {"hnsw_config": {"links": 8}},
        {"on_disk": "yes"},
    ],
    ids=lambda options: next(iter(options)),
)
def test_options_that_do_not_exist(encoder, options):
    with pytest.raises(ConfigurationError, match=next(iter(options))):
        PassageIndex.open("p", encoder, collection_options=options)


def test_options_that_cannot_be_json(encoder):
    """Options that JSON cannot hold must not raise pydantic's own error."""
    endless: dict[str, object] = {}
    endless["m"] = endless
    for options in ({"m": "\ud800"}, endless):
        with pytest.raises(ConfigurationError, match="collection_options"):
            PassageIndex.open("p", encoder, collection_options={"hnsw_config": options})


def test_what_the_embedded_engine_does_not_have(encoder, tmp_path):
    for options, words in (
        ({"replication_factor": 2, "on_disk": True}, "on_disk, replication_factor"),
        ({"quantization_config": {"binary": {}}}, "quantization_config"),
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
    assert CliRunner().invoke(app, [*command, "--replicas", "3"]).exit_code == 0
    (tmp_path / "options.json").write_text("[]")
    done = CliRunner().invoke(app, [*command, *file])
    assert "holds no JSON object" in flat(done.stderr)


def flat(text: str) -> str:
    """Remove the terminal's line breaks."""
    return " ".join(text.split())


FIELDS = {"city": "keyword", "year": models.IntegerIndexParams(type="integer", on_disk=True)}
PASSAGES = [
    Passage("a", "An inn.", {"city": "Oslo", "year": 2020}),
    Passage("b", "A bar.", {"city": "Bergen", "year": 2024}),
]
WHERE = {"city": "Oslo", "year": {"lte": 2021}}


@pytest.fixture
def encoder():
    return HashedEncoder()


def indexed(index: PassageIndex) -> dict[str, str]:
    schema = index.client.get_collection(index.collection).payload_schema
    return {key: found.data_type.value for key, found in schema.items()}


@pytest.mark.parametrize("grpc", [False, True])
@pytest.mark.filterwarnings("ignore:Api key is used with an insecure connection")
def test_a_strict_server_takes_filters_on_fields_that_were_named(encoder, grpc):
    """Without the index the server refuses, and the message quotes the line to add."""
    with WireDouble(strict=True) as double:
        place = double.place(prefer_grpc=grpc)
        with PassageIndex.open("stays", encoder, **place) as index:
            index.add(PASSAGES)
            with pytest.raises(ServerError, match=r"indexed_fields=.*\"city\": \"keyword\""):
                Engine(index).search("an inn", 2, filter=WHERE)
        with PassageIndex.open("stays", encoder, indexed_fields=FIELDS, **place) as index:
            wanted = {"metadata.city": "keyword", "metadata.year": "integer"}
            assert indexed(index).items() >= wanted.items()
            hits = Engine(index).search("an inn", 2, filter=WHERE)
        assert [hit.passage.id for hit in hits] == ["a"]
        made = [endpoint for _, endpoint in double.requests if "index" in endpoint.lower()]
        PassageIndex.open("stays", encoder, indexed_fields=FIELDS, **place).close()
        again = [endpoint for _, endpoint in double.requests if "index" in endpoint.lower()]
    assert len(made) >= 2
    assert again == made


async def test_the_embedded_engine_makes_them_too(encoder, tmp_path):
    index = await PassageIndex.aopen("stays", encoder, location=tmp_path, indexed_fields=FIELDS)
    await index.aadd(PASSAGES)
    wanted = {"metadata.city": "keyword", "metadata.year": "integer", "logic.written": "datetime"}
    assert indexed(index).items() >= wanted.items()
    hits = await Engine(index).asearch("an inn", 2, filter=WHERE)
    assert [hit.passage.id for hit in hits] == ["a"]
    await index.aclose()
    with pytest.raises(
        CollectionMismatchError, match=r"'metadata\.city' as keyword, not as integer"
    ):
        PassageIndex.open("stays", encoder, location=tmp_path, indexed_fields={"city": "integer"})


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"city": "string"}, "a type is one of keyword, integer"),
        ({"city": None}, "a type is one of"),
        ({"": "keyword"}, "names fields of metadata"),
        ({3: "keyword"}, "names fields of metadata"),
        (["city"], "indexed_fields="),
    ],
)
def test_bad_fields_are_refused_before_anything_is_made(fields, words, encoder, tmp_path):
    with pytest.raises(ConfigurationError, match=words):
        PassageIndex.open("stays", encoder, location=tmp_path / "new", indexed_fields=fields)
    assert not (tmp_path / "new" / "collection").exists()
    with PassageIndex.open("stays", encoder, location=tmp_path / "new") as index:
        assert index.count() == 0
