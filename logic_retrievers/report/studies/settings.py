"""What the settings trade: heat maps, trade-offs, and the lowest violations at full recall."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field

from logic_retrievers.evaluation import Dataset, Result, load_dataset
from logic_retrievers.report.artefacts import Figure, Section, Table
from logic_retrievers.report.grids import Glances, Grid, Setting, grids, lowest
from logic_retrievers.report.searching import Searching, searching
from logic_retrievers.report.studies.base import Study
from logic_retrievers.report.studies.exclusion_systems import BASE, encoders
from logic_retrievers.report.studies.settings_figures import (
    KEPT,
    heat_maps,
    lowest_table,
    trade_off,
)
from logic_retrievers.report.studies.settings_knobs import TUNED, knob_table
from logic_retrievers.report.workbench import Workbench

TUNING: Mapping[str, str] = {"excluir": "train", "nevir": "dev", "boolquestions_not": "dev"}
"""Data set -> the part that settings are chosen on. NevIR's train part trained the shipped head."""

MAPPED = ("excluir", "nevir")
"""Sets whose heat maps are drawn; the tuning part of the third holds 29 queries."""


@dataclass
class Explored:
    """One part under all settings.

    Args:
        dataset: the part.
        plain: what plain search gives.
        glances: family -> what its settings give.
        measured: family -> its chosen setting with intervals.
        baseline: plain search with intervals; None where nothing was to be measured.
    """

    dataset: Dataset
    plain: Mapping[str, float]
    glances: dict[str, Glances] = field(default_factory=dict)
    measured: dict[str, Result] = field(default_factory=dict)
    baseline: Result | None = None


def run(bench: Workbench) -> Section:
    """Measures everything."""
    maps: list[Figure] = []
    tuned: dict[str, Explored] = {}
    tested: dict[str, Explored] = {}
    chosen: dict[str, dict[str, Setting]] = {}
    families = {label: grid for label, grid, _ in _families(bench)}
    for name, part in TUNING.items():
        bench.say(f"settings: {name}/{part}")
        tuned[name] = _explore(bench, load_dataset(name, part), {})
        plain = tuned[name].plain["R@5"]
        found = {f: lowest(g, plain, KEPT) for f, g in tuned[name].glances.items()}
        chosen[name] = {family: one for family, one in found.items() if one is not None}
        bench.say(f"settings: {name}/test")
        tested[name] = _explore(bench, load_dataset(name), chosen[name])
        if name in MAPPED:
            maps += [
                heat_maps(grid, part.dataset.name, part.glances[label])
                for part in (tuned[name], tested[name])
                for label, grid in families.items()
                if label in _SHIPPED
            ]
    artefacts: list[Figure | Table] = [
        trade_off(
            {one.dataset.name: (one.plain, one.glances) for one in tested.values()}, families
        ),
        lowest_table(tested, chosen, families, bench.seed),
    ]
    bench.say("settings: one knob at a time")
    artefacts.append(knob_table(bench))
    artefacts += maps
    return Section(name=STUDY.name, title=STUDY.title, text=_TEXT, artefacts=tuple(artefacts))


_SHIPPED = ("auto", "sequential", "CoDeR's union", "union")
_CODER = {"sequential": "CoDeR-Seq", "coder-union": "CoDeR-Union"}
"""Grid -> its name over CoDeR's own encoder."""


def _families(bench: Workbench) -> Iterator[tuple[str, Grid, str]]:
    """Label, grid and encoder of every family of settings; CoDeR's where its encoder is there."""
    every = grids(bench.encoder.specs["topical"].exclusion)
    yield from ((grid.system, grid, "shipped") for grid in every)
    if bench.model("coder") is not None:
        yield from ((_CODER[one.name], one, "coder") for one in every if one.name in _CODER)


def _explore(bench: Workbench, dataset: Dataset, chosen: Mapping[str, Setting]) -> Explored:
    with ExitStack() as stack:
        opened: dict[str, Searching] = {
            name: stack.enter_context(searching(dataset, encoder, bench.seed))
            for name, encoder in encoders(bench, ("coder",))
        }
        found = Explored(dataset, opened["shipped"].glanced("topical"))
        if chosen:
            found.baseline = opened["shipped"].measured("topical", BASE)
        for label, grid, name in _families(bench):
            found.glances[label] = grid.glances(opened[name])
            if label in chosen:
                policy = grid.policy(*chosen[label])
                found.measured[label] = opened[name].measured(policy, label)
    return found


_TEXT = (
    "Every policy has settings that trade recall for fewer violations. The pools are gathered once "
    "and ranked under every setting. Settings are chosen on a part for tuning and then measured on "
    "the test part, beside what the test part itself would have chosen, which flatters.",
    "On NevIR most queries are polarity, not exclusion: auto hardly acts there, whatever its "
    "penalty, and the compatibility head does.",
)

STUDY = Study(
    name="settings",
    title="Choosing settings",
    data=tuple(dict.fromkeys([*TUNING, *(name for name, _ in TUNED)])),
    run=run,
    models=("coder",),
)
