"""What a study is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from logic_retrievers.report.artefacts import Section
from logic_retrievers.report.workbench import Workbench


@dataclass(frozen=True, slots=True)
class Study:
    """One experiment of the report.

    Args:
        name: unique, in lower case with hyphens.
        title: heading of its section.
        data: folders of the benchmark data that it reads.
        run: does it.
        models: roles of trained models that it compares with where they are there.
        timed: its figures are times, which another run gives anew.
    """

    name: str
    title: str
    data: tuple[str, ...]
    run: Callable[[Workbench], Section]
    models: tuple[str, ...] = ()
    timed: bool = False
