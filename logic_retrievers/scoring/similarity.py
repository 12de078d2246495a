"""Similarity of two vectors, and sparsity of their difference, which marks a contradiction.

Xu et al. 2024, "SparseCL: Sparse Contrastive Learning for Contradiction Retrieval", train encoders
so that contradictory statements differ in few coordinates.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from logic_retrievers.errors import ConfigurationError

Sparsity: TypeAlias = Literal["hoyer", "l2_l1", "kappa4"]
Sparsities: TypeAlias = npt.NDArray[np.float32]
Vectors: TypeAlias = npt.NDArray[np.floating]

# unit vectors nearer than this come from the same text and differ only by rounding
DUPLICATE_DISTANCE = 1e-3

_BLOCK_BYTES = 1 << 18  # a block of differences that stays in a core's cache between passes


def normalise(vectors: Vectors) -> Vectors:
    """Scale rows, or one vector, to Euclidean length 1; rows of zeros stay unchanged."""
    lengths = np.linalg.norm(vectors, axis=-1, keepdims=True)
    return vectors / np.where(lengths == 0, 1, lengths)


def cosine(query: Vectors, documents: Vectors) -> Vectors:
    """Return the cosine of every query with every document.

    Args:
        query: shape (dimension,), or (queries, dimension).
        documents: shape (documents, dimension).

    Returns:
        Shape (documents,), or (queries, documents).
    """
    return normalise(query) @ normalise(documents).T


def sparsity(vector: Vectors, others: Vectors, measure: Sparsity = "hoyer") -> Sparsities:
    """Return the sparsity of the differences between a vector and others.

    For a difference delta of d coordinates:

    * ``hoyer``: (sqrt(d) - |delta|_1 / |delta|_2) / (sqrt(d) - 1), in [0, 1]
    * ``l2_l1``: |delta|_2 / |delta|_1, in [1 / sqrt(d), 1]
    * ``kappa4``: |delta|_4^4 / |delta|_2^4, in [1 / d, 1]; the paper prints a square instead, which
      makes the value depend on the scale

    All are computed in float32. Memory beyond the result does not grow with the number of vectors.

    Args:
        vector: shape (dimension,), of length 1; at least 2 coordinates.
        others: shape (vectors, dimension), rows of length 1.
        measure: one of the three above.

    Returns:
        Shape (vectors,); NaN for a vector nearer than 1e-3.

    Raises:
        ConfigurationError: shapes or types do not fit, or the measure is unknown.
    """
    if others.ndim != 2 or vector.shape != others.shape[1:] or others.shape[1] < 2:
        raise ConfigurationError(
            f"a vector of shape {vector.shape} cannot be compared with rows of {others.shape}"
        )
    if not all(np.issubdtype(array.dtype, np.floating) for array in (vector, others)):
        raise ConfigurationError(f"vectors are floats, not {vector.dtype} and {others.dtype}")
    if measure not in MEASURES:
        raise ConfigurationError(f"no sparsity {measure!r}; there are {', '.join(MEASURES)}")
    kernel, result = MEASURES[measure], np.empty(len(others), dtype=np.float32)
    rows = max(1, _BLOCK_BYTES // (4 * others.shape[1]))
    centre = vector.astype(np.float32)
    block = np.empty((min(rows, len(others)), others.shape[1]), dtype=np.float32)
    for start in range(0, len(others), rows):
        batch = others[start : start + rows]
        differences = np.subtract(batch, centre, out=block[: len(batch)])
        squares = _row_products(differences, differences)
        is_duplicate = squares < DUPLICATE_DISTANCE * DUPLICATE_DISTANCE
        with np.errstate(divide="ignore", invalid="ignore"):
            values = kernel(differences, squares)
        result[start : start + len(batch)] = np.where(is_duplicate, np.nan, values)
    return result


def _hoyer(differences: Sparsities, squares: Sparsities) -> Sparsities:
    root = math.sqrt(differences.shape[1])
    ratios = _l1_norms(differences) / np.sqrt(squares)
    return np.asarray(np.clip((root - ratios) / (root - 1), 0, 1), dtype=np.float32)


def _l2_l1(differences: Sparsities, squares: Sparsities) -> Sparsities:
    return np.asarray(np.sqrt(squares) / _l1_norms(differences), dtype=np.float32)


def _kappa4(differences: Sparsities, squares: Sparsities) -> Sparsities:
    np.multiply(differences, differences, out=differences)
    return _row_products(differences, differences) / (squares * squares)


def _row_products(rows: Sparsities, others: Sparsities) -> Sparsities:
    # numpy 2's vecdot is three times as fast as einsum
    if hasattr(np, "vecdot"):
        return np.asarray(np.vecdot(rows, others))
    return np.asarray(np.einsum("ij,ij->i", rows, np.broadcast_to(others, rows.shape)))


def _l1_norms(differences: Sparsities) -> Sparsities:
    np.abs(differences, out=differences)
    return _row_products(differences, np.ones(differences.shape[1], dtype=np.float32))


MEASURES: Mapping[Sparsity, Callable[[Sparsities, Sparsities], Sparsities]] = {
    "hoyer": _hoyer,
    "l2_l1": _l2_l1,
    "kappa4": _kappa4,
}
