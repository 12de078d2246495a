"""Policies with one setting changed, on parts for tuning."""

from __future__ import annotations

from benchmarks.common.dataset_search import open_dataset_search
from benchmarks.reproduction.artefacts import Cell, Row, Table
from benchmarks.reproduction.studies.exclusion.systems import AUTO
from benchmarks.reproduction.table_cells import corrected_p, estimate_cell
from benchmarks.reproduction.workbench import Workbench
from logic_retrievers.evaluation import compare, load_dataset
from logic_retrievers.policies import (
    AutoPolicy,
    CoderUnionPolicy,
    ExclusionSettings,
    SequentialPolicy,
    UnionPolicy,
)
from logic_retrievers.ranking.query_input import AnyPolicy

TUNED = (("excluir", "train"), ("nevir", "dev"))
_METRICS = {"excluir": ("R@1", "R@5", "V@5", "FVR"), "nevir": ("paired_accuracy", "R@5", "V@5")}


def single_settings() -> dict[str, AnyPolicy]:
    """Label -> policy with one setting changed."""
    return {
        AUTO: AutoPolicy(),
        "topical": "topical",
        **{
            f"auto, penalty {penalty:g}": AutoPolicy(settings=ExclusionSettings(penalty=penalty))
            for penalty in (0.25, 0.5, 1.0, 1.5)
        },
        "auto, compatibility_weight 0": AutoPolicy(
            settings=ExclusionSettings(compatibility_weight=0.0)
        ),
        **{f"auto, limit {limit}": AutoPolicy(limit=limit) for limit in (10, 30, 300)},
        "sequential": SequentialPolicy(),
        "sequential, not back-filled": SequentialPolicy(backfill=False),
        "union": UnionPolicy(),
        "union, alpha 0.7": UnionPolicy(0.7),
        "coder-union": CoderUnionPolicy(),
        "coder-union, not back-filled": CoderUnionPolicy(backfill=False),
    }


def single_settings_table(bench: Workbench) -> Table:
    """Figures of every policy on both parts, against auto with its defaults."""
    columns: list[str] = []
    cells: dict[str, list[Cell]] = {}
    for name, part in TUNED:
        dataset = load_dataset(name, part)
        with open_dataset_search(dataset, bench.encoder, bench.seed) as searched:
            results = {
                label: searched.evaluate(policy, label)
                for label, policy in single_settings().items()
            }
        comparisons = compare(results[AUTO], results, _METRICS[name], seed=bench.seed)
        columns += [f"{metric}, {dataset.name}" for metric in _METRICS[name]]
        for label, result in results.items():
            figures = [
                estimate_cell(result.estimates[metric], corrected_p(comparisons, label, metric))
                for metric in _METRICS[name]
            ]
            cells.setdefault(label, []).extend(figures)
    return Table(
        name="settings-single",
        title="One setting at a time",
        columns=("setting", *columns),
        rows=tuple(Row(cells=(label, *figures)) for label, figures in cells.items()),
        baseline=AUTO,
        notes=(
            "Parts for tuning, on which auto's constants were chosen; ExcluIR's train part did not "
            f"train the shipped head. p: against {AUTO} as it is, corrected over the rows. A list "
            "that is cut is shorter than ten, which lowers V@k for nothing.",
        ),
    )
