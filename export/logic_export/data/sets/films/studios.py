"""Which companies produced and released a film, as its text states."""

from __future__ import annotations

import re

from logic_export.data.files import read_toml

_NAMES = read_toml(__package__, "names.toml")["companies"]
_AMBIGUOUS = read_toml(__package__, "names.toml")["ambiguous_companies"]
_KNOWN = {alias: name for name, others in _NAMES.items() for alias in (name, *others)}
_ANY = "|".join(sorted(map(re.escape, _KNOWN), key=len, reverse=True))
_NAMED = re.compile(rf"(?<![\w-])({_ANY})(?![\w-])")
_MAYBE = re.compile(rf"\b({'|'.join(_AMBIGUOUS)})\b")
_COMPANY = re.compile(
    r"\b(?:Pictures?|Studios?|Productions?|Films?|Company|Corporation|Entertainment|Media|Animation|"
    r"Bros|Brothers|Group|Inc|Network|Television|TV|Channel|International|Cinema|Players|Artists|"
    r"Association|Features?|Releasing|Distribut\w+|Photoplays|Attractions|Enterprises|Records)\b"
)
_ACTION = (
    r"\b(?P<verbs>(?:(?:theatrically|independently|also) )?(?:released|distributed|produced)"
    r"(?:(?:, and |, | and | & )(?:released|distributed|produced|directed|written))*)"
)
_WHEN = (
    r"(?:,? (?:theatrically|in theaters|in the United States|(?:on|in) [A-Z]?[\w ,]{0,22}?\d{4}))*"
)
_BY = re.compile(
    rf"{_ACTION}{_WHEN},? by (?P<first>{_ANY})(?![\w-])(?: (?:and|&) (?P<second>{_ANY})(?![\w-]))?"
)
_THROUGH = re.compile(
    rf"\b(?P<verbs>released|distributed){_WHEN},? (?:through|via) (?P<first>{_ANY})(?![\w-])"
    r"(?P<second>(?!))?"
)
_HEDGED = re.compile(
    r"\b(?:not|originally|previous\w*|earlier|remake|based|series|video|DVD|Blu-ray|re-|reissued|"
    r"soundtrack|album|sequel|was to|later|films|shorts|cartoons|serials)\b[^.]*$"
)
_AFTER = re.compile(
    r"(?: (?:Home|Records?|Theatre|Animation|Classics|Exhibitors|Group|Vault|Video|Archive)\b)"
)


def read_companies(text: str) -> dict[str, tuple[frozenset[str], frozenset[str]]]:
    """``produced`` and ``released`` -> the companies that the text states, and the unknown ones.

    Distribution counts as release. A company named in another way is unknown for both.
    """
    stated: dict[str, set[str]] = {"produced": set(), "released": set()}
    for pattern in (_BY, _THROUGH):
        for match in pattern.finditer(text):
            clause = text[text.rfind(". ", 0, match.start()) + 1 : match.start()]
            if _HEDGED.search(clause) or _AFTER.match(text, match.end()):
                continue
            verbs = match["verbs"]
            names = {_KNOWN[name] for name in match.group("first", "second") if name}
            if "produced" in verbs:
                stated["produced"] |= names
            if "released" in verbs or "distributed" in verbs:
                stated["released"] |= names
    named = {_KNOWN[name] for name in _NAMED.findall(text)}
    named.update(name for word in _MAYBE.findall(_NAMED.sub("", text)) for name in _AMBIGUOUS[word])
    return {
        verb: (frozenset(companies), frozenset(named - companies))
        for verb, companies in stated.items()
    }


def is_company(name: str) -> bool:
    """Whether a name from a list of credits is a company's."""
    return name in _KNOWN or bool(_COMPANY.search(name))
