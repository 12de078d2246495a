"""Grid search over the constants of the exclusion policy, on train and dev parts; takes minutes.

python -m benchmarks.tuning

The chosen row goes into the bundle's manifest (logic_export/default_bundle.py).
"""

from __future__ import annotations

import itertools
import warnings
from collections.abc import Callable
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

from benchmarks.common.dataset_search import index_dataset
from benchmarks.common.output import cached_encoder, publish
from benchmarks.user_queries import USERS
from logic_retrievers import AutoPolicy, Engine, ExclusionSettings
from logic_retrievers.errors import LongTextWarning
from logic_retrievers.evaluation import Dataset, evaluate, load_dataset
from logic_retrievers.evaluation.metrics import Ranking
from logic_retrievers.evaluation.runner import Search
from logic_retrievers.index.point_format import point_id
from logic_retrievers.policies import ExclusionPolicy, Policy, Ranked
from logic_retrievers.types import CandidatePool

TUNING = (  # NevIR's train part is what the compatibility head was trained on
    ("excluir", "train"),
    ("excluir", "dev"),
    ("boolquestions_not", "dev"),
    ("nevir", "dev"),
    (USERS, "dev"),
)


def main() -> None:
    """Search and publish."""
    warnings.simplefilter("ignore", LongTextWarning)
    publish("tuning", tune())


def tune() -> list[dict[str, object]]:
    """A grid over the constants, on the parts for tuning; each query is searched once."""
    recorded = {part: _record(*part) for part in TUNING}
    rows = []
    for penalty, standout, mention, whole, weight in itertools.product(
        (0.6, 0.75, 0.9), (0.3, 0.4, 0.5), (0.2, 0.3, 0.4), (0.4, 0.5, 0.6), (0.0, 0.3, 0.5)
    ):
        settings = ExclusionSettings(
            penalty=penalty,
            standout_share=standout,
            mention_share=mention,
            whole_query_weight=whole,
            compatibility_weight=weight,
        )
        row: dict[str, object] = dict(settings.overrides())
        for dataset, answers in recorded.values():
            metrics = evaluate(dataset, answers(settings), 10, resamples=1).metrics
            for metric in ("R@1", "R@5", "V@5"):
                row[f"{dataset.name} {metric}"] = round(metrics[metric], 3)
        rows.append(row)
    return sorted(rows, key=lambda row: float(str(row["excluir/train V@5"])))


def _record(name: str | Path, split: str) -> tuple[Dataset, Callable[[ExclusionSettings], Search]]:
    """A data set and its recorded candidate pools, which no setting changes."""
    pools: dict[str, tuple[Recording, CandidatePool]] = {}

    class Recording(ExclusionPolicy):
        def rank(self, pool: CandidatePool, k: int) -> list[Ranked]:
            pools.setdefault(self.query.text, (self, pool))
            return super().rank(pool, k)

    class Recorder(AutoPolicy):
        def route(self, *arguments: Any) -> Policy:
            policy = super().route(*arguments)
            if not isinstance(policy, ExclusionPolicy):
                return policy
            return Recording(
                **{field.name: getattr(policy, field.name) for field in fields(policy)}
            )

    dataset = load_dataset(name, split)
    with index_dataset(dataset, cached_encoder()) as index:
        texts = list(dict.fromkeys(query.text for query in dataset.queries))
        hits = Engine(index, Recorder()).search_many(texts, 10)
        plain = {
            text: [(hit.passage.id, hit.score) for hit in hit_list]
            for text, hit_list in zip(texts, hits, strict=True)
        }
    ids = {point_id(document): document for document in dataset.documents}

    def answers(settings: ExclusionSettings) -> Search:
        def ranking(text: str, k: int) -> Ranking:
            if text not in pools:
                return plain[text]
            policy, pool = pools[text]
            ranked = replace(policy, settings=settings).rank(pool, k)
            return [(ids[pool.ids[hit.index]], hit.score) for hit in ranked]

        return lambda texts, k: [ranking(text, k) for text in texts]

    return dataset, answers


if __name__ == "__main__":
    main()
