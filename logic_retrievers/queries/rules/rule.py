"""Rules that find a query's excluded texts in one language.

A rule has a cue, the excluded text's place, and contexts in which the cue means something else.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from functools import cached_property
from typing import Any

from logic_retrievers.errors import ConfigurationError


class Scope(Enum):
    """Where the excluded text stands."""

    # After the cue: "except *Norway*".
    AFTER = "after"
    # Before the cue: "*Norway* excluded".
    BEFORE = "before"
    # Between the cue's halves: "leave *Norway* out". The cue's group ``excluded`` matches the text.
    BETWEEN = "between"


@dataclass(frozen=True)
class Rule:
    """One family of cues; the packs have examples.

    The patterns are regular expressions; a blank stands for white space. They see at most 160
    characters on either side of a cue. They must not nest quantifiers, so that no query makes them
    slow.

    Args:
        name: name of the family.
        cue: the words that exclude, as whole words; a hyphen counts as part of a word.
        scope: where the excluded text stands.
        before: the text before the cue must end with this; empty allows any text.
        not_before: the text before the cue must not end with these words.
        not_after: the text after the cue must not begin with these words.
        opening: whether the cue must begin a sentence (True), must not (False) or may (None).
        brief: whether the excluded text is a word or two ("without *a pool* in Rome").

    Raises:
        ConfigurationError: a pattern is not a regular expression.
    """

    name: str
    cue: str
    scope: Scope = Scope.AFTER
    before: str = ""
    not_before: str = ""
    not_after: str = ""
    opening: bool | None = None
    brief: bool = False

    def __post_init__(self) -> None:
        try:
            _ = self.cue_pattern, self._before, self._not_before, self._not_after
        except re.error as error:
            raise ConfigurationError(f"rule {self.name!r}: {error}") from error

    @cached_property
    def cue_pattern(self) -> re.Pattern[str]:
        return re.compile(rf"(?<![\w'-])(?:{_words(self.cue)})(?![\w-]|'\w)", re.IGNORECASE)

    @cached_property
    def _before(self) -> re.Pattern[str]:
        return re.compile(rf"(?:{_words(self.before)})$", re.IGNORECASE)

    @cached_property
    def _not_before(self) -> re.Pattern[str]:
        pattern = rf"(?<![\w-])(?:{_words(self.not_before)})\s*$"
        return re.compile(pattern, re.IGNORECASE)

    @cached_property
    def _not_after(self) -> re.Pattern[str]:
        return re.compile(rf"\s*(?:{_words(self.not_after)})(?![\w-])", re.IGNORECASE)

    def fits(self, before: str, after: str) -> bool:
        """Return whether a cue between these two texts has the rule's meaning."""
        if self.before and not self._before.search(before):
            return False
        if self.not_before and self._not_before.search(before):
            return False
        return not (self.not_after and self._not_after.match(after))


def _words(pattern: str) -> str:
    return pattern.replace(" ", r"\s+")


class RulePack:
    """Words, patterns and rules of one language, from a TOML file.

    Args:
        table: optional ``words`` (lists by name); ``fragments`` (patterns by name, which other
            patterns include as ``{NAME}``); and optional ``rules``, each with the fields of
            :class:`Rule` and ``examples``. A pattern may be a list of pieces.
    """

    def __init__(self, table: Mapping[str, Any]) -> None:
        self._fragments = {name: "".join(pieces) for name, pieces in table["fragments"].items()}
        self._words = table.get("words", {})
        self.rules = tuple(self._read(fields) for fields in table.get("rules", ()))

    def fragment(self, name: str) -> str:
        return self._expand(self._fragments[name])

    def words(self, name: str) -> list[str]:
        """Return a list of words, each a regular expression."""
        return str(self._words[name]).split()

    def _read(self, fields: Mapping[str, Any]) -> Rule:
        values = {name: value for name, value in fields.items() if name != "examples"}
        for name in _PATTERNS & values.keys():
            values[name] = self._expand("".join(values[name]))
        return Rule(**{**values, "scope": Scope(values.get("scope", "after"))})

    def _expand(self, pattern: str) -> str:
        return _FRAGMENT.sub(lambda match: self.fragment(match[1]), pattern)


_PATTERNS = {"cue", "before", "not_before", "not_after"}
_FRAGMENT = re.compile(r"\{([A-Z_]{2,})\}")
