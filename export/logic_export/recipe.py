"""A training recipe: one TOML file with every setting that determines the result."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any, Literal, TypeAlias, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from logic_retrievers.errors import ConfigurationError, ReadError
from logic_retrievers.scoring import Sparsity

Share = Annotated[float, Field(ge=0, le=1)]
Positive = Annotated[float, Field(gt=0)]
NonNegative = Annotated[float, Field(ge=0)]
Count = Annotated[int, Field(ge=1)]
Text = Annotated[str, Field(min_length=1)]


class RecipeTable(BaseModel):
    """A table of a recipe; it is immutable and refuses unknown keys."""

    model_config = ConfigDict(frozen=True, extra="forbid")


Similarity: TypeAlias = Literal[Sparsity, "cosine"]
Reduction: TypeAlias = Literal["sum", "mean"]


class LossSettings(RecipeTable):
    """Settings of a loss; they must be finite, since others would turn weights into NaN."""

    model_config = ConfigDict(allow_inf_nan=False)


class CompatibilityLossSettings(LossSettings):
    """CoDeR (Yin et al. 2026, eq. 6), over triplets.

    Args:
        beta: inverse temperature.
    """

    name: Literal["compatibility"] = "compatibility"
    beta: Positive = 20.0


class SparseContrastiveSettings(LossSettings):
    """SparseCL (Xu et al. 2024), over contradiction groups.

    Args:
        temperature: t of the paper.
        measure: measure of sparsity; ``cosine`` trains the paper's contrastive baseline.
    """

    name: Literal["sparse_contrastive"] = "sparse_contrastive"
    temperature: Positive = 0.02
    measure: Similarity = "hoyer"


class LogicallyInformedSettings(LossSettings):
    """LogiCoL (Shen et al. 2025), over groups of set queries.

    Defaults are the paper's; its released code uses weights of .05 and means.

    Args:
        random_share: alpha of the paper: the share of queries batched at random; the others stay in
            whole groups over the same atoms. 0 batches only groups, 1 only at random.
        temperature: temperature of the supervised contrastive term.
        exclusion_weight, subset_weight: weights of the terms over pairs of queries; 0 drops a term.
        exclusion_margin, subset_margin: gamma of the paper.
        exclusion_temperature: temperature of the softmax by which the exclusion term compares
            queries.
        reduction: sum or mean, over the contrastive term's queries and the subset term's documents.
    """

    name: Literal["logically_informed"] = "logically_informed"
    random_share: Share = 0.5
    temperature: Positive = 0.1
    exclusion_weight: NonNegative = 0.1
    subset_weight: NonNegative = 0.1
    exclusion_margin: NonNegative = 0.2
    subset_margin: NonNegative = 0.2
    exclusion_temperature: Positive = 1.0
    reduction: Reduction = "sum"


class TieredSettings(LossSettings):
    """LORE (Zhang et al.), over queries with candidates in three tiers.

    Defaults are the paper's; its released code uses ``alpha = 0.3`` and ``beta = 1.0``. With both 1
    the loss is InfoNCE over the same candidates, the paper's baseline.

    Args:
        temperature: temperature of the softmax over a query's candidates.
        alpha: weight of a negative.
        beta: weight of a distractor.
    """

    name: Literal["tiered"] = "tiered"
    temperature: Positive = 0.05
    alpha: Positive = 1.0
    beta: Positive = 3.0


Loss: TypeAlias = Annotated[
    CompatibilityLossSettings
    | SparseContrastiveSettings
    | LogicallyInformedSettings
    | TieredSettings,
    Field(discriminator="name"),
]


class ModelSettings(RecipeTable):
    """The model and how it reads texts.

    Args:
        base: a packaged model's name, a sentence-transformers folder or a hub name.
        shared_layers: number of lowest layers that stay frozen, as the embeddings always do. A
            bundle runs the frozen part once for all heads.
        query_tokens, document_tokens: truncation length in training.
        query_prefix, document_prefix: prepended to every text, in training and in use.
        dropout: dropout in training; replaces the base's own. Dropout did not help and slows
            training on a CPU.
        frozen_documents: with the tiered loss, whether documents keep the base's vectors and only a
            query encoder is trained; true by default.
    """

    base: Text
    shared_layers: Annotated[int, Field(ge=0)] = 0
    query_tokens: Count = 64
    document_tokens: Count = 128
    query_prefix: str = ""
    document_prefix: str = ""
    dropout: Share = 0.0
    frozen_documents: bool | None = None


class DataSettings(RecipeTable):
    """One training set.

    Args:
        builder: a name in :data:`logic_export.data.triplet_builders.BUILDERS`; with the sparse
            contrastive loss in :data:`logic_export.data.contradictions.builders.GROUP_BUILDERS`,
            with the logically informed one in :data:`logic_export.data.set_examples.SET_BUILDERS`,
            and with the tiered one in :data:`logic_export.data.tiers.builders.TIER_BUILDERS`.
        licence: licence of the texts; its SPDX identifier if it has one.
        ships: whether a model trained on these texts may be handed on.
        most: largest number of rows to sample (triplets over the same passages, and queries over
            the same atoms, stay together); None keeps all.
        options: the builder's own settings.
    """

    builder: Text
    licence: Text
    ships: bool
    most: Count | None = None
    options: dict[str, Any] = Field(default_factory=dict)

    @property
    def label(self) -> str:
        """Name the builder and its source, as in ``labelled nevir/train``."""
        return " ".join([self.builder, *_values(self.options)])


def _values(options: Mapping[str, Any]) -> Iterator[str]:
    """Yield the values of a builder's options, and of an inner builder's."""
    for value in options.values():
        if isinstance(value, Mapping):
            yield from _values(value)
        else:
            yield str(value)


class TrainingSettings(RecipeTable):
    """Settings of the trainer.

    Args:
        epochs: passes over the data; fractions are allowed.
        batch_size: number of queries in a batch.
        learning_rate, weight_decay: settings of AdamW.
        warmup: share of all steps in which the learning rate rises linearly.
        schedule: learning rate after the warm-up: ``linear`` decay to 0, or ``constant``.
        precision: ``fp32`` or ``bf16`` (autocast, on GPU and CPU). The recipe decides, since bf16
            is slower than fp32 on a processor without bf16 arithmetic.
        gradient_norm: gradients are clipped to this norm.
    """

    epochs: Positive = 1.0
    batch_size: Annotated[int, Field(ge=2)] = 16
    learning_rate: Positive = 2e-5
    warmup: Share = 0.1
    schedule: Literal["linear", "constant"] = "linear"
    weight_decay: NonNegative = 0.01
    precision: Literal["fp32", "bf16"] = "fp32"
    gradient_norm: Positive = 1.0


class EvaluationSettings(RecipeTable):
    """Development sets, and the rule for stopping early.

    Args:
        sets: data sets (folder/part) with satisfying and violating passages. With the sparse
            contrastive loss they are files in ConflictQA's format, with the tiered loss either
            such folders or files of tiers (``.jsonl``, ``.jsonl.gz``).
        documents: with the logically informed loss, number of documents searched per set; with the
            sparse contrastive one, number of questions whose passages are searched. None: all.
        topical: with the sparse contrastive loss, the model whose cosine the sparsity is added to;
            the model's ``base`` by default. Set it if ``base`` is a trained head.
        every: steps between two measurements, each with a checkpoint.
        recall_loss: how far the mean R@5 may fall below the base's. Any further loss is subtracted
            from the constraint figure, so that finding nothing is no way to avoid violations.
        patience: measurements without a better score after which the run stops; None disables it.
    """

    sets: Annotated[tuple[Text, ...], Field(min_length=1)]
    documents: Count | None = None
    topical: Text | None = None
    every: Count = 200
    recall_loss: Share = 0.01
    patience: Count | None = None


class Recipe(RecipeTable):
    """The whole recipe.

    Args:
        name: name of the trained model.
        seed: seeds data, batches and arithmetic.
    """

    name: Text
    head: Text = "compatibility"
    seed: int = 0
    model: ModelSettings
    data: Annotated[tuple[DataSettings, ...], Field(min_length=1)]
    loss: Loss = CompatibilityLossSettings()
    training: TrainingSettings = TrainingSettings()
    evaluation: EvaluationSettings

    @property
    def ships(self) -> bool:
        """Whether the licences of all training data permit to hand the model on."""
        return all(dataset.ships for dataset in self.data)

    @property
    def frozen_documents(self) -> bool:
        """Whether documents keep the base's vectors and only a query encoder is trained."""
        return isinstance(self.loss, TieredSettings) and self.model.frozen_documents is not False

    def smoke(self) -> Recipe:
        """Reduce the recipe to a run of seconds, to check that it works."""
        data = []
        for dataset in self.data:
            options = {k: 8 if k == "count" else v for k, v in dataset.options.items()}
            data.append(dataset.model_copy(update={"most": 4, "options": options}))
        training = self.training.model_copy(update={"epochs": 1.0, "batch_size": 4})
        evaluation = self.evaluation.model_copy(
            update={"sets": self.evaluation.sets[:1], "every": 1000, "documents": 25}
        )
        return self.model_copy(
            update={"data": tuple(data), "training": training, "evaluation": evaluation}
        )

    @model_validator(mode="after")
    def _check(self) -> Recipe:
        if len(set(self.evaluation.sets)) < len(self.evaluation.sets):
            raise ValueError("evaluation.sets names a set twice")
        if self.model.frozen_documents is not None and not isinstance(self.loss, TieredSettings):
            raise ValueError("model.frozen_documents is a setting of the tiered loss alone")
        return self


R = TypeVar("R", bound=RecipeTable)


def read_recipe(path: Path) -> Recipe:
    """Read the recipe of an encoder; errors as in :func:`read_toml_recipe`."""
    return read_toml_recipe(path, Recipe)


def read_toml_recipe(path: Path, kind: type[R]) -> R:
    """Read a recipe of the given kind.

    Raises:
        ReadError: the file is missing or not TOML.
        ConfigurationError: a setting is unknown, missing or out of range.
    """
    try:
        content = tomllib.loads(path.read_text("utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise ReadError(f"{path} cannot be read as a recipe: {error}") from error
    try:
        return kind.model_validate(content)
    except ValidationError as error:
        faults = [
            f"{'.'.join(map(str, fault['loc'])) or 'the recipe'}: {fault['msg']}"
            for fault in error.errors(include_url=False, include_input=False)
        ]
        raise ConfigurationError(f"{path}: {'; '.join(faults)}") from error
