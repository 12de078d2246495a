"""The description of a study."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from benchmarks.reproduction.artefacts import Section
from benchmarks.reproduction.workbench import Workbench


@dataclass(frozen=True, slots=True)
class Study:
    """One experiment of the report.

    Args:
        name: unique, in lower case with hyphens.
        title: heading of its section.
        data: folders of the benchmark data that it reads.
        run: makes its section.
        models: roles of the trained models that it compares with, if they are available.
        timed: whether its figures are times, which differ between runs.
    """

    name: str
    title: str
    data: tuple[str, ...]
    run: Callable[[Workbench], Section]
    models: tuple[str, ...] = ()
    timed: bool = False
