"""One small figure of every kind, and a table with every sort of row."""

from __future__ import annotations

import math

from benchmarks.reproduction.artefacts import (
    Bars,
    Curve,
    Curves,
    Figure,
    HeatMap,
    HeatMaps,
    Histograms,
    Measurement,
    Plot,
    Row,
    Scatter,
    Section,
    Table,
)


def _figure(name: str, plot: Plot) -> Figure:
    return Figure(name=name, title=f"The {name}", caption="How to read it: `V@5`.", plot=plot)


CURVE = Curve(x=(1, 2, 3), y=(0.2, 0.5, 0.9), low=(0.1, 0.4, 0.8), high=(0.3, 0.6, 1.0))
FIGURES = {
    "curves": _figure(
        "curves",
        Curves(
            x_label="R@10",
            y_label="V@5",
            panels={
                "NevIR": {"topical": CURVE, "auto": Curve(x=(1, 2), y=(0.1, math.nan))},
                "ExcluIR": {"auto": CURVE},
            },
        ),
    ),
    "steps": _figure(
        "steps", Curves(x_label="rank", y_label="share", panels={"": {"a": CURVE}}, style="step")
    ),
    "marks": _figure(
        "marks",
        Curves(
            x_label="said", y_label="seen", panels={"": {"a": CURVE}}, style="marks", diagonal=True
        ),
    ),
    "heat": _figure(
        "heat",
        HeatMaps(
            row_name="alpha",
            column_name="keep",
            rows=("0", "1"),
            columns=(".1", ".5", "1"),
            maps=(HeatMap(title="FVR / 11", values=((0.1, 0.2, 0.3), (0.4, math.nan, 0.6))),),
            chosen=(1, 0),
        ),
    ),
    "histograms": _figure(
        "histograms",
        Histograms(
            x_label="Hoyer",
            edges=(0.0, 0.5, 1.0),
            panels={"before": {"random": (3, 1), "against": (0, 0)}},
            marks={"threshold": 0.7},
        ),
    ),
    "scatter": _figure(
        "scatter",
        Scatter(x_label="A", y_label="B", panels={"base": {"a": ((0.1, 0.2), (0.3, 0.4))}}),
    ),
    "bars": _figure(
        "bars",
        Bars(
            y_label="R@5",
            labels=("and", "not"),
            systems={
                "topical": (Measurement(value=0.5, low=0.4, high=0.7), None),
                "auto": (Measurement(value=0.6), Measurement(value=0.2, low=0.1, high=0.2, p=0.04)),
            },
        ),
    ),
}
TABLE = Table(
    name="table",
    title="Violations & recall",
    columns=("system", "V@5", "FVR", "latency", "kappa", "queries"),
    rows=(
        Row(
            cells=(
                "topical",
                Measurement(value=0.839, low=0.79, high=0.888),
                Measurement(value=1.75, low=1.5, high=2.0),
                Measurement(value=3.25, unit="ms"),
                Measurement(value=0.1),
                205,
            )
        ),
        Row(
            cells=(
                "auto",
                Measurement(value=0.4, low=0.35, high=0.45, p=0.001),
                Measurement(value=5.0, low=4.5, high=5.5, p=0.001),
                Measurement(value=4.5, unit="ms", p=0.01),
                Measurement(value=0.3, p=0.01),
                205,
            )
        ),
        Row(
            cells=(
                "BM25",
                Measurement(value=0.9, p=0.02),
                Measurement(value=1.7, p=0.7),
                None,
                Measurement(value=0.0, p=0.01),
                1205,
            )
        ),
        Row(
            cells=("CoDeR-Union", 0.788, 4.28, None, None, None),
            origin="published",
            note="CoDeR, table 2: bge-large, lists that are cut",
        ),
        Row(
            cells=("CoDeR-Seq", 0.794, 4.26, None, None, None),
            origin="published",
            note="CoDeR, table 2: bge-large, lists that are cut",
        ),
        Row(
            cells=("LORE", None, None, None, None, None),
            origin="absent",
            note="`query-encoder-minilm.toml` makes it",
        ),
    ),
    baseline="topical",
    notes=("205 queries.",),
    better={"latency": "lower"},
)
SECTION = Section(
    name="every-kind",
    title="Every kind",
    text=("Before: `logic-retrievers report out`.",),
    artefacts=(TABLE, *FIGURES.values()),
)
