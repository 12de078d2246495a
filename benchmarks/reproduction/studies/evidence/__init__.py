"""Evidence of exclusions, as a study of the reproduction report."""

from __future__ import annotations

from benchmarks.reproduction.studies.evidence.section import STUDY

__all__ = ["STUDY"]
