"""Our own index, in memory, in a folder and over the wire, under the third-party suite."""

from __future__ import annotations

from contextlib import contextmanager

import pytest
from qdrant_client import QdrantClient
from suites import HashedEncoder, IndexConformance

from logic_retrievers import PassageIndex


@contextmanager
def opener(**settings):
    """Return a function that opens an index with these settings; close all at the end."""
    opened = []

    def open_index(encoder):
        opened.append(PassageIndex.open("conformance", encoder, **settings))
        return opened[-1]

    yield open_index
    for index in opened:
        index.close()


class TestInMemory(IndexConformance):
    @pytest.fixture
    def open_index(self):
        with opener() as open_index:
            yield open_index


class TestInFolder(IndexConformance):
    @pytest.fixture
    def open_index(self, tmp_path):
        with opener(location=tmp_path / "qdrant") as open_index:
            yield open_index


class TestOnAClientInLocalMode(IndexConformance):
    """As LangChain's and LlamaIndex's stores bring it; uses only the public interface."""

    @pytest.fixture
    def open_index(self):
        client = QdrantClient(":memory:")
        yield lambda encoder: PassageIndex.open("conformance", encoder, client=client)
        client.close()


class TestOfOneTenant(IndexConformance):
    """A second tenant of the collection has passages with the same ids."""

    @pytest.fixture
    def open_index(self):
        with PassageIndex.open("conformance", HashedEncoder(dimension=64), tenant="other") as other:
            yield lambda encoder: PassageIndex.open(
                "conformance", encoder, client=other.client, tenant="one"
            )


class TestOverTheWire(IndexConformance):
    """REST, then gRPC."""

    @pytest.fixture
    def open_index(self, wire):
        with opener(**wire.place) as open_index:
            yield open_index
