"""A cross-encoder as a reranker, over some of the queries: it is too slow for all of them."""

from __future__ import annotations

from logic_retrievers.evaluation import Result, evaluate, load_dataset
from logic_retrievers.report.artefacts import Row, Table
from logic_retrievers.report.comparing import comparison
from logic_retrievers.report.cross_encoder import find_cross_encoder
from logic_retrievers.report.reranked import first_groups, reranked
from logic_retrievers.report.searching import DEPTH, searching
from logic_retrievers.report.studies.exclusion_published import RERANKERS
from logic_retrievers.report.studies.exclusion_systems import AUTO, BASE
from logic_retrievers.report.workbench import ROLES, Workbench

SETS = ("excluir", "boolquestions_not")
QUERIES, READ = 60, 20
"""Queries a set, and passages that are read of each."""

RERANKER = "cross-encoder over the topical list"
_METRICS = ("R@1", "R@5", "V@1", "V@2", "V@5", "FVR", "nDCG@10")


def reranker_table(bench: Workbench) -> Table:
    """Plain search, the same reranked by P(no contradiction), and auto, over the same queries."""
    judge = find_cross_encoder(bench)
    rows: list[Row] = []
    for name in SETS:
        dataset = first_groups(load_dataset(name), QUERIES)
        with searching(dataset, bench.encoder, bench.seed) as searched:
            results: dict[str, Result] = {
                BASE: searched.measured("topical", BASE),
                AUTO: searched.measured("auto", AUTO),
            }
            if judge is not None:
                search = reranked(dataset, searched.search("topical"), judge, READ)
                results[RERANKER] = evaluate(
                    dataset, search, DEPTH, policy=RERANKER, seed=bench.seed
                )
        table = comparison("", "", results, _METRICS, baseline=BASE, seed=bench.seed)
        rows += [_named(dataset.name, row) for row in table.rows]
    if judge is None:
        empty = (None,) * len(_METRICS)
        note = f"no model for the role 'cross-encoder': {ROLES['cross-encoder']}"
        rows.append(Row(cells=(RERANKER, *empty), origin="absent", note=note))
    rows += [
        Row(
            cells=(f"ExcluIR: {one.system}", *(one.figures.get(metric) for metric in _METRICS)),
            origin="published",
            note=one.note,
        )
        for one in RERANKERS
    ]
    return Table(
        name="exclusion-reranker",
        title="A cross-encoder behind plain search",
        columns=("data set and system", *_METRICS),
        rows=tuple(rows),
        notes=(
            f"The first {QUERIES} queries of each set. The cross-encoder reads the first {READ} "
            "passages with the query and puts them in the order of P(no contradiction); it is "
            f"trained on contradictions between statements, not on queries. p: against the {BASE} "
            "of the same set, corrected over its rows.",
        ),
    )


def _named(dataset: str, row: Row) -> Row:
    return Row(cells=(f"{dataset}: {row.cells[0]}", *row.cells[1:]))
