"""The study of set queries, with a hashed encoder over rooms."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

import numpy as np
import pytest
from small_recipes import write_rooms
from suites.hashed_encoder import HashedEncoder

from benchmarks.papers import logicol_systems as systems_module
from benchmarks.papers.logicol import STUDY
from benchmarks.papers.logicol_consistency import Consistency, coherence_figure, median_pair
from benchmarks.papers.logicol_measures import complementary_pairs
from benchmarks.papers.logicol_systems import (
    BASE,
    BM25,
    CONTRASTIVE,
    LOGICOL,
    OURS,
    OVER_LOGICOL,
    film_pool,
    film_sets,
    spread_evenly,
)
from benchmarks.report.artefacts import Section
from benchmarks.report.workbench import Workbench
from logic_retrievers.errors import ConfigurationError

TRAINED = {"set-contrastive": "2", "logicol": "3"}


@dataclass(frozen=True)
class MadeBench(Workbench):
    trained_roles: dict[str, str] = field(default_factory=dict)

    @cached_property
    def encoder(self):
        return HashedEncoder()

    def trained(self, role):
        version = self.trained_roles.get(role)
        return None if version is None else HashedEncoder(["topical"], version)


@pytest.fixture
def rooms(tmp_path: Path) -> Path:
    """Write a folder with a test part."""
    folder = write_rooms(tmp_path / "film_sets")
    for part in ("dev", "dev_variants"):
        (folder / part).rename(folder / part.replace("dev", "test"))
    return folder


def systems(table) -> list[object]:
    return [row.cells[0] for row in table.rows if row.origin == "measured"]


def test_the_section_is_whole_and_comes_out_the_same_twice(rooms):
    """A report that differs between runs could not be checked."""
    bench = MadeBench(rooms.parent / "vectors.sqlite", trained_roles=TRAINED)
    found = STUDY.run(bench)
    assert found == STUDY.run(bench) == Section.model_validate_json(found.model_dump_json())
    by_name = {one.name: one for one in found.artefacts}
    assert len(by_name) == len(found.artefacts)
    table = by_name["set-queries"]
    assert {BM25, BASE, CONTRASTIVE, LOGICOL, OURS, OVER_LOGICOL} <= set(systems(table))
    for one in found.artefacts:
        if hasattr(one, "rows"):
            assert all(len(row.cells) == len(one.columns) for row in one.rows)
    rows = {row.cells[0]: row for row in table.rows}
    assert rows["E5, LogiCoL"].cells == ("E5, LogiCoL", None, None, 0.421, None, None, 0.219)
    assert rows["E5, LogiCoL"].origin == "published"
    assert rows[OURS].cells[3].p is not None
    assert (LOGICOL, CONTRASTIVE) in [row.cells[:2] for row in by_name["set-queries-gains"].rows]
    scatter = by_name["set-queries-scores"].plot
    assert set(scatter.panels) == {BASE, CONTRASTIVE, LOGICOL}
    assert set(by_name["set-queries-violations"].plot.labels) == {"a_not_b"}


def test_a_model_that_is_not_there_is_a_row_with_its_recipe(rooms):
    """A missing model must show as a row; a silent gap would look like a limit of the data."""
    found = STUDY.run(MadeBench(rooms.parent / "vectors.sqlite"))
    for table in found.artefacts:
        if getattr(table, "baseline", None) and table.name != "set-queries-gains":
            missing = {row.cells[0]: row.note for row in table.rows if row.origin == "absent"}
            assert set(missing) == {CONTRASTIVE, LOGICOL}
            assert all("set-queries-minilm.toml" in note for note in missing.values())
            assert not {OVER_LOGICOL, LOGICOL} & set(systems(table))


def test_the_pool_holds_what_is_labelled_and_others(rooms):
    """A right film outside the pool could never be found."""
    small = film_pool(rooms, 1, 0)  # the query A AND B, whose variants ask for A and for B
    assert len(small.test_set.queries) == 1
    groups = {query.group for query in small.test_set.queries}
    more = small.all_queries.queries[1:]
    assert more
    assert {query.group for query in more} <= groups
    labelled = {d for q in small.all_queries.queries for d in (*q.grades, *q.violating)}
    assert set(small.all_queries.documents) == labelled
    larger = film_pool(rooms, 1, len(labelled) + 5)
    assert len(larger.test_set.documents) == len(labelled) + 5
    assert set(larger.test_set.documents) > labelled
    assert film_pool(rooms, 1, 10**6).test_set.queries == small.test_set.queries


def test_a_data_set_that_was_cut_off_is_not_taken_for_one(tmp_path, monkeypatch):
    """An interrupted data set must be removed, or the next run would measure on half of it."""

    def fails(folder, items, parts):
        folder.mkdir()
        (folder / "corpus.jsonl.gz").write_bytes(b"")
        raise ConfigurationError("cut off")

    class Table:
        items: dict[str, str] = {}  # noqa: RUF012

    monkeypatch.setattr(systems_module, "data_folder", lambda: tmp_path)
    monkeypatch.setattr(systems_module, "load_films_table", lambda folder: Table)
    monkeypatch.setattr(systems_module, "generate_queries", lambda *_, **__: {})
    monkeypatch.setattr(systems_module, "write_set_queries", fails)
    with pytest.raises(ConfigurationError, match="cut off"):
        film_sets(tmp_path / "film_sets")
    assert list(tmp_path.iterdir()) == []


def test_the_pair_that_is_shown_is_the_median_one(rooms):
    """Showing the best pair would favour the encoder that it is best for."""
    pairs = complementary_pairs(film_pool(rooms, 10**6, 0).all_queries.queries)
    order = np.random.default_rng(0).permutation(len(pairs))
    values = {pair.without.id: float(r) for pair, r in zip(pairs, order, strict=True)}
    shown = values[median_pair(pairs, values).without.id]
    assert abs(shown - (len(pairs) - 1) / 2) <= 0.5
    # the first 420 of 2,100 queries would cover only two templates
    assert spread_evenly(tuple(range(10)), 3) == (0, 3, 6)
    assert spread_evenly((1, 2), 5) == (1, 2)


def test_every_group_is_in_a_bin():
    """A group at the outer edge, or beyond it by rounding, must not be lost."""
    found = {"one": Consistency({}, {"a": -0.31, "b": 1.0000001, "c": 0.5})}
    plot = coherence_figure(found).plot
    assert sum(plot.panels["groups"]["one"]) == 3
    assert plot.edges[0] <= -0.31
    assert plot.edges[-1] == 1
