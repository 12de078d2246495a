"""Pure numpy mathematics of retrieval; knows nothing of encoders, indexes or policies."""

from logic_retrievers.scoring.fusion import mixed_cosines, reciprocal_ranks, weighted_sum
from logic_retrievers.scoring.ranks import ordinal_ranks, ranking
from logic_retrievers.scoring.similarity import cosine, normalised
from logic_retrievers.scoring.sparsity import MEASURES, Sparsity, int8_codes, sparsity

__all__ = [
    "MEASURES",
    "Sparsity",
    "cosine",
    "int8_codes",
    "mixed_cosines",
    "normalised",
    "ordinal_ranks",
    "ranking",
    "reciprocal_ranks",
    "sparsity",
    "weighted_sum",
]
