"""Style of plots: fixed sizes and colours, independent of the user's settings."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from logic_retrievers.errors import MissingExtraError

COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#333333")
"""Of Okabe and Ito, told apart by colour-blind readers; their yellow is too light on white."""
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*", "<", ">")
DASHES: tuple[Any, ...] = ("-", "--", (0, (1, 1.2)), (0, (5, 1, 1, 1)))
"""A second round through the colours is dashed."""
COLOUR_MAP = "cividis"
"""Even in brightness, and the same to readers who see no red or green."""

SALT = "logic-retrievers"
SETTINGS: Mapping[str, Any] = {
    "font.family": "DejaVu Sans",  # comes with matplotlib, so that every machine has it
    "font.size": 9.5,
    "axes.titlesize": 10.5,
    "axes.titleweight": "bold",
    "axes.titlelocation": "left",
    "axes.labelsize": 9.5,
    "axes.edgecolor": "#8a9099",
    "axes.labelcolor": "#22262b",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.color": "#e6e8eb",
    "grid.linewidth": 0.8,
    "xtick.color": "#8a9099",
    "ytick.color": "#8a9099",
    "xtick.labelcolor": "#444a52",
    "ytick.labelcolor": "#444a52",
    "legend.frameon": False,
    "legend.fontsize": 9,
    "lines.linewidth": 1.8,
    "lines.markersize": 5,
    "figure.facecolor": "white",
    "savefig.facecolor": "white",
    "text.parse_math": False,  # a dollar in a label is a dollar
    "svg.fonttype": "path",
    "svg.hashsalt": SALT,  # ids of an SVG are drawn at random without it
    "path.simplify": True,
}


@dataclass(frozen=True, slots=True)
class Look:
    """Style of a label, distinguishable without colours."""

    colour: str
    marker: str
    dashes: Any


def looks(labels: Iterable[str]) -> dict[str, Look]:
    """Styles of labels by their order, the same in every panel."""
    return {
        label: Look(
            COLOURS[place % len(COLOURS)],
            MARKERS[place % len(MARKERS)],
            DASHES[place // len(COLOURS) % len(DASHES)],
        )
        for place, label in enumerate(dict.fromkeys(labels))
    }


@contextmanager
def plot_settings() -> Iterator[None]:
    """A context in which matplotlib uses these settings alone.

    Raises:
        MissingExtraError: matplotlib is not installed.
    """
    try:
        import matplotlib
    except ModuleNotFoundError as error:
        raise MissingExtraError("matplotlib", "dev") from error
    with matplotlib.rc_context():
        matplotlib.rcdefaults()
        matplotlib.rcParams.update(SETTINGS)  # type: ignore[arg-type]
        yield
