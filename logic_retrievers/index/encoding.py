"""Vectors of passages: each named vector of the text that it stands for."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from logic_retrievers.encoders.base import Encoder, Vectors
from logic_retrievers.errors import EncoderError
from logic_retrievers.types import Passage


def encode_passages(
    encoder: Encoder, passages: Sequence[Passage], names: Sequence[str]
) -> dict[str, Vectors]:
    """The one place where passages become vectors, so that stored and fresh ones are the same.

    Texts that need the same named vectors go through the encoder together, and each once.

    Args:
        encoder: makes the vectors.
        passages: at least one.
        names: of dense vectors.

    Returns:
        Vector name -> shape (passages, dimension), float32.

    Raises:
        EncoderError: a vector with a coordinate that is not finite.
    """
    names_of: dict[str, set[str]] = {}
    for passage in passages:
        for name in names:
            names_of.setdefault(passage.text_for(name), set()).add(name)
    groups: dict[tuple[str, ...], list[str]] = {}
    for text, needed in names_of.items():
        groups.setdefault(tuple(name for name in names if name in needed), []).append(text)
    rows: dict[tuple[str, str], Vectors] = {}
    for some, texts in groups.items():
        made = encoder.encode_documents(texts, some)
        for name in some:
            vectors = np.asarray(made[name], dtype=np.float32)
            if not np.isfinite(vectors).all():
                raise EncoderError(f"The encoder made {name!r} vectors that are not finite.")
            rows.update({(name, text): row for text, row in zip(texts, vectors, strict=True)})
    return {name: np.stack([rows[name, one.text_for(name)] for one in passages]) for name in names}
