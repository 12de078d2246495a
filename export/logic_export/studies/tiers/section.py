"""The section on disturbed questions: recalls at 3, gains over InfoNCE, and shifts of rank."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

import numpy as np

from logic_export.studies.tiers import NAME, TITLE
from logic_export.studies.tiers.measuring import (
    BASE,
    DRAWN,
    INFONCE,
    LORE,
    NEAR,
    RAW_RIGHT,
    RIGHT,
    ROLES,
    Found,
    measured,
    query_encoders,
)
from logic_export.studies.tiers.questions import DISTURBED, SETS, both_forms
from logic_export.training.tiers.development import DISTRACTORS, POSITIVES
from logic_retrievers.report.artefacts import (
    Bars,
    Figure,
    Histograms,
    Measured,
    Row,
    Section,
    Table,
)
from logic_retrievers.report.cells import column, gains
from logic_retrievers.report.workbench import ROLES as RECIPES
from logic_retrievers.report.workbench import Workbench

SHOWN = (RAW_RIGHT, RIGHT, NEAR, DRAWN)
BETTER: Mapping[str, Literal["higher", "lower"]] = {
    RAW_RIGHT: "higher",
    RIGHT: "higher",
    DRAWN: "lower",
}
PUBLISHED = {
    "Qwen3-0.6B, base": (0.564, 0.338, 0.700, 0.626, 0.470, 0.843),
    "Qwen3-0.6B, InfoNCE": (0.709, 0.597, 0.505, 0.684, 0.516, 0.820),
    "Qwen3-0.6B, LORE": (0.707, 0.655, 0.238, 0.684, 0.693, 0.202),
}
"""Raw P, disturbed P and N1, of HotpotQA and of MS MARCO."""
PUBLISHED_HEADS = tuple((name, one) for name in SETS for one in (RAW_RIGHT, RIGHT, DRAWN))
DIFFERS = (
    "LORE (Zhang et al.), recall at 3 in each question's own candidates: Qwen3-0.6B, questions "
    "rewritten by a language model where ours are joined by templates, trained on MS MARCO"
)
TIERS = {POSITIVES: "right passages", DISTRACTORS: "distractors"}

Sets = Mapping[str, Mapping[str, Found]]
"""Set -> query encoder -> what it finds."""


def section(bench: Workbench) -> Section:
    """Disturbs the questions, asks every query encoder, and compares."""
    encoders = query_encoders(bench)
    found, counts = {}, {}
    for name, folders in SETS.items():
        bench.say(f"{name}: disturbed questions")
        asked = both_forms(folders)
        counts[name] = len(asked[DISTURBED])
        found[name] = measured(asked, encoders, bench.encoder)
    columns = {
        (name, measure): column(
            {encoder: one.recalls[measure] for encoder, one in of_set.items()},
            {str(place): place for place in range(counts[name])},
            BASE,
            bench.seed,
        )
        for name, of_set in found.items()
        for measure in SHOWN
    }
    tables = [recalls_table(list(encoders), columns, counts)]
    if {INFONCE, LORE} <= encoders.keys():
        tables.append(gains_table(found, counts, bench.seed))
    return Section(
        name=NAME,
        title=TITLE,
        text=(
            "A question is joined by a clause about some of its wrong passages; its meaning stays. "
            "P is the share of the right passages among the first three of the question's own "
            "candidates, N1 that of the passages that the clause is about. LORE trains the query "
            "side alone to tell the three tiers apart, InfoNCE right from wrong.",
        ),
        artefacts=(*tables, recalls_figure(list(encoders), columns), shifts_figure(found)),
    )


def recalls_table(
    encoders: list[str],
    columns: Mapping[tuple[str, str], Mapping[str, Measured | None]],
    counts: Mapping[str, int],
) -> Table:
    """Every query encoder beside the base, and what is published."""
    rows = [Row(cells=(name, *(cells[name] for cells in columns.values()))) for name in encoders]
    rows += [
        Row(
            cells=(name, *[None] * len(columns)),
            origin="absent",
            note=f"no model of that role: {RECIPES[role]}",
        )
        for name, role in ROLES.items()
        if name not in encoders
    ]
    for name, figures in PUBLISHED.items():
        said = dict(
            zip(((s, m) for s in SETS for m in (RAW_RIGHT, RIGHT, DRAWN)), figures, strict=True)
        )
        cells = (said.get(head) for head in columns)
        rows.append(Row(cells=(name, *cells), origin="published", note=DIFFERS))
    return Table(
        name="disturbed-questions",
        title="Recall at 3 of right passages (P) and of distractors (N1)",
        columns=("query encoder", *(f"{name}: {measure}" for name, measure in columns)),
        rows=tuple(rows),
        baseline=BASE,
        notes=(
            "Test questions: "
            + ", ".join(f"{count} of {name}" for name, count in counts.items())
            + ". Ranking is inside each question's own candidates; passages keep the vectors of "
            "the shipped encoder, whose queries are the base's. Less N1 is better.",
            "N1 before the disturbance is what stands near the question itself: what a clause "
            "draws is the difference. The recipe trains on HotpotQA's other questions; MS MARCO's "
            "are a transfer.",
        ),
        better={
            f"{name}: {measure}": BETTER[measure] for name, measure in columns if measure in BETTER
        },
    )


def gains_table(found: Sets, counts: Mapping[str, int], seed: int) -> Table:
    """LORE beside InfoNCE, which the recall of each alone does not tell apart."""
    heads = (RAW_RIGHT, RIGHT, DRAWN)
    pairs = {
        name: [(of_set[LORE].recalls[one], of_set[INFONCE].recalls[one]) for one in heads]
        for name, of_set in found.items()
    }
    cells = {
        name: gains(of_set, {str(place): place for place in range(counts[name])}, seed)
        for name, of_set in pairs.items()
    }
    return Table(
        name="disturbed-questions-gains",
        title="LORE less InfoNCE",
        columns=("set", *heads),
        rows=tuple(Row(cells=(name, *of_set)) for name, of_set in cells.items()),
        notes=("Mean paired difference; p corrected over the measures of a set (Holm).",),
        better=BETTER,
    )


def recalls_figure(
    encoders: list[str], columns: Mapping[tuple[str, str], Mapping[str, Measured | None]]
) -> Figure:
    """Bars of every measure."""
    return Figure(
        name="disturbed-questions-recall",
        title="Disturbed questions: right passages and distractors in the first three",
        caption="P should stay where it is without the disturbance; N1 should not rise.",
        plot=Bars(
            y_label="recall at 3",
            labels=tuple(f"{name}: {measure}" for name, measure in columns),
            systems={name: tuple(cells[name] for cells in columns.values()) for name in encoders},
        ),
    )


def shifts_figure(found: Sets) -> Figure:
    """How far the disturbance moves the best passage of a tier."""
    most = max(
        abs(shift)
        for of_set in found.values()
        for one in of_set.values()
        for shifts in one.shifts.values()
        for shift in shifts
    )
    edges = np.arange(-most, most + 2) - 0.5
    return Figure(
        name="disturbed-questions-shifts",
        title="Places by which the disturbance lifts the best passage",
        caption=(
            "Rank without the clause less rank with it, of each question's best right passage and "
            "of its best distractor; to the right of 0 the clause has drawn it nearer."
        ),
        plot=Histograms(
            x_label="places gained",
            edges=tuple(float(edge) for edge in edges),
            panels={
                f"{name}: {title}": {
                    encoder: tuple(int(count) for count in np.histogram(one.shifts[tier], edges)[0])
                    for encoder, one in of_set.items()
                }
                for name, of_set in found.items()
                for tier, title in TIERS.items()
            },
            marks={"unmoved": 0.0},
        ),
    )
