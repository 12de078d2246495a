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
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import numpy.typing as npt
from logic_export.data.contradictions.paraphrases import paraphrase
from logic_export.data.contradictions.sources import questions

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
    find_alpha,
    ndcg,
    pool_of,
)
from logic_retrievers.evaluation.folders import data_folder
from logic_retrievers.evaluation.sides import Sides
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
    parts = {part: groups_of(part) for part in ("train", "dev", "test")}
    pools = {
        part: pool_of(parts[part], [g for name in parts if name != part for g in parts[name]])
        for part in ("dev", "test")
    }
    labels = labels_of(parts["test"])
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
    """One, two and three rule-made paraphrases of every test passage join its side in the pool.

    Those of the query's own side confuse; those of the other side contradict it like their
    originals, and are right.
    """
    parts = {part: groups_of(part) for part in ("train", "dev", "test")}
    question = labels_of(parts["test"])
    rest = [*parts["train"], *parts["dev"]]
    alpha = settings().alpha
    rows = []
    for copies in (0, 1, 2, 3):
        more = [said_again(group, copies) for group in parts["test"]]
        pool = pool_of(more, rest)
        asked = {text for group in parts["test"] for text in group.texts}
        kept = [n for n, (query, _) in enumerate(pool.queries) if pool.texts[query] in asked]
        pool = Pool(
            pool.texts,
            tuple(pool.queries[n] for n in kept),
            tuple(pool.agreeing[n] for n in kept),
        )
        found = both(pool)
        plain, ours = ndcg(found, 0), ndcg(found, alpha)
        for label, values in (("cosine", plain), ("cosine + alpha * Hoyer", ours)):
            rows.append({"paraphrases": copies, **row(label, values, plain, question)})
    return rows


def arguana() -> list[dict[str, Any]]:
    """Counter-arguments; alpha of ConflictQA dev, and found on the other half of the queries."""
    folder = data_folder() / "arguana_dev"
    documents = {r["_id"]: r["text"] for r in _lines(folder / "corpus.jsonl")}
    texts = {t: n for n, t in enumerate(dict.fromkeys(documents.values()))}
    qrels = [
        line.split("\t") for line in (folder / "qrels" / "dev.tsv").read_text().splitlines()[1:]
    ]
    said = {r["_id"]: r["text"] for r in _lines(folder / "queries.jsonl")}
    rows_of = {**texts}
    for text in said.values():
        rows_of.setdefault(text, len(rows_of))
    queries = [(rows_of[said[q]], (rows_of[documents[d]],)) for q, d, _ in qrels]
    pool = Pool(tuple(rows_of), tuple(queries), tuple(() for _ in queries))
    found = both(pool)
    plain = ndcg(found, 0)
    fixed = ndcg(found, settings().alpha)
    halves = np.arange(len(found)) % 2
    crossed = np.zeros(len(found))
    alphas = []
    for half in (0, 1):
        alpha = find_alpha([one for one, part in zip(found, halves, strict=True) if part != half])
        crossed[halves == half] = ndcg(found, alpha)[halves == half]
        alphas.append(round(alpha, 2))
    labels = [str(n) for n in range(len(found))]
    return [
        row("cosine", plain, plain, labels),
        row("alpha of ConflictQA dev", fixed, plain, labels),
        row(f"alpha of the other half ({alphas[0]}, {alphas[1]})", crossed, plain, labels),
    ]


def row(label: str, values: Any, plain: Any, groups: Sequence[str]) -> dict[str, Any]:
    """A figure with its interval, and its paired difference to plain cosine."""
    own, gain = bootstrap(np.column_stack([values, values - plain]), groups)
    return {"scored by": label, "nDCG@10": with_interval(own), "gain": with_interval(gain)}


def groups_of(part: str) -> list[Sides]:
    """The questions of a part, passages alone."""
    return questions(Path(f"conflictqa_strategyqa/{part}.jsonl.gz"), None, answers=False)


def labels_of(groups: Sequence[Sides]) -> list[str]:
    """The question of each query, in :func:`pool_of`'s order: passages of one stand together."""
    return [str(n) for n, group in enumerate(groups) for _ in group.texts]


def said_again(group: Sides, copies: int) -> Sides:
    """The group with so many paraphrases of every text on the text's own side."""
    left, right = (
        tuple(
            dict.fromkeys(
                one
                for text in side
                for one in (text, *(paraphrase(text, Random(f"{n} {text}")) for n in range(copies)))
            )
        )
        for side in (group.left, group.right)
    )
    return replace(group, left=left, right=tuple(text for text in right if text not in left))


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


def _lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


if __name__ == "__main__":
    main()
