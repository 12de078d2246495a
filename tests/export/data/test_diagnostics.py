"""Diagnostics made by rules: labels that are sure, and a folder that can be evaluated."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from pathlib import Path

import pytest
from logic_export.data.antonyms import find_antonyms, swap_antonyms
from logic_export.data.contrasting_terms import extract_terms, find_contrasts, rare_terms
from logic_export.data.diagnostics import (
    Diagnostic,
    antonym_diagnostic,
    exclusion_diagnostic,
    negation_diagnostic,
    write_diagnostic,
)
from logic_export.data.negation import negate
from logic_export.data.sentences import split_sentences, split_subdocuments, to_claim
from logic_export.data.wordnet import Antonym, PartOfSpeech, Sense, WordNet

from logic_retrievers.errors import ConfigurationError, InputError
from logic_retrievers.evaluation import data_folder, load_dataset


def wordnet_of(*pairs: tuple[str, str, PartOfSpeech]) -> WordNet:
    """A WordNet of antonyms alone."""
    senses: dict[tuple[str, PartOfSpeech], tuple[Sense, ...]] = {}
    for one, other, part in pairs:
        for word, antonym in ((one, other), (other, one)):
            senses[word, part] = (
                *senses.get((word, part), ()),
                Sense((), (Antonym(antonym, ()),)),
            )
    return WordNet(senses)


WORDNET = wordnet_of(("strong", "weak", "adjective"), ("acute", "chronic", "adjective"))

ANIMALS = ("otter", "badger", "ferret", "weasel", "marten", "stoat")
DOCUMENTS = {
    f"d{i}": (
        f"The colony of the {name} near Lake {i} was counted. "
        f"It lives on the bank. Reports on gene ABC{i} exist. "
        f"The bite of the {name} is strong in every season of the year. "
        f"The role of collar{'abcdef'[i]} is known. They sleep. "
        f"Most visitors of the {name} have felt an acute shock of envy{'abcdef'[i]}. "
        f"A weak bite and chronic pain are number {i}. This is all."
    )
    for i, name in enumerate(ANIMALS)
}


def make(category: str, documents: dict[str, str] | None = None, **options: int) -> Diagnostic:
    given = DOCUMENTS if documents is None else documents
    if category == "antonym":
        return antonym_diagnostic(given, WORDNET, **options)
    maker: Callable[..., Diagnostic] = {
        "negation": negation_diagnostic,
        "exclusion": exclusion_diagnostic,
    }[category]
    return maker(given, **options)


CATEGORIES = ("antonym", "negation", "exclusion")


@pytest.mark.parametrize("category", CATEGORIES)
def test_the_written_folder_is_read_by_load_dataset(category: str, tmp_path: Path) -> None:
    """Labels that are lost on the way make every figure 0, or none."""
    diagnostic = make(category, count=4, seed=1)
    write_diagnostic(tmp_path / "made" / category, diagnostic)
    dataset = load_dataset(tmp_path / "made" / category)
    assert dataset.name == category
    assert dict(dataset.documents) == dict(diagnostic.documents)
    assert len(dataset.queries) == len(diagnostic.queries) == 8
    for read, query in zip(dataset.queries, diagnostic.queries, strict=True):
        assert (read.id, read.text, read.pair) == (query.id, query.text, query.pair_id)
        assert read.extra["category"] == category
        assert read.satisfying == set(query.satisfying)
        assert read.violating == set(query.violating)
        assert read.neutral == set(query.neutral)


@pytest.mark.parametrize("category", CATEGORIES)
def test_mirrored_queries_share_a_set_and_change_sides(category: str) -> None:
    """With both queries on one side, an encoder that ignores the constraint scores all or none."""
    queries = make(category, count=4).queries
    for first, second in zip(queries[::2], queries[1::2], strict=True):
        assert first.pair_id == second.pair_id
        assert first.text != second.text
        assert first.satisfying == second.violating
        assert first.violating == second.satisfying
        assert first.neutral == second.neutral
        assert len(first.neutral) >= 1
        assert len({*first.satisfying, *first.violating, *first.neutral}) == 2 + len(first.neutral)
    assert len({query.pair_id for query in queries}) == 4


def asked(text: str) -> str:
    """What a query of the first two kinds claims."""
    for opening in (
        "Find evidence that ",
        "What evidence shows that ",
        "Which study reports that ",
    ):
        text = text.removeprefix(opening)
    return text.rstrip(".?").lower()


@pytest.mark.parametrize("category", ["antonym", "negation"])
def test_only_the_satisfying_document_says_what_the_query_claims(category: str) -> None:
    """One edit made in the query and not in the document, and the label is a lie."""
    diagnostic = make(category, count=5)
    for query in diagnostic.queries:
        says = {
            name for name, text in diagnostic.documents.items() if asked(query.text) in text.lower()
        }
        assert says == set(query.satisfying)
        (wanted,), (ruled_out,) = query.satisfying, query.violating
        one = split_sentences(diagnostic.documents[wanted])
        other = split_sentences(diagnostic.documents[ruled_out])
        changed = [(a, b) for a, b in zip(one, other, strict=True) if a != b]
        assert len(changed) == 1
        if category == "negation":
            assert negate(changed[0][0]) == changed[0][1]


def test_excluded_words_stand_in_the_violating_document_alone() -> None:
    """A neutral document with the excluded word is a violation that counts as a gain."""
    diagnostic = make("exclusion", count=5)
    for query in diagnostic.queries:
        words = [word.strip(".,?") for word in query.text.split()]
        topic, unwanted = words[3 if words[0] != "Studies" else 2], words[-1]
        wanted = words[words.index("and" if "and" in words else "to") + 1]
        if "regard" in words:
            topic = words[4]
        of_set = {
            name: diagnostic.documents[name]
            for name in (*query.satisfying, *query.violating, *query.neutral)
        }
        assert {n for n, text in of_set.items() if unwanted in text} == set(query.violating)
        assert {n for n, text in of_set.items() if wanted in text} == set(query.satisfying)
        assert all(topic in of_set[name] for name in (*query.satisfying, *query.violating))


@pytest.mark.parametrize("category", CATEGORIES)
def test_the_seed_alone_decides(category: str) -> None:
    """Two machines that read a folder in another order must measure on the same benchmark."""
    turned = dict(reversed(DOCUMENTS.items()))
    assert make(category, count=3, seed=5) == make(category, turned, count=3, seed=5)
    assert make(category, count=3, seed=5) != make(category, count=3, seed=6)


@pytest.mark.parametrize("category", CATEGORIES)
def test_too_few_documents_are_refused(category: str) -> None:
    """Twelve queries where a hundred were asked for would be reported as a hundred."""
    with pytest.raises(InputError, match=r"6 documents yield \d sets .* not 7"):
        make(category, count=7)
    with pytest.raises(ConfigurationError, match="count=0"):
        make(category, count=0)


def test_copies_of_a_document_make_one_set() -> None:
    """Equal texts are merged when read: one document would be satisfying and neutral at once."""
    copies = {**DOCUMENTS, **{f"copy-{name}": text for name, text in DOCUMENTS.items()}}
    for category in CATEGORIES:
        assert len(make(category, copies, count=4).documents) >= 4 * 3
        with pytest.raises(InputError, match=r"yield \d sets"):
            make(category, copies, count=7)


def test_sentences_and_sub_documents() -> None:
    """An abbreviation taken for a full stop leaves half a sentence to be negated."""
    text = "Dr. Grey met E. Blue. He saw (see Fig. 3) it! Was it so?  Yes, e.g. Here. And 1.5 more."
    assert split_sentences(text) == [
        "Dr. Grey met E. Blue.", "He saw (see Fig. 3) it!", "Was it so?",
        "Yes, e.g. Here.", "And 1.5 more.",
    ]  # fmt: skip
    assert split_sentences("  ") == split_subdocuments("") == []
    assert [len(piece) for piece in split_subdocuments("One two. " * 7)] == [3, 4]
    assert [len(piece) for piece in split_subdocuments("One two. " * 8)] == [3, 3, 2]
    assert [len(piece) for piece in split_subdocuments("One two. " * 30)] == [3, 3, 3, 3]


def test_claims_stand_alone() -> None:
    """A query that begins with "it" or "However" asks for nothing."""
    lower = frozenset({"the", "pain"})
    assert to_claim("The drug is safe in mice.", lower) == "the drug is safe in mice"
    assert to_claim("BRCA1 is safe in all mice.", lower) == "BRCA1 is safe in all mice"
    assert to_claim("Berlin is safe in all years.", lower) == "Berlin is safe in all years"
    assert to_claim("CONCLUSIONS: Pain was not felt there.", lower) == "pain was not felt there"
    assert (
        to_claim("However, we found that the drug was not safe.", lower) == "the drug was not safe"
    )
    assert to_claim("We found that the drug was quite safe.", lower) == "the drug was quite safe"
    for text in ("It is safe in all mice.", "The drug works.", "word " * 31, "They were all safe."):
        assert to_claim(text, lower) is None


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


def test_terms_and_contrasts() -> None:
    """A term that is a part of another word ("HA" in "has") is absent only to the eye."""
    assert extract_terms("RESULTS: the dose of insulin in mRNA, IL-6 and HMGB1-induced pain.") == [
        "dose", "insulin", "mRNA", "IL-6",
    ]  # fmt: skip
    pieces = [
        "The dose of insulin is in mice. GENE1 is seen.",
        "Use of sugar is in mice. GENE1 is there.",
        "Nothing is insulinlike.",
    ]
    rare = rare_terms(pieces)
    assert rare == {"dose": 1, "insulin": 1, "GENE1": 2, "sugar": 1, "mice": 2}
    (found, *_) = find_contrasts(pieces, rare)
    assert found.pieces == (0, 1)
    assert found.topic == "GENE1"
    assert found.only == ("dose", "sugar")


@pytest.mark.data
@pytest.mark.parametrize("category", ["negation", "exclusion"])
def test_scientific_abstracts_yield_the_papers_number_of_queries(category: str) -> None:
    """A rule grown too strict makes nothing of real text, where it still passes on toy text."""
    path = data_folder() / "scifact" / "corpus.jsonl.gz"
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        rows = [json.loads(line) for line, _ in zip(lines, range(1000), strict=False)]
    documents = {row["_id"]: row["text"] for row in rows}
    assert len(make(category, documents, count=52).queries) == 104
