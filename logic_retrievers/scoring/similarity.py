"""Cosine similarity of rows."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt


def normalised(vectors: npt.NDArray[np.floating]) -> npt.NDArray[np.floating]:
    """The rows scaled to Euclidean length 1; a row of zeros stays as it is.

    Args:
        vectors: shape (rows, dimension) or (dimension,).
    """
    lengths = np.linalg.norm(vectors, axis=-1, keepdims=True)
    return vectors / np.where(lengths == 0, 1, lengths)


def cosine(
    query: npt.NDArray[np.floating], documents: npt.NDArray[np.floating]
) -> npt.NDArray[np.floating]:
    """Cosine of every query with every document.

    Args:
        query: shape (dimension,) or (queries, dimension).
        documents: shape (documents, dimension).

    Returns:
        Shape (documents,) or (queries, documents), values in [-1, 1].
    """
    return normalised(query) @ normalised(documents).T
