"""The cleaning experiment on a tiny corpus, through index, cleaner and search."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import numpy as np
import pytest
from sparse_data import abstracts, conflictqa, films

from benchmarks.common.corpus_corruption import (
    CLEAN,
    CORRUPTED,
    Corpus,
    add_clean_passages,
    background_texts,
    hide_top_three,
    load_questions,
    open_background_index,
    run_experiment,
    swap_sides,
    trust_one_passage,
)
from benchmarks.papers import sparsecl_cleaning as cleaning
from benchmarks.report.artefacts import Table
from benchmarks.report.workbench import Workbench


@pytest.fixture
def bench(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Workbench:
    monkeypatch.setenv("LOGIC_RETRIEVERS_DATA", str(tmp_path))
    for write in (conflictqa, abstracts, films):
        write(tmp_path)
    return Workbench(tmp_path / "vectors.sqlite")


def annotate(_: Corpus) -> dict[str, str]:
    return {"resolution": "annotate"}


def test_a_corpus_is_corrupted_and_restored_between_ways(bench: Workbench) -> None:
    """A passage hidden by one method must not count for the next."""
    questions = load_questions("test")
    open_index = partial(open_background_index, bench.encoder, background_texts(20))
    cleaners = {"three": hide_top_three, "none": annotate, "again": hide_top_three}
    result = run_experiment(open_index, questions, 9, cleaners)
    assert list(result) == [CLEAN, CORRUPTED, "three", "none", "again"]
    clean, corrupted = result[CLEAN], result[CORRUPTED]
    assert len(clean.figures.ndcg) == 2 * len(questions)
    assert np.isnan(clean.figures.recall).all()
    assert np.mean(corrupted.figures.ndcg) < np.mean(clean.figures.ndcg)
    assert corrupted.total == {"injected": 12, "clean": 12, "background": 40}
    assert result["none"].figures == corrupted.figures
    assert set(result["none"].hidden.values()) == {0}
    assert result["three"] == result["again"]
    assert sum(result["three"].hidden.values()) > 0


def test_the_first_passage_of_every_question_is_trusted(bench: Workbench) -> None:
    questions = [swap_sides(question) for question in load_questions("test")]
    with open_background_index(bench.encoder, []) as index:
        trusted = trust_one_passage(add_clean_passages(index, questions))["trusted"]
    assert [passage.text for passage in trusted] == [question.clean[0] for question in questions]


def test_the_section_stands_beside_the_papers(
    bench: Workbench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cleaning, "BACKGROUND", 20)
    section = cleaning.STUDY.run(bench)
    assert cleaning.STUDY.run(bench) == section
    trusted, untrusted = (artefact for artefact in section.artefacts if isinstance(artefact, Table))
    for table in (trusted, untrusted):
        assert table.baseline in [row.cells[0] for row in table.rows]
    assert sum(row.origin == "published" for row in trusted.rows) == 6
    assert [row.origin for row in untrusted.rows] == ["measured"] * 4
