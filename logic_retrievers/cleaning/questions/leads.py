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


def lead(words: Sequence[Word], first: int, last: int) -> int:
    """One past the last word before the first verb that is known.

    Where there is none it is two fifths of the sentence.

    Args:
        words: of a text.
        first: word of a sentence.
        last: one past its last.
    """
    for place in range(first, last):
        if words[place].text in _VERBS and place > first:  # a title's words have capitals
            return place
    return first + int((last - first) / _SHARE)
