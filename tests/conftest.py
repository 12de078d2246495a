"""Fixtures for every package; what is heavy is imported by the fixture that needs it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import settings

if TYPE_CHECKING:
    from collections.abc import Iterator

    from doubles import Wire, WireDouble


settings.register_profile("untimed", deadline=None)  # speed is the benchmarks' matter
settings.load_profile("untimed")


@pytest.fixture
def wire_double() -> Iterator[WireDouble]:
    """A fresh Qdrant double, empty and without faults."""
    from doubles import WireDouble

    with WireDouble() as double:
        yield double


@pytest.fixture(params=["rest", "grpc"])
def wire(request: pytest.FixtureRequest, wire_double: WireDouble) -> Iterator[Wire]:
    """The double over REST, then over gRPC: `.connect()` and `.aconnect()` give clients."""
    from doubles import Wire

    wire = Wire(wire_double, prefer_grpc=request.param == "grpc")
    yield wire
    wire.close()
