"""Pure numpy mathematics of retrieval; knows nothing of encoders, indexes or policies."""

from logic_retrievers.scoring.fusion import mixed_cosines, reciprocal_ranks, weighted_sum
from logic_retrievers.scoring.ranks import ordinal_ranks, ranking
from logic_retrievers.scoring.similarity import cosine, normalised

__all__ = [
    "cosine",
    "mixed_cosines",
    "normalised",
    "ordinal_ranks",
    "ranking",
    "reciprocal_ranks",
    "weighted_sum",
]
