"""Panels of a figure with a common legend below."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, TypeAlias, TypeVar

from benchmarks.common.plots import empty_figure
from benchmarks.reproduction.render.style import Look, looks

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

ALONE = 6.4
WIDE = 9.6
"""Inches of all panels of a row together: 922 pixels, what a page shows in full size."""
NARROW = 3.9
"""Inches: 374 pixels, what a telephone shows."""
HEIGHT = 3.3
A_ROW = 3
"""Panels side by side."""
LEGEND_LINE = 0.21
LETTER = 0.074
"""Width of a letter of the legend in inches, about."""
KEY = 0.62
"""Inches that a label's line and gaps take."""

Lines = TypeVar("Lines")
DrawPanel: TypeAlias = "Callable[[Axes, Mapping[str, Lines], Mapping[str, Look]], None]"


def draw_panels(
    panels: Mapping[str, Mapping[str, Lines]],
    draw_panel: DrawPanel[Lines],
    *,
    narrow: bool,
    more: Iterable[str] = (),
) -> Figure:
    """A figure with a panel per title, drawn by ``draw_panel``.

    Args:
        panels: title -> label -> what belongs to it.
        draw_panel: draws into one.
        narrow: one below the other.
        more: further labels that get a look.
    """
    styles = looks([*(label for lines in panels.values() for label in lines), *more])
    figure, places = grid_of_axes(len(panels), narrow=narrow)
    for axes, (title, lines) in zip(places, panels.items(), strict=True):
        draw_panel(axes, lines, styles)
        if len(panels) > 1 or title:
            letters = 42 if narrow else {1: 72, 2: 50, 4: 50}.get(len(panels), 32)
            axes.set_title(textwrap.fill(title, letters))
    legend_below(figure, places)
    return figure


def grid_of_axes(count: int, *, narrow: bool, height: float = HEIGHT) -> tuple[Figure, list[Axes]]:
    """A figure with ``count`` panels, and the panels in reading order."""
    in_row = 1 if narrow else 2 if count == 4 else max(1, min(A_ROW, count))
    rows = max(1, math.ceil(count / in_row))
    width = NARROW if narrow else ALONE if count <= 1 else WIDE
    figure = empty_figure(width, height * rows)
    return figure, [figure.add_subplot(rows, in_row, place + 1) for place in range(count)]


def legend_below(figure: Figure, places: Iterable[Axes]) -> None:
    """One legend for all panels, and the space for it; each label occurs once."""
    artists: dict[str, Artist] = {}
    for axes in places:
        for handle, label in zip(*axes.get_legend_handles_labels(), strict=True):
            artists.setdefault(label, handle)
    if not artists:
        return
    width, height = figure.get_size_inches()
    letters = max(20, int((width - KEY) / LETTER))
    labels = [textwrap.fill(label, letters) for label in artists]
    widest = max(len(line) for label in labels for line in label.splitlines())
    columns = max(1, min(len(labels), int(width / (KEY + LETTER * widest))))
    lines = [label.count("\n") + 1 for label in labels]
    rows = math.ceil(len(labels) / columns)
    tall = max(sum(lines[at : at + rows]) for at in range(0, len(lines), rows))
    figure.set_size_inches(width, height + LEGEND_LINE * tall)
    figure.legend(
        list(artists.values()), labels, loc="outside lower left", ncols=columns, handlelength=2.2
    )
