"""Contradiction retrieval and sparsity (SparseCL), as a study of the reproduction report."""

from __future__ import annotations

from benchmarks.reproduction.studies.contradictions.section import STUDY

__all__ = ["STUDY"]
