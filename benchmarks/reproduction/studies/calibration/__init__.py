"""The calibration of the probability of a contradiction, as a study of the reproduction report."""

from __future__ import annotations

from benchmarks.reproduction.studies.calibration.section import STUDY

__all__ = ["STUDY"]
