"""The study of Boolean questions over people and passages, with a hashed encoder."""

from __future__ import annotations

from functools import cached_property
from pathlib import Path

import pytest
from jsonl_files import write_rows
from suites.hashed_encoder import HashedEncoder

from benchmarks.papers import boolquestions as study
from benchmarks.papers.boolquestions import BASE, HYBRID, STUDY, curves_figure
from benchmarks.report.artefacts import Section
from benchmarks.report.workbench import Workbench
from logic_retrievers.evaluation import load_dataset

ROOMS = {
    "quiet": "a hotel in a garden, quiet",
    "loud": "a hotel on a square, noise at night",
    "copy": "a hotel on a square, noise at night",
    "boat": "a ferry that leaves in the morning",
}
LIKES = {"tea": "ann bo", "owls": "bo cy", "ink": "cy di", "jam": "di ann"}


class MadeBench(Workbench):
    @cached_property
    def encoder(self):
        return HashedEncoder()


@pytest.fixture
def bench(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Workbench:
    def corpus(texts: dict[str, str]) -> list[dict[str, object]]:
        return [{"_id": name, "title": "", "text": text} for name, text in texts.items()]

    write_rows(tmp_path / "boolquestions_not" / "corpus.jsonl", corpus(ROOMS))

    def queries(*rows: tuple[str, str, str, str]) -> list[dict[str, object]]:
        return [
            {"_id": name, "text": text, "satisfying": right.split(), "violating": wrong.split()}
            for name, text, right, wrong in rows
        ]

    asked = [
        (start, f"{start} hotels without noise", "quiet", "copy") for start in ("find", "list")
    ]
    rows = [row | {"template": "not"} for row in queries(*asked)]
    write_rows(tmp_path / "boolquestions_not" / "test" / "queries.jsonl", rows)
    people = sorted({name for names in LIKES.values() for name in names.split()})
    liked = {name: [what for what, who in LIKES.items() if name in who.split()] for name in people}
    texts = {name: f"{name} likes {' and '.join(what)}" for name, what in liked.items()}
    write_rows(tmp_path / "limit_small" / "corpus.jsonl", corpus(texts))
    rows = queries(*((what, f"Who likes {what}?", who, "") for what, who in LIKES.items()))
    write_rows(tmp_path / "limit_small" / "queries.jsonl", rows)
    monkeypatch.setenv("LOGIC_RETRIEVERS_DATA", str(tmp_path))
    monkeypatch.setattr(study, "PAIRS", 4)
    return MadeBench(tmp_path / "vectors.sqlite")


def test_the_section_is_whole_and_comes_out_the_same_twice(bench):
    """No one can check a report that changes from run to run."""
    section = STUDY.run(bench)
    assert section == STUDY.run(bench) == Section.model_validate_json(section.model_dump_json())
    questions, curves, people, bars = section.artefacts
    systems = [row.cells[0] for row in questions.rows if row.origin == "measured"]
    assert systems[:2] == ["BM25", BASE]
    assert HYBRID in systems
    assert sum(row.origin == "published" for row in questions.rows) == 3
    assert all(len(row.cells) == len(questions.columns) for row in questions.rows)
    assert all(len(row.cells) == len(people.columns) for row in people.rows)
    by_name = {row.cells[0]: row.cells[1:] for row in people.rows}
    # with exact words the right person ranks first and the others below
    assert [cell.value for cell in by_name[HYBRID]] == [1, 1, 1, 1]
    assert people.columns[1:] == (
        *("AND: P@1", "AND: all violators below"),
        *("NOT: P@1", "NOT: all violators below"),
    )
    assert bars.plot.labels == ("AND", "NOT")
    assert set(curves.plot.panels) == {"NegRecall@k (lower is better)", "R@k"}


def test_curves_end_where_the_table_is(bench):
    """A passage merged with its copy has two names; mixing them up empties the curve."""
    dataset = load_dataset(study.QUESTIONS, "test")
    results = study.search_in_words(bench, dataset, study.DEPTH)
    assert results[BASE].metrics["NegRecall@10"] == 1
    plot = curves_figure(dataset, results, 0).plot
    for name, result in results.items():
        ruled_out, right = (panel[name] for panel in plot.panels.values())
        assert ruled_out.y[-1] == pytest.approx(result.metrics["NegRecall@10"])
        assert right.y[0] == pytest.approx(result.metrics["R@1"])
