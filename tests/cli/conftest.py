"""A command line in an empty folder."""

from __future__ import annotations

import pytest
from program import invoke


@pytest.fixture
def call(tmp_path, monkeypatch):
    """Runs a command in an empty folder; the exit code must be as expected."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("LOGIC_RETRIEVERS_LOCATION", raising=False)
    return invoke
