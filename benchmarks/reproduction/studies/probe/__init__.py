"""The RAG probe, as a study of the reproduction report."""

from __future__ import annotations

from benchmarks.reproduction.studies.probe.section import STUDY

__all__ = ["STUDY"]
