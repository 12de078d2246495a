"""Where a film is set, as its text states."""

from __future__ import annotations

import re

from logic_export.data.files import read_toml

_PLACES = read_toml(__package__, "names.toml")["places"]
_WITHIN = read_toml(__package__, "names.toml")["places_within"]
_BEFORE = (
    r"(?:(?:early|late|mid|turn|end|start|beginning|of|the|a|an|and|century|small|town|city|village|"
    r"streets|suburbs?|wilds?|mountains|jungles?|slums?|outskirts|state|island|near|rural|post-war|"
    r"modern|modern-day|contemporary|present-day|medieval|ancient|colonial|northern|southern|"
    r"eastern|western|Victorian|Edwardian|pre-war|wartime|Prohibition-era|1?\d\w\w-century|"
    r"\d\w\w|(?:1[5-9]|20)\d\ds?)[ ,]*(?:in )?)*"
)
_ANY = "|".join(sorted(map(re.escape, _PLACES), key=len, reverse=True))
_SET = re.compile(
    rf"\b[Ss]et (?:\w+ly )?(?:in|on|against|during) {_BEFORE}(?P<place>{_ANY})(?![\w\u2019']|-\w)"
    rf"(?:, (?P<region>{_ANY})\b)?"
)
_NAMED = re.compile(rf"\b(?:{_ANY})(?!\w)")
_HEDGED = re.compile(r"\b(?:not|originally|novel|play|book|story by|sequel)\b[^.]{0,40}$")


def read_settings(text: str) -> tuple[frozenset[str], frozenset[str]]:
    """The places where a film is set, and those where it may be set.

    A place named without the words *set in*, or that contains a named one (London: England), is
    unknown.
    """
    stated = {
        place
        for match in _SET.finditer(text)
        if not _HEDGED.search(text[: match.start()])
        for place in match.group("place", "region")
        if place
    }
    named = set(_NAMED.findall(text))
    containing = {whole for whole, parts in _WITHIN.items() if named & set(parts)}
    return frozenset(stated), frozenset((named | containing) - stated)
