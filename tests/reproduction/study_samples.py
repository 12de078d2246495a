"""Studies that take no time: one table and one figure over a data folder of one file."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

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
from benchmarks.reproduction.workbench import Workbench
from logic_retrievers.encoders.base import VectorSpec
from logic_retrievers.errors import ReadError


def section(name: str, value: float = 0.5) -> Section:
    """A section with one of each."""
    table = Table(
        name=f"{name}-table",
        title="Recall",
        columns=("system", "R@5"),
        rows=(
            Row(cells=("topical", Measurement(value=value, low=0.4, high=0.6))),
            Row(cells=("auto", Measurement(value=0.8, low=0.7, high=0.9, p=0.01))),
        ),
        baseline="topical",
    )
    curve = Curve(x=(1, 2, 3), y=(0.1, value, 0.9))
    plot = Curves(x_label="k", y_label="R@k", panels={"toy": {"topical": curve}})
    figure = Figure(name=f"{name}-figure", title="Recall by depth", caption="Up.", plot=plot)
    return Section(name=name, title="A study", artefacts=(table, figure))


@dataclass
class Counted:
    """A study that counts its runs."""

    name: str = "made"
    data: tuple[str, ...] = ()
    models: tuple[str, ...] = ()
    problem: str = ""
    make: Callable[[str], Section] = section
    runs: list[int] = field(default_factory=list)

    def study(self) -> Study:
        """Runs of it are noted here."""

        def run(bench: Workbench) -> Section:
            self.runs.append(bench.seed)
            if self.problem:
                raise ReadError(self.problem)
            return self.make(self.name)

        return Study(self.name, "A study", self.data, run, self.models)


class BenchDouble(Workbench):
    """A workbench whose encoder is a name."""

    @property
    def encoder(self) -> object:  # type: ignore[override]
        """Has nothing but its specs."""
        return self

    @property
    def specs(self) -> dict[str, VectorSpec]:
        """One vector."""
        return {"topical": VectorSpec("topical", 4, 8, "fingerprint")}


def bench(folder: Path, **settings: object) -> BenchDouble:
    """A workbench that encodes nothing."""
    return BenchDouble(vectors=folder / "vectors.sqlite", **settings)  # type: ignore[arg-type]
