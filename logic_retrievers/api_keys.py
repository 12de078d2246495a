"""Keys of servers: what one may hold, and how it is kept out of messages and pickles."""

from __future__ import annotations

import base64
import html
import re
from collections.abc import Iterable, Iterator
from typing import NoReturn

from logic_retrievers.errors import ConfigurationError

VISIBLE_ASCII = re.compile(r"[!-~]+")
_SHORT = 8
"""Fewer characters than these also stand in the middle of ordinary words."""


def check_key(key: object, name: str = "api_key") -> str:
    """The key, where a request can carry it.

    Args:
        key: what the user gave.
        name: of the setting, for the message.

    Raises:
        ConfigurationError: it cannot; an HTTP client's own error about that would show the key.
    """
    if not isinstance(key, str) or not VISIBLE_ASCII.fullmatch(key):
        raise ConfigurationError(
            f"{name} is empty, no text, or holds white space or more than visible ASCII."
        )
    return key


class Secrets:
    """Values that no message may show; neither does the ``repr``, and pickling is refused."""

    def __init__(self, *values: str | None) -> None:
        forms = [form for value in values if value for form in _forms(value)]
        short = {
            form for value in values if value and len(value) < _SHORT for form in _forms(value)
        }
        self._anywhere = _any_of(forms)
        self._masked = _any_of(_as_word(form) if form in short else form for form in forms)

    def mask(self, text: str) -> str:
        """The text with ``***`` for every value, also where it is escaped or encoded in it.

        A short value counts as a whole word alone: parts of other words are not it.
        """
        return self._masked.sub("***", text)

    def shown_by(self, error: BaseException) -> bool:
        """Whether an error shows a value in its text or fields, or one of its causes does."""
        return any(
            self._anywhere.search(f"{each} {each!r} {_fields(each)}")
            for each in _with_causes(error)
        )

    def __repr__(self) -> str:
        return "Secrets(***)"

    def __reduce__(self) -> NoReturn:
        raise TypeError("keys are not pickled")


def _any_of(forms: Iterable[str]) -> re.Pattern[str]:
    return re.compile("|".join(forms) or r"(?!)", re.IGNORECASE)


def _as_word(form: str) -> str:
    """The form where no word goes on around it; an escape before it is none."""
    escapes = r"(?<=%[0-9a-f]{2})|(?<=\\[nrt])|(?<=\\x[0-9a-f]{2})|(?<=\\u[0-9a-f]{4})"
    return rf"(?:(?<![^\W_])|{escapes}){form}(?![^\W_])"


def _forms(value: str) -> Iterator[str]:
    """Regular expressions for a value: each character may be escaped, or all of it be base64."""
    yield "".join(
        rf"(?:{re.escape(char)}|%{ord(char):02x})"
        if char == "\\"
        else rf"\\*(?:{re.escape(char)}|%{ord(char):02x}|{re.escape(html.escape(char))})"
        for char in value
    )
    yield re.escape(base64.b64encode(value.encode()).decode().rstrip("="))


def _with_causes(error: BaseException) -> Iterator[BaseException]:
    remaining: list[object] = [error]
    seen: set[int] = set()
    while remaining:
        each = remaining.pop()
        if isinstance(each, BaseException) and id(each) not in seen:
            seen.add(id(each))
            yield each
            remaining += [each.__cause__, each.__context__, *_fields(each).values()]


def _fields(error: BaseException) -> dict[str, object]:
    return getattr(error, "__dict__", {})
