"""Word lists of the negation rules, and the inflection of verbs."""

from __future__ import annotations

import re

from logic_export.data.files import read_toml

_WORDS = read_toml(__package__, "lexicon.toml")


def word_set(name: str) -> frozenset[str]:
    """Read a word list of ``lexicon.toml``."""
    return frozenset(_WORDS[name].split())


BE = word_set("be")
MODALS = word_set("modals")
HAVE = {"has": "does", "have": "do", "had": "did"}
DO = word_set("do")

CONTRACTIONS = {"can't": "can", "won't": "will", "shan't": "shall"} | {
    f"{verb}n't": verb
    for verb in (*sorted(BE), *HAVE, *sorted(DO), "could", "would", "should", "must")
}

# Words that negate a sentence, or make it compatible with its negation ("may").
NEGATIVE = re.compile(
    r"not|\w*n't|no|non|never|none|nobody|nothing|nowhere|neither|nor|cannot|without|hardly|"
    r"scarcely|barely|rarely|seldom|infrequently|unable|lack(?:s|ed|ing)?|fail(?:s|ed|ing|ure)?|except|unless|"
    r"absen(?:t|ce)|excluding|may|might|little|few"
)
REMOVABLE = word_set("removable") | CONTRACTIONS.keys()

DETERMINERS = word_set("determiners")
OWNERS = word_set("owners")  # before the noun "will"
PRONOUNS = word_set("pronouns")
PLURAL_PRONOUNS = word_set("plural_pronouns")
NO_SUBJECT_END = DETERMINERS - word_set("not_before_subject_end") | word_set(
    "incomplete_subject_end"
)

# words such as "also": "is also not" and "is not also" both sound wrong
NOT_AFTER_VERB = word_set("not_after_verb")
NO_EXISTENCE = DETERMINERS | NOT_AFTER_VERB | word_set("not_after_there_is")

BREAKS_WHEN_NEGATED = word_set("breaks_when_negated")
NEEDS_NEGATION = word_set("needs_negation")

ADVERBS = word_set("adverbs")
NO_ADVERBS = word_set("no_adverbs")
COUNTED = word_set("counted")
UNCOUNTED = word_set("uncounted")
FINDING = word_set("finding")
REPORTING = word_set("reporting")
OPENERS = word_set("openers")
# Words that begin another clause, to which the next verb may belong.
CLAUSES = word_set("clauses")
# "Some are" and "some are not" can both be true; "all are not" can be read in two ways.
PARTIAL = word_set("partial")

_PLAIN = word_set("plain")
# Verbs whose form in "s" is also a noun; the form counts as a verb only before a determiner.
_ALSO_NOUNS = word_set("also_nouns")
_IRREGULAR_PAST: dict[str, str] = _WORDS["irregular_past"]
_DOUBLING = frozenset(
    {"occur", "confer", "control", "prefer", "permit", "stop", "set", "refer", "plan"}
)
# Verbs whose past form is not a participle: the participle is spelt differently, or the verb takes
# no object.
_CLEAR_PAST = word_set("clear_past")
_VOWELS = "aeiou"


def third_person(base: str) -> str:
    """Return the form in "s" of any verb but "be"."""
    irregular = {"have": "has", "do": "does", "go": "goes", "undergo": "undergoes"}
    if base in irregular:
        return irregular[base]
    if base.endswith("y") and base[-2:-1] not in _VOWELS:
        return base[:-1] + "ies"
    return base + ("es" if base.endswith(("s", "x", "z", "ch", "sh", "o")) else "s")


def past(base: str) -> str | None:
    """Return the past form; None for verbs outside the lists of this file."""
    if base in _IRREGULAR_PAST:
        return _IRREGULAR_PAST[base]
    if base not in BASES:
        return None
    if base.endswith("e"):
        return base + "d"
    if base.endswith("y") and base[-2] not in _VOWELS:
        return base[:-1] + "ied"
    return base + (base[-1] if base in _DOUBLING else "") + "ed"


def indefinite_article(word: str) -> str:
    """Return the article before a word: "a", or "an" before a spoken vowel."""
    if word.isupper():
        return "an" if word[0] in "AEFHILMNORSX" else "a"
    if re.match(r"(?:uni|use|usu|uti|eu|one|once)", word, re.IGNORECASE):
        return "an" if word.lower().startswith(("unin", "unim")) else "a"
    return "an" if re.match(r"[aeio]|u|hour|honest|heir", word, re.IGNORECASE) else "a"


# Base forms that past() can inflect.
BASES = frozenset({*_PLAIN, *_ALSO_NOUNS, *_IRREGULAR_PAST})
# Forms that are third person singular in any context.
PLAIN_THIRD = {third_person(base): base for base in sorted(_PLAIN)}
# Forms that are as often a plural noun.
NOUN_LIKE_THIRD = {third_person(base): base for base in sorted(_ALSO_NOUNS)}
# Past forms that are not participles of a passive or of a shortened relative clause.
CLEAR_PAST = {form: base for base in sorted(_CLEAR_PAST) if (form := past(base)) is not None}
# All past forms; those outside CLEAR_PAST only the preceding words distinguish from participles.
ANY_PAST = {form: base for base in sorted(BASES) if (form := past(base)) is not None}
