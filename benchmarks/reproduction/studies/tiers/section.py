"""The section on disturbed questions: recalls at 3, gains over InfoNCE, and shifts of rank."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

import numpy as np
from logic_export.training.development import DISTRACTORS, POSITIVES

from benchmarks.reproduction.artefacts import (
    Bars,
    Figure,
    Histograms,
    Measurement,
    Row,
    Section,
    Table,
)
from benchmarks.reproduction.studies.tiers import NAME, TITLE
from benchmarks.reproduction.studies.tiers.recalls import (
    BASE,
    DISTRACTORS_DISTURBED,
    DISTRACTORS_RAW,
    DISTURBED,
    INFONCE,
    LORE,
    RIGHT_DISTURBED,
    RIGHT_RAW,
    ROLES,
    SETS,
    EncoderRecalls,
    both_forms,
    measure_encoders,
    query_encoders,
)
from benchmarks.reproduction.table_cells import absent_row, column, gains
from benchmarks.reproduction.workbench import Workbench

SHOWN = (RIGHT_RAW, RIGHT_DISTURBED, DISTRACTORS_RAW, DISTRACTORS_DISTURBED)
BETTER: Mapping[str, Literal["higher", "lower"]] = {
    RIGHT_RAW: "higher",
    RIGHT_DISTURBED: "higher",
    DISTRACTORS_DISTURBED: "lower",
}
PUBLISHED = {
    "Qwen3-0.6B, base": (0.564, 0.338, 0.700, 0.626, 0.470, 0.843),
    "Qwen3-0.6B, InfoNCE": (0.709, 0.597, 0.505, 0.684, 0.516, 0.820),
    "Qwen3-0.6B, LORE": (0.707, 0.655, 0.238, 0.684, 0.693, 0.202),
}
"""Raw P, disturbed P and N1, of HotpotQA and of MS MARCO."""
PUBLISHED_HEADS = tuple(
    (name, measure)
    for name in SETS
    for measure in (RIGHT_RAW, RIGHT_DISTURBED, DISTRACTORS_DISTURBED)
)
DIFFERS = (
    "LORE (Zhang et al.), recall at 3 in each question's own candidates: Qwen3-0.6B, questions "
    "rewritten by a language model where ours are joined by templates, trained on MS MARCO"
)
TIERS = {POSITIVES: "right passages", DISTRACTORS: "distractors"}

Sets = Mapping[str, Mapping[str, EncoderRecalls]]
"""Set -> query encoder -> its recalls."""


def section(bench: Workbench) -> Section:
    """Disturbs the questions, evaluates every query encoder, and compares."""
    encoders = query_encoders(bench)
    recalls, counts = {}, {}
    for name, folders in SETS.items():
        bench.log(f"{name}: disturbed questions")
        examples = both_forms(folders)
        counts[name] = len(examples[DISTURBED])
        recalls[name] = measure_encoders(examples, encoders, bench.encoder)
    columns = {
        (name, measure): column(
            {
                encoder: encoder_recalls.recalls[measure]
                for encoder, encoder_recalls in of_set.items()
            },
            {str(place): place for place in range(counts[name])},
            BASE,
            bench.seed,
        )
        for name, of_set in recalls.items()
        for measure in SHOWN
    }
    tables = [recalls_table(list(encoders), columns, counts)]
    if {INFONCE, LORE} <= encoders.keys():
        tables.append(gains_table(recalls, counts, bench.seed))
    return Section(
        name=NAME,
        title=TITLE,
        text=(
            "A question is joined by a clause about some of its wrong passages; its meaning stays. "
            "P is the share of the right passages among the first three of the question's own "
            "candidates, N1 that of the passages that the clause is about. LORE trains the query "
            "side alone to tell the three tiers apart, InfoNCE right from wrong.",
        ),
        artefacts=(*tables, recalls_figure(list(encoders), columns), shifts_figure(recalls)),
    )


def recalls_table(
    encoders: list[str],
    columns: Mapping[tuple[str, str], Mapping[str, Measurement | None]],
    counts: Mapping[str, int],
) -> Table:
    """Every query encoder against the base, and published figures."""
    rows = [Row(cells=(name, *(cells[name] for cells in columns.values()))) for name in encoders]
    rows += [
        absent_row(name, role, len(columns)) for name, role in ROLES.items() if name not in encoders
    ]
    for name, figures in PUBLISHED.items():
        published = dict(
            zip(
                ((s, m) for s in SETS for m in (RIGHT_RAW, RIGHT_DISTURBED, DISTRACTORS_DISTURBED)),
                figures,
                strict=True,
            )
        )
        cells = (published.get(head) for head in columns)
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


def gains_table(recalls: Sets, counts: Mapping[str, int], seed: int) -> Table:
    """Gains of LORE over InfoNCE."""
    heads = (RIGHT_RAW, RIGHT_DISTURBED, DISTRACTORS_DISTURBED)
    pairs = {
        name: [
            (of_set[LORE].recalls[measure], of_set[INFONCE].recalls[measure]) for measure in heads
        ]
        for name, of_set in recalls.items()
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
    encoders: list[str], columns: Mapping[tuple[str, str], Mapping[str, Measurement | None]]
) -> Figure:
    """Bars of all measures."""
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


def shifts_figure(recalls: Sets) -> Figure:
    """Histograms of the rank shift of the best passage of a tier."""
    most = max(
        abs(shift)
        for of_set in recalls.values()
        for encoder_recalls in of_set.values()
        for shifts in encoder_recalls.shifts.values()
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
                    encoder: tuple(
                        int(count) for count in np.histogram(encoder_recalls.shifts[tier], edges)[0]
                    )
                    for encoder, encoder_recalls in of_set.items()
                }
                for name, of_set in recalls.items()
                for tier, title in TIERS.items()
            },
            marks={"unmoved": 0.0},
        ),
    )
