"""The report in a real browser, where there is one: hostile texts run nothing."""

from __future__ import annotations

import shutil
import subprocess

import pytest
from report_pages import cleaning_result, decision

from logic_retrievers.conflicts.cleaning.report import write_report
from logic_retrievers.types import Passage

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
BROWSER = next((path for name in NAMES if (path := shutil.which(name))), None)
HOSTILE = (
    "<script>document.title = 'pwned'</script>",
    '"><img src=x onerror="document.title=\'pwned\'">',
    "</bdi></article></main></style></script><script>document.title = 'pwned'</script><!-- -->",
    "<svg/onload=\"document.title='pwned'\">",
)


@pytest.mark.slow
@pytest.mark.skipif(BROWSER is None, reason="no Chromium on the path")
def test_nothing_of_a_hostile_text_runs_in_a_browser(tmp_path):
    """What the parser of a test takes for text, a browser may run."""
    passages = {name: Passage(name, text) for name, text in zip("abcd", HOSTILE, strict=True)}
    cleaned = cleaning_result(decision("a", "b"), decision("c", "d"), passages=passages)
    page, picture = tmp_path / "report.html", tmp_path / "report.png"
    write_report(cleaned, page)
    command = [
        *(str(BROWSER), "--headless", "--no-sandbox", "--disable-gpu", "--window-size=1280,900"),
        *(f"--user-data-dir={tmp_path / 'profile'}", f"--screenshot={picture}", "--dump-dom"),
        page.as_uri(),
    ]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    assert picture.stat().st_size > 10_000
    assert "<title>pwned" not in done.stdout
    assert done.stdout.count('class="finding') == 2
