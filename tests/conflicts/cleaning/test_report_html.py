"""The report page: complete, true to the data, and safe from the corpus's texts."""

from __future__ import annotations

import base64
import hashlib
import re
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st
from report_pages import ANY_TEXT, Page, cleaning_result, decision

from logic_retrievers.conflicts.cleaning.report.page import render_page, split_at_differences
from logic_retrievers.conflicts.cleaning.result import Difference, Kind
from logic_retrievers.conflicts.cleaning.word_diff import find_differences
from logic_retrievers.errors import MissingExtraError
from logic_retrievers.text import HIDDEN, show_hidden
from logic_retrievers.types import Passage

HOSTILE = [
    *("<script>", "</script>", "</style>", "</bdi>", "<!--", "-->", "]]>", "<img onerror=x>"),
    *("{{ x }}", "{% raw %}", "\u202e", "\x00", "\ud800", "&lt;", "&", '"', "'", "\r", "\n"),
]
MARKUP = st.lists(st.sampled_from(HOSTILE), max_size=8).map("".join)
MANY = (
    decision("a", "b", Kind.CONTRADICTION, "quarantined", probability=0.97, quarantined=["a"]),
    decision("a", "c", Kind.CONTRADICTION, "settled", probability=0.91),
    decision("d", "e", Kind.CONTRADICTION, "abstained", probability=0.83),
    decision("f", "g", Kind.SUPERSEDED, "annotated", newer="g"),
    decision("h", "i", Kind.DUPLICATE),
)


def read(result):
    return Page(render_page(result))


def test_the_totals_are_those_of_the_data():
    """Readers believe a summary even if it disagrees with the cards."""
    shown = read(cleaning_result(*MANY, examined=12480))
    sums = [shown.by_id[name] for name in ("examined", "compared", "findings", "contradictions")]
    assert sums == ["12,480", "34", "5", "3"]
    assert shown.by_id["quarantined"] == "1"
    assert [(c["data-kind"], c["data-severity"], c["data-action"]) for c in shown.cards] == [
        (one.finding.kind.value, one.finding.severity, one.action) for one in MANY
    ]
    assert shown.rows == [
        ["contradiction", "quarantined", "1"],
        ["contradiction", "abstained", "1"],
        ["contradiction", "settled", "1"],
        ["superseded", "annotated", "1"],
        ["duplicate", "kept", "1"],
    ]
    for word in ("annotate", "0.82", "2026-03-14 09:26 UTC"):
        assert word in shown.words


def test_every_filter_is_there_with_its_count():
    """Without its filter a kind cannot be found among ten thousand findings."""
    shown = read(cleaning_result(*MANY))
    boxes = [named for tag, named in shown.elements if tag == "input" and "value" in named]
    choices = {(box["name"], box["value"]) for box in boxes}
    assert choices == {
        *{("kind", one.finding.kind.value) for one in MANY},
        *{("severity", one.finding.severity) for one in MANY},
        *{("action", one.action) for one in MANY},
    }
    assert re.search(r"contradiction\s+3", shown.by_id["filters"])
    assert ("form", True) in [(tag, "hidden" in named) for tag, named in shown.elements]
    assert not any("hidden" in card for card in shown.cards), "without scripts all is seen"


def test_differing_metadata_of_a_passage_is_shown():
    """If only metadata tells two regions apart, the texts explain nothing."""
    passages = {
        "a": Passage("a", "x", {"when": {"on": "2021"}, "region": "DE", "team": 4}, source="a.md"),
        "b": Passage("b", "x", {"site": "b.example", "region": "FR", "team": 4}),
    }
    one = decision("a", "b", Kind.SCOPE, newer="b", trusted=["a"], quarantined=["b"])
    shown = read(cleaning_result(one, passages=passages, date_key="when.on", source_key="site"))
    for words in ("date 2021", "source a.md", "source b.example", "region DE", "region FR"):
        assert words in shown.words
    assert "team" not in shown.words, "what both have in common tells nothing"
    tags = [n["class"] for t, n in shown.elements if t == "span" and "tag" in n.get("class", "")]
    assert tags == ["tag trusted", "tag quarantined", "tag newer"]


def test_what_differs_is_marked():
    passages = {"a": Passage("a", "open 14 days"), "b": Passage("b", "open 30 long days")}
    differences = [Difference("number", (5, 7), (5, 7)), Difference("wording", (8, 8), (8, 12))]
    shown = read(cleaning_result(decision(differences=differences), passages=passages))
    assert shown.texts == ["open 14 days", "open 30 long days"]
    assert shown.marks == [
        *(["number", "number", "14"], ["wording gap", "wording", ""]),
        *(["number", "number", "30"], ["wording", "wording", "long"]),
    ]
    titles = shown.values("mark", "title")
    assert titles[1] == "wording: only the other passage has words here"


@given(ANY_TEXT | MARKUP, ANY_TEXT | MARKUP)
def test_no_text_becomes_markup_and_none_is_lost(one, other):
    """A text that closes an element could run code in the reader's browser."""
    passages = {
        one: Passage(one, other, {one: other, "date": other, "source": one}),
        "b" + other: Passage("b" + other, one, source=other),
    }
    differences = find_differences(other, one)
    one_decision = decision(one, "b" + other, reason=other, why=one, differences=differences)
    settings = {"collection": one, "resolution": other, "notes": (one,), "unjudged": {one: other}}
    html = render_page(cleaning_result(one_decision, passages=passages, **settings))
    html.encode("utf-8")
    assert not set(HIDDEN.findall(html))
    shown = Page(html)
    assert shown.texts == [show_hidden(passages[name].text) for name in (one, "b" + other)]
    assert len(shown.scripts) == len(shown.styles) == 1
    tags = {tag for tag, _ in shown.elements}
    assert not tags & {"img", "iframe", "object", "link", "base", "a b"}
    names = {name for _, named in shown.elements for name in named}
    assert not [name for name in names if name.startswith("on")]
    assert set(shown.values("a", "href")) == {"#f1"}
    assert not names & {"src", "srcset", "style", "action", "formaction"}


def test_nothing_is_asked_for_and_nothing_else_runs():
    """The policy allows only one script and one style, by their hashes."""
    shown = read(cleaning_result(*MANY))
    (policy,) = [n["content"] for t, n in shown.elements if n.get("http-equiv")]
    for text in (*shown.scripts, *shown.styles):
        digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        assert f"'sha256-{digest}'" in policy
    assert policy.startswith("default-src 'none';")
    assert "unsafe" not in policy
    assert not re.search(r"url\(|@import|fetch\(|XMLHttp|https?:", "".join(shown.styles))
    assert "http" not in "".join(shown.scripts)


def test_characters_that_deceive_are_written_out():
    """Direction marks can turn a price into a different price."""
    assert (
        show_hidden("is \u202e001\u202c, \x00, \ud83d")
        == "is ⟦U+202E⟧001⟦U+202C⟧, ⟦U+0000⟧, ⟦U+D83D⟧"
    )
    assert show_hidden("a\r\nb\rc\td") == "a\nb\nc\td"
    assert show_hidden("é 👩\u200d👧 日本 \u200c") == "é 👩\u200d👧 日本 \u200c"
    assert show_hidden("".join(map(chr, (0xE0041, 0xE007F)))) == "⟦U+E0041⟧⟦U+E007F⟧"


@pytest.mark.parametrize("dry_run", [True, False])
def test_a_dry_run_says_so(dry_run):
    """A reader takes "quarantined" for done."""
    shown = read(cleaning_result(*MANY, dry_run=dry_run))
    assert ("Dry run." in shown.words) is dry_run
    assert ("would be quarantined" in shown.words) is dry_run


def test_a_long_text_is_whole():
    """A finding must show all of its evidence."""
    text = "Word after word. " * 400
    at = len(text) // 2
    passages = {"a": Passage("a", text), "b": Passage("b", "")}
    difference = Difference("number", (at, at + 4), (0, 0))
    shown = read(cleaning_result(decision(differences=[difference]), passages=passages))
    assert shown.texts[0] == text
    assert shown.marks[0] == ["number", "number", text[at : at + 4]]


def test_a_cleaning_without_findings():
    """The good news must not look like a broken page."""
    shown = read(cleaning_result())
    assert "Nothing was found." in shown.words
    assert shown.by_id["findings"] == "0"
    assert not shown.cards


def test_figures_that_are_no_numbers():
    """A second opinion may answer anything; the report must not fail on it."""
    shown = read(cleaning_result(decision(probability=float("nan")), threshold=2.0))
    assert "probability nan" in shown.words


def test_missing_jinja2_names_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "jinja2", None)
    with pytest.raises(MissingExtraError, match=r"'jinja2'.*logic-retrievers\[cli\]"):
        render_page(cleaning_result())


WORDS = st.sampled_from(["paid", "not", "30", "45", "days", "\r\n", ", ", "e\u0301", "\U0001f600"])
TEXTS = st.lists(WORDS, max_size=12).map(" ".join) | st.text(max_size=40)


@given(TEXTS, TEXTS)
def test_joined_again_it_is_the_text(one, other):
    """A character lost between two pieces is lost evidence."""
    differences = find_differences(one, other)
    for side, text in (("one", one), ("other", other)):
        pieces = list(split_at_differences(text, differences, side))
        assert "".join(piece.text for piece in pieces) == text
        assert all(piece.text or piece.difference for piece in pieces)
        marked = [piece.text for piece in pieces if piece.difference]
        assert marked == [text[slice(*getattr(found, side))] for found in differences]
