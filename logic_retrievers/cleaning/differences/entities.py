"""Names and codes: ``Paris``, ``Baltic Sea``, ``X200``, ``CsvReader``, ``close_all``."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from logic_retrievers.cleaning.differences.lexicon import listed_words
from logic_retrievers.cleaning.differences.tokens import STOPWORDS, Token

_CODE = re.compile(r"(?=.*\d)(?=.*[^\W\d_])[\w-]+|\w+_\w+|[a-z]+[A-Z]\w*|[A-Z][a-z]+[A-Z]\w*")
_GAP = re.compile(r"[ \u00a0-]{0,2}")
_NOT_NAMES = listed_words("not_names")


def find_entities(text: str, tokens: Sequence[Token]) -> Iterator[tuple[int, int, str]]:
    """First token, index behind the last, and the name, in their order.

    Every sentence begins with a capital, so that its first word is a name only if it is part of a
    longer name or a code.
    """
    index = 0
    while index < len(tokens):
        token, end = tokens[index], _name_end(text, tokens, index)
        if end > index + 1 or _is_code(token) or (end > index and not token.opens_sentence):
            yield index, end, " ".join(part.key.removesuffix("'s") for part in tokens[index:end])
        index = max(end, index + 1)


def _name_end(text: str, tokens: Sequence[Token], index: int) -> int:
    """Index behind the name that begins at a token; the token's own if none does."""
    if not _is_capitalized(tokens[index]):
        return index + _is_code(tokens[index])
    end = index + 1
    while (
        end < len(tokens)
        and not tokens[end].opens_sentence
        and _is_capitalized(tokens[end])
        and _GAP.fullmatch(text, tokens[end - 1].end_char, tokens[end].start_char)
    ):
        end += 1
    return end


def _is_capitalized(token: Token) -> bool:
    return token.text[0].isupper() and token.key not in _NOT_NAMES | STOPWORDS


def _is_code(token: Token) -> bool:
    return _CODE.fullmatch(token.text) is not None and token.text[0].isalpha()
