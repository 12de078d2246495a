"""SparseCL's contradiction head: contradiction groups, and development by retrieval."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import torch

from logic_export.contradiction_retrieval import (
    MAX_ALPHA,
    ContradictionPool,
    Vectors,
    build_pool,
    find_alpha,
    ndcg,
    nearest_candidates,
)
from logic_export.data.contradictions.builders import build_groups, questions
from logic_export.data.contradictions.groups import (
    ContradictionGroup,
    read_groups,
    unique_groups,
    write_groups,
)
from logic_export.dense_retrieval import Encode
from logic_export.losses import SparseContrastiveLoss
from logic_export.recipe import SparseContrastiveSettings
from logic_export.training.batches import Collator, Draw, Row, Tensors, fill_batches
from logic_export.training.encoding import TextRoles, load_trainable
from logic_export.training.task import Development, Figures, Task, mean_of
from logic_export.training.training_data import RowFormat, sample_rows
from logic_retrievers.errors import ConfigurationError
from logic_retrievers.scoring import Sparsity

# a batch is split by length, so that statements are not padded to the length of passages
PARTS = ("short", "long")


def contradiction_plan(dataset: Any, size: int) -> Draw:
    """Batch groups without common texts, so that no contradiction is another group's negative."""
    groups = [
        (str(row["source"]), {*row["left"], *row["right"]}, [index])
        for index, row in enumerate(dataset)
    ]
    return lambda random: fill_batches(groups, size, random)


class ContradictionCollator(Collator):
    """Makes ``short_*``, ``long_*`` and ``label``: (group, side) of every text."""

    def __call__(self, features: Sequence[Row]) -> Tensors:
        texts = [
            (text, group, side)
            for group, row in enumerate(features)
            for side, name in enumerate(("left", "right"))
            for text in row[name]
        ]
        texts.sort(key=lambda entry: len(entry[0]))
        third = max(1, len(texts) // 3)
        batch = {"label": torch.tensor([[group, side] for _, group, side in texts])}
        for part, entries in zip(PARTS, (texts[:third], texts[third:]), strict=True):
            part_texts = [text for text, _, _ in entries]
            batch |= self._roles.document.tokenize(self._tokenizer, part, part_texts)
        return batch


def group_row(group: ContradictionGroup) -> dict[str, Any]:
    """Make a table row."""
    return {"left": list(group.left), "right": list(group.right), "source": group.source}


NDCG, COSINE, ALPHA = "nDCG@10", "nDCG@10 of cosine alone", "alpha"

# fewer candidates per query than in use, for speed; the right texts are among the nearest
DEVELOPMENT_CANDIDATES = 100


def contradiction_development(
    pools: Mapping[str, ContradictionPool],
    topical: Encode,
    roles: TextRoles,
    measure: Sparsity | None = "hoyer",
) -> Development:
    """Measure nDCG@10 of cosine + alpha * sparsity, with alpha searched at each measurement.

    ``topical`` encodes texts for the cosines and is not trained. With ``measure`` None, the cosine
    of the trained vectors ranks alone. A pool without queries is a :class:`ConfigurationError`.
    """
    if empty := [name for name, pool in pools.items() if not pool.queries]:
        raise ConfigurationError(f"{empty[0]} holds no questions with two sides")

    def figures(pool: ContradictionPool, cosines: Vectors, _: Encode, documents: Encode) -> Figures:
        vectors = documents(pool.texts)
        if measure is None:
            candidates = nearest_candidates(pool, vectors, vectors, depth=DEVELOPMENT_CANDIDATES)
            return {NDCG: float(ndcg(candidates, 0).mean())}
        candidates = nearest_candidates(pool, cosines, vectors, measure, DEVELOPMENT_CANDIDATES)
        alpha = find_alpha(candidates, highest=MAX_ALPHA[measure])
        return {
            NDCG: float(ndcg(candidates, alpha).mean()),
            COSINE: float(ndcg(candidates, 0).mean()),
            ALPHA: alpha,
        }

    sets = {name: partial(figures, pool, topical(pool.texts)) for name, pool in pools.items()}
    return Development(sets, roles, mean_of(lambda figures: figures[NDCG]))


class ContradictionTask(Task[SparseContrastiveSettings]):
    """Trains an encoder to make vectors of contradicting texts differ in few coordinates."""

    format = RowFormat(
        lambda name, options, seed: unique_groups(build_groups(name, options, seed)),
        sample_rows,
        write_groups,
        read_groups,
    )
    row, plan = staticmethod(group_row), staticmethod(contradiction_plan)
    collate, compute = ContradictionCollator, SparseContrastiveLoss

    def development(self) -> Development:
        evaluation, measure = self.recipe.evaluation, self.settings.measure
        pools = {
            name: build_pool(questions(Path(name), None, answers=False)[: evaluation.documents])
            for name in evaluation.sets
        }
        base = evaluation.topical or self.recipe.model.base
        topical = load_trainable(self.recipe.model.model_copy(update={"base": base}))
        return contradiction_development(
            pools,
            self.roles.document.encoder(topical),
            self.roles,
            None if measure == "cosine" else measure,
        )
