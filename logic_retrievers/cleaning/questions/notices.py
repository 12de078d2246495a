"""Sentences that say that something was changed: "is no longer", "was replaced by"."""

from __future__ import annotations

import re

from logic_retrievers.cleaning.differences.reading import Reading

_ENDED = (
    "replaced|superseded|renamed|rebranded|removed|retired|discontinued|deprecated|withdrawn|"
    "abolished|scrapped|dropped|phased out|suspended|lifted|repealed|revoked|cancelled|canceled|"
    "shut down|closed down|closed for good|closed permanently|permanently closed|switched off|"
    "dissolved|merged|relocated|sold off|stopped|ended|taken over|done away with"
)
_MOVED = "raised|increased|reduced|lowered|cut|extended|shortened|changed|moved|transferred"
_PLAIN = re.compile(
    r"\b(?:no longer|(?:not|n['\u2019]t) [^.;]{0,40}\bany ?(?:more|longer)|"
    r"(?<!\bis )(?<!\bare )(?<!\bbe )(?<!\bwas )(?<!\bwere )(?<!\bbeen )used to\b(?! \w+ing\b)"
    r"(?![^.;]*\b(?:is|are|was|were|has|have)\b)|"
    rf"(?:has|have) (?:now |since |recently |meanwhile )?(?:been )?(?:now |since )?(?:{_ENDED})|"
    rf"(?:was|were) (?:{_ENDED})|(?:is|are) (?:deprecated|discontinued)|"
    r"(?:taken|took|takes) (?:its|their|his|her) place|in its place|ceased to|gave way to|"
    r"given way to|went out of|gone out of|out of (?:production|service|print|use)|"
    r"changed (?:its|their) name|(?:is|are) now called|(?:has|have) since|end of (?:its )?life|"
    r"(?:has|have)? ?stopped (?:being|offering|selling|accepting)|"
    r"(?:instead|in place) of the (?:previous|former|old))\b",
    re.IGNORECASE,
)
_LOOSE = re.compile(
    rf"\b(?:(?:has|have) (?:now |since |recently )?(?:been )?(?:{_MOVED})|"
    rf"(?:was|were) (?:{_MOVED}) (?:to|from|by|in 20\d\d)|formerly|previously|until recently|"
    r"now(?! that)|(?:is|are) replaced by|"
    r"replaces|supersedes|"
    r"until now|(?:up|down) from)\b",
    re.IGNORECASE,
)
"""What is said of many things that were never otherwise."""

_KNOWN = 0.6
_ALIKE = 0.3
_FIRST = 2


def gives_notice(text: Reading, against: Reading, alike: float) -> str:
    """The words by which a text says that what the other one tells is over; empty: none.

    They stand in one of its first sentences, and what they are about, the words of the sentence
    before them, stands in the first sentences of the other text: that something else is no longer
    so says nothing.

    Args:
        text: may give notice.
        against: the other one.
        alike: share of the topic of both; only where it is large do the weaker cues count.
    """
    there = _topic(against)
    for first, last in text.sentences[:_FIRST]:
        for form in (_PLAIN, _LOOSE) if alike >= _ALIKE else (_PLAIN,):
            for match in form.finditer(text.text, *text.span(first, last)):
                about = _about(text, first, last, match)
                enough = len(about & there) >= _KNOWN * len(about) > 0
                if enough and match[0].casefold() not in against.text.casefold():
                    return match[0]
    return ""


def _about(text: Reading, first: int, last: int, match: re.Match[str]) -> set[str]:
    """The stems before a cue; those behind it where it opens the sentence."""
    before = {
        text.stems[n] for n in range(first, last) if n in text.stems and _ends(text, n, match)
    }
    return before or {
        text.stems[n]
        for n in range(first, last)
        if n in text.stems and text.words[n].start >= match.end()
    }


def _ends(text: Reading, place: int, match: re.Match[str]) -> bool:
    return text.words[place].end <= match.start()


def _topic(text: Reading) -> set[str]:
    """The stems of the first sentences."""
    return {
        text.stems[n]
        for first, last in text.sentences[:_FIRST]
        for n in range(first, last)
        if n in text.stems
    }
