"""Names and codes: ``Paris``, ``Baltic Sea``, ``X200``, ``CsvReader``, ``close_all``."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from logic_retrievers.cleaning.differences.lexicon import listed_words
from logic_retrievers.cleaning.differences.tokens import STOPWORDS, Token

_CODE = re.compile(r"(?=.*\d)(?=.*[^\W\d_])[\w-]+|\w+_\w+|[a-z]+[A-Z]\w*|[A-Z][a-z]+[A-Z]\w*")
_GAP = re.compile(r"[ \u00a0-]{0,2}|'s |\u2019s |\. ")
_NOT_NAMES = listed_words("not_names")


def find_entities(text: str, tokens: Sequence[Token]) -> Iterator[tuple[int, int, str]]:
    """First token, index behind the last, and the name, in their order.

    Every sentence begins with a capital, so that its first word is a name only if it is part of a
    longer name, a code, or capitalized elsewhere in the text too.
    """
    if sum(token.text.isupper() for token in tokens) > len(tokens) / 2:
        return  # all words look like names
    capitalized = {
        token.key for token in tokens if token.text[0].isupper() and not token.opens_sentence
    }
    index = 0
    while index < len(tokens):
        end = _name_end(text, tokens, index)
        if end is None:
            index += 1
            continue
        token, is_long = tokens[index], end > index + 1
        if is_long or not token.opens_sentence or token.key in capitalized or _is_code(token):
            start = index + (is_long and token.opens_sentence and token.key in STOPWORDS)
            yield start, end, " ".join(part.key.removesuffix("'s") for part in tokens[start:end])
        index = end


def _name_end(text: str, tokens: Sequence[Token], index: int) -> int | None:
    """Index behind the name that begins at a token; None if none does."""
    if not _is_capitalized(tokens[index]):
        return index + 1 if _is_code(tokens[index]) else None
    end = index + 1
    while end < len(tokens) and not tokens[end].opens_sentence:
        if not _GAP.fullmatch(text, tokens[end - 1].end_char, tokens[end].start_char):
            break
        if not _is_capitalized(tokens[end]):
            break
        end += 1
    return end


def _is_capitalized(token: Token) -> bool:
    if not token.text[0].isupper() or token.key in _NOT_NAMES:
        return False
    return token.key not in STOPWORDS or (token.opens_sentence and len(token.key) > 1)


def _is_code(token: Token) -> bool:
    return _CODE.fullmatch(token.text) is not None and token.text[0].isalpha()
