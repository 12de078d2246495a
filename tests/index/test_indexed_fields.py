"""Payload indexes of the user's own fields: made once, where filters want them."""

from __future__ import annotations

import pytest
from fault_injection import WireDouble
from langchain_logic_retrievers import LogicVectorStore as LangChainStore
from llama_index_logic_retrievers import LogicVectorStore as LlamaIndexStore
from qdrant_client import models
from suites import HashedEncoder

from logic_retrievers import Engine, Passage, PassageIndex
from logic_retrievers.errors import CollectionMismatchError, ConfigurationError, ServerError

FIELDS = {"city": "keyword", "year": models.IntegerIndexParams(type="integer")}
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
    """Without the index it refuses, and the message has the line to add."""
    with WireDouble(strict=True) as double:
        place = {"location": double.url, "prefer_grpc": grpc, "grpc_port": double.grpc_port}
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
    assert {"metadata.city", "metadata.year"} <= indexed(index).keys()
    hits = await Engine(index).asearch("an inn", 2, filter=WHERE)
    assert [hit.passage.id for hit in hits] == ["a"]
    await index.aclose()
    with pytest.raises(
        CollectionMismatchError, match=r"'metadata\.city' as keyword, not as integer"
    ):
        PassageIndex.open("stays", encoder, location=tmp_path, indexed_fields={"city": "integer"})


@pytest.mark.parametrize("store", [LangChainStore, LlamaIndexStore])
def test_both_frameworks_hand_them_on(store, encoder):
    opened = store.open("stays", encoder, indexed_fields=FIELDS)
    assert {"metadata.city", "metadata.year"} <= indexed(opened.index).keys()
    opened.index.close()


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
