"""Words that several rules speak of: alternatives of a regular expression, blank for space."""

from __future__ import annotations

FILLER = (
    r"mention(?:s|ing)?(?: of)?|references?(?: to)?|referencing|referring to|regards? to|"
    r"regard for|including|includes?|considering|consideration of|taking into (?:account|"
    r"consideration)|discuss(?:ing|ions? of)?|explaining|describing|talking about|"
    r"touching (?:on|upon)|covering|involving|bringing up|giving(?: me)?|recommending|"
    r"telling me(?: about)?|listing|suggesting|showing(?: me)?|going over|naming|"
    r"focus(?:ing|sing)? on|hearing(?: about)?|reading about|anything specific(?: about)?|"
    r"specific details|asking(?: about)?|comparing (?:it|"
    r"them) (?:to|with)|delving into|looking at|using|relying on|counting|going into|"
    r"having to use"
)
"""What stands between a cue and the thing: "without mentioning X"."""

BREAK = (
    r"(?:[,;:.!?] |[(]|\s-|^|\b(?:and|but|while|though|please|kindly|that|which|who|you to|"
    r"(?:(?:i|we|you) )?(?:can|may|could|have to|need to|want to|would like to)|if (?:i|we|"
    r"you)))\s*"
)
"""A seam before a cue: punctuation, a conjunction, a pronoun."""

AUXILIARY = (
    r"is|are|was|were|be|been|being|am|do|does|did|has|have|had|can|could|will|would|should|may|"
    r"might|must"
)

PREPOSITION = (
    r"of|by|for|from|about|to|on|in|with|when|after|before|like|as|than|vs|versus|how|why|not"
)
"""What stands before a gerund that is the topic itself: "the effects of skipping breakfast"."""

PERSON = (
    r"my|your|his|her|their|its|our|people|girls?|guys?|kids?|child|children|boyfriend|"
    r"girlfriend|husband|wife|boss|someone|women|men|toddler|cat|dog|partner|he|she|they|it"
)
"""Who may skip, ignore or avoid something: "my cat ignoring me"."""

ADVERB = (
    r"(?: at all| in any way| (?!(?:solely|merely|simply|purely|exclusively|entirely|wholly|"
    r"totally|completely|fully|necessarily|really|only)\b)\w+ly)?"
)
"""Between "not" and what it denies: "not directly caused by"; "not solely" denies nothing."""

CONTRAST = r"(?:but|yet|and|though|while)(?: (?:that|which))?"
"""What joins a denial to the part that is wanted."""

PEOPLE = (
    r"people|persons?|individuals?|patients|adults|workers|employees|households|residents|"
    r"immigrants|citizens|drivers|survivors|victims|taxpayers|applicants|donors?|heirs|siblings|"
    r"twins|strangers|someone|somebody|anyone|(?<!for\s)(?:children|kids|women|men|families|"
    r"students|couples)"
)
"""Whom a query speaks of; what they lack, or whose kin they are not, describes them."""
