"""The four kinds of head that a run can train: rows, batches, loss and development of each."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, TypeAlias

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
    LogicallyInformedSettings,
    Recipe,
    SparseContrastiveSettings,
    TieredSettings,
)
from logic_export.training import batches
from logic_export.training.development import (
    Development,
    Figures,
    constraint_development,
    contradiction_development,
    set_development,
    tier_development,
)
from logic_export.training.encoding import (
    TextRoles,
    load_trainable,
    make_encoder,
    tokenize_column,
)
from logic_export.training.run_folder import DATA, TrainingSet
from logic_export.training.training_data import (
    CONTRADICTION_GROUPS,
    SET_EXAMPLES,
    TIERED_EXAMPLES,
    TRIPLETS,
    RowFormat,
    sample_training_data,
)
from logic_retrievers.errors import ConfigurationError
from logic_retrievers.evaluation import load_dataset

Rows: TypeAlias = Callable[[Path], tuple[list[dict[str, Any]], tuple[TrainingSet, ...]]]


@dataclass(frozen=True, slots=True)
class Task:
    """Parts of a run that depend on the kind of head.

    Args:
        rows: samples the training rows into a run's folder; returns table rows and their sets.
        sampler: makes the batch sampler.
        collator: from a model and the run's folder, where documents may be stored.
        loss: from a model.
        development: from the base's figures, where known.
    """

    rows: Rows
    sampler: Callable[..., DefaultBatchSampler]
    collator: Callable[[SentenceTransformer, Path], batches.Collator]
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
    roles = TextRoles.of(recipe.model)
    beta = recipe.loss.beta
    return Task(
        _rows(recipe, TRIPLETS, batches.triplet_row),
        _sampler(batches.triplet_plan),
        lambda model, _: batches.TripletCollator(model, roles),
        lambda model: CompatibilityLoss(model, beta),
        lambda base: constraint_development(
            [load_dataset(*name.rsplit("/", 1)) for name in recipe.evaluation.sets],
            roles,
            recipe.evaluation.recall_loss,
            base,
        ),
    )


def _contradiction(recipe: Recipe, loss: SparseContrastiveSettings) -> Task:
    roles = TextRoles.of(recipe.model)
    topical = recipe.model.model_copy(
        update={"base": recipe.evaluation.topical or recipe.model.base}
    )

    def development(base: Mapping[str, Figures] | None) -> Development:
        groups_by_set = {
            name: questions(Path(name), None, answers=False)[: recipe.evaluation.documents]
            for name in recipe.evaluation.sets
        }
        return contradiction_development(
            {name: build_pool(groups) for name, groups in groups_by_set.items()},
            make_encoder(load_trainable(topical), roles.lengths[1], roles.prefixes[1]),
            roles,
            None if loss.measure == "cosine" else loss.measure,
            base,
        )

    return Task(
        _rows(recipe, CONTRADICTION_GROUPS, batches.group_row),
        _sampler(batches.contradiction_plan),
        lambda model, _: batches.ContradictionCollator(model, roles),
        lambda model: SparseContrastiveLoss(model, loss.temperature, loss.measure),
        development,
    )


def _set_queries(recipe: Recipe, loss: LogicallyInformedSettings) -> Task:
    roles = TextRoles.of(recipe.model)
    settings = loss.model_dump(exclude={"name", "random_share"})
    return Task(
        _rows(recipe, SET_EXAMPLES, batches.set_query_row),
        _sampler(partial(batches.set_plan, random_share=loss.random_share)),
        lambda model, out: batches.SetCollator(
            model, roles, read_documents(out / DOCUMENTS), recipe.seed
        ),
        lambda model: LogicallyInformedLoss(model, **settings),
        lambda base: set_development(
            [load_dataset(*name.rsplit("/", 1)) for name in recipe.evaluation.sets],
            roles,
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
        examples, used = sample_training_data(recipe.data, recipe.seed, out, TIERED_EXAMPLES)
        if recipe.frozen_documents and not (out / batches.VECTORS).is_file():
            batches.write_vectors(
                out / batches.VECTORS, batches.unique_passages(examples), base_documents()
            )
        return batches.tier_rows(examples), used

    def collator(model: SentenceTransformer, out: Path) -> batches.TierCollator:
        if recipe.frozen_documents:
            return batches.TierCollator(model, roles, batches.stored_vectors(out / batches.VECTORS))
        passages = batches.unique_passages(read_tiers(out / DATA))
        return batches.TierCollator(
            model,
            roles,
            lambda rows: tokenize_column(
                model.tokenizer,
                "document",
                [passages[row] for row in rows],
                roles.lengths[1],
                roles.prefixes[1],
            ),
        )

    def development(base: Mapping[str, Figures] | None) -> Development:
        documents = _cached(base_documents()) if recipe.frozen_documents else None
        if tiers:
            return tier_development(tiers, roles, documents, base)
        recall_loss = recipe.evaluation.recall_loss
        return constraint_development(folders, roles, recall_loss, base, documents)

    return Task(
        rows,
        _sampler(batches.tier_plan),
        collator,
        lambda model: TieredLoss(model, **loss.model_dump(exclude={"name"})),
        development,
    )


def _rows(recipe: Recipe, kind: RowFormat[Any], row: Callable[[Any], dict[str, Any]]) -> Rows:
    def rows(out: Path) -> tuple[list[dict[str, Any]], tuple[TrainingSet, ...]]:
        sampled, sets = sample_training_data(recipe.data, recipe.seed, out, kind)
        return [row(one) for one in sampled], sets

    return rows


def _sampler(plan: batches.Plan) -> Callable[..., DefaultBatchSampler]:
    return partial(batches.EpochBatchSampler, plan=plan)


def _cached(encode: Encode) -> Encode:
    """An encoder that never changes and encodes the same texts only once."""
    cache: dict[tuple[str, ...], Any] = {}

    def cached(texts: Any) -> Any:
        key = tuple(texts)
        if key not in cache:
            cache[key] = encode(texts)
        return cache[key]

    return cached
