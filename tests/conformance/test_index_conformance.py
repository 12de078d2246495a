"""Our own index in memory, in a folder and over the wire, under the suite for others' backends."""

from __future__ import annotations

import pytest
from qdrant_client import QdrantClient
from suites import HashedEncoder, IndexConformance

from logic_retrievers import PassageIndex


class TestInMemory(IndexConformance):
    @pytest.fixture
    def open_index(self):
        opened = []

        def open_index(encoder):
            opened.append(PassageIndex.open("conformance", encoder))
            return opened[-1]

        yield open_index
        for index in opened:
            index.close()


class TestInFolder(IndexConformance):
    @pytest.fixture
    def open_index(self, tmp_path):
        opened = []

        def open_index(encoder):
            opened.append(PassageIndex.open("conformance", encoder, location=tmp_path / "qdrant"))
            return opened[-1]

        yield open_index
        for index in opened:
            index.close()


class TestOnAClientInLocalMode(IndexConformance):
    """As LangChain's and LlamaIndex's stores bring it; only its public interface is used."""

    @pytest.fixture
    def open_index(self):
        client = QdrantClient(":memory:")
        yield lambda encoder: PassageIndex.open("conformance", encoder, client=client)
        client.close()


class TestOfOneTenant(TestInMemory):
    """Beside another tenant that has passages of the same ids."""

    @pytest.fixture
    def open_index(self):
        with PassageIndex.open("conformance", HashedEncoder(dimension=64), tenant="other") as other:

            def open_index(encoder):
                return PassageIndex.open("conformance", encoder, client=other.client, tenant="one")

            yield open_index


class TestOverTheWire(IndexConformance):
    """REST, then gRPC."""

    @pytest.fixture
    def open_index(self, wire):
        opened = []

        def open_index(encoder):
            opened.append(
                PassageIndex.open(
                    "conformance",
                    encoder,
                    location=wire.url,
                    prefer_grpc=wire.prefer_grpc,
                    grpc_port=wire.grpc_port,
                )
            )
            return opened[-1]

        yield open_index
        for index in opened:
            index.close()
