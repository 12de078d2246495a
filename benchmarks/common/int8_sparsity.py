"""Sparsity of the differences of int8 codes, which take a quarter of the memory of float32."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from logic_retrievers.scoring import Sparsity, sparsity

Codes = npt.NDArray[np.int8]

_ROWS = 1024
"""Codes that are expanded to float32 at a time."""


def int8_codes(
    vectors: npt.NDArray[np.floating], scale: float | None = None
) -> tuple[Codes, float]:
    """Vectors as int8 codes, a quarter of the memory, and what a code of 1 stands for.

    Only codes of one scale can be compared.

    Args:
        vectors: any shape.
        scale: of the codes to compare with; values beyond its range are clipped. By default the
            smallest that covers all.
    """
    if scale is None:
        scale = float(np.max(np.abs(vectors), initial=0)) / 127 or 1.0
    return np.clip(np.round(vectors / scale), -127, 127).astype(np.int8), scale


def code_sparsity(
    code: Codes, others: Codes, scale: float, measure: Sparsity = "hoyer"
) -> npt.NDArray[np.float32]:
    """How sparse the differences of a vector and others are, from their codes of one scale.

    Args:
        code: shape (dimension,).
        others: shape (vectors, dimension).
        scale: what a code of 1 stands for.
        measure: as of :func:`logic_retrievers.scoring.sparsity`.

    Returns:
        Shape (vectors,); NaN where two are nearer than 1e-3, or than rounding alone can make two
        copies, about .02 for 384 coordinates: a copy of which one code was rounded the other way
        would have the sparsest difference of all.
    """
    centre = code.astype(np.float32)
    # the rounding of two codes has a variance of 1/12 each
    min_distance = max(1e-3 / scale, math.sqrt(others.shape[1] / 6))
    result = np.empty(len(others), dtype=np.float32)
    for start in range(0, len(others), _ROWS):
        rows = others[start : start + _ROWS].astype(np.float32)
        is_duplicate = np.linalg.norm(rows - centre, axis=1) < min_distance
        values = sparsity(centre, rows, measure)
        result[start : start + len(rows)] = np.where(is_duplicate, np.nan, values)
    return result
