"""Sample sections: every kind of table and plot, and hostile texts."""

from __future__ import annotations

import math
import random

from benchmarks.browser_checks.cleaning_samples import HOSTILE
from benchmarks.reproduction.artefacts import (
    Bars,
    Curve,
    Curves,
    Figure,
    HeatMap,
    HeatMaps,
    Histograms,
    Measurement,
    Row,
    Scatter,
    Section,
    Table,
)

SYSTEMS = (
    "BM25", "topical", "plain contrastive", "CoDeR-Seq, not back-filled", "CoDeR-Seq, back-filled",
    "CoDeR-Union, not back-filled", "CoDeR-Union, back-filled", "decompose, then ensemble",
    "auto (ours)",
)  # fmt: skip
SETS = ("NevIR", "ExcluIR", "CoDeR antonym")


def ordinary_sections(*, seed: int = 0) -> tuple[Section, ...]:
    """Sections with all kinds of artefacts."""
    chance = random.Random(seed)
    return (
        Section(
            name="made-tables",
            title="Constraints in queries",
            text=(
                "A paragraph before the tables says what was compared, over which pool, and what "
                "is unlike the papers'. Code stands as `python -m benchmarks report out` in it.",
            ),
            artefacts=(_table(chance), _trade_off(chance), _survival(chance)),
        ),
        Section(
            name="made-plots",
            title="Settings, sparsity and scores",
            artefacts=(
                _heat(chance),
                _histograms(chance),
                _scatter(chance),
                _reliability(chance),
                _bars(chance),
            ),
        ),
        Section(
            name="made-failure",
            title="A study that could not run",
            text=("This study did not run: no such folder; looked in `data/nevir`.",),
        ),
    )


def hostile_sections() -> tuple[Section, ...]:
    """Sections with markup, scripts, formulas and very long words as texts."""
    texts = [text or "empty" for text in HOSTILE]
    pairs = list(zip(texts, texts[1:] + texts[:1], strict=True))
    table = Table(
        name="hostile-table",
        title=texts[0],
        columns=("system", *(text[:200] for text in texts[1:5]), "`code` & <b>x</b>"),
        rows=tuple(
            Row(
                cells=(pair[:300], Measurement(value=0.5, unit="<i>s"), 12345, None, 1e9, other),
                origin=("measured", "published", "absent")[at % 3],
                note=other,
            )
            for at, (pair, other) in enumerate(pairs)
        ),
        notes=tuple(texts),
    )
    names = [text[:60].replace("\x00", "") for text in texts]
    curve = Curve(x=(0, 1, 2), y=(0.1, math.nan, 0.4), labels=("$a$", "<b>", "\\frac{"))
    figure = Figure(
        name="hostile-figure",
        title=texts[2],
        caption=" ".join(texts[:4]),
        plot=Curves(x_label="$x_1 {", y_label="50 % & more", panels={"$": {names[4]: curve}}),
    )
    return (Section(name="hostile", title=texts[1], text=tuple(texts), artefacts=(table, figure)),)


def _measurement(chance: random.Random, value: float, p: float | None = None) -> Measurement:
    wide = chance.uniform(0.02, 0.06)
    return Measurement(
        value=value, low=max(0.0, value - wide), high=min(1.0, value + wide * 0.9), p=p
    )


def _table(chance: random.Random) -> Table:
    rows = []
    for number, system in enumerate(SYSTEMS):
        share = 0.85 - 0.05 * number
        ps = [None, *(0.001 if number > 3 else 0.4 for _ in range(5))]
        cells = [
            _measurement(chance, value, None if system == "topical" else ps[1 + at])
            for at, value in enumerate((share, share + 0.1, 0.7, 0.92))
        ]
        fvr = Measurement(value=2 + number / 2, low=1.8 + number / 2, high=2.3 + number / 2, p=0.02)
        speed = Measurement(value=3.4 + number, low=3.1 + number, high=4 + number, unit="ms")
        rows.append(Row(cells=(system, *cells, fvr, speed, 205)))
    published = "CoDeR, table 2: bge-large-en-v1.5, lists that are cut, another cut of the queries."
    rows.append(Row(
        cells=("CoDeR-Union, published", 0.302, 0.788, None, None, 4.28, None, None),
        origin="published", note=published,
    ))  # fmt: skip
    rows.append(Row(
        cells=("CoDeR-Seq, published", 0.285, 0.794, None, None, 4.26, None, None),
        origin="published", note=published,
    ))  # fmt: skip
    rows.append(Row(
        cells=("LORE", *[None] * 7), origin="absent",
        note="no model; `export/recipes/query-encoder-minilm.toml` makes it.",
    ))  # fmt: skip
    return Table(
        name="made-constraints",
        title="Violations and recall on ExcluIR test",
        columns=("system", "V@2", "V@5", "R@1", "R@10", "FVR", "latency", "queries"),
        rows=tuple(rows),
        baseline="topical",
        better={"latency": "lower"},
        notes=(
            "205 queries over 1,640 documents, merged by exact text. An interval is a bootstrap "
            "over queries; p is corrected by Holm over the rows of a column.",
        ),
    )


def _curve(chance: random.Random, start: float, step: float, points: int = 10) -> Curve:
    x = tuple(float(at) for at in range(1, points + 1))
    y = tuple(max(0.0, start - step * math.sqrt(at)) for at in range(points))
    wide = chance.uniform(0.02, 0.04)
    low, high = (tuple(max(0.0, value + sign * wide) for value in y) for sign in (-1, 1))
    return Curve(x=x, y=y, low=low, high=high)


def _trade_off(chance: random.Random) -> Figure:
    panels = {
        name: {
            system: Curve(
                x=tuple(0.5 + at / 20 for at in range(8)),
                y=tuple(0.2 + at * at / 100 + chance.uniform(0, 0.2) for at in range(8)),
            )
            for system in SYSTEMS
        }
        for name in SETS[:2]
    }
    return Figure(
        name="made-trade-off",
        title="Violations against recall",
        caption="Each line runs over the settings of a system; down and to the right is better.",
        plot=Curves(x_label="R@10", y_label="V@5", panels=panels),
    )


def _survival(chance: random.Random) -> Figure:
    panels = {
        name: {
            system: _curve(chance, 0.95, 0.04 * at + 0.05) for at, system in enumerate(SYSTEMS[:4])
        }
        for name in SETS
    }
    return Figure(
        name="made-survival",
        title="Queries without a violation down to each rank",
        caption="Kaplan-Meier survival; bands are 95 % intervals.",
        plot=Curves(
            x_label="rank", y_label="share of queries", panels=panels, style="step", y_limits=(0, 1)
        ),
    )


def _heat(chance: random.Random) -> Figure:
    alphas = tuple(f"{at / 10:.1f}" for at in range(11))
    keeps = (".05", ".1", ".2", ".5", ".8", "1")
    maps = tuple(
        HeatMap(
            title=title,
            values=tuple(
                tuple(
                    0.3 + row * 0.04 + column * 0.02 + chance.uniform(0, 0.1) for column in range(6)
                )
                for row in range(11)
            ),
        )
        for title in ("FVR / 11", "R@10")
    )
    return Figure(
        name="made-heat",
        title="CoDeR-Union over alpha and the share that is kept",
        caption="The frame marks the default.",
        plot=HeatMaps(
            row_name="alpha", column_name="keep", rows=alphas, columns=keeps, maps=maps,
            chosen=(3, 1),
        ),
    )  # fmt: skip


def _histograms(chance: random.Random) -> Figure:
    edges = tuple(at / 40 for at in range(41))
    panels = {
        title: {
            kind: _counts([chance.gauss(centre + spread * at, 0.06) for _ in range(900 + 300 * at)])
            for at, kind in enumerate(("random", "paraphrase", "contradiction"))
        }
        for title, centre, spread in (("before training", 0.21, 0.0), ("after training", 0.2, 0.2))
    }
    return Figure(
        name="made-hoyer",
        title="Hoyer sparsity of differences",
        caption="Before training nothing tells contradictions from paraphrases.",
        plot=Histograms(
            x_label="Hoyer sparsity", edges=edges, panels=panels, marks={"threshold": 0.45}
        ),
    )


def _counts(values: list[float]) -> tuple[int, ...]:
    counts = [0] * 40
    for value in values:
        counts[min(39, max(0, int(value * 40)))] += 1
    return tuple(counts)


def _scatter(chance: random.Random) -> Figure:
    def points(count: int, slope: float) -> tuple[tuple[float, float], ...]:
        draws = (chance.random() for _ in range(count))
        return tuple((x, slope * x + chance.gauss(0.2, 0.08)) for x in draws)

    panels = {
        "base encoder": {"A alone": points(300, 0.8), "A and B": points(200, 0.7)},
        "LogiCoL": {"A alone": points(1500, -0.4), "A and B": points(1200, -0.2)},
    }
    return Figure(
        name="made-scatter",
        title="Scores of A and B against those of A but not B",
        caption="Pearson r falls from .88 to .13 in the paper.",
        plot=Scatter(x_label="score of A and B", y_label="score of A but not B", panels=panels),
    )


def _reliability(chance: random.Random) -> Figure:
    x = tuple(0.05 + at / 10 for at in range(10))
    y = tuple(min(1.0, max(0.0, value + chance.gauss(0, 0.04))) for value in x)
    low, high = (
        tuple(max(0, value - 0.08) for value in y),
        tuple(min(1, value + 0.08) for value in y),
    )
    curve = Curve(x=x, y=y, low=low, high=high)
    return Figure(
        name="made-reliability",
        title="Reliability of the contradiction probability",
        caption="Each mark is a tenth of the held-out pairs.",
        plot=Curves(
            x_label="predicted probability",
            y_label="share of contradictions",
            panels={"ConflictQA test": {"shipped": curve}},
            style="marks",
            diagonal=True,
            x_limits=(0, 1),
            y_limits=(0, 1),
        ),
    )


def _bars(chance: random.Random) -> Figure:
    labels = ("A", "A and B", "A or B", "A but not B", "A and B but not C")
    systems = {
        name: tuple(
            None if (at, place) == (1, 2) else _measurement(chance, chance.uniform(0.3, 0.9))
            for place in range(len(labels))
        )
        for at, name in enumerate(SYSTEMS[:5])
    }
    return Figure(
        name="made-bars",
        title="R@5 by kind of query",
        caption="Whiskers are 95 % intervals.",
        plot=Bars(y_label="R@5", labels=labels, systems=systems),
    )
