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
    """Settings of a loss; must be finite, since NaN or infinity would turn weights into NaN."""

    model_config = ConfigDict(allow_inf_nan=False)


class CompatibilityLossSettings(LossSettings):
    """CoDeR (Yin et al. 2026, eq. 6), over triplets."""

    name: Literal["compatibility"] = "compatibility"
    beta: Positive = 20.0  # inverse temperature


class SparseContrastiveSettings(LossSettings):
    """SparseCL (Xu et al. 2024), over contradiction groups."""

    name: Literal["sparse_contrastive"] = "sparse_contrastive"
    temperature: Positive = 0.02  # t of the paper
    measure: Similarity = "hoyer"  # sparsity measure; ``cosine`` trains the paper's baseline


class LogicallyInformedSettings(LossSettings):
    """LogiCoL (Shen et al. 2025), over groups of set queries.

    Defaults are the paper's; its released code uses weights of .05 and means.
    """

    name: Literal["logically_informed"] = "logically_informed"
    # alpha of the paper: the share of queries batched at random; the others stay in whole groups
    random_share: Share = 0.5
    temperature: Positive = 0.1  # temperature of the supervised contrastive term
    # weights of the terms over pairs of queries; 0 drops a term
    exclusion_weight: NonNegative = 0.1
    subset_weight: NonNegative = 0.1
    # gamma_e and gamma_s of the paper
    exclusion_margin: NonNegative = 0.2
    subset_margin: NonNegative = 0.2
    exclusion_temperature: Positive = 1.0  # temperature of the softmax that compares queries
    reduction: Reduction = "sum"  # over queries (contrastive term), documents (subset term)


class TieredSettings(LossSettings):
    """LORE (Zhang et al.), over queries with candidates in three tiers.

    Defaults are the paper's; its released code uses ``alpha = 0.3`` and ``beta = 1.0``. With both 1
    the loss is InfoNCE over the same candidates, the paper's baseline.
    """

    name: Literal["tiered"] = "tiered"
    temperature: Positive = 0.05  # temperature of the softmax over a query's candidates
    alpha: Positive = 1.0  # weight of a negative
    beta: Positive = 3.0  # weight of a distractor


Loss: TypeAlias = Annotated[
    CompatibilityLossSettings
    | SparseContrastiveSettings
    | LogicallyInformedSettings
    | TieredSettings,
    Field(discriminator="name"),
]


class ModelSettings(RecipeTable):
    """The model and how it reads texts."""

    base: Text  # a packaged model's name, a sentence-transformers folder or a hub name
    # lowest layers that stay frozen, as the embeddings always do; a bundle runs the frozen part
    # once for all heads
    shared_layers: Annotated[int, Field(ge=0)] = 0
    # truncation lengths in training
    query_tokens: Count = 64
    document_tokens: Count = 128
    # prepended to every text, in training and in use
    query_prefix: str = ""
    document_prefix: str = ""
    dropout: Share = 0.0  # replaces the base's own; it did not help and slows training on a CPU
    # with the tiered loss: documents keep the base's vectors, only a query encoder is trained
    frozen_documents: bool | None = None


class DataSettings(RecipeTable):
    """One training set; the loss decides which builders it can name.

    The builders are ``BUILDERS`` in :mod:`logic_export.data.triplet_builders` (compatibility),
    ``GROUP_BUILDERS`` in :mod:`logic_export.data.contradictions.builders` (sparse contrastive),
    ``SET_BUILDERS`` in :mod:`logic_export.data.set_examples` (logically informed) and
    ``TIER_BUILDERS`` in :mod:`logic_export.data.tiers.distractor_queries` (tiered).
    """

    builder: Text
    licence: Text  # licence of the texts; an SPDX identifier if one exists
    ships: bool  # whether a model trained on these texts may be handed on
    # largest number of rows to sample (triplets over the same passages, and queries over the same
    # atoms, stay together); None keeps all
    most: Count | None = None
    options: dict[str, Any] = Field(default_factory=dict)  # options of the builder

    @property
    def label(self) -> str:
        """Name the builder and its source, as in ``labelled nevir/train``."""
        return " ".join([self.builder, *_values(self.options)])


def _values(options: Mapping[str, Any]) -> Iterator[str]:
    """Yield the values of a builder's options, including those of an inner builder."""
    for value in options.values():
        if isinstance(value, Mapping):
            yield from _values(value)
        else:
            yield str(value)


class TrainingSettings(RecipeTable):
    """Settings of the trainer, whose optimiser is AdamW."""

    epochs: Positive = 1.0  # passes over the data; fractions are allowed
    batch_size: Annotated[int, Field(ge=2)] = 16  # queries in a batch
    learning_rate: Positive = 2e-5
    warmup: Share = 0.1  # share of all steps in which the learning rate rises linearly
    schedule: Literal["linear", "constant"] = "linear"  # after the warm-up: decay to 0, or none
    weight_decay: NonNegative = 0.01
    # bf16 is autocast, on GPU and CPU; it is slower than fp32 on a CPU without bf16 arithmetic
    precision: Literal["fp32", "bf16"] = "fp32"
    gradient_norm: Positive = 1.0  # gradients are clipped to this norm


class EvaluationSettings(RecipeTable):
    """Development sets, and the rule for stopping early."""

    # data sets (folder/part) with satisfying and violating passages; the sparse contrastive loss
    # takes files in ConflictQA's format instead; the tiered loss takes files of tiers too
    sets: Annotated[tuple[Text, ...], Field(min_length=1)]
    # logically informed loss: number of documents searched per set; sparse contrastive loss:
    # number of questions whose passages are searched; None searches all
    documents: Count | None = None
    # sparse contrastive loss: model whose cosine is added to the sparsity; None takes the model's
    # base, which is wrong if that base is a trained head
    topical: Text | None = None
    every: Count = 200  # steps between two measurements, each with a checkpoint
    # how far the mean R@5 may fall below the base's; any further loss is subtracted from the
    # constraint figure, so that finding nothing does not raise the score
    recall_loss: Share = 0.01
    patience: Count | None = None  # stop after so many measurements without a better score


class Recipe(RecipeTable):
    """The whole recipe."""

    name: Text
    head: Text = "compatibility"
    seed: int = 0  # seeds data, batches and arithmetic
    model: ModelSettings
    data: Annotated[tuple[DataSettings, ...], Field(min_length=1)]
    loss: Loss = CompatibilityLossSettings()
    training: TrainingSettings = TrainingSettings()
    evaluation: EvaluationSettings

    @property
    def ships(self) -> bool:
        """Whether the licences of all training data permit handing the model on."""
        return all(dataset.ships for dataset in self.data)

    @property
    def frozen_documents(self) -> bool:
        """Whether documents keep the base's vectors and only a query encoder is trained."""
        return isinstance(self.loss, TieredSettings) and self.model.frozen_documents is not False

    @model_validator(mode="after")
    def _check(self) -> Recipe:
        if len(set(self.evaluation.sets)) < len(self.evaluation.sets):
            raise ValueError("evaluation.sets names a set twice")
        if self.model.frozen_documents is not None and not isinstance(self.loss, TieredSettings):
            raise ValueError("model.frozen_documents is a setting of the tiered loss alone")
        return self


class JudgeModelSettings(RecipeTable):
    """The model of a judge and what it learns."""

    # an encoder, or a finished judge to train further: a packaged model's name, folder or hub name
    base: Text
    # judgement (two texts: entailment, neutral, contradiction), verdict (a passage and a query:
    # satisfies, neither, violates), relevance (a query and a passage: one score), relation (two
    # passages: how the first relates to the second) or constraint (a query alone: whether it rules
    # something out, and by which words)
    labels: Literal["judgement", "verdict", "relevance", "relation", "constraint"] = "judgement"
    frozen_embeddings: bool = True  # so that the judge fits a bundle of the base
    frozen_layers: Annotated[int, Field(ge=0)] = 0  # lowest layers that are not trained
    # rank of LoRA (Hu et al. 2021): each matrix above the frozen layers changes by a product of two
    # matrices of this rank, so that a bundle with the base stores little more; 0 trains all weights
    rank: Annotated[int, Field(ge=0)] = 0
    # maximum per pair, or query, including special tokens; no more than the base's tokenizer allows
    tokens: Count = 128
    # whether the model reads the token types of its tokenizer; a bundle's trunk has none
    token_types: bool = False
    dropout: Share | None = 0.1  # during training; None keeps the base's own


class JudgeEvaluationSettings(RecipeTable):
    """Development sets of a judge; their mean score, every few steps, selects a checkpoint."""

    sets: Annotated[tuple[DataSettings, ...], Field(min_length=1)]
    every: Count = 500


class JudgeRecipe(RecipeTable):
    """The whole recipe of a pair judge."""

    name: Text
    seed: int = 0  # seeds data, batches and arithmetic
    model: JudgeModelSettings
    # builders come from logic_export.judge.builders.BUILDERS; a constraint's builders come from
    # logic_export.judge.constraint.CONSTRAINT_BUILDERS
    data: Annotated[tuple[DataSettings, ...], Field(min_length=1)]
    training: TrainingSettings = TrainingSettings(batch_size=32, learning_rate=1e-4)
    evaluation: JudgeEvaluationSettings

    @property
    def ships(self) -> bool:
        """Whether the licences of all training data permit handing the judge on."""
        return all(dataset.ships for dataset in self.data)


R = TypeVar("R", bound=RecipeTable)


def read_recipe(path: Path) -> Recipe:
    """Read the recipe of an encoder; errors as in :func:`read_toml_recipe`."""
    return read_toml_recipe(path, Recipe)


def read_judge_recipe(path: Path) -> JudgeRecipe:
    """Read the recipe of a judge; errors as in :func:`read_toml_recipe`."""
    return read_toml_recipe(path, JudgeRecipe)


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
    return parse_recipe(content, kind, str(path))


def parse_recipe(content: Mapping[str, Any], kind: type[R], source: str) -> R:
    """Check the settings of a recipe; ``source`` says in an error where they come from.

    Raises:
        ConfigurationError: a setting is unknown, missing or out of range.
    """
    try:
        return kind.model_validate(content)
    except ValidationError as error:
        faults = [
            f"{'.'.join(map(str, fault['loc'])) or 'the recipe'}: {fault['msg']}"
            for fault in error.errors(include_url=False, include_input=False)
        ]
        raise ConfigurationError(f"{source}: {'; '.join(faults)}") from error
