"""A command line in an empty folder."""

from __future__ import annotations

import pytest
from program import invoke


@pytest.fixture
def call(tmp_path, monkeypatch):
    """Run a command in an empty folder and check its exit code."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("LOGIC_RETRIEVERS_LOCATION", raising=False)
    return invoke
