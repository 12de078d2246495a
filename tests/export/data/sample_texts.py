"""Texts that rules can change, and the words that they know."""

from __future__ import annotations

from hypothesis import strategies as st
from logic_export.data.contradictions.rule_contradictions import collect_words
from logic_export.data.wordnet import Sense, WordNet

WORDNET = WordNet(
    {
        ("old", "adjective"): (Sense((), ("young",)),),
        ("young", "adjective"): (Sense((), ("old",)),),
        ("physician", "noun"): (Sense(("doctor",), ()),),
        ("doctor", "noun"): (Sense(("physician",), ()),),
        ("bank", "noun"): (Sense(("depository",), ()), Sense(("slope",), ())),
        ("depository", "noun"): (Sense(("bank",), ()),),
        ("motor", "noun"): (Sense(("engine",), ()),),
        ("engine", "noun"): (Sense(("motor",), ()), Sense(("locomotive",), ())),
        ("swift", "adjective"): (Sense(("fleet",), ()),),
        ("swift", "noun"): (Sense((), ()),),
    }
)
TEXTS = [
    f"The {noun} of {place} was opened by {who} in {year}. It is {age} and has {count} floors. "
    f"In {year + 5}, the {noun} was sold to {who}. It always stands near the river {place}."
    for noun, place, who, year, age, count in [
        ("mill", "Stead", "Ann Lee", 1907, "old", "three"),
        ("tower", "Brook", "Carl Orr", 1853, "young", "12"),
        ("school", "Marsh", "Eve Poe", 1921, "old", "four"),
        ("bridge", "Dover", "Guy Roe", 1888, "young", "35"),
        ("barn", "Corby", "Ida Fry", 1764, "old", "six"),
        ("inn", "Tring", "Lou May", 1999, "young", "7"),
        ("palace", "Nuneaton", "Max Ost", 2003, "old", "eight"),
    ]
]
WORDS = collect_words(TEXTS, WORDNET)
seeds = st.integers(0, 2**32)
