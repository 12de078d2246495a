"""Set queries over films (LogiCoL): recall and violations of every system, gains, consistency."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from benchmarks.common.dataset_search import bm25_search, query_templates
from benchmarks.common.exact_collection import ExactCollection
from benchmarks.papers.logicol_consistency import (
    coherence_figure,
    consistency,
    consistency_table,
    correlation_figure,
    scores_figure,
)
from benchmarks.papers.logicol_systems import (
    BASE,
    BM25,
    CONTRASTIVE,
    ENSEMBLE,
    LOGICOL,
    OURS,
    OURS_HYBRID,
    OURS_IN_WORDS,
    OVER_LOGICOL,
    ROLES,
    WHOLE,
    WHOLE_DENSE,
    FilmPool,
    Rank,
    corpora,
    film_pool,
    film_sets,
    rankings,
    vector_of,
)
from benchmarks.papers.published import LOGICOL_KINDS, LOGICOL_SYSTEMS
from benchmarks.report.artefacts import Figure, Measurement, Row, Section, Table
from benchmarks.report.cells import absent_row, bars, column, gains, system_rows
from benchmarks.report.workbench import Study, Workbench
from logic_retrievers.evaluation import Dataset, EvaluationResult, evaluate
from logic_retrievers.evaluation.metrics import Ranking

FOLDER = "film_sets"
QUERIES, DOCUMENTS = 420, 10_000
DEPTH, VARIANTS_DEPTH = 1000, 100
# Systems in figures; these also run on the variants, nearly three times as many queries.
MAIN = (BM25, BASE, CONTRASTIVE, LOGICOL, ENSEMBLE, OURS, OURS_HYBRID)
MEASURES = ("R@5", "R@20", "R@100", "R@1000", "violation_rate")
WITH_VARIANTS = "R@100, with variants"
BETTER: Mapping[str, Literal["higher", "lower"]] = {
    "violation rate": "lower",
    WITH_VARIANTS: "higher",
}
# Template -> operator, grouped as in the paper.
KINDS = {
    "a": "none",
    "a_and_b": "AND",
    "a_and_b_and_c": "AND",
    "a_not_b": "NOT",
    "a_and_b_not_c": "NOT",
    "a_or_b": "OR",
    "a_or_b_or_c": "OR",
}
# Further comparisons, as (system, baseline).
PAIRS = (
    (LOGICOL, CONTRASTIVE),
    (ENSEMBLE, BASE),
    (OURS, ENSEMBLE),
    (OURS, WHOLE_DENSE),
    (OURS_HYBRID, WHOLE),
    (OURS_HYBRID, BM25),
    (OURS_IN_WORDS, OURS_HYBRID),
    (OVER_LOGICOL, LOGICOL),
)


@dataclass(frozen=True, slots=True)
class Answers:
    """System -> result.

    Args:
        test_results: results of test queries, with lists of :data:`DEPTH`.
        all_results: results of test queries and variants, with lists of :data:`VARIANTS_DEPTH`.
    """

    test_results: Mapping[str, EvaluationResult]
    all_results: Mapping[str, EvaluationResult]


def run(bench: Workbench) -> Section:
    """Build the data if needed, evaluate every system, and compare."""
    bench.log("films and set queries")
    pool = film_pool(film_sets(bench.vectors.parent / FOLDER), QUERIES, DOCUMENTS, bench.seed)
    pools = corpora(bench, pool.test_set.documents)
    results = answers(bench, pool, pools)
    consistent = {
        name: consistency(pool, corpus, vector_of(name)) for name, corpus in pools.items()
    }
    return Section(
        name=STUDY.name,
        title=STUDY.title,
        text=(
            "LogiCoL trains an encoder so that the whole query, in words, stands near the set that "
            "it means; ours leaves the encoder and reads the query as an expression over its "
            "parts. Both are compared with an encoder trained on the same queries without logic, "
            "and with the rules that combine the parts' scores or lists.",
            "Read violations with recall: a query names what it rules out, so that a system which "
            "finds what is named finds that too.",
        ),
        artefacts=(
            systems_table(pool, results, bench.seed),
            by_template(pool, results, "R@100", bench.seed),
            by_template(pool, results, "violation_rate", bench.seed),
            kinds_table(pool, results, bench.seed),
            gains_table(results, bench.seed),
            consistency_table(pool, consistent, bench.seed),
            correlation_figure(pool, consistent, bench.seed),
            coherence_figure(consistent),
            scores_figure(pool, pools, consistent),
        ),
    )


def answers(bench: Workbench, pool: FilmPool, corpora: Mapping[str, ExactCollection]) -> Answers:
    """Evaluate every system."""
    test_results, all_results = {}, {}
    bm25 = bm25_search(pool.test_set)
    ranks: dict[str, Rank] = {BM25: lambda query, k: bm25([query.text], k)[0]}
    for name, rank in {**ranks, **rankings(corpora)}.items():
        bench.log(f"set queries: {name}")
        lists = {query.id: rank(query, DEPTH) for query in pool.test_set.queries}
        test_results[name] = _result(pool.test_set, lists, DEPTH, name)
        if name in MAIN:
            lists |= {
                query.id: rank(query, VARIANTS_DEPTH)
                for query in pool.all_queries.queries
                if query.id not in lists
            }
            all_results[name] = _result(pool.all_queries, lists, VARIANTS_DEPTH, name)
    return Answers(test_results, all_results)


def _result(
    dataset: Dataset, lists: Mapping[str, Ranking], depth: int, name: str
) -> EvaluationResult:
    def search(texts: Sequence[str], k: int) -> list[Ranking]:
        del texts
        return [lists[query.id][:k] for query in dataset.queries]

    return evaluate(dataset, search, depth, policy=name)


def systems_table(pool: FilmPool, answers: Answers, seed: int) -> Table:
    """Compare every system with the base; add published figures."""
    columns = {
        measure.replace("_", " "): _column(answers.test_results, measure, seed)
        for measure in MEASURES
    }
    columns[WITH_VARIANTS] = _column(answers.all_results, "R@100", seed)
    variants = len(pool.all_queries.queries) - len(pool.test_set.queries)
    return Table(
        name="set-queries",
        title="Set queries over films: recall and violations",
        columns=("system", *columns),
        rows=(
            *system_rows(list(answers.test_results), columns),
            *absent_rows(answers.test_results, len(columns)),
            *LOGICOL_SYSTEMS,
        ),
        baseline=BASE,
        notes=(
            f"{len(pool.test_set.queries)} test queries, evenly over seven templates, and "
            f"{variants} variants of them (the same atoms under other operators); "
            f"{len(pool.test_set.documents)} of the films: a sample of what the data give, so that "
            "one core ranks it in minutes.",
            "Truth is computed from what the texts say; rules get the expression that a query was "
            "made from, but for the row in words, whose reading the parser makes.",
            "Violation rate: share of the queries with NOT whose excluded films stand above the "
            "right ones in mean rank; lower is better. Each row is tested against the base.",
        ),
        better=BETTER,
    )


def kinds_table(pool: FilmPool, answers: Answers, seed: int) -> Table:
    """Show R@100 by operator."""
    labels = {q: KINDS[t] for q, t in query_templates(pool.all_queries.queries).items()}
    columns = {}
    for kind in dict.fromkeys(KINDS.values()):
        of_kind = {
            name: {q: v for q, v in result.per_query["R@100"].items() if labels[q] == kind}
            for name, result in answers.all_results.items()
        }
        columns[kind] = column(of_kind, answers.all_results[BASE].groups, BASE, seed)
    return Table(
        name="set-queries-by-kind",
        title="R@100 by what joins the atoms, variants among the queries",
        columns=("system", *columns),
        rows=(
            *system_rows(list(answers.all_results), columns),
            *absent_rows(answers.all_results, len(columns)),
            *LOGICOL_KINDS,
        ),
        baseline=BASE,
        notes=("Queries with NOT count under NOT, whatever else joins them.",),
        better=dict.fromkeys(columns, "higher"),
    )


def gains_table(answers: Answers, seed: int) -> Table:
    """Show paired differences, with p corrected over the pairs."""
    pairs = [pair for pair in PAIRS if set(pair) <= answers.test_results.keys()]
    columns = [
        _gains(answers.test_results, pairs, measure, seed)
        for measure in ("R@5", "R@100", "violation_rate")
    ]
    columns.append(_gains(answers.all_results, pairs, "R@100", seed))
    return Table(
        name="set-queries-gains",
        title="What one system gains over another",
        columns=("system", "over", "R@5", "R@100", "violation rate", WITH_VARIANTS),
        rows=tuple(Row(cells=(*pair, *(cells.get(pair) for cells in columns))) for pair in pairs),
        notes=(
            "Mean difference over the same queries with its paired interval; p against no "
            "difference, corrected over the rows (Holm). Fewer violations are a negative figure.",
        ),
        better=BETTER,
    )


def by_template(pool: FilmPool, results: Answers, measure: str, seed: int) -> Figure:
    """Draw bars for the main systems per template."""
    name = measure.replace("_", " ")
    systems = [system for system in MAIN if system in results.test_results]
    return Figure(
        name=f"set-queries-{'violations' if measure == 'violation_rate' else 'recall'}",
        title=f"Set queries by template: {name}",
        caption=(
            "Share of the queries whose excluded films stand above the right ones; lower is better."
            if measure == "violation_rate"
            else "Share of a query's films among the first hundred, by how its atoms are joined."
        ),
        plot=bars(
            {system: results.test_results[system].per_query[measure] for system in systems},
            query_templates(pool.test_set.queries),
            results.test_results[BASE].groups,
            name,
            baseline=BASE,
            seed=seed,
        ),
    )


def absent_rows(available: Mapping[str, object], figures: int) -> tuple[Row, ...]:
    """Make a row for each missing model, with a dash for each figure."""
    return tuple(
        absent_row(name, role, figures) for name, role in ROLES.items() if name not in available
    )


def _column(
    results: Mapping[str, EvaluationResult], measure: str, seed: int
) -> dict[str, Measurement | None]:
    values = {name: result.per_query[measure] for name, result in results.items()}
    return column(values, results[BASE].groups, BASE, seed)


def _gains(
    results: Mapping[str, EvaluationResult], pairs: list[tuple[str, str]], measure: str, seed: int
) -> dict[tuple[str, str], Measurement | None]:
    """Compute the gains for pairs with results."""
    measured = [pair for pair in pairs if set(pair) <= results.keys()]
    values = [
        (results[one].per_query[measure], results[other].per_query[measure])
        for one, other in measured
    ]
    return dict(zip(measured, gains(values, results[BASE].groups, seed), strict=True))


STUDY = Study(
    name="sets",
    title="Set queries (LogiCoL)",
    data=("wikipedia_movies",),
    run=run,
    models=tuple(ROLES.values()),
)
