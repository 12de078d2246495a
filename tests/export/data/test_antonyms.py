"""Sentences, claims, and words replaced by their antonyms."""

from __future__ import annotations

from logic_export.data.antonyms import find_antonyms, swap_antonyms
from logic_export.data.sentences import sentence_window, split_sentences, to_claim
from logic_export.data.wordnet import PartOfSpeech, Sense, WordNet


def wordnet_of(*pairs: tuple[str, str, PartOfSpeech]) -> WordNet:
    """A WordNet of antonyms alone."""
    senses: dict[tuple[str, PartOfSpeech], tuple[Sense, ...]] = {}
    for one, other, part in pairs:
        for word, antonym in ((one, other), (other, one)):
            senses[word, part] = (
                *senses.get((word, part), ()),
                Sense((), (antonym,)),
            )
    return WordNet(senses)


def test_sentences() -> None:
    """An abbreviation taken for a full stop leaves half a sentence to be negated."""
    text = "Dr. Grey met E. Blue. He saw (see Fig. 3) it! Was it so?  Yes, e.g. Here. And 1.5 more."
    assert split_sentences(text) == [
        "Dr. Grey met E. Blue.", "He saw (see Fig. 3) it!", "Was it so?",
        "Yes, e.g. Here.", "And 1.5 more.",
    ]  # fmt: skip
    assert split_sentences("  ") == []
    text = "One is first. Two follows. Three is here. Four ends."
    assert sentence_window(text, {0}) == "One is first. Two follows."
    assert sentence_window(text, [3, 0], neighbours=0) == "One is first. Four ends."


def test_claims_stand_alone() -> None:
    """A query that begins with "it" or "However" asks for nothing."""
    assert to_claim("BRCA1 is safe in all mice.") == "BRCA1 is safe in all mice"
    assert to_claim("CONCLUSIONS: Pain was not felt there.") == "Pain was not felt there"
    assert to_claim("However, we found that the drug was not safe.") == "the drug was not safe"
    for text in ("It is safe in all mice.", "The drug works.", "word " * 31, "They were all safe."):
        assert to_claim(text) is None


def test_words_are_swapped_where_there_is_one_antonym() -> None:
    """A word with two antonyms, or one that is a noun alone, is swapped for another meaning."""
    wordnet = wordnet_of(
        ("light", "dark", "adjective"), ("light", "heavy", "adjective"),
        ("analysis", "synthesis", "noun"), ("high", "low", "adjective"),
        ("increased", "decreased", "adjective"), ("improved", "unimproved", "adjective"),
        ("induced", "spontaneous", "adjective"), ("usual", "unusual", "adjective"),
        ("rare", "common", "adjective"), ("same", "other", "adjective"),
        ("well", "ill", "adverb"),
    )  # fmt: skip
    mixed = WordNet({**wordnet.senses, ("well", "noun"): (Sense(("shaft",), ()),)})
    text = (
        "light dark heavy analysis synthesis high low increased decreased improved unimproved "
        "induced spontaneous usual unusual same other well ill rare " + "common " * 51
    )
    assert find_antonyms([text], mixed) == {
        "dark": "light", "heavy": "light", "high": "low", "low": "high", "ill": "well",
        "increased": "decreased", "decreased": "increased", "usual": "unusual",
        "unusual": "usual", "rare": "common",
    }  # fmt: skip


def test_a_swap_leaves_nothing_that_says_the_contrary() -> None:
    """A document with "high" and "low" both satisfies and violates."""
    swaps = {"high": "low", "usual": "unusual", "unusual": "usual", "low": "high"}
    assert swap_antonyms("A usual dose is high.", "A usual dose is high.", swaps) == [
        "An unusual dose is high.",
        "A usual dose is low.",
    ]
    assert swap_antonyms("It is an unusual dose.", "It is an unusual dose.", swaps) == [
        "It is a usual dose."
    ]
    assert swap_antonyms("It is high.", "It is high. Low is rare.", swaps) == []
    assert swap_antonyms("It is high.", "It is high. High is rare.", swaps) == []
    assert swap_antonyms("A high-dose test, Low risk.", "A high-dose test, Low risk.", swaps) == []
