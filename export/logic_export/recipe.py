"""A training recipe: one TOML file that says all that decides the result."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field, ValidationError, model_validator

from logic_export.loss_settings import (
    CompatibilityLossSettings,
    Loss,
    Part,
    Share,
    TieredSettings,
)
from logic_retrievers.errors import ConfigurationError, ReadError

Count = Annotated[int, Field(ge=1)]
Text = Annotated[str, Field(min_length=1)]


class Model(Part):
    """What is trained.

    Args:
        base: a packaged model's name, a sentence-transformers folder or a hub name.
        shared_layers: lowest layers that keep the base's weights, beside the tables of words and
            positions, which always do: these are computed once for all heads of a bundle.
        query_tokens, document_tokens: where texts are cut in training.
        query_prefix, document_prefix: put before every text, here and later.
        dropout: in training. None switched off the base's own would be too slow on a CPU and was
            not seen to help: 0 by default.
        frozen_documents: for the tiered loss: whether documents keep the base's vectors, so that
            only a query encoder is trained; true where it is left out. See
            :attr:`Recipe.frozen_documents`.
    """

    base: Text
    shared_layers: Annotated[int, Field(ge=0)] = 0
    query_tokens: Count = 64
    document_tokens: Count = 128
    query_prefix: str = ""
    document_prefix: str = ""
    dropout: Share = 0.0
    frozen_documents: bool | None = None


class Data(Part):
    """One training set.

    Args:
        builder: a name of :data:`logic_export.data.sources.BUILDERS`; for the sparse contrastive
            loss of :data:`logic_export.data.contradictions.sources.SIDE_BUILDERS`, for the
            logically informed one of :data:`logic_export.data.set_sources.SET_BUILDERS`, and for
            the tiered one of :data:`logic_export.data.tier_sources.TIER_BUILDERS`.
        licence: of the texts, SPDX where there is an identifier.
        ships: whether a model that is handed on may be trained on it.
        most: rows to draw from it, triplets over the same passages together, and queries over the
            same atoms; all where None.
        options: the builder's own settings.
    """

    builder: Text
    licence: Text
    ships: bool
    most: Count | None = None
    options: dict[str, Any] = Field(default_factory=dict)

    @property
    def label(self) -> str:
        """Builder and source: ``labelled nevir/train``."""
        return " ".join([self.builder, *map(str, self.options.values())])


class Training(Part):
    """The run.

    Args:
        epochs: passes over the data; parts of one allowed.
        batch_size: queries of a batch.
        learning_rate, warmup, weight_decay: of AdamW, with a linear way up (a share of all steps).
        schedule: what follows: ``linear``, the way down to 0, or ``constant``.
        precision: ``fp32`` or ``bf16`` (autocast, on GPU and CPU). On a processor without bf16
            arithmetic that is slower than fp32, so the recipe decides, not the machine.
        gradient_norm: gradients are cut to this length.
    """

    epochs: Annotated[float, Field(gt=0)] = 1.0
    batch_size: Annotated[int, Field(ge=2)] = 16
    learning_rate: Annotated[float, Field(gt=0)] = 2e-5
    warmup: Share = 0.1
    schedule: Literal["linear", "constant"] = "linear"
    weight_decay: Annotated[float, Field(ge=0)] = 0.01
    precision: Literal["fp32", "bf16"] = "fp32"
    gradient_norm: Annotated[float, Field(gt=0)] = 1.0


class Evaluation(Part):
    """Development figures, and when to stop.

    Args:
        sets: data sets (folder/part) with satisfying and violating passages; for the sparse
            contrastive loss files of ConflictQA's form; for the tiered one either these folders or
            files of tiers (``.jsonl``, ``.jsonl.gz``).
        documents: for the logically informed loss: how many documents of a set are searched; all
            where None.
        topical: for the same loss: whose cosine the sparsity is added to; as ``base`` of the
            model, which it is by default. A head that is trained further has to say it.
        every: steps between two measurements, each with a checkpoint.
        recall_loss: how much lower than the base's the mean R@5 may be; what is lost beyond that
            counts against the constraint figure, so that neither is bought with the other.
        patience: measurements without a better score after which the run stops; None: never.
    """

    sets: Annotated[tuple[Text, ...], Field(min_length=1)]
    documents: Count | None = None
    topical: Text | None = None
    every: Count = 200
    recall_loss: Share = 0.01
    patience: Count | None = None


class Recipe(Part):
    """The whole file.

    Args:
        name: of what comes out; also the head's.
        seed: of data, batches and arithmetic.
    """

    name: Text
    head: Text = "compatibility"
    seed: int = 0
    model: Model
    data: Annotated[tuple[Data, ...], Field(min_length=1)]
    loss: Loss = CompatibilityLossSettings()
    training: Training = Training()
    evaluation: Evaluation

    @property
    def ships(self) -> bool:
        """Whether all training data allow the model to be handed on."""
        return all(part.ships for part in self.data)

    @property
    def frozen_documents(self) -> bool:
        """Whether only a query encoder is trained, and the documents keep the base's vectors."""
        return isinstance(self.loss, TieredSettings) and self.model.frozen_documents is not False

    def smoke(self) -> Recipe:
        """The same recipe in a size that takes seconds, to see that it runs at all."""
        data = [
            part.model_copy(
                update={
                    "most": 4,
                    "options": {k: 8 if k == "count" else v for k, v in part.options.items()},
                }
            )
            for part in self.data
        ]
        return self.model_copy(
            update={
                "data": tuple(data),
                "training": self.training.model_copy(update={"epochs": 1.0, "batch_size": 4}),
                "evaluation": self.evaluation.model_copy(
                    update={"sets": self.evaluation.sets[:1], "every": 1000, "documents": 100}
                ),
            }
        )

    @model_validator(mode="after")
    def _one_name_a_set(self) -> Recipe:
        if len(set(self.evaluation.sets)) < len(self.evaluation.sets):
            raise ValueError("evaluation.sets names a set twice")
        return self

    @model_validator(mode="after")
    def _who_freezes_documents(self) -> Recipe:
        if self.model.frozen_documents is not None and not isinstance(self.loss, TieredSettings):
            raise ValueError("model.frozen_documents is a setting of the tiered loss alone")
        return self


def read_recipe(path: Path) -> Recipe:
    """Reads a recipe.

    Raises:
        ReadError: no such file, or no TOML.
        ConfigurationError: a setting that is unknown, missing or out of its range.
    """
    try:
        content = tomllib.loads(path.read_text("utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise ReadError(f"{path} cannot be read as a recipe: {error}") from error
    try:
        return Recipe.model_validate(content)
    except ValidationError as error:
        faults = [
            f"{'.'.join(map(str, fault['loc'])) or 'the recipe'}: {fault['msg']}"
            for fault in error.errors(include_url=False, include_input=False)
        ]
        raise ConfigurationError(f"{path}: {'; '.join(faults)}") from error
