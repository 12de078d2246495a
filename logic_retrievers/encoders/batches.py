"""Which texts share a batch, and the arrays of a batch."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt

A_RUN = 16
"""What a run of the graph costs beyond its tokens, in tokens (six layers, 2 cores)."""


def token_batches(
    lengths: Sequence[int], batch_size: int, batch_tokens: int
) -> Iterator[npt.NDArray[np.intp]]:
    """Indices of texts of like length, batch by batch, longest first.

    Sorting keeps padding small; longest first brings an out-of-memory error at the start, not at
    the end of an hour.

    Args:
        lengths: tokens of each text.
        batch_size: most texts of a batch.
        batch_tokens: most tokens of a batch, padding counted; a longer text goes alone.
    """
    order = np.argsort(-np.asarray(lengths, dtype=np.int64), kind="stable")
    start = 0
    while start < len(order):
        fitting = batch_tokens // max(1, lengths[order[start]])
        end = start + min(batch_size, max(1, fitting))
        yield order[start:end]
        start = end


def split_uneven(
    lengths: Sequence[int], batch: npt.NDArray[np.intp]
) -> Iterator[npt.NDArray[np.intp]]:
    """A batch in parts, longest first, where padding would take longer than another run."""
    start = 0
    for at in range(1, len(batch)):
        if (lengths[batch[start]] - lengths[batch[at]]) * (len(batch) - at) > A_RUN:
            yield batch[start:at]
            start = at
    yield batch[start:]


def pad(
    rows: Sequence[Sequence[int]], pad_id: int
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Token ids and attention mask, both of shape (rows, longest row)."""
    ids = np.full((len(rows), max(map(len, rows))), pad_id, dtype=np.int64)
    mask = np.zeros_like(ids)
    for index, row in enumerate(rows):
        ids[index, : len(row)] = row
        mask[index, : len(row)] = 1
    return ids, mask
