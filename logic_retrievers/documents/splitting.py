"""Split long passages into overlapping windows of tokens, with character offsets."""

from __future__ import annotations

import re
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import chain, pairwise
from typing import TypeAlias
from unicodedata import category

from logic_retrievers.checks import check_count
from logic_retrievers.encoders.base import Encoder
from logic_retrievers.errors import ConfigurationError, shown
from logic_retrievers.types import Passage
from logic_retrievers.validation import check_stream, check_types

TokenSpans: TypeAlias = Callable[[str], list[tuple[int, int]]]

SPECIAL_TOKENS = 2  # [CLS] and [SEP], or <s> and </s>
SECTION = 2**16  # characters tokenized at once; a tokenizer needs 35 times the text's memory
LONGEST_TOKEN = 20  # characters; the longest words of vocabularies have about 18

_BORDERS = [re.compile(p, re.S) for p in (r".*\S(?= \S)", r".*\S(?=[ \t\r\n])", r".*[^\w\s]", ".+")]
_SENTENCE_ENDS = (".", "!", "?", "…")
_WIDE_SENTENCE_ENDS = ("。", "\uff01", "\uff1f")  # no space follows these
_CLOSERS = "\"'”\u2019»)]*_"


@dataclass(frozen=True, slots=True)
class Splitter:
    """Splits passages for one encoder.

    Args:
        token_spans: returns the character span of each token of a text, as
            :meth:`Encoder.token_spans` does.
        max_tokens: maximum tokens of a chunk, without special tokens and prefix, as counted by
            ``token_spans`` for the chunk alone.
        overlap: approximate maximum of tokens that two neighbouring chunks share; by default an
            eighth of ``max_tokens``.

    Raises:
        ConfigurationError: ``overlap`` is not in [0, max_tokens / 2].
    """

    token_spans: TokenSpans
    max_tokens: int
    overlap: int | None = None

    def __post_init__(self) -> None:
        check_count("max_tokens", self.max_tokens)
        is_count = type(self._overlap) is int and 0 <= self._overlap <= self.max_tokens // 2
        if not is_count or not callable(self.token_spans):
            raise ConfigurationError(
                f"overlap must be between 0 and half of max_tokens, not {shown(self._overlap)}; "
                "token_spans is a function"
            )

    @property
    def _overlap(self) -> int:
        return self.max_tokens // 8 if self.overlap is None else self.overlap

    @classmethod
    def for_encoder(cls, encoder: Encoder, overlap: int | None = None) -> Splitter:
        """Make a splitter whose chunks are short enough for every vector of the encoder.

        Raises:
            ConfigurationError: prefix and special tokens leave no room for text.
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
        """Yield the passages in order; a passage that is too long is split into chunks.

        A chunk ends where a paragraph ends in the last quarter of its window. If none does, it ends
        at the end of a sentence, a line or a word. It begins at a word if possible. Every character
        that is not white space is in a chunk. Chunk ``i`` has the id ``{id}#{i}``. Its ``span``
        counts characters of the passage's text, so that ``text[start:end]`` is the chunk. If the
        passage has a span of its own, the start of that span is added.

        A chunk keeps all other values of its passage. The text that ``embed_text`` puts around the
        passage's text (a title) is embedded with each chunk. An ``embed_text`` without the text (a
        summary) is embedded before each chunk. If these texts take more than half of
        ``max_tokens``, a chunk is embedded alone.

        A passage without a source gets its id as source. So ingesting the passage again
        leaves no stale chunk, even if its text has grown past the window or shrunk below it.

        Raises:
            ConfigurationError: a single token of a text, encoded alone, becomes more than
                ``max_tokens`` tokens.
        """
        check_stream(passages)
        for passage in passages:
            check_types(passage)
            sourced = passage if passage.source else replace(passage, source=passage.id)
            yield from self._split(sourced)

    def _split(self, passage: Passage) -> Iterator[Passage]:
        pieces = _Pieces(passage.text, self.token_spans)
        if pieces.tokens_before[-1] <= self.max_tokens:
            yield passage
            return
        offset = passage.span[0] if passage.span else 0
        around, room = self._around(passage)
        for i, (start, chunk) in enumerate(self._windows(pieces, room)):
            yield replace(
                passage,
                id=f"{passage.id}#{i}",
                text=chunk,
                span=(offset + start, offset + start + len(chunk)),
                embed_text=chunk.join(around) if around else None,
            )

    def _around(self, passage: Passage) -> tuple[list[str], int]:
        """Return the texts embedded around each chunk, if any, and the tokens left for a chunk."""
        text, embedded = passage.text.strip(), passage.embed_text
        if embedded is None or not text:
            return [], self.max_tokens
        around = embedded.split(text, 1) if text in embedded else [f"{embedded}\n", ""]
        tokens = sum(len(self.token_spans(text)) for text in around)
        if tokens > self.max_tokens // 2:
            return [], self.max_tokens
        return around, self.max_tokens - tokens

    def _windows(self, pieces: _Pieces, max_tokens: int) -> Iterator[tuple[int, str]]:
        """Yield each chunk's place in the text, and the chunk without white space at both ends."""
        tokens_before, last, covered = pieces.tokens_before, len(pieces), 0
        first = pieces.next_visible(0)
        while first < last:
            end = bisect_right(tokens_before, tokens_before[first] + max_tokens) - 1
            end = max(end, first + 1)
            while True:
                if end < last:  # cut at the best border in the last quarter of the window
                    quarter = range(end - (end - first) // 4, end + 1)
                    end = max(quarter, key=lambda edge: (pieces.boundary(edge), edge))
                start, chunk = pieces.stripped(first, end)
                # A piece can have more tokens alone than within its word.
                excess = len(self.token_spans(chunk)) - max_tokens
                if excess <= 0:
                    break
                if end == first + 1:
                    raise ConfigurationError(
                        f"max_tokens={max_tokens} is too small: the token at character "
                        f"{start} makes {max_tokens + excess} tokens alone"
                    )
                end = max(first + 1, end - excess)
            stop = start + len(chunk)
            # Any other window adds only white space to the last chunk, or holds no token.
            if stop > covered and tokens_before[end] > tokens_before[first]:
                yield start, chunk
                covered = stop
            if end == last:
                return
            back = bisect_left(tokens_before, tokens_before[end] - self._overlap)
            # At least half of a window is new, so the work stays linear in the text's length.
            begin = max(back, (first + end + 1) // 2)
            begin = next(filter(pieces.boundary, range(begin, end + 1)), begin)
            first = pieces.next_visible(begin)


class _Pieces:
    """A text cut into pieces of one or a few tokens, which cover it without overlap.

    Tokens that share characters (bytes of one emoji) are one piece. Characters between two tokens
    (white space, or what the tokenizer drops) belong to the piece before them. Characters before
    the first token belong to the first piece. ``edges`` are the starts of the pieces and the text's
    end. ``tokens_before`` is the number of tokens before each edge.
    """

    def __init__(self, text: str, token_spans: TokenSpans) -> None:
        self.text = text
        self.edges, self.tokens_before = array("q", [0]), array("q", [0])
        tokens = 0
        for base, section in _sections(text):
            reach = 0
            spans = (in_characters(section, *span) for span in token_spans(section))
            for start, end in chain.from_iterable(spans):
                if tokens and start >= reach and base + start > self.edges[-1]:
                    self.edges.append(base + start)
                    self.tokens_before.append(tokens)
                tokens += 1
                reach = max(reach, end)
        if self.edges[-1] < len(text):
            self.edges.append(len(text))
            self.tokens_before.append(tokens)

    def __len__(self) -> int:
        return len(self.edges) - 1

    def next_visible(self, begin: int) -> int:
        visible = (i for i in range(begin, len(self)) if not self._piece(i).isspace())
        return next(visible, len(self))

    def stripped(self, first: int, end: int) -> tuple[int, str]:
        """Return the start and text of pieces [first, end), without white space at both ends."""
        stop = self.edges[end]
        bare = self.text[self.edges[first] : stop].lstrip()
        return stop - len(bare), bare.rstrip()

    def _piece(self, index: int) -> str:
        return self.text[self.edges[index] : self.edges[index + 1]]

    def boundary(self, edge: int) -> int:
        """Rate the boundary before a piece: 4 paragraph, 3 sentence, 2 line, 1 word, 0 none."""
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
        # Most tokenizers make a closing quote or bracket its own piece, so look further back.
        while piece and not piece.rstrip(_CLOSERS) and last > 0:
            last -= 1
            piece = self._piece(last)
        return piece.rstrip(_CLOSERS).endswith(_SENTENCE_ENDS)


def in_characters(text: str, start: int, end: int) -> Iterable[tuple[int, int]]:
    """Return a token's span, or its characters' spans if the token is too long for a word.

    If a tokenizer does not know a script, any text without spaces becomes one unknown token, even a
    page of Thai. Combining marks stay with their base character.
    """
    if end - start <= LONGEST_TOKEN:
        return [(start, end)]
    starts = [start, *(i for i in range(start + 1, end) if category(text[i])[0] != "M")]
    return pairwise([*starts, end])


def _sections(text: str) -> Iterator[tuple[int, str]]:
    """Yield places and parts of a text; the parts give the same tokens as the whole text.

    A part ends before a space between two words, else before other white space, else after a mark.
    """
    start = 0
    while start < len(text):
        section = text[start : start + SECTION]
        if start + SECTION < len(text):
            section = next(found[0] for border in _BORDERS if (found := border.match(section)))
        yield start, section
        start += len(section)
