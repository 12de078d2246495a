"""Settings and their trade-offs, as a study of the reproduction report."""

from __future__ import annotations

from benchmarks.reproduction.studies.settings.section import STUDY

__all__ = ["STUDY"]
