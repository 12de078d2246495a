"""Whether queries that rule nothing out are left alone."""

from __future__ import annotations

from collections.abc import Sequence

from logic_retrievers.evaluation import bootstrap, compare, load_dataset
from logic_retrievers.report.artefacts import Row, Table
from logic_retrievers.report.cells import shown
from logic_retrievers.report.searching import searching
from logic_retrievers.report.significance import against, corrected
from logic_retrievers.report.studies.exclusion_systems import AUTO, BASE
from logic_retrievers.report.workbench import Workbench


def no_harm(bench: Workbench, names: Sequence[str]) -> Table:
    """Auto against plain search on ordinary sets: what it gains, how many lists stay as they are.

    Args:
        bench: data and encoder.
        names: of the sets.
    """
    cells, ps = [], []
    for name in names:
        dataset = load_dataset(name)
        with searching(dataset, bench.encoder, bench.seed) as searched:
            plain, auto = (searched.measured(policy, policy) for policy in ("topical", "auto"))
        same = [float(plain.run[query][:10] == auto.run[query][:10]) for query in plain.run]
        gained = compare(plain, auto, seed=bench.seed)
        ps.append(against(plain, {AUTO: auto}, "nDCG@10", seed=bench.seed)[AUTO])
        alike = bootstrap(same, list(plain.groups.values()), seed=bench.seed)[0]
        cells.append(
            (
                dataset.name,
                len(dataset.queries),
                shown(plain.estimates["nDCG@10"]),
                shown(auto.estimates["nDCG@10"]),
                gained["nDCG@10"],
                shown(gained["R@5"]),
                shown(alike),
            )
        )
    rows = [
        Row(cells=(*one[:4], shown(one[4], p), *one[5:]))
        for one, p in zip(cells, corrected(ps), strict=True)
    ]
    return Table(
        name="exclusion-no-harm",
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
