"""Checks of sections before they are stored or rendered."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from benchmarks.reproduction.artefacts import (
    Bars,
    Curves,
    Figure,
    HeatMaps,
    Histograms,
    Section,
    Table,
)
from logic_retrievers.errors import ConfigurationError

NAME = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")


def check_names(sections: Sequence[Section]) -> None:
    """Rejects sections whose files would overwrite one another.

    Raises:
        ConfigurationError: a name twice, or one that is not in lower case with hyphens.
    """
    artefacts = [artefact.name for section in sections for artefact in section.artefacts]
    for names in ([section.name for section in sections], artefacts):
        for name, count in Counter(names).items():
            if not NAME.fullmatch(name):
                raise ConfigurationError(f"a name is in lower case with hyphens, not {name!r}")
            if count > 1:
                raise ConfigurationError(f"the name {name!r} is there {count} times in the report")


def check_shapes(section: Section) -> None:
    """Rejects tables and plots with inconsistent parts.

    Raises:
        ConfigurationError: names the artefact and the problem.
    """
    for artefact in section.artefacts:
        problems = _table(artefact) if isinstance(artefact, Table) else _figure(artefact)
        for problem in problems:
            raise ConfigurationError(f"{artefact.name}: {problem}")


def _table(table: Table) -> Iterator[str]:
    for row in table.rows:
        if len(row.cells) != len(table.columns):
            yield f"a row of {len(row.cells)} cells under {len(table.columns)} columns"
    if table.baseline is not None and all(row.cells[0] != table.baseline for row in table.rows):
        yield f"no row {table.baseline!r}, with which the others are compared"
    for column in table.better:
        if column not in table.columns:
            yield f"no column {column!r}, of which a direction is the better one"


def _figure(figure: Figure) -> Iterator[str]:
    match figure.plot:
        case Curves() as plot:
            for lines in plot.panels.values():
                for label, curve in lines.items():
                    parts = (curve.x, curve.y, curve.low, curve.high, curve.labels)
                    lengths = {len(part) for part in parts if part is not None}
                    if len(lengths) > 1:
                        yield f"{label!r} has parts of different lengths"
        case Histograms() as plot:
            for groups in plot.panels.values():
                for label, counts in groups.items():
                    if len(counts) + 1 != len(plot.edges):
                        yield f"{label!r} has {len(counts)} bins between {len(plot.edges)} edges"
        case HeatMaps() as plot:
            for grid in plot.maps:
                shape = [len(row) for row in grid.values]
                if shape != [len(plot.columns)] * len(plot.rows):
                    yield f"{grid.title!r} is no grid of the two settings"
        case Bars() as plot:
            for system, values in plot.systems.items():
                if len(values) != len(plot.labels):
                    yield f"{system!r} has {len(values)} bars at {len(plot.labels)} labels"
