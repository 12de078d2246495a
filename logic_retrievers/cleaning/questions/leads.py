"""Where the subject of a sentence ends and what is said of it begins."""

from __future__ import annotations

from collections.abc import Sequence

from logic_retrievers.cleaning.differences.words import Word, vocabulary

_VERBS = vocabulary(
    """
    is are was were be been has have had does do did can cannot could may might must shall
    should will would can't isn't aren't wasn't weren't don't doesn't didn't won't hasn't haven't
    needn't mustn't becomes became remains remained stands stood lies lay rises rose falls fell
    costs cost takes take took weighs weigh weighed measures measured includes include included
    requires require required needs need needed allows allow allowed permits permit permitted
    forbids prohibits offers offer offered opens open opened closes close closed lasts last lasted
    runs run ran contains contain contained holds hold held applies apply applied covers cover
    covered supports support supported provides provide provided uses use used receives receive
    received gets get got pays pay paid earns earn earned gives give gave makes make made keeps
    keep kept shows show showed comes come came goes go went begins begin began starts start
    started ends end ended stops stop stopped leaves leave left arrives arrive arrived reaches
    reach reached serves serve served sells sell sold charges charge charged accepts accept
    accepted returns return returned reports report reported employs employ employed grew grows
    grow won wins win lost loses lose plays play played lives live lived works work worked
    produces produce produced causes cause caused reduces reduce reduced increases increase
    increased raises raise raised lowers lower lowered improves improve improved prevents prevent
    prevented treats treat treated connects connect connected records record recorded stores store
    stored exports export exported imports import imported reads read writes write wrote loads load
    loaded sends send sent defaults default raised levies levy levied counts count counted
    consists consist consisted belongs belong belonged depends depend depended founded built
    directed published released launched introduced acquired bought invested signed joined chaired
    led designed discovered invented completed located based born died married elected appointed
    entitled means mean meant expires expire expired travels travel features star stars starring
    follows follow followed tells tell told
    """
)
_SHARE = 2.5
_CLAUSES = vocabulary("if when where whenever wherever whoever whose whichever unless")
_RELATIVE = vocabulary("who whom whose which that where")
"""Words whose clause has a verb of its own, at the start of a sentence and behind a noun."""


def lead(words: Sequence[Word], first: int, last: int) -> int:
    """One past the last word before the verb that is said of the subject.

    It is the first that is known and does not belong to a clause: "if you are a student, you pay",
    "students who live at home pay". Where there is none it is two fifths of the sentence.

    Args:
        words: of a text.
        first: word of a sentence.
        last: one past its last.
    """
    clauses, verb, comma = int(words[first].key in _CLAUSES) if first < last else 0, 0, 0
    for place in range(first + 1, last):
        if (clauses or verb) and _parted(words, place) and not comma:
            comma, clauses = place, 0  # the clause ends with its comma
        if words[place].text not in _VERBS:  # a title's words have capitals
            clauses += words[place].key in _RELATIVE and words[place - 1].key not in _VERBS
        elif not clauses:
            return place
        elif not verb or place > verb + 1:
            verb = place
            clauses -= words[first].key not in _CLAUSES
    if comma or verb:
        return comma or verb
    return first + int((last - first) / _SHARE)


def _parted(words: Sequence[Word], place: int) -> bool:
    """Whether a comma, or another sign and a space, stands before a word."""
    return words[place].start - words[place - 1].end > 1
