"""What differs between the heads that a run can train: rows, batches, loss and development."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from sentence_transformers import SentenceTransformer
from sentence_transformers.base.sampler import DefaultBatchSampler
from torch import nn

from logic_export.data.contradictions.sources import questions
from logic_export.data.set_examples import DOCUMENTS, read_documents
from logic_export.data.sources import place
from logic_export.data.tiers.examples import read_tiers
from logic_export.loss_settings import (
    CompatibilityLossSettings,
    LogicallyInformedSettings,
    SparseContrastiveSettings,
    TieredSettings,
)
from logic_export.losses import (
    CompatibilityLoss,
    LogicallyInformedLoss,
    SparseContrastiveLoss,
    TieredLoss,
)
from logic_export.recipe import Recipe
from logic_export.retrieval import Encode
from logic_export.training import batches, sides
from logic_export.training.card import TrainingSet
from logic_export.training.constraints import ConstraintDevelopment
from logic_export.training.development import Development, Figures, encoding
from logic_export.training.drawing import EXAMPLES, SIDES, TIERS, TRIPLETS, drawn
from logic_export.training.folder import DATA
from logic_export.training.model import prepared
from logic_export.training.opposition import ContradictionDevelopment
from logic_export.training.roles import Roles
from logic_export.training.sets.batches import SetBatchSampler
from logic_export.training.sets.collator import SetCollator
from logic_export.training.sets.collator import to_row as set_row
from logic_export.training.sets.development import SetDevelopment
from logic_export.training.tiers.batches import TierBatchSampler, TierCollator
from logic_export.training.tiers.development import TieredDevelopment
from logic_export.training.tiers.documents import VECTORS, free, frozen, once, write_vectors
from logic_export.training.tiers.rows import passages_of, to_rows
from logic_retrievers.errors import ConfigurationError
from logic_retrievers.evaluation import load_dataset
from logic_retrievers.evaluation.contradictions import pool_of


@dataclass(frozen=True, slots=True)
class Task:
    """All that a run asks of the kind of head it trains.

    Args:
        rows: draws the training rows of a run's folder, as a table has them, and their sets.
        sampler: makes the batches' sampler.
        collator: of a model, and the run's folder, where the rows may have left their documents.
        loss: of a model.
        development: with the base's figures where they are known.
    """

    rows: Callable[[Path], tuple[list[dict[str, Any]], tuple[TrainingSet, ...]]]
    sampler: Callable[..., DefaultBatchSampler]
    collator: Callable[[SentenceTransformer, Path], Any]
    loss: Callable[[SentenceTransformer], nn.Module]
    development: Callable[[Mapping[str, Figures] | None], Development]


def task_of(recipe: Recipe) -> Task:
    """The task that a recipe's loss says."""
    if isinstance(recipe.loss, SparseContrastiveSettings):
        return _contradiction(recipe, recipe.loss)
    if isinstance(recipe.loss, LogicallyInformedSettings):
        return _set_queries(recipe, recipe.loss)
    if isinstance(recipe.loss, TieredSettings):
        return _tiers(recipe, recipe.loss)
    return _compatibility(recipe, recipe.loss)


def _compatibility(recipe: Recipe, loss: CompatibilityLossSettings) -> Task:
    roles = Roles.of(recipe.model)

    def rows(out: Path) -> tuple[list[dict[str, Any]], tuple[TrainingSet, ...]]:
        triplets, sets = drawn(recipe, out, TRIPLETS)
        return [batches.to_row(row) for row in triplets], sets

    return Task(
        rows,
        batches.GroupedBatchSampler,
        lambda model, _: batches.TripletCollator(model, *roles),
        lambda model: CompatibilityLoss(model, loss.beta),
        lambda base: ConstraintDevelopment(
            [load_dataset(*name.rsplit("/", 1)) for name in recipe.evaluation.sets],
            *roles,
            recipe.evaluation.recall_loss,
            base,
        ),
    )


def _contradiction(recipe: Recipe, loss: SparseContrastiveSettings) -> Task:
    settings = recipe.model
    length, prefix = settings.document_tokens, settings.document_prefix
    topical = settings.model_copy(update={"base": recipe.evaluation.topical or settings.base})

    def rows(out: Path) -> tuple[list[dict[str, Any]], tuple[TrainingSet, ...]]:
        groups, sets = drawn(recipe, out, SIDES)
        return [sides.to_row(row) for row in groups], sets

    def development(base: Mapping[str, Figures] | None) -> Development:
        asked = {n: questions(Path(n), None, answers=False) for n in recipe.evaluation.sets}
        return ContradictionDevelopment(
            {name: pool_of(groups) for name, groups in asked.items()},
            encoding(prepared(topical), length, prefix),
            length,
            prefix,
            None if loss.measure == "cosine" else loss.measure,
            base,
        )

    return Task(
        rows,
        sides.SidesBatchSampler,
        lambda model, _: sides.SidesCollator(model, length, prefix),
        lambda model: SparseContrastiveLoss(model, loss.temperature, loss.measure),
        development,
    )


def _set_queries(recipe: Recipe, loss: LogicallyInformedSettings) -> Task:
    roles = Roles.of(recipe.model)

    def rows(out: Path) -> tuple[list[dict[str, Any]], tuple[TrainingSet, ...]]:
        examples, sets = drawn(recipe, out, EXAMPLES)
        return [set_row(row) for row in examples], sets

    return Task(
        rows,
        partial(SetBatchSampler, random_share=loss.random_share),
        lambda model, out: SetCollator(model, read_documents(out / DOCUMENTS), *roles, recipe.seed),
        lambda model: LogicallyInformedLoss(
            model, **loss.model_dump(exclude={"name", "random_share"})
        ),
        lambda base: SetDevelopment(
            [load_dataset(*name.rsplit("/", 1)) for name in recipe.evaluation.sets],
            *roles,
            recipe.evaluation.documents,
            base,
        ),
    )


def _tiers(recipe: Recipe, loss: TieredSettings) -> Task:
    roles = Roles.of(recipe.model)
    sets = recipe.evaluation.sets
    of_tiers = [name.endswith((".jsonl", ".jsonl.gz")) for name in sets]
    if any(of_tiers) != all(of_tiers):
        raise ConfigurationError("evaluation.sets are files of tiers or folders, not both")
    # read at once: a name that is not there would show when all documents are encoded
    tiers = {name: read_tiers(place(Path(name))) for name in sets if all(of_tiers)}
    folders = [load_dataset(*name.rsplit("/", 1)) for name in sets if not any(of_tiers)]

    def base_documents() -> Encode:
        return roles.encodings(prepared(recipe.model))[1]

    def rows(out: Path) -> tuple[list[dict[str, Any]], tuple[TrainingSet, ...]]:
        examples, used = drawn(recipe, out, TIERS)
        if recipe.frozen_documents and not (out / VECTORS).is_file():
            write_vectors(out / VECTORS, passages_of(examples), base_documents())
        return to_rows(examples), used

    def collator(model: SentenceTransformer, out: Path) -> TierCollator:
        if recipe.frozen_documents:
            documents = frozen(out / VECTORS)
        else:
            passages = passages_of(read_tiers(out / DATA))
            documents = free(passages, model.tokenizer, roles.lengths[1], roles.prefixes[1])
        return TierCollator(model, documents, roles.lengths[0], roles.prefixes[0])

    def development(base: Mapping[str, Figures] | None) -> Development:
        documents = once(base_documents()) if recipe.frozen_documents else None
        if tiers:
            return TieredDevelopment(tiers, *roles, documents, base)
        recall_loss = recipe.evaluation.recall_loss
        return ConstraintDevelopment(folders, *roles, recall_loss, base, documents)

    return Task(
        rows,
        TierBatchSampler,
        collator,
        lambda model: TieredLoss(model, **loss.model_dump(exclude={"name"})),
        development,
    )
