"""Closed word lists of the negation rules."""

from __future__ import annotations

import re


def listed(words: str) -> frozenset[str]:
    """The words of a string, as a set."""
    return frozenset(words.split())


BE = listed("is are was were am")
MODALS = listed("can could will would should must shall")
HAVE = {"has": "does", "have": "do", "had": "did"}
DO = listed("do does did")

CONTRACTIONS = {"can't": "can", "won't": "will", "shan't": "shall"} | {
    f"{verb}n't": verb
    for verb in (*sorted(BE), *HAVE, *sorted(DO), "could", "would", "should", "must")
}

NEGATIVE = re.compile(
    r"not|\w*n't|no|non|never|none|nobody|nothing|nowhere|neither|nor|cannot|without|hardly|"
    r"scarcely|barely|rarely|seldom|infrequently|unable|lack(?:s|ed|ing)?|fail(?:s|ed|ing|ure)?|except|unless|"
    r"absen(?:t|ce)|excluding|may|might|little|few"
)
"""What negates, or makes a sentence that is true beside its negation ("may")."""
REMOVABLE = listed("not no never cannot") | CONTRACTIONS.keys()

DETERMINERS = listed("the a an its their his her our my your this these those both each every all")
OWNERS = listed("the a an its their his her our my your free")  # "the will", "free will"
PRONOUNS = listed("i we you they he she it this these")
PLURAL_PRONOUNS = listed("i we you they these")
NO_SUBJECT_END = DETERMINERS - listed("this these those all") | listed(
    "of in to for with by on at from into and or nor between among via per as than like such more "
    "most less very highly not"
)

# "is also" -> "is also not", "is not also": neither is what one would say
NOT_AFTER_VERB = listed(
    "to now also still already too only just even often sometimes usually therefore thus hence "
    "then however perhaps probably possibly indeed almost nearly again instead and or because "
    ", ; :"
)
NO_EXISTENCE = (
    DETERMINERS
    | NOT_AFTER_VERB
    | listed(
        "been several many few more less much little one two three four five six seven eight nine "
        "ten another enough"
    )
)

BREAKS_WHEN_NEGATED = listed(
    "some something someone somewhere already too but yet rather only until"
)
NEEDS_NEGATION = listed(
    "any anything anyone anybody anywhere ever yet either anymore longer whatsoever until but only "
    "necessarily even much merely just simply rather instead so"
)

ADVERBS = listed("very quite rather so too more most less pretty")

NO_ADVERBS = listed(
    "only family july apply rely supply imply reply comply fly multiply assembly anomaly early "
    "daily likely elderly"
)

COUNTED = listed(
    "difference association correlation relationship relation effect change need way reason doubt "
    "increase decrease reduction improvement interaction influence impact benefit advantage role "
    "link problem trend response case cure risk pool garden limit"
)
UNCOUNTED = listed(
    "evidence information heterogeneity bias bleeding toxicity mortality water time money interest "
    "support"
)
FINDING = listed("has have had shows show showed found find finds revealed reveals")

REPORTING = listed(
    "show shows showed shown demonstrate demonstrates demonstrated find finds found suggest "
    "suggests suggested indicate indicates indicated report reports reported conclude concludes "
    "concluded reveal reveals revealed observe observed confirm confirms confirmed propose "
    "proposes proposed hypothesize hypothesized believe believes believed know knows known "
    "establish establishes established say says said think thinks thought"
)
OPENERS = listed(
    "although though while whereas when whenever if because since as after before until unless "
    "once given despite"
)
# Ahead of the verb, these begin another clause, whose verb it may be.
CLAUSES = listed(
    "who whom whose which that what where when while why how whether although though because if "
    "whereas whenever wherever unless than ; : \u2014 \u2013"
)
# "Some are" and "some are not" can both be true; "all are not" can be read in two ways.
PARTIAL = listed(
    "all every everyone everything each total "
    "some several many few certain other others various numerous multiple half part any only even "
    "just sometimes often occasionally percent % least"
)
