"""Set queries over films (LogiCoL), as a study of the reproduction report."""

from __future__ import annotations

from logic_retrievers.report.artefacts import Section
from logic_retrievers.report.studies.base import Study
from logic_retrievers.report.workbench import Workbench

NAME, TITLE = "sets", "Set queries (LogiCoL)"


def run(bench: Workbench) -> Section:
    """See :func:`logic_export.studies.sets.section.section`."""
    from logic_export.studies.sets.section import section

    return section(bench)


STUDY = Study(
    name=NAME,
    title=TITLE,
    data=("wikipedia_movies",),
    run=run,
    models=("set-contrastive", "logicol"),
)
