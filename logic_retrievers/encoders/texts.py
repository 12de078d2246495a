"""Texts before they reach a tokenizer: refused, or made harmless."""

from __future__ import annotations

import re
from collections.abc import Sequence

from logic_retrievers.errors import EmptyTextError, InputError, LongTextWarning, warn

_LONE_SURROGATE = re.compile("[\ud800-\udfff]")


def check_texts(texts: Sequence[str]) -> list[str]:
    """The texts, fit for encoding.

    A lone surrogate (half a character, from a broken JSON escape or file name) cannot be encoded as
    UTF-8; it becomes U+FFFD, which keeps every character offset.

    Raises:
        InputError: not a sequence of strings; the message gives the index.
        EmptyTextError: a text with nothing but white space.
    """
    if isinstance(texts, (str, bytes)) or not isinstance(texts, Sequence):
        raise InputError(
            f"Texts must be a list of strings, not {type(texts).__name__}. For one text: [text]."
        )
    checked = []
    for index, text in enumerate(texts):
        if not isinstance(text, str):
            raise InputError(
                f"Text {index} is {type(text).__name__}, not a string. Convert it, or leave it out."
            )
        if not text or text.isspace():
            raise EmptyTextError(f"Text {index} is empty. Leave empty texts out.")
        checked.append(clean_text(text))
    return checked


def clean_text(text: str) -> str:
    """The text with U+FFFD in place of every lone surrogate."""
    return _LONE_SURROGATE.sub("\ufffd", text)


def warn_about_long_texts(count: int, total: int, max_tokens: int) -> None:
    """Says that the ends of some texts were not read."""
    warn(
        LongTextWarning,
        f"{count} of {total} texts are longer than the {max_tokens} tokens that this encoder "
        "reads; what follows is not in their vectors. Split them first: "
        "logic_retrievers.documents.Splitter.",
    )
