"""The study of the RAG probe: result tables and the choice of a threshold."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pytest

from benchmarks.papers import probe as study
from benchmarks.papers.published import probe_rows
from benchmarks.report.artefacts import Measurement
from logic_retrievers.probe import ProbeResult, Trace, grade
from logic_retrievers.probe.questions import ProbeQuestion

QUESTION = ProbeQuestion("q", "Who?", gold=("Ann",), wrong=("Bob",))
RIGHT, WRONG, NEITHER = "Ann", "Bob", "Cid"


def result(said: Mapping[str, Sequence[str]], kinds: Sequence[str] = ()) -> ProbeResult:
    """Configuration -> answers to q0, q1, ..."""
    questions = [f"q{number}" for number in range(len(next(iter(said.values()))))]
    return ProbeResult(
        set="made",
        reader="small (hash)",
        depth=1,
        seed=0,
        grading="containment",
        kinds=dict(zip(questions, kinds or ["one"] * len(questions), strict=True)),
        traces={
            name: {
                question: Trace(
                    question, name, passages=("p",), answer=answer, grade=grade(QUESTION, answer)
                )
                for question, answer in zip(questions, answers, strict=True)
            }
            for name, answers in said.items()
        },
    )


def test_the_baseline_has_no_p_and_the_others_count_what_they_gain_and_lose():
    """A p in the wrong column, or of the wrong pair, claims an unmeasured result."""
    texts = {
        "topical": [WRONG] * 9 + [RIGHT],
        "auto": [RIGHT] * 9 + [NEITHER],
    }
    theirs = probe_rows(len(study.HEADS))
    table = study.answers_table("answers", "Questions", result(texts), (), theirs)
    topical, auto, *published = table.rows
    assert table.baseline == "topical"
    assert (topical.cells[1].value, topical.cells[1].p) == (0.1, None)
    assert auto.cells[1].value == pytest.approx(0.9)
    assert auto.cells[1].p == pytest.approx(2 * 11 / 2**10)
    assert auto.cells[-1] == "9 / 1"
    assert topical.cells[-1] is None
    assert {row.origin for row in published} == {"published"}
    assert all(len(row.cells) == len(table.columns) for row in table.rows)
    assert [cell.p for cell in auto.cells[2:] if isinstance(cell, Measurement)] == [None] * 3


def test_kinds_name_who_lost_them():
    texts = {"topical": [RIGHT, RIGHT, WRONG], "hybrid": [WRONG] * 3, "auto": [WRONG, RIGHT, RIGHT]}
    probe_result = result(texts, ["a", "a", "b"])
    rows = [row.cells for row in study.kinds_table("kinds", probe_result).rows]
    assert [(*row[:2], row[-1]) for row in rows] == [("a", 2, "hybrid, auto"), ("b", 1, None)]
    bars = study.kinds_figure("kinds-bars", probe_result).plot
    assert [system.value for system in bars.systems["auto"]] == [0.5, 1.0]


def test_the_threshold_is_the_highest_that_costs_no_right_answer():
    """Only the development part chooses it; a lower one drops more than needed."""
    plain = [RIGHT] * 5 + [WRONG] * 3 + [NEITHER] * 2

    def at(right: int, wrong: int) -> ProbeResult:
        filtered = [RIGHT] * right + [WRONG] * wrong + [NEITHER] * (10 - right - wrong)
        return result({study.PLAIN: plain, study.FILTERED: filtered})

    results = {None: at(5, 3), 0.3: at(4, 0), 0.1: at(5, 2), 0.03: at(6, 0)}
    assert study.choose_threshold(results) == [0.1]
    assert study.choose_threshold({None: at(5, 3)}) == [], "as shipped was not chosen either"
    table = study.filter_table("test", "test", {None: results[None], 0.1: results[0.1]}, (0.1,))
    assert [row.cells[0] for row in table.rows] == [
        "without a filter",
        "as shipped",
        "threshold 0.1, chosen on dev",
    ]
    assert [row.cells[3].value for row in table.rows] == pytest.approx([0.3, 0.3, 0.2])
    assert all(len(row.cells) == len(table.columns) for row in table.rows)
