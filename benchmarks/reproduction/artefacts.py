"""Tables and figures as data that can be written to JSON and read back.

Studies produce these, renderers show them; neither knows the other.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field


class _Artefact(BaseModel):
    """Frozen, without extra fields, and equal after a round trip through JSON."""

    model_config = ConfigDict(frozen=True, extra="forbid", ser_json_inf_nan="constants")


class Measurement(_Artefact):
    """A figure with its 95 % interval.

    Args:
        value: the mean.
        low, high: ends of the interval, where there is one.
        p: of the difference from the table's baseline, corrected for all rows that are compared in
            that column; None where nothing is compared. Renderers mark what the data cannot tell
            apart (p >= .05).
        unit: what the figure counts, as ``ms``; a plain share or rank has none.
    """

    value: float
    low: float | None = None
    high: float | None = None
    p: float | None = None
    unit: str = ""


Cell: TypeAlias = Measurement | str | int | float | None
"""None is a missing figure, shown as a dash."""


class Row(_Artefact):
    """One line of a table.

    Args:
        cells: one for each column.
        origin: ``measured`` in this run; ``published`` by others, in another set-up; ``absent``
            if something is missing.
        note: source and differences of published figures; why a row is absent, and the remedy.
    """

    cells: tuple[Cell, ...]
    origin: Literal["measured", "published", "absent"] = "measured"
    note: str = ""


class Table(_Artefact):
    """Figures in rows and columns.

    Args:
        name: unique in the report, in lower case with hyphens: the stem of its files.
        title: what it shows.
        columns: heads, one a cell.
        rows: lines.
        baseline: the first cell of the row that the others are compared with.
        notes: what a reader has to know: data, sample, differences from the papers.
        better: column -> which direction is the better one, where its name does not say (renderers
            know V@k, FVR, R@k, nDCG@k and the like).
    """

    name: str
    title: str
    columns: tuple[str, ...]
    rows: tuple[Row, ...]
    baseline: str | None = None
    notes: tuple[str, ...] = ()
    better: Mapping[str, Literal["higher", "lower"]] = Field(default_factory=dict)


class Curve(_Artefact):
    """Points of one line, with a band where there are intervals."""

    x: tuple[float, ...]
    y: tuple[float, ...]
    low: tuple[float, ...] | None = None
    high: tuple[float, ...] | None = None
    labels: tuple[str, ...] | None = None


class Curves(_Artefact):
    """Lines over one pair of axes: trade-offs, survival, precision and recall, reliability.

    Args:
        panels: title -> label -> line; panels stand side by side and share nothing.
        style: ``line`` joins the points; ``step`` holds a value until the next; ``marks`` joins
            nothing.
        diagonal: draw the line of equal x and y.
    """

    kind: Literal["curves"] = "curves"
    x_label: str
    y_label: str
    panels: Mapping[str, Mapping[str, Curve]]
    style: Literal["line", "step", "marks"] = "line"
    diagonal: bool = False
    x_limits: tuple[float, float] | None = None
    y_limits: tuple[float, float] | None = None


class HeatMap(_Artefact):
    """One grid of values, shape (rows, columns)."""

    title: str
    values: tuple[tuple[float, ...], ...]


class HeatMaps(_Artefact):
    """Grids over the same two settings, side by side.

    Args:
        rows, columns: values of the settings, as they are shown.
        chosen: (row, column) that a policy has by default, as places; marked.
    """

    kind: Literal["heat_maps"] = "heat_maps"
    row_name: str
    column_name: str
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    maps: tuple[HeatMap, ...]
    chosen: tuple[int, int] | None = None


class Histograms(_Artefact):
    """How often values fall into bins that all panels share.

    Args:
        edges: of the bins, one more than there are bins.
        panels: title -> label -> count of each bin.
        marks: a vertical line at a value, by label (a threshold, say).
    """

    kind: Literal["histograms"] = "histograms"
    x_label: str
    edges: tuple[float, ...]
    panels: Mapping[str, Mapping[str, tuple[int, ...]]]
    marks: Mapping[str, float] = Field(default_factory=dict)


class Scatter(_Artefact):
    """Points by group.

    Args:
        panels: title -> label -> points (x, y).
    """

    kind: Literal["scatter"] = "scatter"
    x_label: str
    y_label: str
    panels: Mapping[str, Mapping[str, tuple[tuple[float, float], ...]]]


class Bars(_Artefact):
    """One bar for each system under each label, with its interval.

    Args:
        labels: along the axis.
        systems: system -> one figure a label.
    """

    kind: Literal["bars"] = "bars"
    y_label: str
    labels: tuple[str, ...]
    systems: Mapping[str, tuple[Measurement | None, ...]]


Plot = Annotated[Curves | HeatMaps | Histograms | Scatter | Bars, Field(discriminator="kind")]


class Figure(_Artefact):
    """A plot as data.

    Args:
        name: unique in the report, in lower case with hyphens: the stem of its files.
        title: what it shows.
        caption: how to read it, and what it says.
        plot: the data.
    """

    name: str
    title: str
    caption: str
    plot: Plot


class Section(_Artefact):
    """Results of one study.

    Args:
        name: that of the study.
        title: heading.
        text: paragraphs before the artefacts.
        artefacts: tables and figures in the order in which they are shown.
    """

    name: str
    title: str
    text: tuple[str, ...] = ()
    artefacts: tuple[Table | Figure, ...] = ()
