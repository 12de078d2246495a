"""Checks the reproduction report in a real browser, in windows of desktop and phone size.

python -m benchmarks.browser_checks.reproduction_report [REPORT.html] [--pictures FOLDER]

Needs a Chromium on the path. Without a page, two made reports are looked at: one with all kinds of
artefacts, one whose texts try to break it. Each is opened at 1280 and at 390 pixels, light and
dark, with the network off. Ends with 1 where anything is wrong.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from benchmarks.browser_checks.chromium import Browser, find_browser
from benchmarks.browser_checks.page_checks import OVERFLOWING, PICTURES, TABLES, WIDTHS
from benchmarks.browser_checks.reproduction_samples import hostile_sections, ordinary_sections
from benchmarks.common.output import publish
from benchmarks.reproduction.render import write_report

TALLEST = 16_000
"""Pixels of a picture of the whole page."""


def main() -> None:
    """Open the pages, publish the results."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("page", type=Path, nargs="?")
    parser.add_argument("--pictures", type=Path)
    options = parser.parse_args()
    program = find_browser()
    if program is None:
        sys.exit("no Chromium was found on the path")
    with open_pages(options.page) as report_pages, Browser(program) as browser:
        rows = []
        for name, page in report_pages.items():
            for width in WIDTHS:
                for dark in (False, True):
                    rows.append({"report": name, **check_window(browser, page, width, dark)})
                    if options.pictures is not None:
                        options.pictures.mkdir(parents=True, exist_ok=True)
                        scheme = "dark" if dark else "light"
                        take_picture(
                            browser, width, options.pictures / f"{name}-{scheme}-{width}.png"
                        )
    publish("reproduction report in the browser", rows)
    if any(has_problems(row) for row in rows):
        sys.exit(1)


@contextmanager
def open_pages(page: Path | None) -> Iterator[dict[str, Path]]:
    """Name -> page: the given page, or sample pages."""
    if page is not None:
        yield {page.stem: page}
        return
    with tempfile.TemporaryDirectory() as folder:
        samples = {"ordinary": ordinary_sections(), "hostile": hostile_sections()}
        yield {
            name: write_report(sections, Path(folder) / name) for name, sections in samples.items()
        }


def check_window(browser: Browser, page: Path, width: int, dark: bool) -> dict[str, Any]:
    """Results of the checks in one window."""
    loaded = browser.open(page, width, dark=dark)
    return {
        "MB": round(page.stat().st_size / 1e6, 2),
        "width": width,
        "scheme": "dark" if dark else "light",
        "loaded in s": round(loaded, 2),
        "page is wide": browser.run("document.documentElement.scrollWidth"),
        "pictures": browser.run("document.images.length"),
        "pictures at fault": browser.run(PICTURES),
        "tables": browser.run("document.querySelectorAll('table').length"),
        "tables at fault": browser.run(TABLES),
        "cut texts": browser.run(OVERFLOWING),
        "complaints": browser.complaints(),
        "scripts of texts": browser.run("window.__pwned === undefined ? 'none' : window.__pwned"),
    }


def take_picture(browser: Browser, width: int, path: Path) -> None:
    """A screenshot of the whole page."""
    height = min(TALLEST, browser.run("document.documentElement.scrollHeight"))
    browser.call(
        "Emulation.setDeviceMetricsOverride",
        **{"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 500},
    )
    browser.picture(path)


def has_problems(row: Mapping[str, Any]) -> bool:
    """Whether a row of results has a problem."""
    faults = ("pictures at fault", "tables at fault", "cut texts", "complaints")
    return bool(
        row["page is wide"] > row["width"]
        or row["scripts of texts"] != "none"
        or any(row[fault] for fault in faults)
    )


if __name__ == "__main__":
    main()
