"""The section on set queries, put together."""

from __future__ import annotations

from logic_export.studies.sets import NAME, TITLE
from logic_export.studies.sets.answers import Answers, answers
from logic_export.studies.sets.consistency import (
    coherence_figure,
    consistency,
    consistency_table,
    correlation_figure,
    scores_figure,
)
from logic_export.studies.sets.pool import FilmPool, film_pool, film_sets
from logic_export.studies.sets.systems import (
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
from logic_export.studies.sets.tables import gains_table, kinds_table, systems_table
from logic_retrievers.evaluation import templates
from logic_retrievers.report.artefacts import Figure, Section
from logic_retrievers.report.cells import bars
from logic_retrievers.report.workbench import Workbench

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
    """Builds the data where they lack, asks every system, and compares."""
    bench.say("films and set queries")
    pool = film_pool(film_sets(bench.vectors.parent / FOLDER), QUERIES, DOCUMENTS, bench.seed)
    pools = corpora(bench, pool.asked.documents)
    found = answers(bench, pool, pools)
    consistent = {
        name: consistency(pool, corpus, vector_of(name)) for name, corpus in pools.items()
    }
    return Section(
        name=NAME,
        title=TITLE,
        text=TEXT,
        artefacts=(
            systems_table(pool, found, bench.seed),
            by_template(pool, found, "R@100", bench.seed),
            by_template(pool, found, "violation_rate", bench.seed),
            kinds_table(pool, found, bench.seed),
            gains_table(found, bench.seed),
            consistency_table(pool, consistent, bench.seed),
            correlation_figure(pool, consistent, bench.seed),
            coherence_figure(consistent),
            scores_figure(pool, pools, consistent),
        ),
    )


def by_template(pool: FilmPool, found: Answers, measure: str, seed: int) -> Figure:
    """Bars of some systems under each template."""
    name = measure.replace("_", " ")
    systems = [name for name in DRAWN if name in found.asked]
    return Figure(
        name=f"set-queries-{'violations' if measure == 'violation_rate' else 'recall'}",
        title=f"Set queries by template: {name}",
        caption=(
            "Share of the queries whose excluded films stand above the right ones; lower is better."
            if measure == "violation_rate"
            else "Share of a query's films among the first hundred, by how its atoms are joined."
        ),
        plot=bars(
            {one: found.asked[one].per_query[measure] for one in systems},
            templates(pool.asked.queries),
            found.asked[BASE].groups,
            name,
            baseline=BASE,
            seed=seed,
        ),
    )
