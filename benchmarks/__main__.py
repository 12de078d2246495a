"""Runs every benchmark, one after the other: ``make bench``."""

from __future__ import annotations

import runpy

for name in (
    "encoders",
    "heads",
    "exactness",
    "parser",
    "exclusion",
    "latency",
    "frameworks",
    "contradiction_retrieval",
    "contradiction_pairs",
    "contradiction_histograms",
    "contradiction_filter",
    "contradiction_speed",
    "crash",
    "cleaning",
    "cleaning_alarms",
    "cleaning_growth",
    "cleaning_crash",
):
    runpy.run_module(f"benchmarks.{name}", run_name="__main__")
