"""Bounds that divide the things of one kind: under 250 g, 250 g and more."""

from __future__ import annotations

import re

from logic_retrievers.cleaning.differences.facts import Fact
from logic_retrievers.cleaning.differences.numbers import Quantity
from logic_retrievers.cleaning.differences.reading import Reading
from logic_retrievers.cleaning.questions.pair import Pair, in_lead, shortened
from logic_retrievers.cleaning.questions.scope import related

_OVER = re.compile(r"\b(?:over|above|more than|at least|exceeding|from|beyond)\W*$", re.IGNORECASE)
_UNDER = re.compile(
    r"\b(?:under|below|less than|fewer than|up to|at most|not more than|no more than)\W*$",
    re.IGNORECASE,
)
_MORE = re.compile(
    r"\W*(?:\w+ )?(?:(?:and|or) (?:more|over|above|older)|upwards?)\b", re.IGNORECASE
)
_LESS = re.compile(r"\W*(?:\w+ )?(?:and|or) (?:less|fewer|under|below|younger)\b", re.IGNORECASE)
_REACH = 40


def by_bound(pair: Pair) -> str:
    """``under 250 g`` and ``250 g and more`` before the verb: they divide the things of a kind."""
    if not related(pair):
        return ""
    mine, theirs = _bounds(pair.compared.one), _bounds(pair.compared.other)
    for here, above in mine.items():
        for there, over in theirs.items():
            if above is not over and here.comparable(there):
                up = pair.compared.one.said(here.first, here.last)
                on = pair.compared.other.said(there.first, there.last)
                if above:
                    up, on = on, up
                return f'one goes up to "{shortened(up)}", the other on from "{shortened(on)}"'
    return ""


def _bounds(text: Reading) -> dict[Fact, bool]:
    """Quantities that bound what a sentence is about -> whether from below."""
    found: dict[Fact, bool] = {}
    for fact in text.facts:
        if isinstance(fact.value, Quantity) and in_lead(text, (fact.first, fact.last)):
            start = text.words[fact.first].start
            before = text.text[max(0, start - _REACH) : start]
            after = text.text[text.words[fact.last - 1].end :][:_REACH]
            if _MORE.match(after) or _OVER.search(before):
                found[fact] = True
            elif _LESS.match(after) or _UNDER.search(before):
                found[fact] = False
    return found
