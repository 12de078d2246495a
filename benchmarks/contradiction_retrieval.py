"""Contradiction retrieval after SparseCL: nDCG@10 of cosine + alpha * sparsity against cosine.

python -m benchmarks.contradiction_retrieval [--head LABEL=RUN ...] [--cosine RUN]

RUN is the folder of a finished training run: of a head with another sparsity, or of the contrastive
baseline. Queries are the passages of ConflictQA's test part, right are those of the other side of
the same question, and all passages of all parts are candidates. alpha comes from the dev part.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from benchmarks.report import publish, with_interval
from logic_retrievers import CachedEncoder, Encoder, SentenceTransformerEncoder
from logic_retrievers.contradiction import ContradictionSettings
from logic_retrievers.contradiction.settings import settings_for
from logic_retrievers.encoders import default_encoder
from logic_retrievers.evaluation import bootstrap
from logic_retrievers.evaluation.contradictions import (
    HIGHEST,
    Candidates,
    Pool,
    candidates_of,
    crossed_ndcg,
    find_alpha,
    ndcg,
)
from logic_retrievers.report.contradiction_pools import (
    arguana_pool,
    conflictqa_parts,
    conflictqa_pool,
)
from logic_retrievers.scoring import MEASURES, Sparsity

CACHE = Path(".bench") / "contradiction_vectors.sqlite"
Vectors = npt.NDArray[np.float32]


def main() -> None:
    """Measure and publish."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--head", action="append", default=[], help="LABEL=RUN")
    parser.add_argument("--cosine", type=Path, help="a run of the contrastive baseline")
    options = parser.parse_args()
    heads = dict(one.split("=", 1) for one in options.head)
    publish("contradiction retrieval, ConflictQA test", conflictqa(heads, options.cosine))
    publish("contradiction retrieval, paraphrases added", with_paraphrases())
    publish("contradiction retrieval, arguana_dev", arguana())


def conflictqa(heads: dict[str, str], baseline: Path | None) -> list[dict[str, Any]]:
    """A row for each way of scoring, each beside plain cosine, paired."""
    parts = conflictqa_parts()
    asked = {part: conflictqa_pool(parts, part) for part in ("dev", "test")}
    pools = {part: one.pool for part, one in asked.items()}
    labels = asked["test"].groups
    topical = {part: vectors("topical", pool.texts) for part, pool in pools.items()}
    plain = ndcg(candidates_of(pools["test"], topical["test"], topical["test"]), 0)
    rows = [{"alpha": "-", **row("cosine", plain, plain, labels)}]

    def add(label: str, found: Mapping[str, list[Candidates]], alpha: float | str) -> None:
        weight = 0 if isinstance(alpha, str) else alpha
        rows.append({"alpha": alpha, **row(label, ndcg(found["test"], weight), plain, labels)})

    def encoded(run: Path | None = None) -> dict[str, Vectors]:
        return {part: vectors("contradiction", pool.texts, run) for part, pool in pools.items()}

    def by_sparsity(label: str, own: Mapping[str, Vectors], measure: Sparsity) -> None:
        found = {
            part: candidates_of(pool, topical[part], own[part], measure)
            for part, pool in pools.items()
        }
        add(label, found, round(find_alpha(found["dev"], highest=HIGHEST[measure]), 2))

    if baseline is not None:
        own = encoded(baseline)["test"]
        add("cosine, trained", {"test": candidates_of(pools["test"], own, own)}, "-")
    for measure in MEASURES:
        by_sparsity(f"+ {measure}, untrained", topical, measure)
    for measure in MEASURES:
        by_sparsity(f"+ {measure}", encoded(), measure)
    for name, run in heads.items():
        by_sparsity(f"+ {name}", encoded(Path(run)), _measure(Path(run)))
    return rows


def with_paraphrases() -> list[dict[str, Any]]:
    """One, two and three rule-made paraphrases of every test passage join its side in the pool."""
    parts = conflictqa_parts()
    alpha = settings().alpha
    rows = []
    for copies in (0, 1, 2, 3):
        asked = conflictqa_pool(parts, "test", copies)
        found = both(asked.pool)
        plain, ours = ndcg(found, 0), ndcg(found, alpha)
        for label, values in (("cosine", plain), ("cosine + alpha * Hoyer", ours)):
            rows.append({"paraphrases": copies, **row(label, values, plain, asked.groups)})
    return rows


def arguana() -> list[dict[str, Any]]:
    """Counter-arguments; alpha of ConflictQA dev, and found on the other half of the queries."""
    asked = arguana_pool()
    found = both(asked.pool)
    plain = ndcg(found, 0)
    fixed = ndcg(found, settings().alpha)
    crossed, alphas = crossed_ndcg(found)
    told = " and ".join(f"{alpha:.2f}" for alpha in alphas)
    return [
        row("cosine", plain, plain, asked.groups),
        row("alpha of ConflictQA dev", fixed, plain, asked.groups),
        row(f"alpha of the other half ({told})", crossed, plain, asked.groups),
    ]


def row(label: str, values: Any, plain: Any, groups: Sequence[str]) -> dict[str, Any]:
    """A figure with its interval, and its paired difference to plain cosine."""
    own, gain = bootstrap(np.column_stack([values, values - plain]), groups)
    return {"scored by": label, "nDCG@10": with_interval(own), "gain": with_interval(gain)}


def both(pool: Pool) -> list[Candidates]:
    """Candidates by the shipped encoder's two vectors."""
    topical, own = (vectors(name, pool.texts) for name in ("topical", "contradiction"))
    return candidates_of(pool, topical, own)


def settings() -> ContradictionSettings:
    """Of the shipped bundle, found on ConflictQA's dev part."""
    return settings_for(default_encoder().specs)


def vectors(name: str, texts: Sequence[str], run: Path | None = None) -> Vectors:
    """Vectors by the shipped encoder or by a run's model, kept on disk between calls."""
    CACHE.parent.mkdir(exist_ok=True)
    encoder: Encoder = (
        default_encoder()
        if run is None
        else SentenceTransformerEncoder(str(run / "model"), name=name)
    )
    return CachedEncoder(encoder, CACHE).encode_documents(list(texts), [name])[name]


def _measure(run: Path) -> Sparsity:
    measure: Sparsity = json.loads((run / "recipe.json").read_text())["loss"]["measure"]
    return measure


if __name__ == "__main__":
    main()
