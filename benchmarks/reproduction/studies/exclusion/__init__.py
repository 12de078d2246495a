"""Exclusion queries (CoDeR), as a study of the reproduction report."""

from __future__ import annotations

from benchmarks.reproduction.studies.exclusion.section import STUDY

__all__ = ["STUDY"]
