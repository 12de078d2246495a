"""A cross-encoder as a reranker, over a sample of the queries because it is slow."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from benchmarks.common.cross_encoder import CrossEncoder, find_cross_encoder
from benchmarks.common.dataset_search import DEPTH, open_dataset_search
from benchmarks.reproduction.artefacts import Row, Table
from benchmarks.reproduction.comparison_tables import comparison_table
from benchmarks.reproduction.studies.exclusion.published import RERANKERS
from benchmarks.reproduction.studies.exclusion.systems import AUTO, BASE
from benchmarks.reproduction.table_cells import absent_row
from benchmarks.reproduction.workbench import Workbench
from logic_retrievers.evaluation import (
    Dataset,
    EvaluationResult,
    Query,
    Search,
    evaluate,
    load_dataset,
)
from logic_retrievers.evaluation.metrics import Ranking

SETS = ("excluir", "boolquestions_not")
QUERIES, READ = 60, 20
"""Queries per set, and passages read per query."""

RERANKER = "cross-encoder over the topical list"
_METRICS = ("R@1", "R@5", "V@1", "V@2", "V@5", "FVR", "nDCG@10")


def reranker_table(bench: Workbench) -> Table:
    """Plain search, its lists reranked by P(no contradiction), and auto, over the same queries."""
    judge = find_cross_encoder(bench)
    rows: list[Row] = []
    for name in SETS:
        dataset = first_groups(load_dataset(name), QUERIES)
        with open_dataset_search(dataset, bench.encoder, bench.seed) as searched:
            results: dict[str, EvaluationResult] = {
                BASE: searched.evaluate("topical", BASE),
                AUTO: searched.evaluate("auto", AUTO),
            }
            if judge is not None:
                search = rerank_search(dataset, searched.search("topical"), judge, READ)
                results[RERANKER] = evaluate(
                    dataset, search, DEPTH, policy=RERANKER, seed=bench.seed
                )
        table = comparison_table("", "", results, _METRICS, baseline=BASE, seed=bench.seed)
        rows += [_table_row(dataset.name, row) for row in table.rows]
    if judge is None:
        rows.append(absent_row(RERANKER, "cross-encoder", len(_METRICS)))
    rows += [
        Row(
            cells=(
                f"ExcluIR: {reranker.system}",
                *(reranker.figures.get(metric) for metric in _METRICS),
            ),
            origin="published",
            note=reranker.note,
        )
        for reranker in RERANKERS
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


def _table_row(dataset: str, row: Row) -> Row:
    return Row(cells=(f"{dataset}: {row.cells[0]}", *row.cells[1:]))


def rerank_search(dataset: Dataset, first: Search, judge: CrossEncoder, most: int) -> Search:
    """Reranks the first passages by P(the passage does not contradict the query).

    Args:
        dataset: whose documents are read.
        first: gives the lists.
        judge: reads (passage, query).
        most: so many passages are read; the others follow as they stood.
    """

    def search(texts: Sequence[str], k: int) -> list[Ranking]:
        rankings: list[Ranking] = []
        for text, ranking in zip(texts, first(texts, k), strict=True):
            head = [document for document, _ in ranking[:most]]
            pairs = [(dataset.documents[document], text) for document in head]
            scored = zip(head, (1 - judge.probabilities(pairs)).tolist(), strict=True)
            ordered = sorted(scored, key=lambda pair: -pair[1])  # stable: ties by topic
            behind = [(document, score - 2) for document, score in ranking[most:]]  # cosines
            rankings.append([*ordered, *behind])
        return rankings

    return search


def first_groups(dataset: Dataset, count: int) -> Dataset:
    """The data set with its first queries, at least ``count``, with complete pairs."""
    groups: dict[str, list[Query]] = {}
    for query in dataset.queries:
        label = query.id if query.pair is None else f"pair {query.pair}"
        if label in groups or sum(map(len, groups.values())) < count:
            groups.setdefault(label, []).append(query)
    return replace(dataset, queries=tuple(q for queries in groups.values() for q in queries))
