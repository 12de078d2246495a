"""The losses that a recipe chooses from, and their settings."""

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field

Share = Annotated[float, Field(ge=0, le=1)]


class Part(BaseModel):
    """A table of a recipe."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class CompatibilityLossSettings(Part):
    """CoDeR eq. 6, over triplets.

    Args:
        beta: inverse temperature.
    """

    name: Literal["compatibility"] = "compatibility"
    beta: Annotated[float, Field(gt=0)] = 20.0


class SparseContrastiveSettings(Part):
    """SparseCL, over groups of two sides.

    Args:
        temperature: t of the paper.
        measure: of sparsity; ``cosine`` trains the paper's contrastive baseline.
    """

    name: Literal["sparse_contrastive"]
    temperature: Annotated[float, Field(gt=0)] = 0.02
    measure: Literal["hoyer", "l2_l1", "kappa4", "cosine"] = "hoyer"


class LogicallyInformedSettings(Part):
    """LogiCoL, over groups of set queries.

    The paper's are the defaults; its released code has weights of .05 and takes means.

    Args:
        random_share: alpha of the paper: the share of the queries that are batched at random, the
            others in whole groups of the same atoms. 0: all groups; 1: all at random.
        temperature: of the supervised contrastive term.
        exclusion_weight, subset_weight: of the terms about pairs of queries; 0 leaves one out.
        exclusion_margin, subset_margin: gamma of the paper.
        exclusion_temperature: of the softmax that exclusive queries are to differ in.
        reduction: over the queries of the contrastive term and the documents of the subset term.
    """

    name: Literal["logically_informed"]
    random_share: Share = 0.5
    temperature: Annotated[float, Field(gt=0)] = 0.1
    exclusion_weight: Annotated[float, Field(ge=0)] = 0.1
    subset_weight: Annotated[float, Field(ge=0)] = 0.1
    exclusion_margin: Annotated[float, Field(ge=0)] = 0.2
    subset_margin: Annotated[float, Field(ge=0)] = 0.2
    exclusion_temperature: Annotated[float, Field(gt=0)] = 1.0
    reduction: Literal["sum", "mean"] = "sum"


class TieredSettings(Part):
    """LORE, over queries with candidates in three tiers.

    The paper's are the defaults; its released code has ``alpha = 0.3`` and ``beta = 1.0``. Both 1:
    InfoNCE over the same candidates, the paper's baseline.

    Args:
        temperature: of the softmax over a query's candidates.
        alpha: weight of a negative.
        beta: weight of a distractor.
    """

    name: Literal["tiered"]
    temperature: Annotated[float, Field(gt=0)] = 0.05
    alpha: Annotated[float, Field(gt=0)] = 1.0
    beta: Annotated[float, Field(gt=0)] = 3.0


Loss: TypeAlias = Annotated[
    CompatibilityLossSettings
    | SparseContrastiveSettings
    | LogicallyInformedSettings
    | TieredSettings,
    Field(discriminator="name"),
]
