"""Cost of corrupted passages, and recovery by cleaning (SparseCL's experiment)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

import numpy as np
import numpy.typing as npt

from benchmarks.common.corpus_corruption import (
    CLEAN,
    CORRUPTED,
    Cleaners,
    Outcome,
    background_texts,
    hide_top_three,
    load_questions,
    open_background_index,
    prefer_majority,
    prefer_source,
    run_experiment,
    trust_one_passage,
)
from benchmarks.reproduction.artefacts import Bars, Figure, Measurement, Row, Section, Table
from benchmarks.reproduction.studies.base import Study
from benchmarks.reproduction.studies.contradictions.published import cleaning_rows
from benchmarks.reproduction.table_cells import estimate_cell
from benchmarks.reproduction.workbench import Workbench
from benchmarks.statistics.resampling import Places, resample
from logic_retrievers.evaluation import Estimate, bootstrap
from logic_retrievers.evaluation.statistics import holm, paired_bootstrap

Values = npt.NDArray[np.float64]

BACKGROUND = 10_000
WHOLE_SIDE = 9
"""More than any side has: all of it is injected."""

TRUSTED: Cleaners = {
    "top 3 of each trusted (SparseCL)": hide_top_three,
    "trusted, by threshold": trust_one_passage,
}
NOBODY: Cleaners = {
    "nobody trusted, sources": prefer_source,
    "nobody trusted, majority": prefer_majority,
}


def _run(bench: Workbench) -> Section:
    questions = load_questions("test")
    groups = [question.text for question in questions] * 2
    bench.log("background")
    open_index = partial(open_background_index, bench.encoder, background_texts(BACKGROUND))
    bench.log("one passage of each question trusted")
    trusted = run_experiment(open_index, questions, WHOLE_SIDE, TRUSTED)
    bench.log("nobody trusted")
    nobody = run_experiment(open_index, questions, 1, NOBODY)
    common = (
        f"{len(questions)} questions in both directions (one side is the clean corpus, the other "
        f"is injected), over {BACKGROUND:,} passages of SciFact and films. The question is the "
        "query, plain topical search with hidden passages left out. Intervals and p by question; "
        "p is of the difference from the corrupted corpus. Recovered: (cleaned - corrupted) / "
        "(clean - corrupted).",
    )
    return Section(
        name="cleaning",
        title="Cleaning a corpus (SparseCL)",
        text=(
            "A corpus is corrupted with passages that contradict it, and cleaned. The paper "
            "trusts one passage of each question and removes what stands nearest to contradicting "
            "it; here that stands beside this package's cleaner, with and without anybody trusted.",
        ),
        artefacts=(
            _table(
                "cleaning-trusted",
                "One trusted passage a question, the whole other side injected, ConflictQA test",
                trusted,
                groups,
                (
                    *common,
                    "SparseCL's way hides three passages a question, however many are wrong.",
                ),
                bench.seed,
                published=True,
            ),
            _table(
                "cleaning-untrusted",
                "Nobody trusted, one passage a question injected, ConflictQA test",
                nobody,
                groups,
                (
                    *common,
                    "Sources: what is injected comes from the publisher that stands last in the "
                    "order. Majority: two to four right passages a question against one.",
                ),
                bench.seed,
            ),
            _figure({"whole side injected": trusted, "one injected": nobody}, groups, bench.seed),
        ),
    )


def _table(
    name: str,
    title: str,
    outcomes: Mapping[str, Outcome],
    groups: Sequence[str],
    notes: Sequence[str],
    seed: int,
    *,
    published: bool = False,
) -> Table:
    corrupted_corpus = np.array(outcomes[CORRUPTED].figures.ndcg)
    ps = holm(
        [
            None
            if label == CORRUPTED
            else paired_bootstrap(
                np.array(outcome.figures.ndcg) - corrupted_corpus, groups, seed=seed
            )[0].p
            for label, outcome in outcomes.items()
        ]
    )
    rows = []
    for (label, outcome), p in zip(outcomes.items(), ps, strict=True):
        columns = np.column_stack(
            [outcome.figures.ndcg, outcome.figures.recall, outcome.figures.share]
        )
        ndcg, recall, share = bootstrap(columns, groups, seed=seed)
        cleaned = label not in (CLEAN, CORRUPTED)
        rows.append(
            Row(
                cells=(
                    label,
                    estimate_cell(ndcg, p),
                    None if label == CLEAN else estimate_cell(recall),
                    None if label == CLEAN else estimate_cell(share),
                    estimate_cell(_recovered_share(outcomes, label, groups, seed))
                    if cleaned
                    else None,
                    *(
                        f"{outcome.hidden[kind]:,} of {outcome.total[kind]:,}" if cleaned else None
                        for kind in ("injected", "clean", "background")
                    ),
                )
            )
        )
    return Table(
        name=name,
        title=title,
        columns=(
            "corpus",
            "nDCG@10",
            "injected, Recall@10",
            "injected, share of the ten",
            "recovered",
            "injected hidden",
            "clean hidden",
            "background hidden",
        ),
        rows=(*rows, *(cleaning_rows() if published else ())),
        baseline=CORRUPTED,
        notes=tuple(notes),
        better={
            "injected, Recall@10": "lower",
            "injected, share of the ten": "lower",
            "recovered": "higher",
        },
    )


def _recovered_share(
    outcomes: Mapping[str, Outcome], label: str, groups: Sequence[str], seed: int
) -> Estimate | None:
    whole, corrupt, cleaned = (
        np.array(outcomes[kind].figures.ndcg) for kind in (CLEAN, CORRUPTED, label)
    )

    def share(places: Places) -> list[float]:
        lost = float(np.mean(whole[places] - corrupt[places]))
        return [float(np.mean(cleaned[places] - corrupt[places])) / lost if lost else np.nan]

    return resample(share, groups, seed=seed).estimates()[0]


def _figure(
    experiments: Mapping[str, Mapping[str, Outcome]], groups: Sequence[str], seed: int
) -> Figure:
    systems: dict[str, tuple[Measurement | None, ...]] = {}
    labels = tuple(dict.fromkeys(label for outcomes in experiments.values() for label in outcomes))
    for title, outcomes in experiments.items():
        systems[title] = tuple(
            estimate_cell(bootstrap(outcomes[label].figures.ndcg, groups, seed=seed)[0])
            if label in outcomes
            else None
            for label in labels
        )
    return Figure(
        name="cleaning-recovery",
        title="nDCG@10 before corruption, after it, and cleaned",
        caption="A cleaner that hides more right than wrong passages falls under the corrupted.",
        plot=Bars(y_label="nDCG@10", labels=labels, systems=systems),
    )


STUDY = Study(
    name="cleaning",
    title="Cleaning a corpus (SparseCL)",
    data=("conflictqa_strategyqa", "scifact", "wikipedia_movies"),
    run=_run,
)
