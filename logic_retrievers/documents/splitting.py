"""Splits long passages into overlapping windows of tokens, with their character offsets."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import chain, pairwise
from typing import TypeAlias
from unicodedata import category

from logic_retrievers.documents.reading import DocumentReader
from logic_retrievers.encoders.base import Encoder
from logic_retrievers.errors import ConfigurationError, shown
from logic_retrievers.settings import check_count
from logic_retrievers.types import Passage
from logic_retrievers.validation import check_stream, check_types

TokenSpans: TypeAlias = Callable[[str], list[tuple[int, int]]]

SPECIAL_TOKENS = 2
"""Tokens that the encoders of this field put around a text ([CLS] and [SEP], <s> and </s>)."""

SECTION, LONGEST_WORD, LONGEST_CHUNK = 2**16, 2**16, 2**18
"""Characters: what is tokenized at a time, and bounds for texts that are no language."""

LONGEST_TOKEN = 20
"""Characters; vocabularies hold words of up to 18 or so."""

CONTEXT = 256
"""Pieces held before a window, since a sentence's end is looked for behind closing quotes."""

_BORDERS = [re.compile(p, re.S) for p in (r".*\S(?= \S)", r".*\S(?=[ \t\r\n])", r".*[^\w\s]", ".+")]
_SENTENCE_ENDS = (".", "!", "?", "…")
_WIDE_SENTENCE_ENDS = ("。", "\uff01", "\uff1f")  # no space follows these
_CLOSERS = "\"'”\u2019»)]*_"


@dataclass(frozen=True, slots=True)
class Splitter:
    """Splits passages for one encoder.

    Args:
        token_spans: character span of each token of a text, :meth:`Encoder.token_spans`.
        max_tokens: maximum of tokens per chunk, without special tokens and prefix, as
            ``token_spans`` counts the chunk alone.
        overlap: maximum of tokens that two neighbours share, approximately; by default an eighth
            of ``max_tokens``.

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
        """The passages in their order, long ones in chunks; one that fits stays whole.

        Memory does not grow with a text: it is tokenized in sections of 64 Ki characters, and a
        large file of a :class:`DocumentReader` is read like that. Chunks are those of the whole
        text. Only where 64 Ki characters hold no white space, or a chunk would be longer than
        256 Ki, can a chunk end earlier, and what holds no token there is left out.

        A chunk ends at the end of a paragraph, else a sentence, a line or a word, if there is one
        in the last quarter of its window, and begins at a word if possible. Every character that is
        not white space is in a chunk. Chunk ``i`` has the id ``{id}#{i}``. Its ``span`` counts
        characters of the passage's text, so that ``text[start:end]`` is the chunk (plus the start
        of the passage's own span, if it has one).

        A part has all other values of its passage, whether it is quarantined too. What
        ``embed_text`` puts around the text (a title) is embedded with each part, and one that lacks
        the text (a summary) before it, unless that takes more than half of ``max_tokens``: then a
        part is embedded as its own text.

        A passage without a source gets its id as source: if its text later grows past the window,
        or shrinks below it, ingesting it again leaves no stale chunk.

        Raises:
            ConfigurationError: a single token of a text, encoded alone, becomes more than
                ``max_tokens`` tokens.
        """
        check_stream(passages)
        for passage, text in _with_texts(passages):
            sourced = passage if passage.source else replace(passage, source=passage.id)
            yield from self._split(sourced, text)

    def _split(self, passage: Passage, text: Iterable[str]) -> Iterator[Passage]:
        pieces = _Pieces(_cut_into_sections(text), self.token_spans)
        pieces.load(0, self.max_tokens)
        if pieces.ended and not pieces.offset and pieces.tokens_before[-1] <= self.max_tokens:
            yield replace(passage, text=pieces.text)
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
        """What is embedded before and behind each part, and the tokens that are left for the part.

        The list is empty for the part alone.
        """
        text, embedded = passage.text.strip(), passage.embed_text
        if embedded is None or not text:
            return [], self.max_tokens
        around = embedded.split(text, 1) if text in embedded else [f"{embedded}\n", ""]
        tokens = sum(len(self.token_spans(text)) for text in around)
        if tokens > self.max_tokens // 2:
            return [], self.max_tokens
        return around, self.max_tokens - tokens

    def _windows(self, pieces: _Pieces, max_tokens: int) -> Iterator[tuple[int, str]]:
        """The chunks without white space at both ends, each with its place in the whole text."""
        covered = 0
        first = pieces.load(0, max_tokens)
        while first < len(pieces):
            tokens_before, last = pieces.tokens_before, len(pieces)
            end = bisect_right(tokens_before, tokens_before[first] + max_tokens) - 1
            end = max(end, first + 1)
            while True:
                if end < last:
                    end = pieces.best_end(first, end)
                start, chunk = pieces.stripped(first, end)
                # Cut out of its word, a piece can have more tokens than inside it.
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
            # Else only white space follows the last chunk's end, or there is no token.
            if stop > covered and tokens_before[end] > tokens_before[first]:
                yield start, chunk
                covered = stop
            if end == last and pieces.ended:
                return
            back = bisect_left(tokens_before, tokens_before[end] - self._overlap)
            # At least half of a window is new, so the work stays linear in the text's length.
            begin = pieces.next_word(max(back, (first + end + 1) // 2), end)
            first = pieces.load(begin, max_tokens)


class _Pieces:
    """A text cut into pieces of one or a few tokens, which cover it without overlap.

    Only a part of the text is held: ``text`` begins at the character ``offset`` of the whole.
    Tokens that share characters (bytes of one emoji) are one piece. Characters between two tokens
    (white space, or what the tokenizer drops) belong to the piece before them; those before the
    first token, to the first piece.

    ``edges`` are the starts of the pieces in ``text``, ``tokens_before`` the tokens before each
    in the whole text. The last piece of both is not complete, and not counted, before the text has
    ended.
    """

    def __init__(self, sections: Iterator[str], token_spans: TokenSpans) -> None:
        self._sections, self._token_spans = sections, token_spans
        self.text = ""
        self.offset = self._tokens = 0
        self.edges, self.tokens_before = [0], [0]
        self.ended = False

    def __len__(self) -> int:
        return len(self.edges) - 1

    def load(self, begin: int, max_tokens: int) -> int:
        """The first visible piece from ``begin`` on, with more than ``max_tokens`` from it on.

        With less only where the text ends or becomes longer than ``LONGEST_CHUNK``. What is long
        before it is dropped, which changes indices.
        """
        while True:
            visible = (i for i in range(begin, len(self)) if not self._piece(i).isspace())
            begin = next(visible, len(self))
            enough = self.tokens_before[-1] > self.tokens_before[begin] + max_tokens
            is_long = len(self.text) - self.edges[begin] > LONGEST_CHUNK
            if self.ended or (begin < len(self) and (enough or is_long)):
                return begin
            if not is_long:
                dropped = max(0, begin - CONTEXT)
                start, begin = self.edges[dropped], begin - dropped
                self.text, self.offset = self.text[start:], self.offset + start
                self.edges = [edge - start for edge in self.edges[dropped:]]
                del self.tokens_before[:dropped]
                self._append(next(self._sections, ""))
            if (is_long or self.ended) and self.edges[-1] < len(self.text):
                self.edges.append(len(self.text))
                self.tokens_before.append(self._tokens)

    def _append(self, section: str) -> None:
        base, reach, tokens = len(self.text), 0, self._tokens
        self.text += section
        self.ended = not section
        spans = self._token_spans(section) if section else []
        for start, end in chain.from_iterable(in_characters(section, *span) for span in spans):
            if tokens and start >= reach and base + start > self.edges[-1]:
                self.edges.append(base + start)
                self.tokens_before.append(tokens)
            tokens += 1
            reach = max(reach, end)
        self._tokens = tokens

    def stripped(self, first: int, end: int) -> tuple[int, str]:
        """Pieces [first, end) without white space at their ends, and where they begin."""
        stop = self.edges[end]
        bare = self.text[self.edges[first] : stop].lstrip()
        return self.offset + stop - len(bare), bare.rstrip()

    def best_end(self, first: int, end: int) -> int:
        """The best edge to cut at in the last quarter of [first, end); the last of equal ones."""
        earliest = end - (end - first) // 4
        return max(range(earliest, end + 1), key=lambda edge: (self._boundary(edge), edge))

    def next_word(self, begin: int, end: int) -> int:
        """The first piece from ``begin`` to ``end`` that begins a word, else ``begin``."""
        return next((edge for edge in range(begin, end + 1) if self._boundary(edge)), begin)

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


def in_characters(text: str, start: int, end: int) -> Iterable[tuple[int, int]]:
    """A token, or where it is too long to be a word, its characters.

    A tokenizer that does not know a script makes one unknown token of what has no spaces, however
    long: a page of Thai. Marks stay with the character that they stand on.
    """
    if end - start <= LONGEST_TOKEN:
        return [(start, end)]
    starts = [start, *(i for i in range(start + 1, end) if category(text[i])[0] != "M")]
    return pairwise([*starts, end])


def _with_texts(passages: Iterable[Passage]) -> Iterator[tuple[Passage, Iterable[str]]]:
    if isinstance(passages, DocumentReader):
        yield from passages.parts()
        return
    for passage in passages:
        check_types(passage)
        yield passage, [passage.text]


def _cut_into_sections(blocks: Iterable[str]) -> Iterator[str]:
    """The text in sections whose tokens are those of the whole text.

    They end before a space between two words, else before other white space. Only what has none in
    ``LONGEST_WORD`` characters is cut after a mark, or anywhere.
    """
    carry = ""
    for block in blocks:
        for start in range(0, len(block), SECTION):
            carry += block[start : start + SECTION]
            borders = _BORDERS[: None if len(carry) >= LONGEST_WORD else 2]
            if section := next(filter(None, (border.match(carry) for border in borders)), None):
                yield section[0]
                carry = carry[section.end() :]
    if carry:
        yield carry
