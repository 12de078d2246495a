"""The base of the four kinds of head that a run can train."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from pathlib import Path
from typing import Any, Generic, TypeVar

from sentence_transformers import SentenceTransformer

from logic_export.losses.embedding_loss import EmbeddingLoss
from logic_export.recipe import LossSettings, Recipe
from logic_export.training.batches import Collator, Draw
from logic_export.training.development import Development
from logic_export.training.encoding import TextRoles
from logic_export.training.run_folder import TrainingSet
from logic_export.training.training_data import RowFormat, sample_training_data

S = TypeVar("S", bound=LossSettings)


class Task(ABC, Generic[S]):
    """Parts of a run that depend on the kind of head; ``settings`` are the recipe's loss table."""

    format: RowFormat[Any]
    row: Callable[[Any], dict[str, Any]]  # a training row as the trainer's table holds it
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
