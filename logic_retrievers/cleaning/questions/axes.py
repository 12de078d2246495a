"""Words that say of whom or what a sentence is true: on every axis one excludes the others."""

from __future__ import annotations

from collections.abc import Mapping

from logic_retrievers.cleaning.differences.words import vocabulary

_AXES = """
group: adult child infant baby toddler teenager adolescent youth elderly senior pensioner student
pupil teacher employee worker staff contractor freelancer manager director executive trainee intern
apprentice volunteer member guest visitor resident tourist citizen foreigner owner tenant landlord
patient pregnant breastfeeding man woman boy girl men women children married single divorced widowed
couple family individual customer supplier passenger driver rider pedestrian cyclist player coach
beginner expert administrator moderator viewer editor subscriber buyer seller parent mother father
full-time part-time permanent temporary seasonal undergraduate graduate postgraduate newborn adults
taxpayer household company business nonprofit charity nurse doctor surgeon pilot driver captain
crew referee goalkeeper tenant lessee borrower lender donor recipient carer veteran newcomer
bachelor master doctoral phd dog cat horse cow pig sheep rabbit bird
plan: basic standard premium professional pro enterprise starter plus lite free trial advanced
deluxe economy business classic gold silver bronze platinum personal team ultimate
region: domestic international national regional local european american asian african northern
southern eastern western north south east west central coastal inland mountain urban rural overseas
season: winter summer spring autumn weekday weekend holiday daytime night morning evening peak
kind: petrol diesel electric hybrid manual automatic hardback paperback ebook wired wireless
indoor outdoor desktop mobile laptop
money: net gross
period: hourly daily nightly weekly monthly quarterly yearly annual annually
"""


def _read(table: str) -> Mapping[str, frozenset[str]]:
    found: dict[str, set[str]] = {}
    axis = ""
    for word in table.split():
        if word.endswith(":"):
            axis = word[:-1]
        else:
            found.setdefault(word, set()).add(axis)
    return {word: frozenset(axes) for word, axes in found.items()}


AXES = _read(_AXES)
"""Word -> the axes that it is on."""

HEADS = vocabulary(
    """
    plan tier subscription package edition model version variant series type class grade size
    level line platform branch store shop office site campus plant factory warehouse region state
    province county district canton municipality city town village country market zone area house
    hotel room suite cabin department team division subsidiary school university club league team
    season year quarter census survey tax fiscal policy scheme fund account card phone router
    printer camera car engine tablet capsule dose vaccine course module chapter section article
    flight train bus route station airport port terminal gate
    """
)
"""Nouns whose name or number says which one is meant: the Basic plan, room 12."""


def axes_of(key: str) -> frozenset[str]:
    """The axes that a word is on; most are on none."""
    for form in (key, key.removesuffix("s"), key.removesuffix("es"), f"{key[:-3]}y"):
        if form in AXES:
            return AXES[form]
    return frozenset()
