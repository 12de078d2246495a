"""Set queries over films (LogiCoL), as a study of the reproduction report."""

from __future__ import annotations

from benchmarks.reproduction.artefacts import Section
from benchmarks.reproduction.studies.base import Study
from benchmarks.reproduction.workbench import Workbench

NAME, TITLE = "sets", "Set queries (LogiCoL)"


def run(bench: Workbench) -> Section:
    """See :func:`benchmarks.reproduction.studies.sets.section.section`."""
    from benchmarks.reproduction.studies.sets.section import section

    return section(bench)


STUDY = Study(
    name=NAME,
    title=TITLE,
    data=("wikipedia_movies",),
    run=run,
    models=("set-contrastive", "logicol"),
)
