"""Whether auto leaves queries without an exclusion unchanged."""

from __future__ import annotations

from collections.abc import Sequence

from benchmarks.common.dataset_search import open_dataset_search
from benchmarks.reproduction.artefacts import Row, Table
from benchmarks.reproduction.studies.exclusion.systems import AUTO, BASE
from benchmarks.reproduction.table_cells import estimate_cell
from benchmarks.reproduction.workbench import Workbench
from logic_retrievers.evaluation import bootstrap, compare, load_dataset
from logic_retrievers.evaluation.statistics import holm


def ordinary_table(bench: Workbench, names: Sequence[str]) -> Table:
    """Auto against plain search on ordinary sets: gains, and share of unchanged lists.

    Args:
        bench: data and encoder.
        names: of the sets.
    """
    cells, ps = [], []
    for name in names:
        dataset = load_dataset(name)
        with open_dataset_search(dataset, bench.encoder, bench.seed) as searched:
            plain, auto = (searched.evaluate(policy, policy) for policy in ("topical", "auto"))
        same = [float(plain.run[query][:10] == auto.run[query][:10]) for query in plain.run]
        gained = compare(plain, {AUTO: auto}, seed=bench.seed)[AUTO]
        ps.append(gained["nDCG@10"].p)
        alike = bootstrap(same, list(plain.groups.values()), seed=bench.seed)[0]
        cells.append(
            (
                dataset.name,
                len(dataset.queries),
                estimate_cell(plain.estimates["nDCG@10"]),
                estimate_cell(auto.estimates["nDCG@10"]),
                gained["nDCG@10"].difference,
                estimate_cell(gained["R@5"].difference),
                estimate_cell(alike),
            )
        )
    rows = [
        Row(cells=(*cell[:4], estimate_cell(cell[4], p), *cell[5:]))
        for cell, p in zip(cells, holm(ps), strict=True)
    ]
    return Table(
        name="exclusion-ordinary",
        title="Ordinary queries under auto",
        columns=(
            "data set",
            "queries",
            f"nDCG@10, {BASE}",
            f"nDCG@10, {AUTO}",
            "gain in nDCG@10",
            "gain in R@5",
            "first ten identical",
        ),
        rows=tuple(rows),
        notes=("p: of the gain in nDCG@10, corrected after Holm over the sets.",),
    )
