"""A text as a row of pieces, one or a few tokens each, and where it is good to cut between them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

_SENTENCE_ENDS = (".", "!", "?", "…")
_WIDE_SENTENCE_ENDS = ("。", "\uff01", "\uff1f")  # no space follows these
_CLOSERS = "\"'”\u2019»)]*_"


@dataclass(frozen=True, slots=True)
class Pieces:
    """Pieces cover the text from its first character to its last, and do not overlap.

    Args:
        text: the whole.
        edges: where each piece begins, and last the length of the text.
        weights: tokens in each piece.
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
        """The best place to cut in the last quarter of [first, end); the last of equals."""
        earliest = end - (end - first) // 4
        return max(range(earliest, end + 1), key=lambda edge: (self._border(edge), edge))

    def next_word(self, begin: int, end: int) -> int:
        """The first piece from ``begin`` to ``end`` that begins a word, else ``begin``."""
        return next((edge for edge in range(begin, end + 1) if self._border(edge)), begin)

    def next_visible(self, begin: int) -> int:
        """The first piece from ``begin`` on that is not white space, else the number of all."""
        return next((i for i in range(begin, len(self)) if not self._piece(i).isspace()), len(self))

    def _piece(self, index: int) -> str:
        return self.text[self.edges[index] : self.edges[index + 1]]

    def _border(self, edge: int) -> int:
        """What ends before a piece: 4 paragraph, 3 sentence, 2 line, 1 word, 0 nothing."""
        if edge == 0 or edge == len(self):
            return 4
        left, right = self._piece(edge - 1), self._piece(edge)
        bare = left.rstrip()
        gap = left[len(bare) :] + right[: len(right) - len(right.lstrip())]
        if gap.count("\n") > 1:
            return 4
        if bare.endswith(_WIDE_SENTENCE_ENDS) or (gap and self._ends_sentence(edge - 1, bare)):
            return 3
        return 2 if "\n" in gap else 1 if gap else 0

    def _ends_sentence(self, last: int, bare: str) -> bool:
        # A closing quote or bracket is a piece of its own with most tokenizers: look further back.
        while bare and not bare.rstrip(_CLOSERS) and last > 0:
            last -= 1
            bare = self._piece(last)
        return bare.rstrip(_CLOSERS).endswith(_SENTENCE_ENDS)


def cut_into_pieces(text: str, tokens: Iterable[tuple[int, int]]) -> Pieces:
    """One piece a token, but tokens that share characters (bytes of one emoji) stay together.

    What lies between two tokens (white space, characters that the tokenizer drops) belongs to the
    piece before it; what lies before the first token, to the first one.
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
    return Pieces(text, [*begins, len(text)], weights)
