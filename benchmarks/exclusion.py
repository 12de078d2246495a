"""The `auto` policy against plain search: violations, recall, no harm elsewhere, and the trade-off.

python -m benchmarks.exclusion
The constants come from `python -m benchmarks.tuning`.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace

from benchmarks.report import OUT, publish, with_interval
from logic_retrievers import (
    AutoPolicy,
    CachedEncoder,
    Engine,
    ExclusionSettings,
    Hit,
    OnnxEncoder,
    Passage,
    PassageIndex,
)
from logic_retrievers.answering import AnyPolicy
from logic_retrievers.errors import LongTextWarning
from logic_retrievers.evaluation import Dataset, Result, compare, evaluate, load_dataset
from logic_retrievers.evaluation.measures import Ranking
from logic_retrievers.policies import CoderUnionPolicy, SequentialPolicy
from logic_retrievers.queries import RuleParser

CONSTRAINTS = ("excluir", "boolquestions_not", "nevir", "negconstraint", "coder_antonym")
ORDINARY = ("scifact", "cranfield", "msmarco_small")
DEPTH = 100
SHIPPED = ExclusionSettings.from_constants(OnnxEncoder().specs["topical"].exclusion or {})


def main() -> None:
    """Measure and publish."""
    warnings.simplefilter("ignore", LongTextWarning)
    publish("exclusion", [row for name in CONSTRAINTS for row in constraint_rows(name)])
    publish("exclusion-no-harm", [no_harm(name) for name in (*ORDINARY, "nevir")])
    publish(
        "exclusion-curve", [row for name in ("excluir", "boolquestions_not") for row in curve(name)]
    )


@contextmanager
def indexed(name: str, split: str = "test") -> Iterator[tuple[Dataset, PassageIndex]]:
    """A data set in an embedded index; vectors are kept for the next run."""
    OUT.mkdir(exist_ok=True)
    dataset = load_dataset(name, split)
    encoder = CachedEncoder(OnnxEncoder(), OUT / "vectors.sqlite")
    with PassageIndex.open("exclusion", encoder) as index:
        index.add(Passage(id, text) for id, text in dataset.documents.items())  # noqa: A001
        yield dataset, index


def run(dataset: Dataset, index: PassageIndex, policy: AnyPolicy, depth: int = DEPTH) -> Result:
    """The figures of one policy."""

    def ranked(texts: Sequence[str], k: int) -> list[Ranking]:
        found = Engine(index, policy).search_many(texts, k)
        return [[(hit.passage.id, hit.score) for hit in hits] for hits in found]

    return evaluate(
        dataset, ranked, depth, policy=policy if isinstance(policy, str) else policy.name
    )


def constraint_rows(name: str) -> list[dict[str, object]]:
    """Every policy on one set of constraint queries; lists that are cut apart from filled ones."""
    wanted = ("paired_accuracy", "R@1", "R@5", "R@10", "V@1", "V@2", "V@5", "FVR", "nDCG@10")
    policies: dict[str, AnyPolicy] = {"topical": "topical"}
    if OnnxEncoder().specs["compatibility"].trained:
        policies |= {
            "compatibility": "compatibility",
            "sequential": "sequential",
            "sequential, cut": SequentialPolicy(cut=True),
            "union": "union",
            "CoDeR's union": "coder-union",
            "CoDeR's union, cut": CoderUnionPolicy(cut=True),
        }
    policies["auto"] = "auto"
    with indexed(name) as (dataset, index):
        results = {label: run(dataset, index, policy) for label, policy in policies.items()}
    return [
        {
            "data set": dataset.name,
            "queries": len(dataset.queries),
            "policy": label,
            **{m: with_interval(result.estimates.get(m)) for m in wanted},
        }
        for label, result in results.items()
    ]


def no_harm(name: str) -> dict[str, object]:
    """How often the gate opens on ordinary queries, and what that costs."""
    parser = RuleParser()
    with indexed(name) as (dataset, index):
        kinds = [parser.parse(query.text).kind for query in dataset.queries]
        shut = [q.text for q, k in zip(dataset.queries, kinds, strict=True) if k != "exclusion"]
        plain = Engine(index, "topical").search_many(shut, 10)
        same = sum(map(_identical, plain, Engine(index, "auto").search_many(shut, 10)))
        results = [run(dataset, index, policy) for policy in ("topical", "auto")]
    gained = compare(*results)
    return {
        "data set": dataset.name,
        "queries": len(kinds),
        "gate shut": f"{1 - kinds.count('exclusion') / len(kinds):.4f}",
        "of these identical": f"{same} of {len(shut)}",
        "polarity": kinds.count("polarity"),
        "nDCG@10 topical": round(results[0].metrics["nDCG@10"], 4),
        "auto, gain": with_interval(gained["nDCG@10"], digits=4),
        "R@5, gain": with_interval(gained["R@5"], digits=4),
    }


def curve(name: str) -> list[dict[str, object]]:
    """V@5 against R@5 on a test part as the penalty grows."""
    rows: list[dict[str, object]] = []
    with indexed(name) as (dataset, index):
        plain = run(dataset, index, "topical", 10).metrics
        for step in (0, 1, 2, 3, 4, 5, 6, 7.5, 10, 15):
            policy = AutoPolicy(settings=replace(SHIPPED, penalty=step / 10))
            found = run(dataset, index, policy, 10).metrics
            keeps = "yes" if found["R@5"] >= 0.99 * plain["R@5"] else "no"
            figures = {m: round(found[m], 4) for m in ("V@5", "R@5", "R@1")}
            rows.append(
                {
                    "data set": dataset.name,
                    "penalty": step / 10,
                    **figures,
                    "99 % of plain R@5": keeps,
                }
            )
    return rows


def _identical(left: Sequence[Hit], right: Sequence[Hit]) -> bool:
    return [hit.to_dict() for hit in left] == [hit.to_dict() for hit in right]


if __name__ == "__main__":
    main()
