"""A cross-encoder as a reranker, on a sample of the queries because it is slow."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from benchmarks.common.cross_encoder import CrossEncoder, find_cross_encoder
from benchmarks.common.dataset_search import DEPTH, engine_search, evaluate_policy, index_dataset
from benchmarks.papers.coder_figures import AUTO, BASE
from benchmarks.papers.published import CODER_RERANKERS
from benchmarks.report.artefacts import Row, Table
from benchmarks.report.cells import absent_row, comparison_table, published_row
from benchmarks.report.workbench import Workbench
from logic_retrievers.evaluation import Dataset, Query, Search, evaluate, load_dataset
from logic_retrievers.evaluation.metrics import Ranking

SETS = ("excluir", "boolquestions_not")
# Number of queries per set; number of passages read per query.
QUERIES, READ = 60, 20

RERANKER = "cross-encoder over the topical list"
_METRICS = ("R@1", "R@5", "V@1", "V@2", "V@5", "FVR", "nDCG@10")


def reranker_table(bench: Workbench) -> Table:
    """Compare plain search, its lists reranked by P(no contradiction), and auto."""
    judge = find_cross_encoder(bench)
    rows: list[Row] = []
    for name in SETS:
        dataset = first_groups(load_dataset(name), QUERIES)
        with index_dataset(dataset, bench.encoder) as index:
            results = {
                label: evaluate_policy(dataset, index, policy, label=label, seed=bench.seed)
                for label, policy in ((BASE, "topical"), (AUTO, "auto"))
            }
            if judge is not None:
                texts = [query.text for query in dataset.queries]
                plain = engine_search(index, "topical", texts, judge=None)
                search = rerank_search(dataset, plain, judge, READ)
                results[RERANKER] = evaluate(
                    dataset, search, DEPTH, policy=RERANKER, seed=bench.seed
                )
        table = comparison_table("one", "", results, _METRICS, baseline=BASE, seed=bench.seed)
        rows += [
            Row(cells=(f"{dataset.name}: {row.cells[0]}", *row.cells[1:])) for row in table.rows
        ]
    if judge is None:
        rows.append(absent_row(RERANKER, "cross-encoder", len(_METRICS)))
    rows += [
        published_row(note, f"ExcluIR: {system}", *(figures.get(metric) for metric in _METRICS))
        for system, (note, figures) in CODER_RERANKERS.items()
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


def rerank_search(dataset: Dataset, first: Search, judge: CrossEncoder, most: int) -> Search:
    """Rerank the first ``most`` passages by P(the passage does not contradict the query)."""

    def search(texts: Sequence[str], k: int) -> list[Ranking]:
        rankings: list[Ranking] = []
        for text, ranking in zip(texts, first(texts, k), strict=True):
            head = [document for document, _ in ranking[:most]]
            pairs = [(dataset.documents[document], text) for document in head]
            scored = zip(head, (1 - judge.probabilities(pairs)).tolist(), strict=True)
            ordered = sorted(scored, key=lambda pair: -pair[1])
            # A cosine minus 2 is below every probability.
            behind = [(document, score - 2) for document, score in ranking[most:]]
            rankings.append([*ordered, *behind])
        return rankings

    return search


def first_groups(dataset: Dataset, count: int) -> Dataset:
    """Keep at least the first ``count`` queries of a data set, without splitting pairs."""
    groups: dict[str, list[Query]] = {}
    for query in dataset.queries:
        label = query.id if query.pair is None else f"pair {query.pair}"
        if label in groups or sum(map(len, groups.values())) < count:
            groups.setdefault(label, []).append(query)
    return replace(dataset, queries=tuple(q for queries in groups.values() for q in queries))
