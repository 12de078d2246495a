"""The suites run in a foreign folder and find a fault there."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

HERE = Path(__file__).parent
THEIRS = """
import pytest
from suites import EncoderConformance, HashedEncoder

class Shuffled(HashedEncoder):
    def encode_documents(self, texts, names=None):
        rows = super().encode_documents(sorted(texts), names)
        return rows

class TestGood(EncoderConformance):
    @pytest.fixture
    def encoder(self):
        return HashedEncoder(query_prefix="query ")

class TestBroken(EncoderConformance):
    @pytest.fixture
    def encoder(self):
        return Shuffled()
"""


def test_a_stranger_can_subclass_a_suite(tmp_path):
    """They must need nothing of this repository, and a fault must fail."""
    (tmp_path / "test_theirs.py").write_text(THEIRS, encoding="utf-8")
    command = [sys.executable, "-m", "pytest", "-q", "-rf", "-W", "error", "-p", "no:asyncio"]
    command += ["-p", "no:cacheprovider", "-o", f"pythonpath={HERE}", "."]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=280)
    failed = [line for line in done.stdout.splitlines() if line.startswith("FAILED")]
    assert failed, done.stdout + done.stderr
    assert all("TestBroken" in line for line in failed), done.stdout
    assert any("test_rows_come_in_the_order_of_the_texts[documents]" in line for line in failed)
    assert "ERROR" not in done.stdout
