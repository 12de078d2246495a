"""A grid over the constants of the exclusion, on train and dev parts; a search takes minutes.

python -m benchmarks.tuning

The chosen row goes into the bundle's manifest (logic_export/default_bundle.py).
"""

from __future__ import annotations

import itertools
import warnings
from collections.abc import Callable
from dataclasses import asdict, fields, replace
from typing import Any

from benchmarks.exclusion import SHIPPED, indexed
from benchmarks.report import publish
from logic_retrievers import AutoPolicy, Engine, ExclusionSettings
from logic_retrievers.errors import LongTextWarning
from logic_retrievers.evaluation import Dataset, evaluate
from logic_retrievers.evaluation.measures import Ranking
from logic_retrievers.evaluation.runner import Search
from logic_retrievers.index.ids import point_id
from logic_retrievers.policies import ExclusionPolicy, Policy, Ranked
from logic_retrievers.types import Pool

TUNING = (  # NevIR's train part is what the compatibility head was trained on
    ("excluir", "train"),
    ("excluir", "dev"),
    ("boolquestions_not", "dev"),
    ("nevir", "dev"),
)


def main() -> None:
    """Search and publish."""
    warnings.simplefilter("ignore", LongTextWarning)
    publish("tuning", tune())


def tune() -> list[dict[str, object]]:
    """A grid over the constants, on the parts for tuning; every query is searched once."""
    recorded = {part: _record(*part) for part in TUNING}
    rows = []
    for penalty, mention, whole, weight in itertools.product(
        (0.5, 0.6, 0.75, 0.9), (0.1, 0.2, 0.3), (0.4, 0.6, 0.8), (0.0, 0.2, 0.3, 0.4, 0.5, 0.6)
    ):
        settings = replace(
            SHIPPED,
            penalty=penalty,
            mention=mention,
            whole_weight=whole,
            compatibility_weight=weight,
        )
        row: dict[str, object] = dict(asdict(settings))
        for part, (dataset, answers) in recorded.items():
            metrics = evaluate(dataset, answers(settings), 10, resamples=1).metrics
            for metric in ("R@1", "R@5", "V@5"):
                row[f"{' '.join(part)} {metric}"] = round(metrics[metric], 3)
        rows.append(row)
    return sorted(rows, key=lambda row: float(str(row["excluir train V@5"])))


def _record(name: str, split: str) -> tuple[Dataset, Callable[[ExclusionSettings], Search]]:
    """A data set, and what answers its queries under any settings: they change no pool."""
    pools: dict[str, tuple[Recording, Pool]] = {}

    class Recording(ExclusionPolicy):
        def rank(self, pool: Pool, k: int) -> list[Ranked]:
            pools.setdefault(self.query.text, (self, pool))
            return super().rank(pool, k)

    class Recorder(AutoPolicy):
        def choose(self, *arguments: Any) -> Policy:
            found = super().choose(*arguments)
            if not isinstance(found, ExclusionPolicy):
                return found
            return Recording(**{one.name: getattr(found, one.name) for one in fields(found)})

    with indexed(name, split) as (dataset, index):
        texts = list(dict.fromkeys(query.text for query in dataset.queries))
        hits = Engine(index, Recorder(settings=SHIPPED)).search_many(texts, 10)
        plain = {
            text: [(hit.passage.id, hit.score) for hit in found]
            for text, found in zip(texts, hits, strict=True)
        }
    ids = {point_id(document): document for document in dataset.documents}

    def answers(settings: ExclusionSettings) -> Search:
        def ranking(text: str, k: int) -> Ranking:
            if text not in pools:
                return plain[text]
            policy, pool = pools[text]
            ranked = replace(policy, settings=settings).rank(pool, k)
            return [(ids[pool.ids[one.index]], one.score) for one in ranked]

        return lambda texts, k: [ranking(text, k) for text in texts]

    return dataset, answers


if __name__ == "__main__":
    main()
