"""The parser on whole queries: the model's reading and its consequences."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from logic_retrievers.errors import InputError
from logic_retrievers.evaluation.rows import json_rows
from logic_retrievers.judging import ConstraintReading, onnx
from logic_retrievers.queries import Atom, ConstraintParser, ParsedQuery
from logic_retrievers.queries.masking import mask
from logic_retrievers.queries.parser import MAX_CHARACTERS

PARSER = ConstraintParser()
LABELLED = Path(__file__).parent / "labelled" / "test.jsonl.gz"
CUES = (
    "without, except, other than, apart from, besides, excluding, excluded, leaving, out, no, "
    "please, non-X, w/o, minus, rather than, instead of, bar, save for, beyond, avoid, not, "
    "unrelated to, about, don't mention, neither, nor, unlike, outside, I mean, the, a, and, or, "
    "but, that, who, is, hotel, Rome, café, 素食, ohne, sans, sin"
)
WORDS = [*CUES.split(", "), *",.?!()\"'-;\n\t\x00\ud800\u2013\u2014\u200b\u202e\u0130"]
Reads = Callable[..., ParsedQuery]


@pytest.fixture
def reads(monkeypatch: pytest.MonkeyPatch) -> Reads:
    """Parse a text with a model that gives this probability of no constraint and these words."""

    def parse(text: str, none: float, excluded: list[str], leaving: list[str]) -> ParsedQuery:
        spans = [
            tuple((text.index(word), text.index(word) + len(word)) for word in words)
            for words in (excluded, leaving)
        ]
        reading = ConstraintReading(none, 1 - none, 0.0, *spans)
        monkeypatch.setattr(onnx, "default_constraint", lambda: lambda _: reading)
        return PARSER.parse(text)

    return parse


# --- the shipped model


@pytest.mark.parametrize(
    ("text", "wanted", "excluded"),
    [
        ("a cake without nuts", "a cake", ["nuts"]),
        ("A CAKE WITHOUT NUTS", "A CAKE", ["NUTS"]),
        ("a cake without nuts or milk", "a cake", ["nuts", "milk"]),
        ("hotels near the sea, except hostels", "hotels near the sea", ["hostels"]),
        ("  hotels   except \t hostels\n", "hotels", ["hostels"]),
    ],
)
def test_an_exclusion(text: str, wanted: str, excluded: list[str]):
    """Read as ordinary, the query would rank first what no one wants."""
    parsed = PARSER.parse(text)
    assert (parsed.text, parsed.kind, parsed.wanted) == (text, "exclusion", wanted)
    assert parsed.excluded == tuple(excluded)
    assert (parsed.rule, parsed.cue, parsed.expression) == ("model", "", None)
    assert 0.5 < parsed.constraint <= 1


@pytest.mark.parametrize("text", ["metals that do not rust", "Which birds cannot fly?"])
def test_a_negative_fact(text: str):
    """Read as an exclusion, the query would search for birds that fly."""
    parsed = PARSER.parse(text)
    assert (parsed.kind, parsed.wanted, parsed.excluded) == ("negated_fact", text, ())
    assert (parsed.rule, parsed.expression) == ("model", None)
    assert 0.5 < parsed.constraint <= 1


@pytest.mark.parametrize(
    "text", ["quiet hotels in Rome", "how does a heat pump work", "a recipe for lemon cake"]
)
def test_an_ordinary_query(text: str):
    """An invented constraint would change the ranking of most queries."""
    assert PARSER.parse(text) == ParsedQuery(text)


@pytest.mark.parametrize("text", ["", " \n", "\u200b", "\u0301", "\x01", "\ud800"])
def test_a_text_in_which_the_model_reads_nothing(text: str):
    """A different encoder's tokenizer may read more, so the search continues."""
    assert PARSER.parse(text) == ParsedQuery(text)


def test_what_is_ruled_out_of_joined_things_stays_listed():
    """Exclusions must be listed, whatever the wanted part joins."""
    parsed = PARSER.parse("songs by Mahler or songs by Bruckner, except live recordings")
    assert (parsed.kind, parsed.excluded) == ("expression", ("live recordings",))
    assert parsed.wanted == "songs by Mahler or songs by Bruckner"
    assert (parsed.cue, parsed.rule) == ("or", "coordination")
    wanted = Atom("songs by Mahler") | Atom("songs by Bruckner")
    assert parsed.expression == wanted & ~Atom("live recordings")
    assert parsed.constraint > 0.5


def test_labelled_queries():
    """Hand-written by authors who saw no parser; the bounds are loose to allow other weights."""
    rows = [row.fields for row in json_rows(LABELLED)]
    parsed = [PARSER.parse(row["text"]) for row in rows]
    kinds = [p.kind == row["kind"] for p, row in zip(parsed, rows, strict=True)]
    excluded = [
        sorted(map(plain, p.excluded)) == sorted(map(plain, row["excluded"]))
        for p, row in zip(parsed, rows, strict=True)
        if row["kind"] == "exclusion"
    ]
    assert sum(kinds) > 0.8 * len(kinds)
    assert sum(excluded) > 0.7 * len(excluded)


def plain(text: str) -> str:
    return re.sub(r"\W+", " ", text.lower()).strip()


@settings(max_examples=300)
@given(st.lists(st.sampled_from(WORDS), max_size=60).map(" ".join) | st.text(max_size=200))
def test_any_text_is_parsed(text: str):
    """A retriever must not fail because of a query's parse."""
    parsed = PARSER.parse(text)
    assert parsed.text == text
    assert parsed == PARSER.parse(text)
    assert all(one.strip() for one in parsed.excluded)
    squeezed = re.sub(r"\s+", " ", text)
    assert all(re.sub(r"\s", " ", one) in squeezed for one in parsed.excluded)
    if parsed.excluded:
        assert parsed.kind in ("exclusion", "expression")
        assert parsed.wanted.strip()
        assert parsed.constraint >= 0.5
    else:
        assert parsed.kind != "exclusion"
        assert parsed.wanted == text
    json.dumps(parsed.to_dict())


def test_many_threads_read_at_once():
    """With parallel users, no query may get the reading of a different one."""
    texts = [f"a cake without {word}" for word in CUES.split(", ")]
    texts += ["metals that do not rust", "quiet hotels", "eine Suppe ohne Sellerie"] * 5
    with ThreadPoolExecutor(8) as threads:
        assert [*threads.map(PARSER.parse, texts)] == [*map(PARSER.parse, texts)]


# --- texts not shown to the model


@pytest.mark.parametrize(
    ("text", "excluded"),
    [
        (f"a cake without nuts {'and milk ' * 300}"[: MAX_CHARACTERS + 1], ()),
        ("hotele w Rzymie bez basenu", ()),
        ("没有泳池的酒店", ()),
        ("eine Suppe ohne Sellerie", ("Sellerie",)),
    ],
    ids=["long", "Polish", "Chinese", "German"],
)
def test_a_document_and_other_languages_are_not_read(monkeypatch, text: str, excluded: tuple):
    """A document's every "without" is not an exclusion, and the model reads English only."""
    monkeypatch.setattr(onnx, "default_constraint", lambda: pytest.fail("the model was asked"))
    assert PARSER.parse(text).excluded == excluded


def test_without_a_model(monkeypatch):
    """Without one, English exclusions stay unread and everything else works."""
    monkeypatch.setattr(onnx, "default_constraint", lambda: None)
    for text in ("a cake without nuts", "metals that do not rust"):
        assert PARSER.parse(text) == ParsedQuery(text)
    assert PARSER.parse("orchids of Laos or orchids of Burma").kind == "expression"
    assert PARSER.parse("eine Suppe ohne Sellerie").excluded == ("Sellerie",)


def test_only_texts_are_parsed():
    for wrong in (None, 5, b"a cake", ["a cake"]):
        with pytest.raises(InputError):
            PARSER.parse(wrong)  # type: ignore[arg-type]


# --- consequences of a reading


@pytest.mark.parametrize(
    ("none", "kind", "constraint"),
    [(0.95, "none", 0), (0.75, "none", 0.25), (0.4, "exclusion", 0.6), (0.0, "exclusion", 1)],
)
def test_the_kind_follows_the_probability(reads: Reads, none: float, kind: str, constraint: float):
    """In between, the query stays whole and the judge's verdict counts a little."""
    parsed = reads("a cake without nuts", none, ["nuts"], ["without nuts"])
    assert (parsed.kind, parsed.constraint) == (kind, pytest.approx(constraint))
    parts = ("a cake", ("nuts",)) if kind == "exclusion" else ("a cake without nuts", ())
    assert (parsed.wanted, parsed.excluded) == parts


def test_where_no_words_are_excluded_the_query_asks_for_a_negative_fact(reads: Reads):
    parsed = reads("cakes that have no nuts", 0.1, [], [])
    assert (parsed.kind, parsed.wanted) == ("negated_fact", "cakes that have no nuts")
    assert (parsed.excluded, parsed.constraint) == ((), pytest.approx(0.9))


@pytest.mark.parametrize("text", ["without nuts", "(without nuts).", "\ufeffwithout nuts"])
def test_what_is_excluded_counts_where_nothing_else_is_said(reads: Reads, text: str):
    """hard=True must leave nuts out, whatever else the query asks for."""
    parsed = reads(text, 0.1, ["nuts"], ["without nuts"])
    assert (parsed.kind, parsed.wanted, parsed.excluded) == ("exclusion", text, ("nuts",))


@pytest.mark.parametrize(
    ("text", "leaving", "wanted"),
    [
        ("a cake, without nuts.", ["without nuts"], "a cake"),
        ("Is there a cake without nuts?", ["without nuts"], "Is there a cake"),
        ("a cake without nuts, for ten", ["without nuts"], "a cake, for ten"),
        ("a cake\nwithout \t nuts\n\nfor ten", ["without", "nuts"], "a cake for ten"),
        ("without nuts: a cake", ["without nuts"], "a cake"),
        ("a cake (without nuts) for ten", ["without nuts"], "a cake for ten"),
        ("a cake [without nuts] for ten", ["without nuts]"], "a cake for ten"),
        ("a cake without \u200bnuts", ["without", "nuts"], "a cake"),
        ("a cake without nuts\x00", ["without", "nuts"], "a cake"),
    ],
    ids=ascii,
)
def test_the_wanted_text_has_no_leftovers(reads: Reads, text: str, leaving: list, wanted: str):
    """The search text must hold no half bracket or invisible character."""
    parsed = reads(text, 0.0, ["nuts"], leaving)
    assert (parsed.wanted, parsed.excluded) == (wanted, ("nuts",))


def test_what_is_excluded_is_named_once_and_bare(reads: Reads):
    text = 'a cake, no "nuts", no “milk” and no nuts!'
    places = ['"nuts",', "“milk”", "nuts!"]
    assert reads(text, 0.0, places, [text[6:]]).excluded == ("nuts", "milk")


# --- the parts themselves


def test_masks_keep_offsets():
    for text in ("films like “No Country for Old Men”, not westerns", "the Man Without a Plan"):
        assert len(mask(text)) == len(text)


def test_what_a_caller_says_is_taken_as_it_is():
    parsed = ParsedQuery.excluding("hotels near the harbour", ["nightclubs", "bars"])
    assert (parsed.kind, parsed.wanted) == ("exclusion", "hotels near the harbour")
    assert (parsed.excluded, parsed.constraint) == (("nightclubs", "bars"), 1)
    assert "nightclubs" in parsed.text
    array = np.array(parsed.excluded)  # such as a column of a data frame
    assert ParsedQuery.excluding(parsed.wanted, array) == parsed  # type: ignore[arg-type]
    for wrong in ([], "y", 5, [" "], [None], [str(n) for n in range(32)]):
        with pytest.raises(InputError):
            ParsedQuery.excluding("x", wrong)  # type: ignore[arg-type]
    for wrong in ("", 5):
        with pytest.raises(InputError):
            ParsedQuery.excluding(wrong, ["x"])  # type: ignore[arg-type]
