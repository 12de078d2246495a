"""The section on set queries."""

from __future__ import annotations

from benchmarks.common.query_templates import query_templates
from benchmarks.reproduction.artefacts import Figure, Section
from benchmarks.reproduction.studies.sets import NAME, TITLE
from benchmarks.reproduction.studies.sets.answers import Answers, answers
from benchmarks.reproduction.studies.sets.consistency import (
    coherence_figure,
    consistency,
    consistency_table,
    correlation_figure,
    scores_figure,
)
from benchmarks.reproduction.studies.sets.pool import FilmPool, film_pool, film_sets
from benchmarks.reproduction.studies.sets.systems import (
    BASE,
    BM25,
    CONTRASTIVE,
    ENSEMBLE,
    LOGICOL,
    OURS,
    OURS_HYBRID,
    corpora,
    vector_of,
)
from benchmarks.reproduction.studies.sets.tables import gains_table, kinds_table, systems_table
from benchmarks.reproduction.table_cells import bars
from benchmarks.reproduction.workbench import Workbench

FOLDER = "film_sets"
QUERIES, DOCUMENTS = 420, 10_000
DRAWN = (BM25, BASE, CONTRASTIVE, LOGICOL, ENSEMBLE, OURS, OURS_HYBRID)

TEXT = (
    "LogiCoL trains an encoder so that the whole query, in words, stands near the set that it "
    "means; ours leaves the encoder and reads the query as an expression over its parts. Both are "
    "beside an encoder trained on the same queries without logic, and beside the rules that "
    "combine the parts' scores or lists.",
    "Read violations beside recall: a query names what it rules out, so that a system which "
    "finds what is named finds that too.",
)


def section(bench: Workbench) -> Section:
    """Builds the data if needed, evaluates every system, and compares."""
    bench.log("films and set queries")
    pool = film_pool(film_sets(bench.vectors.parent / FOLDER), QUERIES, DOCUMENTS, bench.seed)
    pools = corpora(bench, pool.test_set.documents)
    results = answers(bench, pool, pools)
    consistent = {
        name: consistency(pool, corpus, vector_of(name)) for name, corpus in pools.items()
    }
    return Section(
        name=NAME,
        title=TITLE,
        text=TEXT,
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


def by_template(pool: FilmPool, results: Answers, measure: str, seed: int) -> Figure:
    """Bars of the main systems per template."""
    name = measure.replace("_", " ")
    systems = [name for name in DRAWN if name in results.test_results]
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
