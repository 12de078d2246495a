"""Turn texts into arrays that a graph reads: tokens, batches of similar length, padding."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache, partial

import numpy as np
import numpy.typing as npt
from tokenizers import Encoding, Tokenizer

from logic_retrievers.encoders.base import clean_text
from logic_retrievers.errors import BundleError, EmptyTextError, EncoderError

# Fixed cost of one run of a graph, in tokens (measured for six layers on 2 cores).
RUN_COST = 16


class SharedTokenizer:
    """Tokenizes with one ``tokenizer.json`` for several prefixes and lengths; thread-safe."""

    def __init__(self, content: bytes) -> None:
        with _errors_as(BundleError):
            self._untruncated = Tokenizer.from_buffer(content)
        self.pad_id = int((self._untruncated.padding or {}).get("pad_id", 0))
        self._untruncated.no_padding()
        self._untruncated.no_truncation()
        # truncation is part of a tokenizer's state, so each length needs its own tokenizer
        self._truncating = cache(partial(_truncating, content))

    def encode(
        self, texts: Sequence[str], prefix: str, max_tokens: int
    ) -> tuple[list[list[int]], int]:
        """Return each text's token ids, special tokens included, and how many texts were cut."""
        with _errors_as(EncoderError):
            tokenizer = self._truncating(max_tokens)
            prefix_length = len(tokenizer.encode(prefix).ids)
            encodings = tokenizer.encode_batch_fast([prefix + text for text in texts])
        ids = [encoding.ids for encoding in encodings]
        for text, row in zip(texts, ids, strict=True):
            if len(row) <= prefix_length < max_tokens:
                raise EmptyTextError(
                    f"Text {text[:20]!r} holds nothing that the tokenizer reads. Leave it out."
                )
        return ids, sum(bool(encoding.overflowing) for encoding in encodings)

    def encode_pairs(self, pairs: Sequence[tuple[str, str]], max_tokens: int) -> list[list[int]]:
        """Return each pair's token ids, special tokens included; cut the longer text first."""
        return [encoding.ids for encoding in self.pair_encodings(pairs, max_tokens)]

    def pair_encodings(self, pairs: Sequence[tuple[str, str]], max_tokens: int) -> list[Encoding]:
        """Return the same with the tokenizer's token types (``ids`` and ``type_ids``)."""
        with _errors_as(EncoderError):
            return self._truncating(max_tokens).encode_batch_fast(list(pairs))

    def spans(self, text: str) -> list[tuple[int, int]]:
        """Return the character span of every token, without special tokens or truncation."""
        with _errors_as(EncoderError):
            encoding = self._untruncated.encode(clean_text(text), add_special_tokens=False)
        return list(encoding.offsets)


def _truncating(content: bytes, max_tokens: int) -> Tokenizer:
    tokenizer = Tokenizer.from_buffer(content)
    tokenizer.no_padding()
    tokenizer.enable_truncation(max_tokens)
    return tokenizer


@contextmanager
def _errors_as(kind: type[BundleError | EncoderError]) -> Iterator[None]:
    """Translate failures of the package ``tokenizers``."""
    try:
        yield
    except BaseException as error:  # its panics do not subclass Exception
        if not isinstance(error, Exception) and type(error).__name__ != "PanicException":
            raise
        raise kind(
            f"The bundle's tokenizer fails: {str(error)[:500]}. Upgrade the package 'tokenizers', "
            "or get the bundle again."
        ) from error


def token_batches(
    lengths: Sequence[int], batch_size: int, batch_tokens: int
) -> Iterator[npt.NDArray[np.intp]]:
    """Yield batches of indices of texts with similar lengths.

    A batch has at most ``batch_tokens`` tokens, padding included; a longer text goes alone. The
    longest texts come first, so that memory runs out at the start and not after an hour.
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
    """Split a batch where padding costs more than a second run; longest texts come first."""
    start = 0
    for end in range(1, len(batch)):
        if (lengths[batch[start]] - lengths[batch[end]]) * (len(batch) - end) > RUN_COST:
            yield batch[start:end]
            start = end
    yield batch[start:]


def pad(
    rows: Sequence[Sequence[int]], pad_id: int
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Return token ids and attention mask, both of shape (rows, longest row)."""
    ids = np.full((len(rows), max(map(len, rows))), pad_id, dtype=np.int64)
    mask = np.zeros_like(ids)
    for index, row in enumerate(rows):
        ids[index, : len(row)] = row
        mask[index, : len(row)] = 1
    return ids, mask
