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

from logic_export.contradiction_retrieval import build_pool
from logic_export.data.contradictions.builders import questions
from logic_export.data.set_examples import DOCUMENTS, read_documents
from logic_export.data.tiers.examples import read_tiers
from logic_export.data.triplet_builders import find_data_file
from logic_export.dense_retrieval import Encode
from logic_export.losses import (
    CompatibilityLoss,
    LogicallyInformedLoss,
    SparseContrastiveLoss,
    TieredLoss,
)
from logic_export.recipe import (
    CompatibilityLossSettings,
    LogicallyInformedSettings,
    Recipe,
    SparseContrastiveSettings,
    TieredSettings,
)
from logic_export.training.contradiction_batches import (
    ContradictionBatchSampler,
    ContradictionCollator,
    group_row,
)
from logic_export.training.contradiction_development import ContradictionDevelopment
from logic_export.training.development import ConstraintDevelopment, Development, Figures
from logic_export.training.encoding import TextRoles, load_trainable, make_encoder
from logic_export.training.run_folder import DATA, TrainingSet
from logic_export.training.set_batches import SetBatchSampler, SetCollator, set_query_row
from logic_export.training.set_development import SetDevelopment
from logic_export.training.tier_batches import (
    VECTORS,
    TierBatchSampler,
    TierCollator,
    cache_encoder,
    stored_vectors,
    tier_rows,
    tokenized_passages,
    unique_passages,
    write_vectors,
)
from logic_export.training.tier_development import TieredDevelopment
from logic_export.training.training_data import (
    CONTRADICTION_GROUPS,
    SET_EXAMPLES,
    TIERED_EXAMPLES,
    TRIPLETS,
    sample_training_data,
)
from logic_export.training.triplet_batches import (
    GroupedBatchSampler,
    TripletCollator,
    triplet_row,
)
from logic_retrievers.errors import ConfigurationError
from logic_retrievers.evaluation import load_dataset


@dataclass(frozen=True, slots=True)
class Task:
    """What a run needs for the kind of head it trains.

    Args:
        rows: samples the training rows into a run's folder; returns table rows and their sets.
        sampler: makes the batch sampler.
        collator: from a model and the run's folder, where documents may be stored.
        loss: from a model.
        development: from the base's figures, where known.
    """

    rows: Callable[[Path], tuple[list[dict[str, Any]], tuple[TrainingSet, ...]]]
    sampler: Callable[..., DefaultBatchSampler]
    collator: Callable[[SentenceTransformer, Path], Any]
    loss: Callable[[SentenceTransformer], nn.Module]
    development: Callable[[Mapping[str, Figures] | None], Development]


def select_task(recipe: Recipe) -> Task:
    """The task of a recipe's loss."""
    if isinstance(recipe.loss, SparseContrastiveSettings):
        return _contradiction(recipe, recipe.loss)
    if isinstance(recipe.loss, LogicallyInformedSettings):
        return _set_queries(recipe, recipe.loss)
    if isinstance(recipe.loss, TieredSettings):
        return _tiers(recipe, recipe.loss)
    return _compatibility(recipe, recipe.loss)


def _compatibility(recipe: Recipe, loss: CompatibilityLossSettings) -> Task:
    roles = TextRoles.of(recipe.model)

    def rows(out: Path) -> tuple[list[dict[str, Any]], tuple[TrainingSet, ...]]:
        triplets, sets = sample_training_data(recipe, out, TRIPLETS)
        return [triplet_row(row) for row in triplets], sets

    return Task(
        rows,
        GroupedBatchSampler,
        lambda model, _: TripletCollator(model, *roles),
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
        groups, sets = sample_training_data(recipe, out, CONTRADICTION_GROUPS)
        return [group_row(row) for row in groups], sets

    def development(base: Mapping[str, Figures] | None) -> Development:
        groups_by_set = {
            name: questions(Path(name), None, answers=False)[: recipe.evaluation.documents]
            for name in recipe.evaluation.sets
        }
        return ContradictionDevelopment(
            {name: build_pool(groups) for name, groups in groups_by_set.items()},
            make_encoder(load_trainable(topical), length, prefix),
            length,
            prefix,
            None if loss.measure == "cosine" else loss.measure,
            base,
        )

    return Task(
        rows,
        ContradictionBatchSampler,
        lambda model, _: ContradictionCollator(model, length, prefix),
        lambda model: SparseContrastiveLoss(model, loss.temperature, loss.measure),
        development,
    )


def _set_queries(recipe: Recipe, loss: LogicallyInformedSettings) -> Task:
    roles = TextRoles.of(recipe.model)

    def rows(out: Path) -> tuple[list[dict[str, Any]], tuple[TrainingSet, ...]]:
        examples, sets = sample_training_data(recipe, out, SET_EXAMPLES)
        return [set_query_row(row) for row in examples], sets

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
    roles = TextRoles.of(recipe.model)
    sets = recipe.evaluation.sets
    of_tiers = [name.endswith((".jsonl", ".jsonl.gz")) for name in sets]
    if any(of_tiers) != all(of_tiers):
        raise ConfigurationError("evaluation.sets are files of tiers or folders, not both")
    # read now: a missing name should fail before all documents are encoded
    tiers = {name: read_tiers(find_data_file(Path(name))) for name in sets if all(of_tiers)}
    folders = [load_dataset(*name.rsplit("/", 1)) for name in sets if not any(of_tiers)]

    def base_documents() -> Encode:
        return roles.encodings(load_trainable(recipe.model))[1]

    def rows(out: Path) -> tuple[list[dict[str, Any]], tuple[TrainingSet, ...]]:
        examples, used = sample_training_data(recipe, out, TIERED_EXAMPLES)
        if recipe.frozen_documents and not (out / VECTORS).is_file():
            write_vectors(out / VECTORS, unique_passages(examples), base_documents())
        return tier_rows(examples), used

    def collator(model: SentenceTransformer, out: Path) -> TierCollator:
        if recipe.frozen_documents:
            documents = stored_vectors(out / VECTORS)
        else:
            passages = unique_passages(read_tiers(out / DATA))
            documents = tokenized_passages(
                passages, model.tokenizer, roles.lengths[1], roles.prefixes[1]
            )
        return TierCollator(model, documents, roles.lengths[0], roles.prefixes[0])

    def development(base: Mapping[str, Figures] | None) -> Development:
        documents = cache_encoder(base_documents()) if recipe.frozen_documents else None
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
