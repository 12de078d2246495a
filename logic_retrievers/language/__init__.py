"""Detect a query's language by its words. This works even for three words, where n-grams err.

``function_words.toml`` has the function words of eleven languages. ``english_words.txt`` has common
English words, for queries without function words ("pizza no cheese").
"""

from __future__ import annotations

import re
import tomllib
from functools import cache
from importlib.resources import files

from logic_retrievers.text import latin_letters

# A language whose function words are not in the file, such as one in a non-Latin script.
UNDETERMINED = "und"

# Results for which English models may read the query; None: no word tells the language.
ENGLISH = ("en", None)

_WORD = re.compile(r"w/o|[^\W\d_]+(?:['\u2019][^\W\d_]+)?", re.IGNORECASE)
_OTHER_SCRIPT_SHARE = 0.3
# weights: function words of one side, function words of both sides, other common English words
_OWN, _SHARED, _COMMON = 2.0, 0.5, 1.0
_NEUTRAL = "no"  # a cue, and a word of several languages, so it counts for none


def detect_language(text: str) -> str | None:
    """Return the language of a query; above all, tell whether it is English.

    Returns:
        ISO 639-1 code; :data:`UNDETERMINED` for an unknown language, such as one in a non-Latin
        script; None if no word tells the language. English needs more evidence than any other
        language.
    """
    latin, letters = latin_letters(text)
    if letters - latin > _OTHER_SCRIPT_SHARE * letters:
        return UNDETERMINED
    words = [word.lower().replace("\u2019", "'") for word in _WORD.findall(text)]
    english = sum(map(_english_weight, words[1:] if words[:1] == ["not"] else words))
    scores = {
        language: sum(_foreign_weight(word, of_language) for word in words)
        for language, of_language in _function_words().items()
        if language != "en"
    }
    language = max(scores, key=scores.__getitem__)
    foreign = scores[language] + sum(not word.isascii() for word in words)
    if english > foreign:
        return "en"
    if scores[language] == 0:
        return UNDETERMINED if foreign else None
    return language


def _english_weight(word: str) -> float:
    if word == _NEUTRAL:
        return 0
    if word in _function_words()["en"]:
        return _SHARED if word in _foreign_words() else _OWN
    is_common = word in english_words() and word not in _foreign_words()
    return _COMMON if is_common else 0


def _foreign_weight(word: str, of_language: frozenset[str]) -> float:
    if word == _NEUTRAL or word not in of_language:
        return 0
    return _SHARED if word in _function_words()["en"] else _OWN


@cache
def _function_words() -> dict[str, frozenset[str]]:
    table = tomllib.loads(_read("function_words.toml"))["function_words"]
    return {language: frozenset(words.split()) for language, words in table.items()}


@cache
def _foreign_words() -> frozenset[str]:
    return frozenset().union(*(w for lang, w in _function_words().items() if lang != "en"))


@cache
def english_words() -> frozenset[str]:
    """Return about 10,000 common English words."""
    return frozenset(_read("english_words.txt").split())


def _read(name: str) -> str:
    return files(__name__).joinpath(name).read_text("utf-8")
