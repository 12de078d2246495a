"""Pure numpy mathematics of retrieval, independent of encoders, indexes and policies."""

from logic_retrievers.scoring.fusion import (
    mixed_cosines,
    ordinal_ranks,
    ranking,
    reciprocal_ranks,
)
from logic_retrievers.scoring.similarity import (
    MEASURES,
    Sparsity,
    cosine,
    normalise,
    sparsity,
)

__all__ = [
    "MEASURES",
    "Sparsity",
    "cosine",
    "mixed_cosines",
    "normalise",
    "ordinal_ranks",
    "ranking",
    "reciprocal_ranks",
    "sparsity",
]
