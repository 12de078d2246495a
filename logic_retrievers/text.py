"""Text in a form that can be compared: words, word forms, scripts, hidden characters."""

from __future__ import annotations

import json
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable
from functools import cache

# Scripts that put no space between words (Thai to Khmer, Japanese, Chinese).
UNSPACED = r"\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff"
# Unicode's Cf and Default_Ignorable_Code_Point, and controls that are not white space.
INVISIBLE_CLASS = (
    r"\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f"
    r"\u00ad\u034f\u0600-\u0605\u061c\u06dd\u070f\u0890\u0891\u08e2\u115f\u1160\u17b4\u17b5"
    r"\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0"
    r"\ufff0-\ufffb\U000110bd\U000110cd\U00013430-\U0001343f\U0001bca0-\U0001bca3"
    r"\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
)
INVISIBLE = re.compile(f"[{INVISIBLE_CLASS}]")
# A joiner shapes emoji and the letters of many scripts; a zero-width space separates words of Thai
# or Khmer. Between other letters both are meaningless.
_MEANINGLESS = re.compile(
    rf"(?![\u200b-\u200d])[{INVISIBLE_CLASS}]|(?<![{UNSPACED}])\u200b"
    r"|(?<=[a-zA-Z\u00c0-\u024f])[\u200c\u200d]"
)
# Characters that cannot be seen or that reverse a line. The two joiners are left out, because many
# scripts and emoji need them.
HIDDEN = re.compile(
    "["
    "\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f"  # controls, except tab and line ends
    "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"  # directions of writing
    "\u200b\u2028\u2029\u2060-\u2065\u206a-\u206f\ufeff\ufff9-\ufffb"  # no width, or no glyph
    "\ud800-\udfff\ufffe\uffff"  # not characters; UTF-8 cannot even store a lone surrogate
    "\U000e0000-\U000e007f"  # tags, which can hold a message to a model that no reader sees
    "]"
)
_LAYOUT = re.compile(rf"[\u00ad\u2060\ufeff]|(?<![{UNSPACED}])\u200b")
# Writers often leave out Latin, Greek and Cyrillic accents, and Hebrew and Arabic vowel points.
_ACCENTS = re.compile(
    r"[\u0300-\u036f\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u064b-\u0652\u0670]"
)
_SIGNS = ("\u2019'", "\u02bc'", "\u00b4'", "\u2212-")  # replaced first, as NFKC splits the third
_LETTERS = ("\u00e6ae", "\u0153oe", "\u00f8o", "\u0142l", "\u0111d", "\u0131i")

_HISSING = ("s", "x", "z", "ch", "sh")
# Words that mean something different without their final s.
_NO_PLURALS = frozenset({"goods", "means", "news"})
# Singular and plural, also as the end of a longer word: "housewives", "hypotheses".
_IRREGULAR = re.findall(
    r"(\w+)/(\w+)",
    """
    man/men child/children foot/feet tooth/teeth goose/geese mouse/mice louse/lice wife/wives
    knife/knives life/lives leaf/leaves loaf/loaves sheaf/sheaves shelf/shelves elf/elves
    wolf/wolves half/halves calf/calves thief/thieves hoof/hooves scarf/scarves dwarf/dwarves
    wharf/wharves bacterium/bacteria fungus/fungi cactus/cacti larva/larvae alga/algae
    nucleus/nuclei octopus/octopi vertebra/vertebrae criterion/criteria phenomenon/phenomena
    person/people sis/ses matrix/matrices vertex/vertices index/indices appendix/appendices
    quiz/quizzes penny/pence ch/chs
    """,
)


def is_blank(text: str) -> bool:
    """Whether a text holds only white space and invisible characters."""
    return not INVISIBLE.sub("", text).strip()


def visible_text(text: str) -> str:
    """Return the text as models and BM25 read it, without meaningless invisible characters."""
    return _MEANINGLESS.sub("", text)


def show_hidden(text: str) -> str:
    """Return the text with hidden characters as ⟦U+202E⟧ and line ends as line feeds."""
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    return HIDDEN.sub(lambda match: f"⟦U+{ord(match[0]):04X}⟧", text)


def escape_hidden(line: str) -> str:
    """Escape hidden characters in a line of JSON for terminals; its values stay the same."""
    return HIDDEN.sub(lambda match: json.dumps(match[0])[1:-1], line)


def without_layout(text: str) -> str:
    """Return the text without characters that only allow or forbid a line break."""
    return _LAYOUT.sub("", text)


def comparable(text: str) -> str:
    """Return a text's form for comparisons, which is the same for two spellings of a word.

    It has no invisible characters, case, accents ("ü" is "u") or compatibility forms (full width).
    """
    plain = unicodedata.normalize("NFKC", _replace(text, _SIGNS))
    plain = INVISIBLE.sub("", plain).casefold()
    if plain.isascii():
        return plain
    unaccented = _ACCENTS.sub("", unicodedata.normalize("NFD", plain))
    return _replace(unicodedata.normalize("NFC", unaccented), _LETTERS)


def _replace(text: str, pairs: Iterable[str]) -> str:
    for pair in pairs:
        text = text.replace(pair[0], pair[1:])
    return text


def words_of(text: str) -> list[str]:
    """Return the words of a text in their :func:`comparable` form."""
    return re.findall(r"\w+", comparable(text))


def word_forms(word: str) -> list[str]:
    """Return a comparable word and its English plurals and singulars, guessed from its letters."""
    irregular = (
        f"{word.removesuffix(ending)}{other}"
        for pair in _IRREGULAR
        for ending, other in (pair, reversed(pair))
        if word.endswith(ending)
    )
    return list(dict.fromkeys([word, *_plurals(word), *_singulars(word), *irregular]))


def any_form(word: str) -> str:
    """Return a pattern that matches a comparable word in any of its forms."""
    return f"(?:{'|'.join(map(re.escape, word_forms(word)))})"


def _plurals(word: str) -> list[str]:
    if len(word) < 3 or not word[-1].isalpha():
        return []
    if word.endswith(_HISSING):
        return [f"{word}es"]
    if word.endswith("o"):
        return [f"{word}s", f"{word}es"]
    if word.endswith("y") and word[-2] not in "aeiou":
        return [f"{word}s", f"{word[:-1]}ies"]
    return [f"{word}s"]


def _singulars(word: str) -> list[str]:
    if word in _NO_PLURALS:
        return []
    candidates = [word.removesuffix("s"), word.removesuffix("es"), f"{word.removesuffix('ies')}y"]
    return [candidate for candidate in candidates if word in _plurals(candidate)]


def latin_letters(text: str) -> tuple[int, int]:
    """Return the number of Latin letters, and of all letters."""
    letters = Counter(character for character in text if character.isalpha())
    return sum(n for letter, n in letters.items() if _is_latin(letter)), letters.total()


@cache
def _is_latin(character: str) -> bool:
    return unicodedata.name(character, "").startswith(("LATIN", "FULLWIDTH LATIN"))


def is_outside_latin(text: str) -> bool:
    """Whether most letters of a text are not Latin.

    Digits, signs and marks do not count, so the answer is False for a text without letters.
    Fullwidth and mathematical letters count as the plain ones.
    """
    if text.isascii():
        return False
    latin, letters = latin_letters(unicodedata.normalize("NFKC", text))
    return 2 * latin < letters


def unjudgeable_reason(text: str) -> str:
    """Tell why contradictions of a text cannot be judged; return "" if they can.

    The package's own bundle was trained on English, so any two texts in another script look alike
    to it. French and German texts count as judgeable, since they use the Latin script.
    """
    if is_blank(text):
        return "has no text to judge it by"
    if is_outside_latin(text):
        return "is mostly in another script than the Latin one, so that it cannot be judged"
    return ""
