"""Long passages into windows of tokens that overlap, character offsets kept."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import accumulate
from typing import TypeAlias

from logic_retrievers.documents.pieces import Pieces, cut_into_pieces
from logic_retrievers.encoders.base import Encoder
from logic_retrievers.errors import ConfigurationError
from logic_retrievers.types import Passage

TokenSpans: TypeAlias = Callable[[str], list[tuple[int, int]]]

SPECIAL_TOKENS = 2
"""Tokens that the encoders of this field put around a text ([CLS] and [SEP], <s> and </s>)."""


def split_passage(
    passage: Passage, token_spans: TokenSpans, max_tokens: int, overlap: int | None = None
) -> list[Passage]:
    """Cuts a passage into chunks of at most ``max_tokens`` tokens; one that fits is not touched.

    A chunk ends where a paragraph, else a sentence, a line or a word ends, if there is such a
    place in the last quarter of its window, and begins at a word where it can. Every character
    that is not white space is in a chunk. Chunk ``i`` is called ``{id}#{i}``; its source is the
    passage's, or the passage itself where that has none. Its ``span`` counts characters of the
    passage's text, so that ``text[start:end]`` is the chunk (a passage that has a span itself
    adds where it begins).

    Args:
        passage: never changed; the chunks share its metadata.
        token_spans: character span of each token of a text, :meth:`Encoder.token_spans`.
        max_tokens: most tokens of a chunk, as ``token_spans`` counts it alone.
        overlap: about how many tokens two neighbours share, at most; by default an eighth of
            ``max_tokens``.

    Raises:
        ConfigurationError: ``overlap`` is not in [0, max_tokens / 2], or a single token of the text
            makes more than ``max_tokens`` where it stands alone.
    """
    shared = max_tokens // 8 if overlap is None else overlap
    if max_tokens < 1 or not 0 <= shared <= max_tokens // 2:
        raise ConfigurationError(
            f"max_tokens={max_tokens}, overlap={shared}: max_tokens must be positive and "
            "overlap between 0 and half of it"
        )
    tokens = token_spans(passage.text)
    if len(tokens) <= max_tokens:
        return [passage]
    pieces = cut_into_pieces(passage.text, tokens)
    source = passage.source or passage.id
    base = passage.span[0] if passage.span else 0
    spans = _windows(pieces, token_spans, max_tokens, shared)
    return [
        Passage(
            id=f"{passage.id}#{i}",
            text=passage.text[start:end],
            metadata=passage.metadata,
            source=source,
            span=(base + start, base + end),
        )
        for i, (start, end) in enumerate(spans)
    ]


def _windows(
    pieces: Pieces, token_spans: TokenSpans, max_tokens: int, overlap: int
) -> Iterator[tuple[int, int]]:
    """Character spans of the chunks, white space at both ends left out."""
    before = [0, *accumulate(pieces.weights)]
    last, covered = len(pieces), 0
    first = pieces.next_visible(0)
    while first < last:
        end = bisect_right(before, before[first] + max_tokens) - 1
        end = max(end, first + 1)
        while True:
            if end < last:
                end = pieces.best_end(first, end)
            start, stop = pieces.stripped(first, end)
            # Cut out of its word, a piece can make more tokens than it did inside.
            excess = len(token_spans(pieces.text[start:stop])) - max_tokens
            if excess <= 0:
                break
            if end == first + 1:
                raise ConfigurationError(
                    f"max_tokens={max_tokens} is too small: the token at character {start} makes "
                    f"{max_tokens + excess} tokens alone"
                )
            end = max(first + 1, end - excess)
        if stop > covered:  # else there is nothing but white space after the last chunk's end
            yield start, stop
            covered = stop
        if end == last:
            return
        back = bisect_left(before, before[end] - overlap)
        # At least half of a window is new, so the work stays linear in the length of the text.
        begin = pieces.next_word(max(back, (first + end + 1) // 2), end)
        first = pieces.next_visible(begin)


@dataclass(frozen=True, slots=True)
class Splitter:
    """Splits passages for one encoder.

    Args:
        token_spans: the encoder's own.
        max_tokens: most tokens of a chunk, without special tokens and prefix.
        overlap: see :func:`split_passage`.
    """

    token_spans: TokenSpans
    max_tokens: int
    overlap: int | None = None

    @classmethod
    def for_encoder(cls, encoder: Encoder, overlap: int | None = None) -> Splitter:
        """A splitter whose chunks every vector of the encoder reads whole.

        Raises:
            ConfigurationError: prefix and special tokens leave no room for text.
        """
        room = min(
            spec.max_tokens - SPECIAL_TOKENS - len(encoder.token_spans(spec.document_prefix))
            for spec in encoder.specs.values()
        )
        if room < 1:
            raise ConfigurationError(
                "the encoder's prefix and special tokens leave no room for a document; "
                "use a shorter document_prefix or an encoder that reads more tokens"
            )
        return cls(encoder.token_spans, room, overlap)

    def split(self, passages: Iterable[Passage]) -> Iterator[Passage]:
        """The passages in their order, the long ones in chunks.

        A passage without a source becomes its own: when its text later grows past the window, or
        shrinks below it, ingesting it again leaves no stale chunk behind.
        """
        for passage in passages:
            sourced = passage if passage.source else replace(passage, source=passage.id)
            yield from split_passage(sourced, self.token_spans, self.max_tokens, self.overlap)
