"""Compare judges on users' queries and on NevIR.

python -m benchmarks.product.judges [FILE...] [--part dev] [--set clusters] [--reranker]

Each FILE holds the settings of a judge (``JudgeSettings.save``). The shipped judge and searches
without a judge are measured too. With ``--reranker`` the judges of the files order all queries,
inside the engine and behind it; the shipped judge reads those with a constraint. For a slow model,
``--kinds AE`` takes two kinds of query, ``--each 20`` the first queries of each kind, and
``--pairs 60`` the first pairs of NevIR. Read the test parts only when a version is finished;
nothing may be chosen on them.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from benchmarks.common.dataset_search import index_dataset
from benchmarks.common.output import cached_encoder, publish, with_interval
from benchmarks.product.user_queries import DEPTH, KINDS, METRICS, SETS, first_rank, query_metrics
from logic_retrievers import Engine, JudgeSettings, ModelJudge, Passage, PassageIndex, Reranker
from logic_retrievers.evaluation import Dataset, Query, bootstrap, load_dataset
from logic_retrievers.judging import default_judge

# texts -> ids of passages, best first
Search: TypeAlias = Callable[[Sequence[str]], list[list[str]]]

SHOWN = ("MRR", "R@1", "V@5", "right above all violating", "pushed down")


class TimedJudge:
    """Counts a judge's pairs and seconds."""

    def __init__(self, judge: Any) -> None:
        self._judge = judge
        self.pairs, self.seconds = 0, 0.0

    def __call__(self, pairs: Sequence[tuple[str, str]]) -> Any:
        begun = time.perf_counter()
        try:
            return self._judge(pairs)
        finally:
            self.seconds += time.perf_counter() - begun
            self.pairs += len(pairs)


def main() -> None:
    """Measure and publish."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", nargs="*", type=Path)
    parser.add_argument("--part", default="test", choices=("dev", "test"))
    parser.add_argument("--set", default="strangers", choices=(*SETS, "nevir"))
    parser.add_argument("--reranker", action="store_true")
    parser.add_argument("--kinds", default="".join(KINDS))
    parser.add_argument("--each", type=int, default=None)
    parser.add_argument("--pairs", type=int, default=None)
    options = parser.parse_args()
    judges = {"shipped": JudgeSettings(judge=default_judge())}
    judges |= {file.stem: JudgeSettings.load(file) for file in options.files}
    if options.set == "nevir":
        dataset = load_dataset("nevir", options.part)
        rows = [_nevir_row(name, judge, dataset, options.pairs) for name, judge in judges.items()]
    else:
        dataset = load_dataset(SETS[options.set][0], options.part)
        queries = _first_of_each_kind(dataset.queries, options.kinds, options.each)
        with index_dataset(dataset, cached_encoder(), lexical=True) as index:
            rows = _rows(index, queries, judges, reranker=options.reranker)
    publish(f"judges, {options.set}, {options.part}", rows)


def _first_of_each_kind(queries: Sequence[Query], kinds: str, count: int | None) -> list[Query]:
    return [
        query
        for kind in kinds
        for query in islice((q for q in queries if q.extra.get("kind", "") == kind), count)
    ]


def _rows(
    index: PassageIndex,
    queries: Sequence[Query],
    judges: Mapping[str, JudgeSettings],
    *,
    reranker: bool,
) -> list[dict[str, object]]:
    texts = [query.text for query in queries]
    systems: dict[str, tuple[Search, TimedJudge | None]] = {
        "plain search": (_searching(Engine(index, "topical", judge=None)), None),
        "no judge": (_searching(Engine(index, judge=None)), None),
    }
    for name, settings in judges.items():
        timed, model = _timed(settings)
        if name == "shipped" or not reranker:
            systems[name] = (_searching(Engine(index, judge=model)), timed)
            continue
        systems[f"{name} inside"] = (_searching(Engine(index, reranker=model)), timed)
        timed, model = _timed(settings)
        systems[f"{name} behind"] = (_behind(Engine(index), model), timed)
    lists, costs = {}, {}
    for name, (search, judge) in systems.items():
        lists[name] = search(texts)
        seconds, pairs = (0.0, 0) if judge is None else (judge.seconds, judge.pairs)
        costs[name] = {
            "pairs a query": round(pairs / len(queries), 1),
            "ms a query": round(1000 * seconds / len(queries)),
        }
    rows: list[dict[str, object]] = []
    for kind in dict.fromkeys(str(query.extra.get("kind", "")) for query in queries):
        places = [i for i, q in enumerate(queries) if str(q.extra.get("kind", "")) == kind]
        for name, found in lists.items():
            values = [query_metrics(queries[i], found[i], lists["plain search"][i]) for i in places]
            estimates = dict(zip(METRICS, bootstrap(values), strict=True))
            row: dict[str, object] = {
                "queries": f"{kind} {KINDS[kind]}",
                "n": len(places),
                "judge": name,
            }
            row |= {
                metric: with_interval(
                    None if np.isnan(estimates[metric].mean) else estimates[metric]
                )
                for metric in SHOWN
            }
            ranks = [first_rank(found[i], queries[i]) for i in places]
            without = [first_rank(lists["no judge"][i], queries[i]) for i in places]
            row["better"] = sum(a < b for a, b in zip(ranks, without, strict=True))
            row["worse"] = sum(a > b for a, b in zip(ranks, without, strict=True))
            rows.append(row | costs[name])
    return rows


def _searching(engine: Engine) -> Search:
    def search(texts: Sequence[str]) -> list[list[str]]:
        return [[hit.passage.id for hit in hits] for hits in engine.search_many(texts, DEPTH)]

    return search


def _behind(engine: Engine, model: JudgeSettings) -> Search:
    """Put a reranker behind a search, as a framework's reranker stands behind a retriever."""
    reranker = Reranker(engine.index.encoder, "judge", judge=model)

    def search(texts: Sequence[str]) -> list[list[str]]:
        lists = []
        for text, hits in zip(texts, engine.search_many(texts, DEPTH), strict=True):
            passages = [hit.passage for hit in hits]
            first = reranker.rerank(text, passages[: model.candidates])
            rest = passages[model.candidates :]
            lists.append([p.id for p in [*(hit.passage for hit in first), *rest]])
        return lists

    return search


def _nevir_row(
    name: str, settings: JudgeSettings, dataset: Dataset, count: int | None
) -> dict[str, object]:
    """Rank both documents of each pair by the judge alone."""
    timed, judge = _timed(settings)
    reranker = Reranker(policy="judge", judge=judge)
    pairs: dict[str, list[Query]] = {}
    for query in dataset.queries:
        pairs.setdefault(str(query.pair), []).append(query)
    right = []
    for both in islice(pairs.values(), count):
        orders = []
        for query in both:
            ids = sorted(query.satisfying | query.violating)
            hits = reranker.rerank(query.text, [Passage(i, dataset.documents[i]) for i in ids])
            orders.append(hits[0].passage.id in query.satisfying and hits[0].score > hits[1].score)
        right.append([float(all(orders))])
    (estimate,) = bootstrap(right)
    return {
        "judge": name,
        "pairs": len(right),
        "paired accuracy": with_interval(estimate),
        "ms a pair of texts": round(1000 * timed.seconds / timed.pairs, 1),
    }


def _timed(settings: JudgeSettings) -> tuple[TimedJudge, JudgeSettings]:
    judge = settings.judge
    own = judge.constants if isinstance(judge, ModelJudge) else None
    timed = TimedJudge(judge)
    return timed, settings.over(own).model_copy(update={"judge": timed})


if __name__ == "__main__":
    main()
