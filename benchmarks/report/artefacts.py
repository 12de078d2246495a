"""Tables and figures as data, which JSON can store."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, model_validator


class _Artefact(BaseModel):
    """Base of the artefacts: frozen, without extra fields, equal after a round trip via JSON."""

    model_config = ConfigDict(frozen=True, extra="forbid", ser_json_inf_nan="constants")


class Measurement(_Artefact):
    """A figure with its 95 % interval.

    Args:
        value: the mean.
        low, high: ends of the interval, if there is one.
        p: p-value of the difference from the table's baseline, corrected for all rows compared in
            that column; None if nothing is compared.
        unit: unit of the figure, such as ``ms``; plain shares and ranks have none.
    """

    value: float
    low: float | None = None
    high: float | None = None
    p: float | None = None
    unit: str = ""


# None: a missing figure, shown as a dash.
Cell: TypeAlias = Measurement | str | int | float | None
# The stem of an artefact's files, unique in the report.
Name: TypeAlias = Annotated[str, Field(pattern=r"^[a-z0-9]+(-[a-z0-9]+)*$")]


class Row(_Artefact):
    """One line of a table.

    Args:
        cells: one cell per column.
        origin: ``measured`` in this run; ``published`` by others, in a different set-up; ``absent``
            if something is missing.
        note: source and set-up of published figures; cause and remedy of an absent row.
    """

    cells: tuple[Cell, ...]
    origin: Literal["measured", "published", "absent"] = "measured"
    note: str = ""


class Table(_Artefact):
    """Figures in rows and columns.

    Args:
        baseline: first cell of the row that other rows are compared with.
        better: column -> better direction, where the column's name does not tell (the renderer
            knows V@k, FVR, R@k, nDCG@k and similar ones).
    """

    name: Name
    title: str
    columns: tuple[str, ...]
    rows: tuple[Row, ...]
    baseline: str | None = None
    notes: tuple[str, ...] = ()
    better: Mapping[str, Literal["higher", "lower"]] = Field(default_factory=dict)

    @model_validator(mode="after")
    def _check_shape(self) -> Table:
        for row in self.rows:
            if len(row.cells) != len(self.columns):
                cells, columns = len(row.cells), len(self.columns)
                raise ValueError(f"{self.name}: a row of {cells} cells under {columns} columns")
        if self.baseline is not None and all(row.cells[0] != self.baseline for row in self.rows):
            raise ValueError(f"{self.name}: no row {self.baseline!r} to compare the others with")
        if unknown := set(self.better) - set(self.columns):
            raise ValueError(f"{self.name}: no column {min(unknown)!r}")
        return self


class Curve(_Artefact):
    """Points of one line, with a band if there are intervals."""

    x: tuple[float, ...]
    y: tuple[float, ...]
    low: tuple[float, ...] | None = None
    high: tuple[float, ...] | None = None

    @model_validator(mode="after")
    def _check_shape(self) -> Curve:
        parts = (self.x, self.y, self.low, self.high)
        if len({len(part) for part in parts if part is not None}) > 1:
            raise ValueError("a curve has parts of different lengths")
        return self


class Curves(_Artefact):
    """Lines over one pair of axes, for trade-offs and survival.

    Args:
        panels: title -> label -> line; shown side by side.
        style: ``line`` joins the points; ``step`` holds a value until the next point.
    """

    kind: Literal["curves"] = "curves"
    x_label: str
    y_label: str
    panels: Mapping[str, Mapping[str, Curve]]
    style: Literal["line", "step"] = "line"
    x_limits: tuple[float, float] | None = None
    y_limits: tuple[float, float] | None = None


class Histograms(_Artefact):
    """Counts of values in bins that all panels share.

    Args:
        edges: edges of the bins, one more than bins.
        panels: title -> label -> count per bin.
        marks: label -> value of a vertical line.
    """

    kind: Literal["histograms"] = "histograms"
    x_label: str
    edges: tuple[float, ...]
    panels: Mapping[str, Mapping[str, tuple[int, ...]]]
    marks: Mapping[str, float] = Field(default_factory=dict)

    @model_validator(mode="after")
    def _check_shape(self) -> Histograms:
        counts = [counts for groups in self.panels.values() for counts in groups.values()]
        if any(len(bins) + 1 != len(self.edges) for bins in counts):
            raise ValueError(f"not as many bins as lie between {len(self.edges)} edges")
        return self


class Scatter(_Artefact):
    """Points by group: title -> label -> points (x, y)."""

    kind: Literal["scatter"] = "scatter"
    x_label: str
    y_label: str
    panels: Mapping[str, Mapping[str, tuple[tuple[float, float], ...]]]


class Bars(_Artefact):
    """One bar per system under each label, with its interval."""

    kind: Literal["bars"] = "bars"
    y_label: str
    labels: tuple[str, ...]
    systems: Mapping[str, tuple[Measurement | None, ...]]

    @model_validator(mode="after")
    def _check_shape(self) -> Bars:
        if any(len(values) != len(self.labels) for values in self.systems.values()):
            raise ValueError(f"not one bar at each of {len(self.labels)} labels")
        return self


Plot = Annotated[Curves | Histograms | Scatter | Bars, Field(discriminator="kind")]


class Figure(_Artefact):
    """A plot as data; the caption says what the plot shows and how to read it."""

    name: Name
    title: str
    caption: str
    plot: Plot


class Section(_Artefact):
    """Results of one study: paragraphs, then tables and figures in the order shown."""

    name: Name
    title: str
    text: tuple[str, ...] = ()
    artefacts: tuple[Table | Figure, ...] = ()
