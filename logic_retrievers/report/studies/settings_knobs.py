"""One setting moved at a time, on parts for tuning."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from logic_retrievers.answering import AnyPolicy
from logic_retrievers.evaluation import load_dataset
from logic_retrievers.policies import (
    AutoPolicy,
    CoderUnionPolicy,
    ExclusionSettings,
    SequentialPolicy,
    UnionPolicy,
)
from logic_retrievers.report.artefacts import Cell, Row, Table
from logic_retrievers.report.cells import shown
from logic_retrievers.report.searching import searching
from logic_retrievers.report.significance import against_in_all
from logic_retrievers.report.studies.exclusion_systems import AUTO
from logic_retrievers.report.workbench import Workbench

TUNED = (("excluir", "train"), ("nevir", "dev"))
_METRICS = {"excluir": ("R@1", "R@5", "V@5", "FVR"), "nevir": ("paired_accuracy", "R@5", "V@5")}


def knobs(exclusion: Mapping[str, float] | None) -> dict[str, AnyPolicy]:
    """Label -> policy with one setting away from its default.

    Args:
        exclusion: the encoder's constants of the exclusion.
    """
    shipped = ExclusionSettings.from_constants(exclusion or {})
    return {
        AUTO: AutoPolicy(),
        "topical": "topical",
        **{
            f"auto, penalty {penalty:g}": AutoPolicy(settings=replace(shipped, penalty=penalty))
            for penalty in (0.25, 0.5, 1.0, 1.5)
        },
        "auto, mode hard": AutoPolicy(mode="hard"),
        "auto, mode hard, cut": AutoPolicy(mode="hard", cut=True),
        "auto, compatibility_weight 0": AutoPolicy(
            settings=replace(shipped, compatibility_weight=0.0)
        ),
        **{f"auto, depth {depth}": AutoPolicy(depth=depth) for depth in (10, 30, 300)},
        "sequential": SequentialPolicy(),
        "sequential, cut": SequentialPolicy(cut=True),
        "union": UnionPolicy(),
        "union, alpha 0.7": UnionPolicy(0.7),
        "coder-union": CoderUnionPolicy(),
        "coder-union, cut": CoderUnionPolicy(cut=True),
    }


def knob_table(bench: Workbench) -> Table:
    """Figures of every knob on both parts, against auto as it is."""
    columns: list[str] = []
    cells: dict[str, list[Cell]] = {}
    for name, part in TUNED:
        dataset = load_dataset(name, part)
        with searching(dataset, bench.encoder, bench.seed) as searched:
            results = {
                label: searched.measured(policy, label)
                for label, policy in knobs(bench.encoder.specs["topical"].exclusion).items()
            }
        ps = against_in_all(results[AUTO], results, _METRICS[name], seed=bench.seed)
        columns += [f"{metric}, {dataset.name}" for metric in _METRICS[name]]
        for label, one in results.items():
            figures = [shown(one.estimates[m], ps[m][label]) for m in _METRICS[name]]
            cells.setdefault(label, []).extend(figures)
    return Table(
        name="settings-knobs",
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
