"""Boolean questions: BoolQuestions' NOT questions, and AND and NOT over LIMIT's people."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from benchmarks.common.boolean_baselines import ENSEMBLE, SETS
from benchmarks.common.dataset_search import (
    AnyPolicy,
    SearchQuery,
    bm25_search,
    engine_search,
    index_dataset,
    query_templates,
)
from benchmarks.papers.limit_queries import limit_queries
from benchmarks.papers.published import BOOLQUESTIONS
from benchmarks.report.artefacts import Bars, Curve, Curves, Figure, Row, Section, Table
from benchmarks.report.cells import DIGITS, bars, column, estimates_curve, system_rows
from benchmarks.report.workbench import Study, Workbench
from logic_retrievers.evaluation import (
    Dataset,
    EvaluationResult,
    bootstrap,
    evaluate,
    load_dataset,
)
from logic_retrievers.evaluation.metrics import recall_at_k
from logic_retrievers.queries import ConstraintParser

QUESTIONS, PEOPLE = "boolquestions_not", "limit_small"
DEPTH = 10
MEASURES = ("MRR@10", "R@1", "NegRecall@10")
# Number of pairs of attributes of LIMIT's people.
PAIRS = 500
# Template -> label.
TEMPLATES = {"a_and_b": "AND", "a_not_b": "NOT"}

BM25, BASE, AUTO = "BM25", "base encoder", "auto"
OURS, HYBRID = "ours", "ours, hybrid"
# Systems that take an expression; the hybrid adds the lexical vector.
RULES: dict[str, AnyPolicy] = {
    "decompose-then-ensemble": ENSEMBLE,
    "set operations": SETS,
    OURS: "boolean",
}


def run(bench: Workbench) -> Section:
    """Evaluate every system; on LIMIT, with gold expressions too."""
    dataset = load_dataset(QUESTIONS, "test")
    results = search_in_words(bench, dataset, DEPTH)
    return Section(
        name=STUDY.name,
        title=STUDY.title,
        text=(
            "A NOT question names what it does not want. NegRecall@k is the share of the passages "
            "ruled out that stand in the first k all the same; MRR and recall tell what keeping "
            "them out costs.",
        ),
        artefacts=(
            questions_table(dataset, results, bench.seed),
            curves_figure(dataset, results, bench.seed),
            *limit_artefacts(bench),
        ),
    )


def search_in_words(bench: Workbench, dataset: Dataset, depth: int) -> dict[str, EvaluationResult]:
    """Evaluate every system on the questions in plain language."""
    words = [query.text for query in dataset.queries]
    policies = {BASE: "topical", AUTO: "auto", **RULES}
    return {
        **_bm25(dataset, depth),
        **_evaluate(bench, dataset, words, policies, depth),
        **_evaluate(bench, dataset, words, {HYBRID: "boolean"}, depth, lexical=True),
    }


def search_expressions(
    bench: Workbench, dataset: Dataset, depth: int
) -> dict[str, EvaluationResult]:
    """Evaluate every system; systems that take expressions get the gold expression."""
    words = [query.text for query in dataset.queries]
    gold = [q.text if q.expression is None else q.expression for q in dataset.queries]
    in_words = {f"{HYBRID}, in words": "boolean"}
    return {
        **_bm25(dataset, depth),
        **_evaluate(bench, dataset, words, {BASE: "topical"}, depth),
        **_evaluate(bench, dataset, gold, RULES, depth),
        **_evaluate(bench, dataset, gold, {HYBRID: "boolean"}, depth, lexical=True),
        **_evaluate(bench, dataset, words, in_words, depth, lexical=True),
    }


def _evaluate(
    bench: Workbench,
    dataset: Dataset,
    queries: Sequence[SearchQuery],
    policies: Mapping[str, AnyPolicy],
    depth: int,
    *,
    lexical: bool = False,
) -> dict[str, EvaluationResult]:
    """Evaluate the engine under each policy, over one index."""
    results = {}
    with index_dataset(dataset, bench.encoder, lexical=lexical) as index:
        for name, policy in policies.items():
            bench.log(f"{dataset.name}: {name}")
            search = engine_search(index, policy, queries)
            results[name] = evaluate(dataset, search, depth, policy=name)
    return results


def _bm25(dataset: Dataset, depth: int) -> dict[str, EvaluationResult]:
    return {BM25: evaluate(dataset, bm25_search(dataset), depth, policy=BM25)}


def questions_table(dataset: Dataset, results: Mapping[str, EvaluationResult], seed: int) -> Table:
    """Compare every system with the base; add published figures."""
    columns = {
        measure: column(
            {name: result.per_query[measure] for name, result in results.items()},
            results[BASE].groups,
            BASE,
            seed,
        )
        for measure in MEASURES
    }
    parser = ConstraintParser()
    expressions = (parser.parse(q.text).with_expression().expression for q in dataset.queries)
    parsed = sum(expression is not None for expression in expressions)
    return Table(
        name="boolean-questions",
        title="NOT questions of BoolQuestions",
        columns=("system", *MEASURES),
        rows=(*system_rows(list(results), columns), *BOOLQUESTIONS),
        baseline=BASE,
        notes=(
            f"{len(dataset.queries)} questions of the test part over "
            f"{len(dataset.documents)} passages. The parser read an expression from {parsed} of "
            "them; the others are asked as they are. In NegRecall less is better.",
        ),
        better={"NegRecall@10": "lower"},
    )


def curves_figure(dataset: Dataset, results: Mapping[str, EvaluationResult], seed: int) -> Figure:
    """Draw recall of excluded and of right passages against list length."""
    sides = {
        "NegRecall@k (lower is better)": {q.id: q.violating for q in dataset.queries},
        "R@k": {q.id: q.satisfying for q in dataset.queries},
    }
    panels = {
        title: {system: _curve(result, labels, seed) for system, result in results.items()}
        for title, labels in sides.items()
    }
    return Figure(
        name="boolean-questions-curves",
        title="Passages ruled out and right ones in the first k",
        caption="NOT questions of BoolQuestions, test part; bands are 95 % intervals.",
        plot=Curves(x_label="k", y_label="recall", panels=panels, y_limits=(0.0, 1.0)),
    )


def _curve(result: EvaluationResult, wanted: Mapping[str, frozenset[str]], seed: int) -> Curve:
    depths = range(1, DEPTH + 1)
    labelled = [query for query, labels in wanted.items() if labels]
    recalls = [[recall_at_k(result.run[q], wanted[q], k) for k in depths] for q in labelled]
    estimates = bootstrap(recalls, [result.groups[query] for query in labelled], seed=seed)
    return estimates_curve(depths, estimates, DIGITS)


def limit_artefacts(bench: Workbench) -> tuple[Table, Figure]:
    """Measure how often a right person is first, and excluded people rank below right ones."""
    dataset = limit_queries(load_dataset(PEOPLE), PAIRS, bench.seed)
    results = search_expressions(bench, dataset, len(dataset.documents))
    first = {name: result.per_query["P@1"] for name, result in results.items()}
    below = {name: violators_below(dataset, result) for name, result in results.items()}
    groups = results[BASE].groups
    labels = {name: TEMPLATES[t] for name, t in query_templates(dataset.queries).items()}
    of_first, of_below = (
        bars(values, labels, groups, label, baseline=BASE, seed=bench.seed)
        for values, label in ((first, "P@1"), (below, "all violators below"))
    )
    return limit_table(dataset, of_first, of_below), Figure(
        name="boolean-limit-first",
        title="LIMIT: a right person first",
        caption="Who likes A and B, who likes A but not B: share of the questions, 95 % intervals.",
        plot=of_first,
    )


def limit_table(dataset: Dataset, first: Bars, below: Bars) -> Table:
    """Show both measures under both templates."""
    places = [(at, bar) for at in range(len(first.labels)) for bar in (first, below)]
    heads = [f"{bar.labels[at]}: {bar.y_label}" for at, bar in places]
    return Table(
        name="boolean-limit",
        title="AND and NOT over LIMIT's people",
        columns=("system", *heads),
        rows=tuple(
            Row(cells=(name, *(bar.systems[name][at] for at, bar in places)))
            for name in first.systems
        ),
        baseline=BASE,
        notes=(
            f"{PAIRS} pairs of attributes that exactly one of {len(dataset.documents)} people has "
            "both of, and two questions for each. Whole questions for BM25 and the base; rules get "
            "the gold expression, but for the row in words, whose reading the parser makes.",
        ),
        better=dict.fromkeys(heads, "higher"),
    )


def violators_below(dataset: Dataset, result: EvaluationResult) -> dict[str, float]:
    """Map a query to 1 if all excluded people rank below all right ones, else to 0."""
    below = {}
    for query in dataset.queries:
        places = {name: place for place, name in enumerate(result.run[query.id])}
        last = max(places.get(name, len(places)) for name in query.grades)
        first = min(places.get(name, len(places)) for name in query.violating)
        below[query.id] = float(last < first)
    return below


STUDY = Study(
    name="boolean",
    title="Boolean questions (BoolQuestions, LIMIT)",
    data=(QUESTIONS, PEOPLE),
    run=run,
)
