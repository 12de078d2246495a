"""What corrupted passages cost, and what cleaning brings back (SparseCL's experiment)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

import numpy as np
import numpy.typing as npt

from logic_retrievers.evaluation import Estimate, bootstrap
from logic_retrievers.evaluation.resampling import Places, resample
from logic_retrievers.report.artefacts import Bars, Figure, Measured, Row, Section, Table
from logic_retrievers.report.cells import shown
from logic_retrievers.report.cleaning_ways import by_majority, by_source, one_each, top_three
from logic_retrievers.report.corruption import (
    CLEAN,
    CORRUPTED,
    Outcome,
    background_texts,
    experiment,
    opened,
    questions_of,
)
from logic_retrievers.report.significance import corrected, paired_p
from logic_retrievers.report.studies.base import Study
from logic_retrievers.report.studies.sparsecl_published import cleaning_rows
from logic_retrievers.report.workbench import Workbench

Values = npt.NDArray[np.float64]

BACKGROUND = 10_000
WHOLE_SIDE = 9
"""More than any side has: all of it is injected."""

TRUSTED = {"top 3 of each trusted (SparseCL)": top_three, "trusted, by threshold": one_each}
NOBODY = {"nobody trusted, sources": by_source, "nobody trusted, majority": by_majority}


def _run(bench: Workbench) -> Section:
    questions = questions_of("test")
    groups = [question.text for question in questions] * 2
    bench.say("background")
    open_index = partial(opened, bench.encoder, background_texts(BACKGROUND))
    bench.say("one passage of each question trusted")
    trusted = experiment(open_index, questions, WHOLE_SIDE, TRUSTED)
    bench.say("nobody trusted")
    nobody = experiment(open_index, questions, 1, NOBODY)
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
    corrupted_corpus = np.array(outcomes[CORRUPTED].ranked.ndcg)
    ps = corrected(
        [
            None
            if label == CORRUPTED
            else paired_p(np.array(one.ranked.ndcg) - corrupted_corpus, groups, seed)
            for label, one in outcomes.items()
        ]
    )
    rows = []
    for (label, one), p in zip(outcomes.items(), ps, strict=True):
        columns = np.column_stack([one.ranked.ndcg, one.ranked.recall, one.ranked.share])
        ndcg, recall, share = bootstrap(columns, groups, seed=seed)
        cleaned = label not in (CLEAN, CORRUPTED)
        rows.append(
            Row(
                cells=(
                    label,
                    shown(ndcg, p),
                    None if label == CLEAN else shown(recall),
                    None if label == CLEAN else shown(share),
                    shown(_recovered(outcomes, label, groups, seed)) if cleaned else None,
                    *(
                        f"{one.hidden[kind]:,} of {one.total[kind]:,}" if cleaned else None
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


def _recovered(
    outcomes: Mapping[str, Outcome], label: str, groups: Sequence[str], seed: int
) -> Estimate | None:
    whole, corrupt, cleaned = (
        np.array(outcomes[one].ranked.ndcg) for one in (CLEAN, CORRUPTED, label)
    )

    def share(places: Places) -> list[float]:
        lost = float(np.mean(whole[places] - corrupt[places]))
        return [float(np.mean(cleaned[places] - corrupt[places])) / lost if lost else np.nan]

    return resample(share, groups, seed=seed).estimates()[0]


def _figure(
    experiments: Mapping[str, Mapping[str, Outcome]], groups: Sequence[str], seed: int
) -> Figure:
    systems: dict[str, tuple[Measured | None, ...]] = {}
    labels = tuple(dict.fromkeys(one for found in experiments.values() for one in found))
    for title, outcomes in experiments.items():
        systems[title] = tuple(
            shown(bootstrap(outcomes[one].ranked.ndcg, groups, seed=seed)[0])
            if one in outcomes
            else None
            for one in labels
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
