"""From what a graph gives to one vector a text, where the graph does not do it itself."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from logic_retrievers.encoders.base import Vectors
from logic_retrievers.encoders.manifest import Pooling


def pool(
    output: npt.NDArray[Any], mask: npt.NDArray[np.int64], pooling: Pooling, normalise: bool
) -> Vectors:
    """Vectors of shape (texts, dimension), float32.

    Args:
        output: of the graph: (texts, dimension) for ``in_graph``, (texts, tokens, dimension)
            otherwise.
        mask: 1 for tokens, 0 for padding; shape (texts, tokens).
        pooling: ``mean`` over the tokens of a text, ``cls`` for its first one.
        normalise: scale each row to Euclidean length 1.
    """
    values = output.astype(np.float32, copy=False)
    if pooling == "mean":
        weights = mask.astype(np.float32)
        values = np.einsum("btd,bt->bd", values, weights) / weights.sum(axis=1, keepdims=True)
    elif pooling == "cls":
        values = values[:, 0]
    if normalise:
        values = values / np.maximum(np.linalg.norm(values, axis=1, keepdims=True), 1e-12)
    return values
