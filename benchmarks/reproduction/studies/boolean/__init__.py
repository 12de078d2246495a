"""Boolean retrieval, as a study of the reproduction report."""

from __future__ import annotations

from benchmarks.reproduction.studies.boolean.section import STUDY

__all__ = ["STUDY"]
