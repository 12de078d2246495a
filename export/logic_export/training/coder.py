"""CoDeR's compatibility head: batches of triplets, and two development figures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from functools import partial
from typing import Any

import numpy as np
import torch

from logic_export.data.triplet_builders import build_triplets
from logic_export.data.triplets import Triplet, read_triplets, unique_triplets, write_triplets
from logic_export.dense_retrieval import Encode, brute_force
from logic_export.losses import CompatibilityLoss
from logic_export.recipe import CompatibilityLossSettings
from logic_export.training.batches import Collator, Draw, Row, Tensors, fill_batches
from logic_export.training.encoding import TextRoles
from logic_export.training.task import Development, Figures, Task
from logic_export.training.training_data import RowFormat, shuffled_groups
from logic_retrievers.errors import ConfigurationError
from logic_retrievers.evaluation import Dataset, evaluate, load_dataset


def sample_triplets(triplets: Sequence[Triplet], most: int, seed: int) -> list[Triplet]:
    """Sample about ``most`` triplets; those over the same passages stay together."""
    sampled: list[Triplet] = []
    for group in shuffled_groups(
        triplets, lambda row: frozenset((row.satisfying, row.violating)), seed
    ):
        if len(sampled) >= most:
            break
        sampled += group
    return sampled


def triplet_row(triplet: Triplet) -> dict[str, str]:
    """Make a table row of strings; a missing violating passage becomes an empty string."""
    return {**asdict(triplet), "violating": triplet.violating or ""}


def triplet_plan(dataset: Any, size: int) -> Draw:
    """Keep triplets over the same passages in one batch.

    Each passage of a mirrored pair is then encoded once: as positive of one query and as negative
    of the other.
    """
    groups: dict[tuple[str, frozenset[str]], tuple[set[str], list[int]]] = {}
    for index, row in enumerate(dataset):
        passages = frozenset((row["satisfying"], row["violating"])) - {""}
        texts, members = groups.setdefault((row["source"], passages), (set(passages), []))
        texts.add(row["query"])
        members.append(index)
    filled = [(source, texts, members) for (source, _), (texts, members) in groups.items()]
    return lambda random: fill_batches(filled, size, random)


class TripletCollator(Collator):
    """Makes ``query_*``, ``document_*`` (each document once) and ``label``.

    The label of a query is the row of its satisfying passage among the documents.
    """

    def __call__(self, features: Sequence[Row]) -> Tensors:
        satisfying = [row["satisfying"] for row in features]
        violating = [row["violating"] for row in features if row["violating"]]
        documents = list(dict.fromkeys(satisfying + violating))
        row_of = {text: index for index, text in enumerate(documents)}
        return {
            **self._roles.tokenize(self._tokenizer, [row["query"] for row in features], documents),
            "label": torch.tensor([row_of[text] for text in satisfying]),
        }


# "constraint" is the paired accuracy where queries come in pairs, else 1 - V@5
CONSTRAINT, RECALL = "constraint", "R@5"

# deep enough for an exact paired accuracy on any development part
CONSTRAINT_DEPTH = 1000


def constraint_development(
    datasets: Sequence[Dataset],
    roles: TextRoles,
    recall_loss: float,
    documents: Encode | None = None,
) -> Development:
    """Measure :data:`CONSTRAINT` and :data:`RECALL` on data sets that label violating passages."""
    sets = {dataset.name: partial(constraint_figures, dataset) for dataset in datasets}
    score = partial(constraint_score, recall_loss=recall_loss)
    return Development(sets, roles, score, documents)


def constraint_figures(
    dataset: Dataset, encode_queries: Encode, encode_documents: Encode
) -> Figures:
    """Measure an encoder's constraint figure and recall by exact search.

    A data set without violating passages is a :class:`ConfigurationError`.
    """
    search = brute_force(dataset, encode_queries, encode_documents)
    metrics = evaluate(dataset, search, CONSTRAINT_DEPTH, resamples=1).metrics
    if "V@5" not in metrics:
        raise ConfigurationError(
            f"{dataset.name} labels no violating passages; evaluation.sets needs some that do"
        )
    return {CONSTRAINT: metrics.get("paired_accuracy", 1 - metrics["V@5"]), RECALL: metrics["R@5"]}


def constraint_score(
    measured: Sequence[Figures], base: Sequence[Figures], recall_loss: float
) -> float:
    """Return the mean constraint figure minus any loss of mean recall above ``recall_loss``.

    An encoder that avoids violations by finding nothing thus scores low.
    """
    before, after = (
        float(np.mean([figures[RECALL] for figures in sets])) for sets in (base, measured)
    )
    constraint = float(np.mean([figures[CONSTRAINT] for figures in measured]))
    return constraint - max(0.0, before - after - recall_loss)


class CompatibilityTask(Task[CompatibilityLossSettings]):
    """Trains an encoder to put satisfying passages nearer to the query than violating ones."""

    format = RowFormat(
        lambda name, options, seed: unique_triplets(build_triplets(name, options, seed)),
        sample_triplets,
        write_triplets,
        read_triplets,
    )
    row, plan = staticmethod(triplet_row), staticmethod(triplet_plan)
    collate, compute = TripletCollator, CompatibilityLoss

    def development(self) -> Development:
        evaluation = self.recipe.evaluation
        folders = [load_dataset(*name.rsplit("/", 1)) for name in evaluation.sets]
        return constraint_development(folders, self.roles, evaluation.recall_loss)
