"""Word lists and word forms: relations, plural heads, names, and words that block a reading."""

from __future__ import annotations

import re
from collections.abc import Sequence
from enum import Enum


def word_set(text: str) -> frozenset[str]:
    """The words of a text, as a set."""
    return frozenset(text.split())


class Relation(Enum):
    """How a modifier is attached to its head."""

    PLACE = "place"
    """By a preposition: *in* Rome. Few things are in two places, so AND may mean OR."""
    PROPERTY = "property"
    """By a relation that can hold several times: *starring* A, *directed by* B, *with* a pool."""
    CLAUSE = "clause"
    """*that tolerate* shade."""


PREPOSITIONS = word_set(
    "of in by from for with about on near at against under over to during after before within "
    "around along across through inside outside via using like behind above below beside as"
)
_PROPERTIES = word_set(
    "starring featuring containing involving using including serving covering showing describing "
    "treating affecting depicting offering requiring lasting mentioning wearing playing targeting "
    "supporting citing inhibiting activating causing producing having eating weighing costing with"
)
_IRREGULAR = word_set(
    "written made set shot sung built grown held found known born drawn sold shown spoken worn "
    "taught won led bred spun cut hit native endemic suitable available compatible common safe "
    "effective popular toxic high low rich poor"
)
_CREATED_BY = (
    r"(?:(?:co-)?(?:directed|produced|released|composed|painted|published|performed|recorded|"
    r"designed|created|illustrated|edited|translated|narrated|scripted|developed|written|sung|"
    r"drawn|built|shot)) by"
)
_SET_RELATION = re.compile(rf"starring|featuring|set in|shot in|based on(?: .*)?|{_CREATED_BY}")
_ANY_SET_RELATION = re.compile(
    rf"\b(?:starring|featuring|set in|shot in|based on|{_CREATED_BY})\b".replace(" ", r"\s+"),
    re.IGNORECASE,
)
_NO_PARTICIPLE = word_set(
    "seed need feed speed weed breed bleed bed red shed sled wed hundred embed indeed exceed"
)
_RELATIVES = word_set("that which who whose")
_NOT_PLURAL = word_set(
    "this his its is was as us yes does has thus towards besides always perhaps sometimes "
    "previous various famous less across versus news sports arts physics politics mathematics "
    "economics diabetes series species's plus minus gas bus lens bias basis analysis "
    "indoors outdoors upstairs downstairs overseas whereas afterwards needs lets gets makes "
    "causes means"
)
_IRREGULAR_PLURALS = word_set(
    "people men women children mice geese teeth feet oxen fungi bacteria criteria phenomena "
    "algae larvae cacti data media series species aircraft sheep deer fish software music"
)
_PLURAL = re.compile(r"[a-z][a-z'-]*[a-z]s")
_NO_PLURAL_END = ("ss", "us", "is", "'s")
_PARTICLES = word_set("de von van der den la le du di da del ten y the of and")
DETERMINERS = word_set("the a an some any all every other these those ones")
EVALUATIONS = word_set(
    "best top good great nice new old latest recent famous popular cheap cheapest most more many "
    "few several different similar favourite favorite worst interesting main major important "
    "common different certain only first last biggest largest highest"
)
"""Words before a head that define no set: *the best* films directed by ..."""

BLOCKING_WORDS = word_set(
    "is are was were am be been do does did can could will would shall should may might must has "
    "have had between difference differences compare compared comparison versus vs what why how "
    "when where whether if than because while i we you they he she it my your me us meaning mean "
    "means define definition relationship relation interaction let's there same similarities "
    "similarity each per effect role impact influence association correlation no not never "
    "nor neither none"
)
"""In a phrase with one of these, *and* joins what one search must see together."""

_TIMES_AND_NATIONALITIES = re.compile(
    r"(?:1[5-9]|20)\d\ds?|\d\ds|[A-Z][a-z]*(?:ish|ese|ian|ean|can|nch|eek|utch|elsh|wiss|lian|"
    r"man|raqi|tani|ech|urkish|rab|hai|tine|pine|dic|vic|ndi)",
)


def is_plural(word: str) -> bool:
    """Whether the word has the form of a plural noun; names have not."""
    if word in _IRREGULAR_PLURALS:
        return True
    return (
        _PLURAL.fullmatch(word) is not None
        and not word.endswith(_NO_PLURAL_END)
        and word not in _NOT_PLURAL
        and word not in PREPOSITIONS
    )


def is_name(word: str) -> bool:
    """Whether it begins with a capital or a digit, or was masked as a name."""
    return word[:1].isupper() or word[:1].isdigit() or word[:1] == "_"


def is_name_particle(word: str) -> bool:
    """Whether it occurs inside names: *de*, *von*."""
    return word in _PARTICLES


def is_time_or_nationality(word: str) -> bool:
    """Whether it is a year, a decade or a nationality: nothing is *French and Italian*."""
    return _TIMES_AND_NATIONALITIES.fullmatch(word) is not None


def is_time(word: str) -> bool:
    """Whether it is a year or a decade."""
    return word[0].isdigit() and is_time_or_nationality(word)


def relation_at(forms: Sequence[str], at: int) -> tuple[int, Relation] | None:
    """Number of words and kind of the relation that begins at ``at``; None where none does."""
    if forms[at].lower() in _RELATIVES and at + 1 < len(forms):
        inner = _simple_relation(forms, at + 2) if at + 2 < len(forms) else None
        return 2 + (inner[0] if inner else 0), Relation.CLAUSE
    return _simple_relation(forms, at)


def _simple_relation(forms: Sequence[str], at: int) -> tuple[int, Relation] | None:
    word = forms[at].lower()
    following = forms[at + 1].lower() if at + 1 < len(forms) else ""
    if word in _PROPERTIES:
        return 1, Relation.PROPERTY
    if following in PREPOSITIONS and is_participle(word):
        return 2, Relation.PROPERTY
    if word in PREPOSITIONS:
        return 1, Relation.PLACE
    return None


def is_participle(word: str) -> bool:
    """Whether it is like ``directed`` or ``written``, or an adjective that takes a preposition."""
    return word in _IRREGULAR or (
        word.endswith("ed") and len(word) > 4 and word not in _NO_PARTICIPLE
    )


def defines_set(relation: Sequence[str]) -> bool:
    """Whether the relation alone defines a set: films *directed by*, *set in*, *starring*."""
    return _SET_RELATION.fullmatch(" ".join(word.lower() for word in relation)) is not None


def has_set_relation(masked: str) -> bool:
    """Whether a relation that defines a set stands anywhere in the text."""
    return _ANY_SET_RELATION.search(masked) is not None
