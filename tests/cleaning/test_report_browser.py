"""The report in a real browser, where there is one."""

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
def test_nothing_overflows_runs_or_fails_in_a_browser(tmp_path):
    """What the parser of a test takes for text, a browser may run; and no parser sees a width."""
    command = (sys.executable, "-m", "benchmarks.browser_checks.cleaning_report", "--many", "0")
    done = subprocess.run(
        [*command, "--pictures", tmp_path], cwd=ROOT, capture_output=True, text=True, timeout=240
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "| hostile | 19 |" in done.stdout
    assert len(list(tmp_path.glob("*.png"))) == 16
