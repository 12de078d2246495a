"""Recalls at 3 of query encoders, gains over InfoNCE, and shifts of rank (LORE)."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt
from logic_export.data.tiers.distractor_queries import build_parts, original_question, read_parts
from logic_export.data.tiers.examples import TieredExample
from logic_export.training.lore import (
    DISTRACTORS,
    POSITIVES,
    tier_ranks,
    tier_recalls,
    unique_passages,
)

from benchmarks.papers.published import lore_rows
from benchmarks.report.artefacts import Bars, Figure, Histograms, Measurement, Row, Section, Table
from benchmarks.report.cells import Values, absent_row, column, gains, system_rows
from benchmarks.report.workbench import Workbench
from logic_retrievers.encoders import Encoder
from logic_retrievers.errors import LongTextWarning
from logic_retrievers.evaluation import data_folder

# Set -> folders, which share passages.
SETS: Mapping[str, Sequence[str]] = {
    "HotpotQA": ("hotpotqa_train1000_pairs", "hotpotqa_train100"),
    "MS MARCO": ("msmarco_small",),
}
RAW, DISTURBED = "undisturbed", "disturbed"

TOPICAL = "topical"
BASE, INFONCE, LORE = "base", "InfoNCE", "LORE"
# Query encoder -> role of its model.
ROLES = {INFONCE: "infonce", LORE: "lore"}
RIGHT_RAW, RIGHT_DISTURBED = "P, undisturbed", "P, disturbed"
DISTRACTORS_RAW, DISTRACTORS_DISTURBED = "N1, undisturbed", "N1, disturbed"
# Measure -> form of the question, and the tier for recall at 3.
MEASURES = {
    RIGHT_RAW: (RAW, POSITIVES),
    RIGHT_DISTURBED: (DISTURBED, POSITIVES),
    DISTRACTORS_RAW: (RAW, DISTRACTORS),
    DISTRACTORS_DISTURBED: (DISTURBED, DISTRACTORS),
}
BETTER: Mapping[str, Literal["higher", "lower"]] = {
    RIGHT_RAW: "higher",
    RIGHT_DISTURBED: "higher",
    DISTRACTORS_DISTURBED: "lower",
}
TIERS = {POSITIVES: "right passages", DISTRACTORS: "distractors"}


@dataclass(frozen=True, slots=True)
class EncoderRecalls:
    """Recalls and shifts of a query encoder on one set.

    Args:
        recalls: measure -> question -> recall at 3.
        shifts: tier -> places that the tier's best passage gains from the disturbance, for each
            question with a passage in the tier.
    """

    recalls: Mapping[str, Values]
    shifts: Mapping[str, tuple[int, ...]]


# Set -> query encoder -> recalls.
Sets = Mapping[str, Mapping[str, EncoderRecalls]]


def section(name: str, title: str, bench: Workbench) -> Section:
    """Disturb the questions, evaluate every query encoder, and compare."""
    encoders = query_encoders(bench)
    recalls, counts = {}, {}
    for set_name, folders in SETS.items():
        bench.log(f"{set_name}: disturbed questions")
        examples = both_forms(folders)
        counts[set_name] = len(examples[DISTURBED])
        recalls[set_name] = measure_encoders(examples, encoders, bench.encoder)
    columns = {
        (set_name, measure): column(
            {encoder: of_encoder.recalls[measure] for encoder, of_encoder in of_set.items()},
            {str(place): place for place in range(counts[set_name])},
            BASE,
            bench.seed,
        )
        for set_name, of_set in recalls.items()
        for measure in MEASURES
    }
    tables = [recalls_table(list(encoders), columns, counts)]
    if {INFONCE, LORE} <= encoders.keys():
        tables.append(gains_table(recalls, counts, bench.seed))
    return Section(
        name=name,
        title=title,
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
    """Compare every query encoder with the base; add published figures."""
    heads = {f"{name}: {measure}": cells for (name, measure), cells in columns.items()}
    absent = [
        absent_row(name, role, len(columns)) for name, role in ROLES.items() if name not in encoders
    ]
    return Table(
        name="disturbed-questions",
        title="Recall at 3 of right passages (P) and of distractors (N1)",
        columns=("query encoder", *heads),
        rows=(*system_rows(encoders, heads), *absent, *lore_rows()),
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
    """Show LORE's gains over InfoNCE."""
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
    """Draw bars of all measures."""
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
    """Draw histograms of the rank shift of each tier's best passage."""
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


def query_encoders(bench: Workbench) -> dict[str, Encoder]:
    """Return name -> query encoder, for available models."""
    trained = {name: bench.trained(role) for name, role in ROLES.items()}
    return {BASE: bench.encoder} | {
        name: encoder for name, encoder in trained.items() if encoder is not None
    }


def measure_encoders(
    examples: Mapping[str, Sequence[TieredExample]],
    encoders: Mapping[str, Encoder],
    documents: Encoder,
) -> dict[str, EncoderRecalls]:
    """Measure recalls and shifts of every query encoder.

    Args:
        examples: the questions in both forms, from :func:`both_forms`.
        encoders: name -> query encoder.
        documents: encodes the passages for all query encoders; the base encoder, as in training.
    """
    texts = unique_passages(examples[DISTURBED])
    with warnings.catch_warnings():
        # Long passages are cut alike for every encoder.
        warnings.simplefilter("ignore", LongTextWarning)
        vectors = documents.encode_documents(texts, [TOPICAL])[TOPICAL]
    passages = dict(zip(texts, vectors, strict=True))
    return {
        name: _measure_encoder(examples, encoder, passages) for name, encoder in encoders.items()
    }


def _measure_encoder(
    forms: Mapping[str, Sequence[TieredExample]],
    encoder: Encoder,
    passages: Mapping[str, npt.NDArray[np.float32]],
) -> EncoderRecalls:
    queries = {
        form: encoder.encode_queries([example.query for example in examples], [TOPICAL])[TOPICAL]
        for form, examples in forms.items()
    }
    tiers = {
        form: tier_recalls(examples, queries[form], passages) for form, examples in forms.items()
    }
    best = {
        form: [
            tier_ranks(example, query, passages)
            for example, query in zip(examples, queries[form], strict=True)
        ]
        for form, examples in forms.items()
    }
    return EncoderRecalls(
        {
            measure: {str(place): float(v) for place, v in enumerate(tiers[form][tier])}
            for measure, (form, tier) in MEASURES.items()
        },
        {
            tier: tuple(
                int(before[tier].min() - after[tier].min())
                for before, after in zip(best[RAW], best[DISTURBED], strict=True)
                if before[tier].size
            )
            for tier in (POSITIVES, DISTRACTORS)
        },
    )


def both_forms(folders: Sequence[str]) -> dict[str, list[TieredExample]]:
    """Make both forms of each test question; both have the same candidates and tiers.

    The rows equal the output of ``logic-export data distractor-queries`` for these folders.
    """
    part = "test"
    questions = read_parts([data_folder() / name for name in folders])[part]
    rewritten = build_parts({part: questions}, copies={})[part].examples
    return {RAW: [original_question(example) for example in rewritten], DISTURBED: list(rewritten)}
