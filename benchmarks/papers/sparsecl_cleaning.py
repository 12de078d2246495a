"""Cost of corrupted passages, and recovery by cleaning (SparseCL's experiment)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

import numpy as np

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
    trust_and_read,
    trust_one_passage,
)
from benchmarks.common.statistics import bootstrap_statistic
from benchmarks.papers.published import cleaning_rows
from benchmarks.report.artefacts import Bars, Cell, Figure, Row, Section, Table
from benchmarks.report.cells import estimate_cell
from benchmarks.report.workbench import Study, Workbench
from logic_retrievers.evaluation import Estimate, bootstrap
from logic_retrievers.evaluation.statistics import holm, paired_bootstrap

BACKGROUND = 10_000
# More passages than in any side, so that whole sides are injected.
WHOLE_SIDE = 9
KINDS = ("injected", "clean", "background")
COLUMNS = (
    *("corpus", "nDCG@10", "injected, Recall@10", "injected, share of the ten", "recovered"),
    *(f"{kind} hidden" for kind in KINDS),
)

TRUSTED: Cleaners = {
    "top 3 of each trusted (SparseCL)": hide_top_three,
    "trusted, by threshold": trust_one_passage,
    "trusted, by threshold and as read": trust_and_read,
}
UNTRUSTED: Cleaners = {
    "none trusted, sources": prefer_source,
    "none trusted, majority": prefer_majority,
}


def _run(bench: Workbench) -> Section:
    questions = load_questions("test")
    groups = [question.text for question in questions] * 2
    bench.log("background")
    open_index = partial(open_background_index, bench.encoder, background_texts(BACKGROUND))
    bench.log("one passage of each question trusted")
    trusted = run_experiment(open_index, questions, WHOLE_SIDE, TRUSTED)
    bench.log("no passage trusted")
    untrusted = run_experiment(open_index, questions, 1, UNTRUSTED)
    common = (
        f"{len(questions)} questions in both directions (one side is the clean corpus, the other "
        f"is injected), over {BACKGROUND:,} passages of SciFact and films. The question is the "
        "query, plain topical search with hidden passages left out. Intervals and p by question; "
        "p is of the difference from the corrupted corpus. Recovered: (cleaned - corrupted) / "
        "(clean - corrupted)."
    )
    return Section(
        name=STUDY.name,
        title=STUDY.title,
        text=(
            "A corpus is corrupted with passages that contradict it, and cleaned. The paper "
            "trusts one passage of each question and removes what stands nearest to contradicting "
            "it; here it is compared with this package's cleaner, with and without trusted "
            "passages.",
        ),
        artefacts=(
            _table(
                "cleaning-trusted",
                "One trusted passage a question, the whole other side injected, ConflictQA test",
                trusted,
                groups,
                (common, "SparseCL's way hides three passages a question, however many are wrong."),
                bench.seed,
                published=cleaning_rows(),
            ),
            _table(
                "cleaning-untrusted",
                "No trusted passage, one passage a question injected, ConflictQA test",
                untrusted,
                groups,
                (
                    common,
                    "Sources: what is injected comes from the publisher that stands last in the "
                    "order.",
                ),
                bench.seed,
            ),
            _figure(
                {"whole side injected": trusted, "one injected": untrusted}, groups, bench.seed
            ),
        ),
    )


def _table(
    name: str,
    title: str,
    outcomes: Mapping[str, Outcome],
    groups: Sequence[str],
    notes: tuple[str, ...],
    seed: int,
    published: Sequence[Row] = (),
) -> Table:
    corrupted = np.array(outcomes[CORRUPTED].figures.ndcg)
    ps = holm(
        [
            None
            if label == CORRUPTED
            else paired_bootstrap(np.array(outcome.figures.ndcg) - corrupted, groups, seed=seed)[
                0
            ].p
            for label, outcome in outcomes.items()
        ]
    )
    rows = []
    for (label, outcome), p in zip(outcomes.items(), ps, strict=True):
        figures = outcome.figures
        columns = np.column_stack([figures.ndcg, figures.recall, figures.share])
        ndcg, *injected = bootstrap(columns, groups, seed=seed)
        cells = [None if label == CLEAN else estimate_cell(estimate) for estimate in injected]
        last: list[Cell] = [None] * (1 + len(KINDS))
        if label not in (CLEAN, CORRUPTED):
            last = [estimate_cell(_recovered_share(outcomes, label, groups, seed))]
            last += [f"{outcome.hidden[kind]:,} of {outcome.total[kind]:,}" for kind in KINDS]
        rows.append(Row(cells=(label, estimate_cell(ndcg, p), *cells, *last)))
    return Table(
        name=name,
        title=title,
        columns=COLUMNS,
        rows=(*rows, *published),
        baseline=CORRUPTED,
        notes=notes,
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

    def share(places: np.ndarray) -> float:
        lost = float(np.mean(whole[places] - corrupt[places]))
        return float(np.mean(cleaned[places] - corrupt[places])) / lost if lost else np.nan

    return bootstrap_statistic(share, groups, seed=seed)


def _figure(
    experiments: Mapping[str, Mapping[str, Outcome]], groups: Sequence[str], seed: int
) -> Figure:
    labels = tuple(dict.fromkeys(label for outcomes in experiments.values() for label in outcomes))
    systems = {
        title: tuple(
            estimate_cell(bootstrap(outcomes[label].figures.ndcg, groups, seed=seed)[0])
            if label in outcomes
            else None
            for label in labels
        )
        for title, outcomes in experiments.items()
    }
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
