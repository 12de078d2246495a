"""Draw the report's plots with matplotlib; the same figure gives the same bytes."""

from __future__ import annotations

import io
import math
import textwrap
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from benchmarks.report.artefacts import Bars, Curve, Curves, Figure, Histograms, Scatter
from logic_retrievers.errors import MissingExtraError

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Drawn

# Okabe and Ito's colours, without pale yellow; colour-blind readers can tell these apart.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#333333")
MARKERS = ("o", "s", "^", "D", "v", "P", "X")
DASHES: tuple[Any, ...] = ("-", "--", ":")
SETTINGS: Mapping[str, Any] = {
    "axes.titlesize": "medium",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.color": "#e6e8eb",
    "legend.frameon": False,
    # A dollar in a label must not start a formula.
    "text.parse_math": False,
    # Without a salt, ids in an SVG are random.
    "svg.hashsalt": "logic-retrievers",
}
# Width of the whole figure and height of a panel, in inches.
WIDTH, HEIGHT = 9.6, 3.3
PANELS_IN_A_ROW = 3
# Maximum points of a line with marked points; more marks would hide the line.
MARKED = 25


def draw(figure: Figure) -> Drawn:
    """Draw the plot of a figure."""
    with _settings():
        match figure.plot:
            case Bars() as plot:
                return _bars(plot)
            case plot:
                drawn, places = _panels(plot.panels)
                styles = _styles(
                    [
                        *(label for groups in plot.panels.values() for label in groups),
                        *(plot.marks if isinstance(plot, Histograms) else ()),
                    ]
                )
                for axes, groups in zip(places, plot.panels.values(), strict=True):
                    for label, data in groups.items():
                        _draw_group(axes, plot, data, {**styles[label], "label": label})
                    _finish(axes, plot, styles)
                _legend(drawn, places)
                return drawn


def picture(figure: Figure, form: str) -> bytes:
    """Draw the plot of a figure as a file, ``png`` or ``svg``."""
    drawn, target = draw(figure), io.BytesIO()
    # Leave out date and version, which differ between runs.
    names = ("Software",) if form == "png" else ("Date", "Creator")
    with _settings():
        drawn.savefig(target, format=form, dpi=150, metadata=dict.fromkeys(names))
    return target.getvalue()


@contextmanager
def _settings() -> Iterator[None]:
    """Let matplotlib use only :data:`SETTINGS`, not the user's."""
    try:
        import matplotlib
    except ModuleNotFoundError as error:
        raise MissingExtraError("matplotlib", "dev") from error
    with matplotlib.rc_context():
        matplotlib.rcdefaults()
        matplotlib.rcParams.update(SETTINGS)  # type: ignore[arg-type]
        yield


def _styles(labels: Iterable[str]) -> dict[str, dict[str, Any]]:
    """Choose styles by the order of labels: equal in all panels, distinct without colours."""
    return {
        label: {
            "color": COLOURS[place % len(COLOURS)],
            "marker": MARKERS[place % len(MARKERS)],
            "linestyle": DASHES[place // len(COLOURS) % len(DASHES)],
        }
        for place, label in enumerate(dict.fromkeys(labels))
    }


def _panels(panels: Mapping[str, object]) -> tuple[Drawn, list[Axes]]:
    """Make a figure with one panel per title, in reading order."""
    from matplotlib.figure import Figure

    in_row = min(PANELS_IN_A_ROW, max(1, len(panels)))
    rows = max(1, math.ceil(len(panels) / in_row))
    # Not pyplot, which opens windows and keeps a global list of figures.
    figure = Figure(figsize=(WIDTH, HEIGHT * rows), layout="constrained")
    places = [figure.add_subplot(rows, in_row, n + 1) for n in range(len(panels))]
    for axes, title in zip(places, panels, strict=True):
        axes.set_title(textwrap.fill(title, 96 // in_row))
    return figure, places


def _draw_group(axes: Axes, plot: Any, data: Any, style: dict[str, Any]) -> None:
    colour = style["color"]
    match plot:
        case Curves():
            _draw_curve(axes, plot, data, style)
        case Histograms():
            # Shares make groups of different sizes comparable.
            shares = [count / max(1, sum(data)) for count in data]
            axes.stairs(shares, plot.edges, color=colour, fill=True, alpha=0.18)
            style = {name: value for name, value in style.items() if name != "marker"}
            axes.stairs(shares, plot.edges, **style)
        case Scatter():
            # Many points as SVG shapes take megabytes.
            many = len(data) > 2000
            x, y = zip(*data, strict=True) if data else ((), ())
            axes.scatter(
                x, y, s=10, alpha=0.5, linewidths=0, rasterized=many,
                color=colour, marker=style["marker"], label=style["label"],
            )  # fmt: skip


def _draw_curve(axes: Axes, plot: Curves, curve: Curve, style: dict[str, Any]) -> None:
    step = plot.style == "step"
    if curve.low is not None and curve.high is not None:
        axes.fill_between(
            curve.x, curve.low, curve.high, step="post" if step else None,
            color=style["color"], alpha=0.13, linewidth=0,
        )  # fmt: skip
    if step or len(curve.x) > MARKED:
        style = {**style, "marker": None}
    axes.plot(curve.x, curve.y, drawstyle="steps-post" if step else "default", **style)


def _finish(axes: Axes, plot: Any, styles: Mapping[str, dict[str, Any]]) -> None:
    axes.set(xlabel=plot.x_label, ylabel="share" if isinstance(plot, Histograms) else plot.y_label)
    if isinstance(plot, Curves):
        axes.set(xlim=plot.x_limits, ylim=plot.y_limits)
    elif isinstance(plot, Histograms):
        for label, value in plot.marks.items():
            axes.axvline(value, color=styles[label]["color"], linestyle="--", label=label)


def _bars(plot: Bars) -> Drawn:
    """Draw horizontal bars, to leave room for long labels."""
    figure, (axes,) = _panels({"": None})
    systems = max(1, len(plot.systems))
    figure.set_size_inches(WIDTH, 1.2 + len(plot.labels) * (0.16 * systems + 0.2))
    thick = 0.82 / systems
    styles = _styles(plot.systems)
    for number, (name, values) in enumerate(plot.systems.items()):
        shift = (number - (systems - 1) / 2) * thick
        bars = [(at + shift, value) for at, value in enumerate(values) if value is not None]
        ends = [
            (bar.value - (bar.low if bar.low is not None else bar.value),
             (bar.high if bar.high is not None else bar.value) - bar.value)
            for _, bar in bars
        ]  # fmt: skip
        axes.barh(
            [at for at, _ in bars], [bar.value for _, bar in bars], thick, label=name,
            color=styles[name]["color"], alpha=0.9, hatch="///" if number >= len(COLOURS) else None,
            xerr=[[max(0.0, end[side]) for end in ends] for side in (0, 1)], capsize=1.5,
            error_kw={"elinewidth": 0.9},
        )  # fmt: skip
    labels = [textwrap.fill(label, 28) for label in plot.labels]
    axes.set_yticks(range(len(labels)), labels)
    axes.set(xlabel=plot.y_label)
    axes.invert_yaxis()
    axes.grid(visible=False, axis="y")
    _legend(figure, [axes])
    return figure


def _legend(figure: Drawn, places: Iterable[Axes]) -> None:
    """Add one legend with each label once for all panels, and space for the legend."""
    artists: dict[str, Any] = {}
    for axes in places:
        for handle, label in zip(*axes.get_legend_handles_labels(), strict=True):
            artists.setdefault(label, handle)
    if not artists:
        return
    columns = max(1, int(115 / (8 + max(map(len, artists)))))
    width, height = figure.get_size_inches()
    figure.set_size_inches(width, height + 0.22 * math.ceil(len(artists) / columns))
    figure.legend(list(artists.values()), list(artists), loc="outside lower left", ncols=columns)
