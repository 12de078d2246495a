"""The reproduction report in a real browser, where there is one."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

sys.path.insert(0, str(ROOT))
from benchmarks.browser_checks.chromium import find_browser  # noqa: E402

sys.path.remove(str(ROOT))


@pytest.mark.slow
@pytest.mark.skipif(find_browser() is None, reason="no Chromium on the path")
def test_all_of_the_report_can_be_seen(tmp_path):
    """No parser sees a width: a table that is cut on a telephone is whole in every other test."""
    command = (sys.executable, "-m", "benchmarks.browser_checks.reproduction_report")
    done = subprocess.run(
        [*command, "--pictures", tmp_path], cwd=ROOT, capture_output=True, text=True, timeout=280
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.count("| ordinary |") == done.stdout.count("| hostile |") == 4
    assert len(list(tmp_path.glob("*.png"))) == 8
