"""How sparse the difference of two vectors is: what a contradiction is known by.

Xu et al. 2024, "SparseCL: Sparse Contrastive Learning for Contradiction Retrieval": encoders can be
trained so that two statements that contradict each other differ in few coordinates.
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
Vectors: TypeAlias = npt.NDArray[np.float32] | npt.NDArray[np.int8]

NEAR = 1e-3
"""Vectors of length 1 that lie nearer than this are one text twice, and differ in rounding only."""

_BLOCK_BYTES = 1 << 18  # differences that stay in a core's cache from one pass to the next


def sparsity(
    vector: Vectors, others: Vectors, measure: Sparsity = "hoyer", *, scale: float | None = None
) -> Sparsities:
    """How sparse the difference of a vector and each of some others is.

    Of the difference delta of d coordinates:

    * ``hoyer``: (sqrt(d) - |delta|_1 / |delta|_2) / (sqrt(d) - 1), in [0, 1]
    * ``l2_l1``: |delta|_2 / |delta|_1, in [1 / sqrt(d), 1]
    * ``kappa4``: |delta|_4^4 / |delta|_2^4, in [1 / d, 1]; the paper prints a square, with which it
      would not be free of scale

    Memory beyond the result does not grow with the number of vectors.

    Args:
        vector: shape (dimension,), of length 1; at least 2 coordinates.
        others: shape (vectors, dimension), rows of length 1.
        measure: one of the three.
        scale: where both are int8 codes (:func:`int8_codes`): what a code of 1 stands for.

    Returns:
        Shape (vectors,); NaN where the two are nearer than 1e-3, so that nothing can be said.

    Raises:
        ConfigurationError: shapes or types that do not fit, or a measure that is unknown.
    """
    codes = others.dtype == np.int8
    if vector.shape != others.shape[1:] or others.ndim != 2 or others.shape[1] < 2:
        raise ConfigurationError(
            f"a vector of shape {vector.shape} cannot be compared with rows of {others.shape}"
        )
    if codes is (scale is None) or (vector.dtype == np.int8) is not codes:
        raise ConfigurationError("int8 codes are compared with int8 codes, and need their scale")
    if measure not in MEASURES:
        raise ConfigurationError(f"no sparsity {measure!r}; there are {', '.join(MEASURES)}")
    kernel, found = MEASURES[measure], np.empty(len(others), dtype=np.float32)
    least = NEAR / scale if scale else NEAR
    rows = max(1, _BLOCK_BYTES // (4 * others.shape[1]))
    centre = vector.astype(np.float32)
    block = np.empty((min(rows, len(others)), others.shape[1]), dtype=np.float32)
    for start in range(0, len(others), rows):
        some = others[start : start + rows]
        differences = np.subtract(some, centre, out=block[: len(some)])
        squares = np.einsum("ij,ij->i", differences, differences)
        near = squares < least * least
        with np.errstate(divide="ignore", invalid="ignore"):
            values = kernel(differences, squares)
        found[start : start + len(some)] = np.where(near, np.nan, values)
    return found


def int8_codes(vectors: npt.NDArray[np.floating]) -> tuple[npt.NDArray[np.int8], float]:
    """Vectors as int8 codes, a quarter of the memory, and what a code of 1 stands for.

    Compare only codes that were made together, or with the same scale.

    Args:
        vectors: shape (vectors, dimension).
    """
    scale = float(np.max(np.abs(vectors), initial=0)) / 127 or 1.0
    return np.round(vectors / scale).astype(np.int8), scale


def _hoyer(differences: Sparsities, squares: Sparsities) -> Sparsities:
    root = math.sqrt(differences.shape[1])
    ratios = _absolute(differences) / np.sqrt(squares)
    return np.asarray((root - ratios) / (root - 1), dtype=np.float32)


def _l2_l1(differences: Sparsities, squares: Sparsities) -> Sparsities:
    return np.sqrt(squares) / _absolute(differences)


def _kappa4(differences: Sparsities, squares: Sparsities) -> Sparsities:
    np.multiply(differences, differences, out=differences)
    fourths: Sparsities = np.einsum("ij,ij->i", differences, differences)
    return fourths / (squares * squares)


def _absolute(differences: Sparsities) -> Sparsities:
    sums: Sparsities = np.abs(differences, out=differences).sum(axis=1)
    return sums


MEASURES: Mapping[Sparsity, Callable[[Sparsities, Sparsities], Sparsities]] = {
    "hoyer": _hoyer,
    "l2_l1": _l2_l1,
    "kappa4": _kappa4,
}
