"""A tokenizer that can be shared by threads."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from threading import Lock

from tokenizers import Tokenizer

from logic_retrievers.encoders.texts import clean_text
from logic_retrievers.errors import BundleError, EmptyTextError


@dataclass(frozen=True, slots=True)
class Tokens:
    """Token ids of some texts, cut to the length that the encoder reads, and how many were cut."""

    ids: list[list[int]]
    cut: int


class SharedTokenizer:
    """One ``tokenizer.json`` for several prefixes and lengths.

    Truncation and padding are state of a ``tokenizers`` object, so each length gets an object of
    its own, set once.

    Args:
        content: of the ``tokenizer.json``.
    """

    def __init__(self, content: bytes) -> None:
        try:
            self._whole = Tokenizer.from_buffer(content)
        except Exception as error:  # the class that tokenizers raises is Exception itself
            raise BundleError(
                f"The bundle's tokenizer cannot be read: {error}. Upgrade the package "
                "'tokenizers', or get the bundle again."
            ) from error
        padding = self._whole.padding or {}
        self.pad_id = int(padding.get("pad_id", 0))
        self._whole.no_padding()
        self._whole.no_truncation()
        self._content = content
        self._cutting: dict[int, Tokenizer] = {}
        self._lock = Lock()

    def encode(self, texts: Sequence[str], prefix: str, max_tokens: int) -> Tokens:
        """Token ids with the special ones.

        Raises:
            EmptyTextError: a text of which the tokenizer keeps nothing (control characters alone).
        """
        tokenizer = self._cut_to(max_tokens)
        bare = len(tokenizer.encode(prefix).ids)
        encodings = tokenizer.encode_batch_fast([prefix + text for text in texts])
        ids = [encoding.ids for encoding in encodings]
        for index, row in enumerate(ids):
            if len(row) <= bare < max_tokens:
                raise EmptyTextError(
                    f"Text {texts[index][:20]!r} holds nothing that the tokenizer reads. Leave it "
                    "out."
                )
        return Tokens(ids, cut=sum(bool(encoding.overflowing) for encoding in encodings))

    def spans(self, text: str) -> list[tuple[int, int]]:
        """Character span of every token, special tokens left out, never cut."""
        encoding = self._whole.encode(clean_text(text), add_special_tokens=False)
        return list(encoding.offsets)

    def _cut_to(self, length: int) -> Tokenizer:
        with self._lock:
            if length not in self._cutting:
                tokenizer = Tokenizer.from_buffer(self._content)
                tokenizer.no_padding()
                tokenizer.enable_truncation(length)
                self._cutting[length] = tokenizer
            return self._cutting[length]
