"""Experiments of the report, one file each; a study gives a section.

chosen([])             # all of them, in the order of the report
chosen(["exclusion"])  # this one
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from importlib import import_module
from importlib.metadata import entry_points
from pkgutil import iter_modules

from logic_retrievers.errors import ConfigurationError
from logic_retrievers.report.studies.base import Study

ORDER = (
    *("exclusion", "settings", "evidence", "sets", "boolean", "tiers"),
    *("contradictions", "calibration", "cleaning", "probe", "latency"),
)
"""Of the report, by name; what is not here comes after."""
GROUP = "logic_retrievers.studies"
"""Entry points under which other packages register theirs."""


def studies() -> tuple[Study, ...]:
    """The ``STUDY`` of every module here that has one, and what other packages have registered."""
    found = [*_here(), *(added.load() for added in entry_points(group=GROUP))]
    places = {name: place for place, name in enumerate(ORDER)}
    return tuple(sorted(found, key=lambda one: (places.get(one.name, len(ORDER)), one.name)))


def chosen(names: Sequence[str]) -> tuple[Study, ...]:
    """The studies of these names, in the order of the report; all of them for no name.

    Raises:
        ConfigurationError: there is no study of a name.
    """
    every = studies()
    there = [study.name for study in every]
    for name in names:
        if name not in there:
            raise ConfigurationError(f"no study {name!r}; there are: {', '.join(there)}")
    return tuple(study for study in every if not names or study.name in names)


def _here() -> Iterator[Study]:
    for module in iter_modules(__path__):
        found = getattr(import_module(f"{__name__}.{module.name}"), "STUDY", None)
        if isinstance(found, Study):
            yield found
