"""NOT questions of BoolQuestions, and AND and NOT over LIMIT's people."""

from __future__ import annotations

from collections.abc import Mapping

from benchmarks.reproduction.artefacts import (
    Curve,
    Curves,
    Figure,
    Measurement,
    Row,
    Section,
    Table,
)
from benchmarks.reproduction.studies.base import Study
from benchmarks.reproduction.studies.boolean.limit import PEOPLE, limit_artefacts
from benchmarks.reproduction.studies.boolean.systems import BASE, search_in_words
from benchmarks.reproduction.table_cells import DIGITS, column, estimates_curve
from benchmarks.reproduction.workbench import Workbench
from logic_retrievers.evaluation import Dataset, EvaluationResult, bootstrap, load_dataset
from logic_retrievers.evaluation.metrics import recall_at_k
from logic_retrievers.queries import RuleParser

NAME, TITLE = "boolean", "Boolean questions (BoolQuestions, LIMIT)"
QUESTIONS = "boolquestions_not"
DEPTH = 10
MEASURES = ("MRR@10", "R@1", "NegRecall@10")
DIFFERS = (
    "BoolQuestions (Zhang et al. 2024), NOT questions on MS MARCO: distilbert-dot-v5 over a corpus "
    "of millions of passages; ours over the passages that the questions label"
)
PUBLISHED = (
    ("distilbert-dot-v5", 0.1304, 0.5462),
    ("distilbert-dot-v5, decomposed", 0.1093, 0.0385),
    ("distilbert-dot-v5, trained on NOT", 0.1371, 0.3872),
)
"""System, MRR@10 and NegRecall@10."""


def run(bench: Workbench) -> Section:
    """Evaluates every system, on LIMIT with gold expressions too."""
    dataset = load_dataset(QUESTIONS, "test")
    results = search_in_words(dataset, bench.encoder, DEPTH, bench.log)
    return Section(
        name=NAME,
        title=TITLE,
        text=(
            "A NOT question names what it does not want. NegRecall@k is the share of the passages "
            "ruled out that stand in the first k all the same; MRR and recall beside it tell what "
            "keeping them out costs.",
        ),
        artefacts=(
            questions_table(dataset, results, bench.seed),
            curves_figure(dataset, results, bench.seed),
            *limit_artefacts(bench),
        ),
    )


def questions_table(dataset: Dataset, results: Mapping[str, EvaluationResult], seed: int) -> Table:
    """Every system against the base, and published figures."""
    groups = results[BASE].groups
    columns: dict[str, Mapping[str, Measurement | None]] = {
        measure: column(
            {name: result.per_query[measure] for name, result in results.items()},
            groups,
            BASE,
            seed,
        )
        for measure in MEASURES
    }
    parser = RuleParser()
    parsed = sum(parser.parse(query.text).expression is not None for query in dataset.queries)
    return Table(
        name="boolean-questions",
        title="NOT questions of BoolQuestions",
        columns=("system", *MEASURES),
        rows=(
            *(
                Row(cells=(name, *(columns[measure][name] for measure in MEASURES)))
                for name in results
            ),
            *(
                Row(cells=(name, mrr, None, negatives), origin="published", note=DIFFERS)
                for name, mrr, negatives in PUBLISHED
            ),
        ),
        baseline=BASE,
        notes=(
            f"{len(dataset.queries)} questions of the test part over "
            f"{len(dataset.documents)} passages. The parser read an expression from {parsed} of "
            "them; the others are asked as they are. In NegRecall less is better.",
        ),
        better={"NegRecall@10": "lower"},
    )


def curves_figure(dataset: Dataset, results: Mapping[str, EvaluationResult], seed: int) -> Figure:
    """Recall of excluded and of right passages over the length of the list."""
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
    """Recall of the wanted documents at each depth."""
    depths = range(1, DEPTH + 1)
    labelled = [query for query, labels in wanted.items() if labels]
    recalls = [[recall_at_k(result.run[q], wanted[q], k) for k in depths] for q in labelled]
    estimates = bootstrap(recalls, [result.groups[query] for query in labelled], seed=seed)
    return estimates_curve(depths, estimates, DIGITS)


STUDY = Study(name=NAME, title=TITLE, data=(QUESTIONS, PEOPLE), run=run)
