"""Panels of one figure, and the one legend below them."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, TypeAlias, TypeVar

from logic_retrievers.evaluation.plots import empty_figure
from logic_retrievers.report.render.style import Look, looks

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

ALONE = 6.4
SIDE_BY_SIDE = 4.1
NARROW = 3.9
"""Inches: 374 pixels of a page, what a telephone shows of it."""
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


def panelled(
    panels: Mapping[str, Mapping[str, Lines]],
    draw_panel: DrawPanel[Lines],
    *,
    narrow: bool,
    more: Iterable[str] = (),
) -> Figure:
    """A panel for each title, drawn by ``draw_panel``, which labels what the legend shall have.

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
            wide = len(panels) == 1 and not narrow
            axes.set_title(textwrap.fill(title, 72 if wide else 42))
    legend_below(figure, places)
    return figure


def grid_of_axes(count: int, *, narrow: bool, height: float = HEIGHT) -> tuple[Figure, list[Axes]]:
    """A figure with that many panels, and the panels in reading order."""
    in_row = 1 if narrow else max(1, min(A_ROW, count))
    rows = math.ceil(count / in_row) if count else 1
    width = NARROW if narrow else ALONE if count <= 1 else SIDE_BY_SIDE * in_row
    figure = empty_figure(width, height * rows)
    return figure, [figure.add_subplot(rows, in_row, place + 1) for place in range(count)]


def legend_below(figure: Figure, places: Iterable[Axes]) -> None:
    """One legend for all panels, and the room for it; a label of several panels is there once."""
    shown: dict[str, Artist] = {}
    for axes in places:
        for handle, label in zip(*axes.get_legend_handles_labels(), strict=True):
            shown.setdefault(label, handle)
    if not shown:
        return
    width, height = figure.get_size_inches()
    letters = max(20, int((width - KEY) / LETTER))
    labels = [textwrap.fill(label, letters) for label in shown]
    widest = max(len(line) for label in labels for line in label.splitlines())
    columns = max(1, min(len(labels), int(width / (KEY + LETTER * widest))))
    lines = [label.count("\n") + 1 for label in labels]
    rows = math.ceil(len(labels) / columns)
    tall = max(sum(lines[at : at + rows]) for at in range(0, len(lines), rows))
    figure.set_size_inches(width, height + LEGEND_LINE * tall)
    figure.legend(
        list(shown.values()), labels, loc="outside lower left", ncols=columns, handlelength=2.2
    )
