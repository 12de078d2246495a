"""Fixtures for every package; fixtures import heavy modules themselves."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import settings

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fault_injection import Wire, WireDouble


_MEMORY = Path("/dev/shm")
_ENOUGH = 4 * 2**30

if "TMPDIR" not in os.environ and _MEMORY.is_dir() and shutil.disk_usage(_MEMORY).free > _ENOUGH:
    # thousands of small collections: creating one waits for the disk a dozen times
    os.environ["TMPDIR"] = tempfile.tempdir = str(_MEMORY)

os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")  # some tests import ONNX Runtime themselves
os.environ["HAYSTACK_TELEMETRY_ENABLED"] = "False"  # Haystack reads it on import
settings.register_profile("untimed", deadline=None)  # the benchmarks measure speed
settings.load_profile("untimed")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Run files with slow tests first, so that no worker ends alone with one."""
    slow = {item.path for item in items if item.get_closest_marker("slow")}
    items.sort(key=lambda item: item.path not in slow)


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skip tests marked ``data`` without the data sets, which a clone lacks."""
    if item.get_closest_marker("data"):
        from logic_retrievers.errors import ReadError
        from logic_retrievers.evaluation.datasets import data_folder

        try:
            data_folder()
        except ReadError as error:
            pytest.skip(str(error))


@pytest.fixture(autouse=True)
def _vectors_decide(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a cleaner's ``auto`` find no cross-encoder, unless the test is marked ``reader``.

    Most tests have texts made for toy encoders.
    """
    pair_judge = sys.modules.get("logic_retrievers.conflicts.pair_judge")
    if pair_judge is not None and not request.node.get_closest_marker("reader"):
        monkeypatch.setattr(pair_judge, "default_bundle_manifest", lambda: None)


@pytest.fixture
def wire_double() -> Iterator[WireDouble]:
    """A fresh Qdrant double, empty and fault-free."""
    from fault_injection import WireDouble

    with WireDouble() as double:
        yield double


@pytest.fixture(params=["rest", "grpc"])
def wire(request: pytest.FixtureRequest, wire_double: WireDouble) -> Iterator[Wire]:
    """The double over REST, then over gRPC: `.connect()` returns a client."""
    from fault_injection import Wire

    wire = Wire(wire_double, prefer_grpc=request.param == "grpc")
    yield wire
    wire.close()
