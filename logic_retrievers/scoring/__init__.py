"""Pure numpy mathematics of retrieval, independent of encoders, indexes and policies.

Candidates are the passages that may answer a query. A query has a wanted part and an excluded part.
A passage about the excluded part violates the query.
"""

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
