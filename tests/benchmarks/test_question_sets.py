"""Question sets of LIMIT, RAMDocs and BoolQuestions: truth by hand, and over the real data."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from benchmarks.probe_questions.boolquestions import boolquestions_questions
from benchmarks.probe_questions.limit import WORDINGS, limit_questions
from benchmarks.probe_questions.ramdocs import ramdocs_questions
from logic_retrievers.errors import ConfigurationError, ReadError
from logic_retrievers.probe.grading import answer_tokens, find_spans


def lines(path: Path, rows: list[dict[str, Any]]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")


# --- LIMIT

LIKES = {
    "1": "Ann Lee likes Tea, Owls, Ink and Drum Kits.",
    "2": "Bo Ray likes Tea, Jam and Owls.",
    "3": "Cy Fox likes Jam, Ink and Drum.",
    "4": "Di Poe likes Golf.",
    "5": "Ed Orr likes Drum and Drum Kits.",
}
WHO = {name: text.split(" likes ")[0] for name, text in LIKES.items()}
ASKED = {
    kind: re.compile(re.escape(form).replace(r"\{a\}", "(?P<a>.+)").replace(r"\{b\}", "(?P<b>.+)"))
    for kind, form in WORDINGS.items()
}
# asked for, ruled out, who is right, who is wrong
PAIRS = {
    *(("Tea", "Jam", "1", "2"), ("Tea", "Ink", "2", "1"), ("Tea", "Drum Kits", "2", "1")),
    *(("Owls", "Jam", "1", "2"), ("Owls", "Ink", "2", "1"), ("Owls", "Drum Kits", "2", "1")),
    *(("Jam", "Tea", "3", "2"), ("Jam", "Owls", "3", "2"), ("Jam", "Ink", "2", "3")),
    *(("Ink", "Tea", "3", "1"), ("Ink", "Owls", "3", "1"), ("Ink", "Jam", "1", "3")),
    *(("Ink", "Drum Kits", "3", "1"), ("Drum Kits", "Tea", "5", "1")),
    *(("Drum Kits", "Owls", "5", "1"), ("Drum Kits", "Ink", "5", "1")),
}


@pytest.fixture
def people(tmp_path: Path) -> Path:
    folder = tmp_path / "limit_toy"
    lines(folder / "corpus.jsonl", [{"_id": name, "text": text} for name, text in LIKES.items()])
    lines(folder / "queries.jsonl", [{"_id": "q", "text": "Who likes Tea?", "satisfying": ["1"]}])
    return folder


def things(text: str) -> set[str]:
    return set(re.split(", | and ", text.removesuffix(".").split(" likes ")[1]))


def test_limit_by_hand(people: Path) -> None:
    """Golf is one person's; no one has Tea without Owls; a Drum could be one of the Drum Kits."""
    result = limit_questions(people, count=len(PAIRS))
    assert result.passages == {
        **{name: LIKES[name] for name in "12"},
        "3": "Cy Fox likes Jam and Ink.",
        "5": "Ed Orr likes Drum Kits.",
    }
    seen_texts = set()
    for question in result.questions:
        match = ASKED[question.kind].fullmatch(question.text)
        assert match is not None
        (right,), (wrong,) = question.satisfying, question.violating
        assert (question.gold, question.wrong) == ((WHO[right],), (WHO[wrong],))
        seen_texts.add((match["a"], match["b"], right, wrong))
    assert seen_texts == PAIRS
    with pytest.raises(ConfigurationError, match="16 pairs"):
        limit_questions(people, count=len(PAIRS) + 1)
    (people / "corpus.jsonl").write_text(json.dumps({"_id": "1", "text": "Ann Lee hates tea."}))
    with pytest.raises(ReadError, match="form"):
        limit_questions(people)


@pytest.mark.data
def test_limit_truth_is_that_of_the_passages() -> None:
    """A cut that takes a like from one person only makes a wrong answer right."""
    result = limit_questions("limit_small")
    assert result == limit_questions("limit_small")
    assert result != limit_questions("limit_small", seed=1)
    assert set(Counter(question.kind for question in result.questions).values()) == {40}
    likes = {name: things(text) for name, text in result.passages.items()}
    assert max(map(len, likes.values())) == 12
    for one in result.questions:
        match = ASKED[one.kind].fullmatch(one.text)
        assert match is not None
        a, b = ({name for name in likes if match[side] in likes[name]} for side in "ab")
        assert (a - b, a & b) == (set(one.satisfying), set(one.violating))
        assert len(a - b) == 1
        assert one.wrong


# --- RAMDocs


def asked(number: int, gold: list[Any], wrong: list[Any], documents: str) -> dict[str, Any]:
    return {
        "_id": f"q{number}",
        "text": f"Question {number}?",
        "doc_ids": [*documents],
        "gold_answers": gold,
        "wrong_answers": wrong,
    }


@pytest.fixture
def ram(tmp_path: Path) -> Path:
    folder = tmp_path / "ram" / "dev"
    kinds = {"a": "correct", "b": "correct", "c": "misinfo", "d": "noise", "e": "correct"}
    rows = [{"_id": name, "text": f"text {name}", "type": kind} for name, kind in kinds.items()]
    lines(folder / "corpus.jsonl", [*rows, {"_id": "f", "text": "text a", "type": "correct"}])
    questions = [
        asked(1, ["American football"], ["football", "Golf", "Golf"], "abcd"),
        asked(2, ["Hindi", "Telugu"], ["the HINDI"], "fde"),
    ]
    lines(folder / "queries.jsonl", questions)
    return folder


def test_ramdocs_by_hand(ram: Path) -> None:
    """A wrong answer that the right one says too would make every right answer wrong."""
    result = ramdocs_questions(ram.parent, "dev")
    assert result.name == "ram/dev"
    first, second = result.questions
    assert (first.gold, first.wrong) == (("American football",), ("Golf",))
    assert (first.satisfying, first.violating) == (("a", "b"), ("c",))
    assert first.candidates == ("a", "b", "c", "d")
    assert first.kind == "one_answer_misinformed"
    assert (second.gold, second.wrong, second.kind) == (("Hindi", "Telugu"), (), "several_answers")
    assert second.satisfying == ("a", "e")  # the copy is merged into the first of its text


def test_ramdocs_draws_trusted_documents_among_the_correct(ram: Path) -> None:
    """A misinformed document that is trusted would filter the right ones out."""
    trusted = {
        ramdocs_questions(ram.parent, "dev", seed).questions[0].trusted for seed in range(20)
    }
    assert trusted == {("a",), ("b",)}
    both = ramdocs_questions(ram.parent, "dev", trusted=5)
    assert [set(question.trusted) for question in both.questions] == [{"a", "b"}, {"a", "e"}]
    assert ramdocs_questions(ram.parent, "dev", trusted=0).questions[0].trusted == ()


def test_ramdocs_rows_that_are_wrong(ram: Path) -> None:
    for change in ({"doc_ids": ["z"]}, {"gold_answers": "Golf"}, {"wrong_answers": [3]}):
        rows = [asked(1, ["Golf"], [], "a"), asked(2, ["x"], [], "b") | change]
        lines(ram / "queries.jsonl", rows)
        with pytest.raises(ReadError, match=r"queries\.jsonl:2"):
            ramdocs_questions(ram.parent, "dev")


@pytest.mark.data
@pytest.mark.parametrize(("split", "count"), [("test", 205)])
def test_all_of_ramdocs(split: str, count: int) -> None:
    result = ramdocs_questions("ramdocs", split)
    assert len(result.questions) == count
    assert result == ramdocs_questions("ramdocs", split)
    for question in result.questions:
        assert len(question.trusted) == 1
        assert set(question.trusted) <= set(question.satisfying)
        assert {*question.satisfying, *question.violating} <= set(question.candidates)
        assert not any(
            find_spans(answer_tokens(bad), answer_tokens(good))
            for bad in question.wrong
            for good in question.gold
        )


# --- BoolQuestions


def test_boolquestions_by_hand(tmp_path: Path) -> None:
    """A question without an answer is graded as failed by whoever says so."""
    folder = tmp_path / "bool"
    texts = {"good": "Kidneys fail.", "bad": "Owls sleep.Nobody knows why kidneys (two) fail. Bye."}
    lines(folder / "corpus.jsonl", [{"_id": name, "text": text} for name, text in texts.items()])
    answers = {
        "long": "Kidneys fail for want of a great deal of water.",
        "none": "Cannot answer.",
        "half": "Three. Cannot answer about the rest.",
        "short": "Want of water.",
        "no": "No, they do not.",
    }
    sides = {"text": "Why do kidneys fail?", "satisfying": ["good"], "violating": ["bad"]}
    rows = [{"_id": name, **sides, "positive_answer": text} for name, text in answers.items()]
    lines(folder / "queries.jsonl", rows)
    result = boolquestions_questions(folder)
    sentence = ("Nobody knows why kidneys (two) fail.",)
    assert [
        (question.id, question.kind, question.gold, question.wrong) for question in result.questions
    ] == [
        ("long", "long", (answers["long"],), sentence),
        ("short", "short", (answers["short"],), sentence),
        ("no", "yes_no", ("No",), ("Yes",)),
    ]
    assert result.questions[0].satisfying == ("good",)
    assert result.questions[0].violating == ("bad",)
    lines(folder / "queries.jsonl", [{"_id": "q", **sides}])
    with pytest.raises(ReadError, match="positive_answer"):
        boolquestions_questions(folder)
