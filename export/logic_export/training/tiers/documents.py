"""Where the passages of a batch come from: vectors made once, or tokens for the model."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import torch

from logic_export.retrieval import Encode
from logic_export.training.roles import features

VECTORS = "document_vectors.npy"
"""In the folder of a run with frozen documents: a row for each passage of its data."""

Documents: TypeAlias = Callable[[Sequence[int]], dict[str, torch.Tensor]]
"""From places of passages to the ``document_*`` features of a batch."""


def write_vectors(path: Path, passages: Sequence[str], encode: Encode) -> None:
    """Writes a passage's vector a row, float32; the file appears when it is complete."""
    partial = path.with_name(path.name + ".partial")
    with partial.open("wb") as file:
        np.save(file, encode(passages).astype(np.float32, copy=False))
    partial.replace(path)


def frozen(path: Path) -> Documents:
    """Passages as :func:`write_vectors` left them; read as they are asked for."""
    vectors: npt.NDArray[np.float32] = np.load(path, mmap_mode="r")
    return lambda places: {"document_sentence_embedding": torch.from_numpy(vectors[list(places)])}


def free(passages: Sequence[str], tokenizer: Any, length: int, prefix: str) -> Documents:
    """Passages as tokens: the model that is trained encodes them too.

    Args:
        passages: all of a run.
        tokenizer: the model's.
        length: most tokens of a passage.
        prefix: put before every passage.
    """
    return lambda places: features(
        tokenizer, "document", [passages[place] for place in places], length, prefix
    )


def once(encode: Encode) -> Encode:
    """An encoder that does not change, which encodes the same texts but once."""
    found: dict[tuple[str, ...], npt.NDArray[np.float32]] = {}

    def remembered(texts: Sequence[str]) -> npt.NDArray[np.float32]:
        key = tuple(texts)
        if key not in found:
            found[key] = encode(texts)
        return found[key]

    return remembered
