"""Systems of the exclusion study: policies over the shipped encoder and over trained ones."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from benchmarks.common.boolean_baselines import ENSEMBLE, SETS
from benchmarks.common.dataset_search import DEPTH, DatasetSearch, bm25_search, open_dataset_search
from benchmarks.common.exclusion_baselines import exclusion_baselines
from benchmarks.reproduction.workbench import Workbench
from logic_retrievers.encoders import CombinedEncoder, Encoder
from logic_retrievers.evaluation import Dataset, EvaluationResult, evaluate
from logic_retrievers.policies import CoderUnionPolicy, SequentialPolicy
from logic_retrievers.ranking.query_input import AnyPolicy

BASE = "base encoder"
AUTO = "auto"
SHORT = 10
"""List length of set operations, which remove the first 2k passages of every excluded part."""


@dataclass(frozen=True, slots=True)
class System:
    """A policy over the vectors of a role.

    Args:
        policy: a name or an instance.
        most: length of its list, if shorter than that of the others.
    """

    policy: AnyPolicy
    most: int | None = None


SHIPPED: Mapping[str, System] = {
    BASE: System("topical"),
    "compatibility head alone": System("compatibility"),
    "Seq, shipped head, not back-filled": System(SequentialPolicy(backfill=False)),
    "Seq, shipped head, back-filled": System(SequentialPolicy()),
    "CoDeR's union, shipped head, not back-filled": System(CoderUnionPolicy(backfill=False)),
    "CoDeR's union, shipped head, back-filled": System(CoderUnionPolicy()),
    "union of cosines": System("union"),
    "decompose-then-ensemble": System(ENSEMBLE),
    "set operations": System(SETS, SHORT),
    **{name: System(router) for name, router in exclusion_baselines().items()},
    AUTO: System("auto"),
}
"""Over the shipped encoder."""

WORDS: Mapping[str, System] = {
    "hybrid, scores of both": System("hybrid"),
    f"{AUTO}, with words": System("auto"),
}
"""Over the shipped encoder and the lexical vector."""

TRAINED: Mapping[str, Mapping[str, System]] = {
    "contrastive": {"plain contrastive training": System("compatibility")},
    "coder": {
        "CoDeR's encoder alone": System("compatibility"),
        "CoDeR-Seq, not back-filled": System(SequentialPolicy(backfill=False)),
        "CoDeR-Seq, back-filled": System(SequentialPolicy()),
        "CoDeR-Union, not back-filled": System(CoderUnionPolicy(backfill=False)),
        "CoDeR-Union, back-filled": System(CoderUnionPolicy()),
    },
}
"""Role -> systems, with the role's encoder as the compatibility vector."""

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
"""Role (or ``shipped``) -> systems on ordinary sets, with the paper's settings for them."""


def absent_systems(bench: Workbench) -> dict[str, str]:
    """System -> role, for systems without a model."""
    return {
        label: role
        for role, systems in TRAINED.items()
        if bench.model(role) is None
        for label in systems
    }


def encoders(bench: Workbench, roles: tuple[str, ...]) -> Iterator[tuple[str, Encoder]]:
    """``shipped`` and its encoder, then each available role and its combined encoder."""
    yield "shipped", bench.encoder
    for role in roles:
        trained = bench.trained(role)
        if trained is not None:
            parts = [(bench.encoder, {"topical": "topical"}), (trained, _AS_COMPATIBILITY)]
            yield role, CombinedEncoder(parts)


def measure(searched: DatasetSearch, systems: Mapping[str, System]) -> dict[str, EvaluationResult]:
    """Results of the systems."""
    return {
        label: searched.evaluate(system.policy, label, system.most)
        for label, system in systems.items()
    }


def bm25_result(dataset: Dataset, seed: int) -> EvaluationResult:
    """The result of BM25."""
    return evaluate(dataset, bm25_search(dataset), DEPTH, policy="BM25", seed=seed)


def constrained_results(bench: Workbench, dataset: Dataset) -> dict[str, EvaluationResult]:
    """Results of every available system over a set of constraint queries."""
    results = {"BM25": bm25_result(dataset, bench.seed)}
    with open_dataset_search(dataset, bench.encoder, bench.seed, lexical=True) as searched:
        results |= measure(searched, WORDS)
    for name, encoder in encoders(bench, tuple(TRAINED)):
        systems = SHIPPED if name == "shipped" else TRAINED[name]
        with open_dataset_search(dataset, encoder, bench.seed) as searched:
            results |= measure(searched, systems)
    return results


def ordinary_results(bench: Workbench, dataset: Dataset) -> dict[str, EvaluationResult]:
    """Results of the systems that should leave ordinary queries unchanged."""
    results = {"BM25": bm25_result(dataset, bench.seed)}
    for name, encoder in encoders(bench, ("coder",)):
        with open_dataset_search(dataset, encoder, bench.seed) as searched:
            results |= measure(searched, ORDINARY[name])
    return results


_AS_COMPATIBILITY = {"topical": "compatibility"}
