"""The base of the four kinds of head that a run can train, and of their development figures.

Development figures select the checkpoint of a run and stop it early.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Generic, TypeAlias, TypeVar

import numpy as np
from sentence_transformers import SentenceTransformer
from sentence_transformers.base.evaluation import BaseEvaluator

from logic_export.dense_retrieval import Encode
from logic_export.losses.embedding_loss import EmbeddingLoss
from logic_export.recipe import LossSettings, Recipe
from logic_export.training.batches import Collator, Draw
from logic_export.training.encoding import TextRoles
from logic_export.training.run_folder import TrainingSet
from logic_export.training.training_data import RowFormat, sample_training_data

S = TypeVar("S", bound=LossSettings)
SCORE = "score"
Figures: TypeAlias = dict[str, float]
Measured: TypeAlias = dict[str, Figures]


class Development(BaseEvaluator):
    """Measures a model on development sets, as the trainer expects it.

    Args:
        sets: name -> function that measures a query encoder and a document encoder.
        roles: lengths and prefixes of queries and documents.
        score: computes one number (higher is better) from two lists with figures of each set: the
            model's, and those before training (``base``).
        documents: encodes documents; None takes the measured model.
    """

    def __init__(
        self,
        sets: Mapping[str, Callable[[Encode, Encode], Figures]],
        roles: TextRoles,
        score: Callable[[Sequence[Figures], Sequence[Figures]], float],
        documents: Encode | None = None,
    ) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.primary_metric = SCORE
        # figures before training; while None, the first call sets them
        self.base: Measured | None = None
        self._sets, self._roles, self._score, self._documents = sets, roles, score, documents

    def __call__(self, model: Any, *_: Any, **__: Any) -> dict[str, float]:
        """Return ``score``, and every figure of every set as ``SET FIGURE``."""
        measured = self.measure(model)
        self.base = self.base or measured
        return {
            SCORE: self.score(measured, self.base),
            **{
                f"{name} {figure}": value
                for name, figures in measured.items()
                for figure, value in figures.items()
            },
        }

    def measure(self, model: SentenceTransformer) -> Measured:
        queries = self._roles.query.encoder(model)
        documents = self._documents or self._roles.document.encoder(model)
        return {name: figures(queries, documents) for name, figures in self._sets.items()}

    def score(self, measured: Mapping[str, Figures], base: Mapping[str, Figures]) -> float:
        return self._score(list(measured.values()), list(base.values()))


def mean_of(quality: Callable[[Figures], float]) -> Callable[..., float]:
    """Make a score that is the mean of ``quality`` over the sets; it ignores the base."""
    return lambda measured, _: float(np.mean([quality(figures) for figures in measured]))


class Task(ABC, Generic[S]):
    """Parts of a run that depend on the kind of head; ``settings`` are the recipe's loss table."""

    format: RowFormat[Any]
    row: Callable[[Any], dict[str, Any]]  # converts a training row for the trainer's table
    plan: Callable[[Any, int], Draw]  # see EpochBatchSampler
    collate: type[Collator]
    compute: type[EmbeddingLoss[S]]

    def __init__(self, recipe: Recipe, settings: S) -> None:
        self.recipe, self.settings, self.roles = recipe, settings, TextRoles.of(recipe.model)

    def rows(self, out: Path) -> tuple[list[dict[str, Any]], tuple[TrainingSet, ...]]:
        """Sample the training rows into a run's folder; return table rows and their sets."""
        sampled, sets = sample_training_data(self.recipe.data, self.recipe.seed, out, self.format)
        return self.table(sampled), sets

    def table(self, rows: list[Any]) -> list[dict[str, Any]]:
        return [self.row(row) for row in rows]

    def collator(self, model: SentenceTransformer, out: Path) -> Collator:  # noqa: ARG002
        """Return the collator; some kinds read documents from the run's folder ``out``."""
        return self.collate(model, self.roles)

    def loss(self, model: SentenceTransformer) -> EmbeddingLoss[S]:
        return self.compute(model, self.settings)

    @abstractmethod
    def development(self) -> Development:
        """Return the measurement on the recipe's development sets."""
