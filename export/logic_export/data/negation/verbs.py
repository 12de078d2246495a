"""English verbs whose forms can be told from other words, and how the forms are spelt."""

from __future__ import annotations

import re

from logic_export.data.negation.words import listed

_PLAIN = listed(
    "accelerate accept achieve activate affect agree alleviate alter allow ameliorate "
    "apply argue arrive assess attenuate avoid become begin believe belong bind choose comprise "
    "confer confirm consist contain contribute create decide demonstrate depend derive "
    "describe determine develop differ diminish discuss disrupt eliminate emphasize "
    "employ enable encode encourage enhance enjoy ensure evaluate exacerbate examine exceed exert "
    "exhibit exist explain expose express facilitate follow forget form generate give go grow "
    "happen hate hear identify illustrate impair implicate improve include indicate induce inform "
    "inhibit interact introduce involve justify keep know learn like locate maintain mediate "
    "modify modulate obtain occur oppose originate participate perform "
    "persist phosphorylate possess potentiate predict prefer prevent produce promote protect "
    "prove provide publish qualify reach react receive recognize recommend reduce reflect "
    "refuse regulate reject rely remember remove represent require resemble resolve retain reveal "
    "say see seem serve specify stabilize stimulate succeed suffer suggest suppress survive "
    "sustain take teach tend think thrive undergo understand utilize vary worsen write"
)

# Their form in "s" is a noun too; it is taken for a verb only ahead of an article or the like.
_ALSO_NOUNS = listed(
    "address aid answer appear benefit block call cause change claim control cover decrease delay "
    "display drive effect estimate favor favour find form further gain help hold impact increase "
    "lead leave limit love make mark measure mention need offer open permit play process project "
    "raise recruit release remain report result set share show stop supply support target test "
    "trigger turn use value want win work yield"
)

_IRREGULAR_PAST = {
    "become": "became", "begin": "began", "bind": "bound", "choose": "chose", "drive": "drove",
    "find": "found", "forget": "forgot", "give": "gave", "go": "went", "grow": "grew",
    "have": "had", "hear": "heard", "hold": "held", "keep": "kept", "know": "knew",
    "lead": "led", "leave": "left", "make": "made", "say": "said", "see": "saw", "set": "set",
    "take": "took", "teach": "taught", "think": "thought", "undergo": "underwent",
    "understand": "understood", "win": "won", "write": "wrote", "come": "came", "get": "got",
    "meet": "met", "feel": "felt", "mean": "meant", "lose": "lost", "arise": "arose",
    "tell": "told", "show": "showed", "prove": "proved", "run": "ran", "eat": "ate",
    "buy": "bought",
}  # fmt: skip

_DOUBLING = frozenset(
    {"occur", "confer", "control", "prefer", "permit", "stop", "set", "refer", "plan"}
)

# No participle looks like these: either it is spelt otherwise, or the verb takes no object.
_CLEAR_PAST = listed(
    "become begin choose forget give go grow know take undergo write come arise eat show run "
    "arrive belong consist depend differ exist happen occur persist remain seem appear survive "
    "succeed contribute interact tend participate"
)

_VOWELS = "aeiou"


def third_person(base: str) -> str:
    """The form in "s" of any verb but "be"."""
    irregular = {"have": "has", "do": "does", "go": "goes", "undergo": "undergoes"}
    if base in irregular:
        return irregular[base]
    if base.endswith("y") and base[-2:-1] not in _VOWELS:
        return base[:-1] + "ies"
    return base + ("es" if base.endswith(("s", "x", "z", "ch", "sh", "o")) else "s")


def past(base: str) -> str | None:
    """The past form; None for a verb that is not in the tables of this file."""
    if base in _IRREGULAR_PAST:
        return _IRREGULAR_PAST[base]
    if base not in BASES:
        return None
    if base.endswith("e"):
        return base + "d"
    if base.endswith("y") and base[-2] not in _VOWELS:
        return base[:-1] + "ied"
    return base + (base[-1] if base in _DOUBLING else "") + "ed"


def indefinite(word: str) -> str:
    """The article that goes before a word: "a", or "an" before a vowel as it is spoken."""
    if word.isupper():
        return "an" if word[0] in "AEFHILMNORSX" else "a"
    if re.match(r"(?:uni|use|usu|uti|eu|one|once)", word, re.IGNORECASE):
        return "an" if word.lower().startswith(("unin", "unim")) else "a"
    return "an" if re.match(r"[aeio]|u|hour|honest|heir", word, re.IGNORECASE) else "a"


BASES = frozenset({*_PLAIN, *_ALSO_NOUNS, *_IRREGULAR_PAST})
"""Base forms that :func:`past` can inflect."""

PLAIN_THIRD = {third_person(base): base for base in sorted(_PLAIN)}
"""Forms that are third person singular whatever stands around them."""

NOUN_LIKE_THIRD = {third_person(base): base for base in sorted(_ALSO_NOUNS)}
"""Forms that are a plural noun as often."""

CLEAR_PAST = {form: base for base in sorted(_CLEAR_PAST) if (form := past(base)) is not None}
"""Past forms that are no participle of a passive or of a shortened relative clause."""

ANY_PAST = {form: base for base in sorted(BASES) if (form := past(base)) is not None}
"""Past forms, told from participles only by what stands before them."""
