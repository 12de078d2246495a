"""Splits long passages into overlapping windows of tokens, with their character offsets."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import accumulate
from typing import TypeAlias

from logic_retrievers.encoders.base import Encoder
from logic_retrievers.errors import ConfigurationError
from logic_retrievers.types import Passage

TokenSpans: TypeAlias = Callable[[str], list[tuple[int, int]]]

SPECIAL_TOKENS = 2
"""Tokens that the encoders of this field put around a text ([CLS] and [SEP], <s> and </s>)."""

_SENTENCE_ENDS = (".", "!", "?", "…")
_WIDE_SENTENCE_ENDS = ("。", "\uff01", "\uff1f")  # no space follows these
_CLOSERS = "\"'”\u2019»)]*_"


def split_passage(
    passage: Passage, token_spans: TokenSpans, max_tokens: int, overlap: int | None = None
) -> list[Passage]:
    """Splits a passage into chunks of at most ``max_tokens`` tokens; one that fits stays whole.

    A chunk ends at the end of a paragraph, else a sentence, a line or a word, if there is one in
    the last quarter of its window, and begins at a word if possible. Every character that is not
    white space is in a chunk. Chunk ``i`` has the id ``{id}#{i}``; its source is the passage's, or
    the passage's id if that has none. Its ``span`` counts characters of the passage's text, so that
    ``text[start:end]`` is the chunk (plus the start of the passage's own span, if it has one).

    Args:
        passage: never changed; the chunks share its metadata.
        token_spans: character span of each token of a text, :meth:`Encoder.token_spans`.
        max_tokens: maximum of tokens per chunk, as ``token_spans`` counts the chunk alone.
        overlap: maximum of tokens that two neighbours share, approximately; by default an eighth
            of ``max_tokens``.

    Raises:
        ConfigurationError: ``overlap`` is not in [0, max_tokens / 2], or a single token of the
            text, encoded alone, becomes more than ``max_tokens`` tokens.
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
    pieces = _cut_into_pieces(passage.text, tokens)
    source = passage.source or passage.id
    offset = passage.span[0] if passage.span else 0
    spans = _windows(pieces, token_spans, max_tokens, shared)
    return [
        Passage(
            id=f"{passage.id}#{i}",
            text=passage.text[start:end],
            metadata=passage.metadata,
            source=source,
            span=(offset + start, offset + end),
        )
        for i, (start, end) in enumerate(spans)
    ]


def _windows(
    pieces: _Pieces, token_spans: TokenSpans, max_tokens: int, overlap: int
) -> Iterator[tuple[int, int]]:
    """Character spans of the chunks, without white space at both ends."""
    tokens_before = [0, *accumulate(pieces.weights)]
    last, covered = len(pieces), 0
    first = pieces.next_visible(0)
    while first < last:
        end = bisect_right(tokens_before, tokens_before[first] + max_tokens) - 1
        end = max(end, first + 1)
        while True:
            if end < last:
                end = pieces.best_end(first, end)
            start, stop = pieces.stripped(first, end)
            # Cut out of its word, a piece can have more tokens than inside it.
            excess = len(token_spans(pieces.text[start:stop])) - max_tokens
            if excess <= 0:
                break
            if end == first + 1:
                raise ConfigurationError(
                    f"max_tokens={max_tokens} is too small: the token at character {start} makes "
                    f"{max_tokens + excess} tokens alone"
                )
            end = max(first + 1, end - excess)
        if stop > covered:  # else only white space follows the last chunk's end
            yield start, stop
            covered = stop
        if end == last:
            return
        back = bisect_left(tokens_before, tokens_before[end] - overlap)
        # At least half of a window is new, so the work stays linear in the length of the text.
        begin = pieces.next_word(max(back, (first + end + 1) // 2), end)
        first = pieces.next_visible(begin)


@dataclass(frozen=True, slots=True)
class Splitter:
    """Splits passages for one encoder.

    Args:
        token_spans: the encoder's own.
        max_tokens: maximum of tokens per chunk, without special tokens and prefix.
        overlap: see :func:`split_passage`.
    """

    token_spans: TokenSpans
    max_tokens: int
    overlap: int | None = None

    @classmethod
    def for_encoder(cls, encoder: Encoder, overlap: int | None = None) -> Splitter:
        """A splitter whose chunks are short enough for every vector of the encoder.

        Raises:
            ConfigurationError: prefix and special tokens leave no tokens for text.
        """
        limit = min(
            spec.max_tokens - SPECIAL_TOKENS - len(encoder.token_spans(spec.document_prefix))
            for spec in encoder.specs.values()
        )
        if limit < 1:
            raise ConfigurationError(
                "the encoder's prefix and special tokens leave no room for a document; "
                "use a shorter document_prefix or an encoder that reads more tokens"
            )
        return cls(encoder.token_spans, limit, overlap)

    def split(self, passages: Iterable[Passage]) -> Iterator[Passage]:
        """The passages in their order, long ones in chunks.

        A passage without a source gets its id as source: if its text later grows past the window,
        or shrinks below it, ingesting it again leaves no stale chunk.
        """
        for passage in passages:
            sourced = passage if passage.source else replace(passage, source=passage.id)
            yield from split_passage(sourced, self.token_spans, self.max_tokens, self.overlap)


@dataclass(frozen=True, slots=True)
class _Pieces:
    """A text cut into pieces of one or a few tokens, which cover it without overlap.

    ``edges`` are the start of each piece, and the length of the text; ``weights`` its tokens.
    """

    text: str
    edges: list[int]
    weights: list[int]

    def __len__(self) -> int:
        return len(self.weights)

    def stripped(self, first: int, end: int) -> tuple[int, int]:
        """Character span of pieces [first, end) without white space at its ends."""
        start, stop = self.edges[first], self.edges[end]
        part = self.text[start:stop]
        bare = part.lstrip()
        start = stop - len(bare)
        return start, start + len(bare.rstrip())

    def best_end(self, first: int, end: int) -> int:
        """The best edge to cut at in the last quarter of [first, end); the last of equal ones."""
        earliest = end - (end - first) // 4
        return max(range(earliest, end + 1), key=lambda edge: (self._boundary(edge), edge))

    def next_word(self, begin: int, end: int) -> int:
        """The first piece from ``begin`` to ``end`` that begins a word, else ``begin``."""
        return next((edge for edge in range(begin, end + 1) if self._boundary(edge)), begin)

    def next_visible(self, begin: int) -> int:
        """The first piece from ``begin`` on that is not white space, else the number of pieces."""
        return next((i for i in range(begin, len(self)) if not self._piece(i).isspace()), len(self))

    def _piece(self, index: int) -> str:
        return self.text[self.edges[index] : self.edges[index + 1]]

    def _boundary(self, edge: int) -> int:
        """The unit that ends before a piece: 4 paragraph, 3 sentence, 2 line, 1 word, 0 none."""
        if edge == 0 or edge == len(self):
            return 4
        left, right = self._piece(edge - 1), self._piece(edge)
        stripped = left.rstrip()
        gap = left[len(stripped) :] + right[: len(right) - len(right.lstrip())]
        if gap.count("\n") > 1:
            return 4
        if stripped.endswith(_WIDE_SENTENCE_ENDS) or (
            gap and self._ends_sentence(edge - 1, stripped)
        ):
            return 3
        return 2 if "\n" in gap else 1 if gap else 0

    def _ends_sentence(self, last: int, piece: str) -> bool:
        # A closing quote or bracket is a piece of its own with most tokenizers: look further back.
        while piece and not piece.rstrip(_CLOSERS) and last > 0:
            last -= 1
            piece = self._piece(last)
        return piece.rstrip(_CLOSERS).endswith(_SENTENCE_ENDS)


def _cut_into_pieces(text: str, tokens: Iterable[tuple[int, int]]) -> _Pieces:
    """One piece per token, but tokens that share characters (bytes of one emoji) stay together.

    Characters between two tokens (white space, or what the tokenizer drops) belong to the piece
    before them; those before the first token, to the first piece.
    """
    begins: list[int] = []
    weights: list[int] = []
    reach = 0
    for start, end in tokens:
        if begins and (start < reach or start <= begins[-1]):
            weights[-1] += 1
        else:
            begins.append(start if begins else 0)
            weights.append(1)
        reach = max(reach, end)
    return _Pieces(text, [*begins, len(text)], weights)
