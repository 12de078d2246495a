"""Checks the report of a cleaning in a real browser: overflow, scripts, filters.

python -m benchmarks.browser_checks.cleaning_report [--many 10000] [--pictures FOLDER]

Needs a Chromium on the path. Each report is opened at 1280 and at 390 pixels, light and dark,
with the network off. Ends with 1 where anything is wrong.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from benchmarks.browser_checks.chromium import Browser, find_browser
from benchmarks.browser_checks.cleaning_samples import hostile_cleaning, ordinary_cleaning
from benchmarks.browser_checks.page_checks import OVERFLOWING, WIDTHS
from benchmarks.common.output import publish
from logic_retrievers.cleaning.report import write_report
from logic_retrievers.cleaning.result import CleaningResult, Kind

UNFOLD = """(() => {
  document.styleSheets[0].insertRule(".finding { content-visibility: visible !important }");
  for (const fold of document.querySelectorAll("details")) fold.open = true;
})()"""
"""What nobody has scrolled to yet is not laid out, and would overflow unseen."""

VISIBLE_CARDS = (
    "Array.from(document.querySelectorAll('.finding')).filter(c => c.offsetHeight > 0).length"
)


def main() -> None:
    """Write the reports, open them, publish the results."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--many", type=int, default=10_000)
    parser.add_argument("--pictures", type=Path)
    options = parser.parse_args()
    program = find_browser()
    if program is None:
        sys.exit("no Chromium was found on the path")
    reports = {"hostile": hostile_cleaning(), "ordinary": ordinary_cleaning(500)}
    if options.many:
        reports["many"] = ordinary_cleaning(options.many)
    with tempfile.TemporaryDirectory() as folder, Browser(program) as browser:
        rows = []
        for name, cleaned in reports.items():
            page = Path(folder) / f"{name}.html"
            begun = time.perf_counter()
            write_report(cleaned, page)
            cleanings = {
                "report": name,
                "findings": len(cleaned.decisions),
                "MB": round(page.stat().st_size / 1e6, 2),
                "made in s": round(time.perf_counter() - begun, 2),
            }
            for width in WIDTHS:
                for dark in (False, True) if name != "many" else (False,):
                    rows.append({**cleanings, **check_window(browser, page, cleaned, width, dark)})
                    if options.pictures is not None and name != "many":
                        options.pictures.mkdir(parents=True, exist_ok=True)
                        scheme = "dark" if dark else "light"
                        take_pictures(
                            browser, page, width, dark, options.pictures / f"{name}-{scheme}"
                        )
    publish("report in the browser", rows)
    if any(has_problems(row) for row in rows):
        sys.exit(1)


def check_window(
    browser: Browser, page: Path, cleaned: CleaningResult, width: int, dark: bool
) -> dict[str, Any]:
    """Results of the checks in one window."""
    loaded = browser.open(page, width, dark=dark)
    begun = time.perf_counter()
    faults = check_filters(browser, cleaned)
    worked = time.perf_counter() - begun
    wide = browser.run("document.documentElement.scrollWidth")
    cut: list[str] = []
    if len(cleaned.decisions) <= 1000:
        browser.run(UNFOLD)
        cut = browser.run(OVERFLOWING)
        wide = max(wide, browser.run("document.documentElement.scrollWidth"))
    return {
        "width": width,
        "scheme": "dark" if dark else "light",
        "loaded in s": round(loaded, 2),
        "filters in s": round(worked, 2),
        "page is wide": wide,
        "cut texts": cut,
        "complaints": browser.complaints(),
        "scripts of texts": browser.run("window.__pwned === undefined ? 'none' : window.__pwned"),
        "filters": faults or "work",
        "without scripts": check_without_scripts(browser, page, cleaned),
    }


def check_filters(browser: Browser, cleaned: CleaningResult) -> list[str]:
    """Differences between the filtered cards and the data: by mouse, keyboard and search."""
    total = len(cleaned.decisions)
    contradictions = cleaned.of_kind(Kind.CONTRADICTION)
    high = sum(contradiction.finding.severity == "high" for contradiction in contradictions)
    faults = []

    def expect(what: str, count: int) -> None:
        result = browser.run(VISIBLE_CARDS)
        status_text = browser.run("document.getElementById('shown').textContent")
        if result != count or status_text != f"{count:,} of {total:,} shown":
            faults.append(f"{what}: {result} cards, {status_text!r}, expected {count}")

    expect("at first", total)
    browser.run("document.querySelector('input[value=contradiction]').click()")
    expect("contradictions", len(contradictions))
    browser.run("document.querySelector('input[value=high]').click()")
    expect("high contradictions", high)
    browser.run("document.querySelector('#filters button').click()")
    browser.run("new Promise(done => setTimeout(done, 20))")
    expect("cleared", total)
    browser.run("document.querySelector('#filters').scrollIntoView()")
    browser.run("document.querySelector('input[value=superseded]').focus()")
    browser.press(" ", 32, " ")
    expect("superseded by the space bar", len(cleaned.of_kind(Kind.SUPERSEDED)))
    browser.press(" ", 32, " ")
    browser.press("Tab", 9)
    browser.press(" ", 32, " ")
    expect("scope by Tab and the space bar", len(cleaned.of_kind(Kind.SCOPE)))
    browser.press(" ", 32, " ")
    browser.run("document.getElementById('search').focus()")
    browser.call("Input.insertText", text="NOBODY  wrote this")
    browser.run("new Promise(done => setTimeout(done, 400))")
    expect("words that nobody wrote", 0)
    browser.run("document.querySelector('#filters button').click()")
    browser.run("new Promise(done => setTimeout(done, 20))")
    expect("cleared again", total)
    return faults


def check_without_scripts(browser: Browser, page: Path, cleaned: CleaningResult) -> str:
    """Whether the page is complete without scripts."""
    browser.call("Emulation.setScriptExecutionDisabled", value=True)
    try:
        browser.open(page, WIDTHS[0])
        result = browser.run(VISIBLE_CARDS)
        form = browser.run("document.getElementById('filters').offsetHeight")
    finally:
        browser.call("Emulation.setScriptExecutionDisabled", value=False)
    whole = result == len(cleaned.decisions) and form == 0
    return "whole" if whole else f"{result} cards, filters {form} high"


def take_pictures(browser: Browser, page: Path, width: int, dark: bool, stem: Path) -> None:
    """Screenshots of the top of the page and of its first cards."""
    browser.open(page, width, dark=dark)
    browser.picture(stem.with_name(f"{stem.name}-{width}-top.png"))
    browser.run("document.getElementById('f1').scrollIntoView()")
    browser.run("new Promise(done => setTimeout(done, 200))")
    browser.picture(stem.with_name(f"{stem.name}-{width}-cards.png"))


def has_problems(row: Mapping[str, Any]) -> bool:
    """Whether a row of results has a problem."""
    return bool(
        row["page is wide"] > row["width"]
        or row["cut texts"]
        or row["complaints"]
        or row["scripts of texts"] != "none"
        or row["filters"] != "work"
        or row["without scripts"] != "whole"
    )


if __name__ == "__main__":
    main()
