"""The cleaning experiment over a tiny corpus, through index, cleaner and search."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import numpy as np
import pytest
from sparse_data import claims, conflictqa, films

from logic_retrievers.report.artefacts import Section, Table
from logic_retrievers.report.cleaning_ways import one_each, top_three
from logic_retrievers.report.corruption import (
    CLEAN,
    CORRUPTED,
    Corpus,
    background_texts,
    experiment,
    opened,
    questions_of,
    turned,
)
from logic_retrievers.report.studies import cleaning
from logic_retrievers.report.workbench import Workbench


@pytest.fixture
def bench(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Workbench:
    monkeypatch.setenv("LOGIC_RETRIEVERS_DATA", str(tmp_path))
    for write in (conflictqa, claims, films):
        write(tmp_path)
    return Workbench(tmp_path / "vectors.sqlite")


def annotate(_: Corpus) -> dict[str, str]:
    return {"policy": "annotate"}


def test_a_corpus_is_corrupted_and_restored_between_ways(bench: Workbench) -> None:
    """What one way hid and the next does not find would be counted for the next."""
    questions = questions_of("test")
    open_index = partial(opened, bench.encoder, background_texts(20))
    ways = {"three": top_three, "none": annotate, "again": top_three}
    found = experiment(open_index, questions, 9, ways)
    assert list(found) == [CLEAN, CORRUPTED, "three", "none", "again"]
    clean, corrupted = found[CLEAN], found[CORRUPTED]
    assert len(clean.ranked.ndcg) == 2 * len(questions)
    assert np.isnan(clean.ranked.recall).all()
    assert np.mean(corrupted.ranked.ndcg) < np.mean(clean.ranked.ndcg)
    assert corrupted.total == {"injected": 12, "clean": 12, "background": 40}
    assert found["none"].ranked == corrupted.ranked
    assert set(found["none"].hidden.values()) == {0}
    assert found["three"] == found["again"]
    assert sum(found["three"].hidden.values()) > 0


def test_at_most_so_many_are_injected(bench: Workbench) -> None:
    questions = questions_of("test")
    found = experiment(partial(opened, bench.encoder, []), questions, 1, {})
    assert found[CORRUPTED].total["injected"] == 2 * len(questions)
    assert set(found[CORRUPTED].ranked.share) <= {0.0, 0.1}


def test_the_first_passage_of_every_question_is_trusted(bench: Workbench) -> None:
    from logic_retrievers.report.corruption import clean_corpus

    questions = [turned(question) for question in questions_of("test")]
    with opened(bench.encoder, []) as index:
        trusted = one_each(clean_corpus(index, questions))["trusted"]
    assert [one.text for one in trusted] == [question.clean[0] for question in questions]


def test_the_section_stands_beside_the_papers(
    bench: Workbench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cleaning, "BACKGROUND", 20)
    section = cleaning.STUDY.run(bench)
    assert cleaning.STUDY.run(bench).model_dump_json() == section.model_dump_json()
    trusted, untrusted = (one for one in section.artefacts if isinstance(one, Table))
    for table in (trusted, untrusted):
        assert table.baseline in [row.cells[0] for row in table.rows]
        assert all(len(row.cells) == len(table.columns) for row in table.rows)
    assert sum(row.origin == "published" for row in trusted.rows) == 6
    assert [row.origin for row in untrusted.rows] == ["measured"] * 4
    assert Section.model_validate_json(section.model_dump_json()) == section
