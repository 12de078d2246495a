"""What the exclusion study compares: policies over the shipped encoder and over trained ones."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from logic_retrievers.answering import AnyPolicy
from logic_retrievers.encoders import CombinedEncoder, Encoder
from logic_retrievers.evaluation import Dataset, Result, evaluate
from logic_retrievers.policies import (
    BooleanPolicy,
    BooleanSettings,
    CoderUnionPolicy,
    SequentialPolicy,
)
from logic_retrievers.report.bm25 import bm25
from logic_retrievers.report.searching import DEPTH, Searching, searching
from logic_retrievers.report.workbench import Workbench

BASE = "base encoder"
AUTO = "auto"
SHORT = 10
"""Results that set operations are asked for: they take out the first 2k of what is ruled out."""


@dataclass(frozen=True, slots=True)
class System:
    """A policy over the vectors of a role.

    Args:
        policy: a name or an instance.
        most: length of the list that it is asked for, where it is not that of the others.
    """

    policy: AnyPolicy
    most: int | None = None


SHIPPED: Mapping[str, System] = {
    BASE: System("topical"),
    "compatibility head alone": System("compatibility"),
    "Seq, shipped head, cut": System(SequentialPolicy(cut=True)),
    "Seq, shipped head, filled": System(SequentialPolicy()),
    "CoDeR's union, shipped head, cut": System(CoderUnionPolicy(cut=True)),
    "CoDeR's union, shipped head, filled": System(CoderUnionPolicy()),
    "union of cosines": System("union"),
    "decompose-then-ensemble": System(
        BooleanPolicy(settings=BooleanSettings(combination="ensemble"))
    ),
    "set operations": System(BooleanPolicy(settings=BooleanSettings(combination="sets")), SHORT),
    AUTO: System("auto"),
}
"""Over the shipped encoder."""

WORDS: Mapping[str, System] = {
    "hybrid, ranks of both": System("hybrid"),
    f"{AUTO}, with words": System("auto"),
}
"""Over the shipped encoder and the lexical vector."""

TRAINED: Mapping[str, Mapping[str, System]] = {
    "contrastive": {"plain contrastive training": System("compatibility")},
    "coder": {
        "CoDeR's encoder alone": System("compatibility"),
        "CoDeR-Seq, cut": System(SequentialPolicy(cut=True)),
        "CoDeR-Seq, filled": System(SequentialPolicy()),
        "CoDeR-Union, cut": System(CoderUnionPolicy(cut=True)),
        "CoDeR-Union, filled": System(CoderUnionPolicy()),
    },
}
"""Role -> systems, with the role's encoder as the compatibility vector beside the shipped topical
one."""

ORDINARY: Mapping[str, Mapping[str, System]] = {
    "shipped": {
        BASE: System("topical"),
        "Seq, shipped head (alpha .5, tau .9)": System(SequentialPolicy(0.5, 0.9)),
        "CoDeR's union, shipped head (alpha .8, keep .8)": System(CoderUnionPolicy(0.8, 0.8)),
        AUTO: System("auto"),
    },
    "coder": {
        "CoDeR-Seq (alpha .5, tau .9)": System(SequentialPolicy(0.5, 0.9)),
        "CoDeR-Union (alpha .8, keep .8)": System(CoderUnionPolicy(0.8, 0.8)),
    },
}
"""On ordinary sets, with the paper's settings for them; ``shipped`` is no role."""


def absent(bench: Workbench) -> dict[str, str]:
    """System -> role, for those whose model is not there."""
    return {
        label: role
        for role, systems in TRAINED.items()
        if bench.model(role) is None
        for label in systems
    }


def encoders(bench: Workbench, roles: tuple[str, ...]) -> Iterator[tuple[str, Encoder]]:
    """``shipped`` and its encoder, then each role that is there with its vectors beside."""
    yield "shipped", bench.encoder
    for role in roles:
        trained = bench.trained(role)
        if trained is not None:
            parts = [(bench.encoder, {"topical": "topical"}), (trained, _AS_COMPATIBILITY)]
            yield role, CombinedEncoder(parts)


def measure(searched: Searching, systems: Mapping[str, System]) -> dict[str, Result]:
    """System -> result."""
    return {label: searched.measured(one.policy, label, one.most) for label, one in systems.items()}


def words(dataset: Dataset, seed: int) -> Result:
    """BM25."""
    return evaluate(dataset, bm25(dataset), DEPTH, policy="BM25", seed=seed)


def constrained(bench: Workbench, dataset: Dataset) -> dict[str, Result]:
    """Every system that is there, over a set of constraint queries."""
    results = {"BM25": words(dataset, bench.seed)}
    with searching(dataset, bench.encoder, bench.seed, lexical=True) as searched:
        results |= measure(searched, WORDS)
    for name, encoder in encoders(bench, tuple(TRAINED)):
        systems = SHIPPED if name == "shipped" else TRAINED[name]
        with searching(dataset, encoder, bench.seed) as searched:
            results |= measure(searched, systems)
    return results


def ordinary(bench: Workbench, dataset: Dataset) -> dict[str, Result]:
    """The systems that claim to leave ordinary queries alone."""
    results = {"BM25": words(dataset, bench.seed)}
    for name, encoder in encoders(bench, ("coder",)):
        with searching(dataset, encoder, bench.seed) as searched:
            results |= measure(searched, ORDINARY[name])
    return results


_AS_COMPATIBILITY = {"topical": "compatibility"}
