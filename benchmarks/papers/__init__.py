"""The studies of the report; each module with a ``STUDY`` makes one section."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from importlib import import_module
from pkgutil import iter_modules

from benchmarks.report.workbench import Study
from logic_retrievers.errors import ConfigurationError

# Order of the report; other studies follow by name.
ORDER = ("exclusion", "sets", "boolean", "tiers", "contradictions", "cleaning", "probe")


def studies() -> tuple[Study, ...]:
    """Return every study, in report order."""
    places = {name: place for place, name in enumerate(ORDER)}
    return tuple(
        sorted(_discover(), key=lambda study: (places.get(study.name, len(ORDER)), study.name))
    )


def select_studies(names: Sequence[str]) -> tuple[Study, ...]:
    """Return the named studies, by default all, in report order."""
    available = studies()
    known = [study.name for study in available]
    for name in names:
        if name not in known:
            raise ConfigurationError(f"no study {name!r}; there are: {', '.join(known)}")
    return tuple(study for study in available if not names or study.name in names)


def _discover() -> Iterator[Study]:
    for module in iter_modules(__path__):
        study = getattr(import_module(f"{__name__}.{module.name}"), "STUDY", None)
        if isinstance(study, Study):
            yield study
