"""Question sets of LIMIT, RAMDocs and BoolQuestions: truth by hand and over the real data."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from jsonl_files import write_rows
from typer.testing import CliRunner

from benchmarks.__main__ import app
from benchmarks.probe_questions.boolquestions import boolquestions_questions
from benchmarks.probe_questions.command import BUILDERS
from benchmarks.probe_questions.limit import WORDINGS, limit_questions
from benchmarks.probe_questions.ramdocs import ramdocs_questions
from logic_retrievers.errors import ConfigurationError, ReadError
from logic_retrievers.probe import read_probe

# --- LIMIT

LIKES = {
    "1": "Ann Lee likes Tea, Owls, Ink and Drum Kits.",
    "2": "Bo Ray likes Tea, Jam and Owls.",
    "3": "Cy Fox likes Jam, Ink and Drum.",
    "4": "Di Poe likes Golf.",
    "5": "Ed Orr likes Drum and Drum Kits.",
}
WHO = {name: text.split(" likes ")[0] for name, text in LIKES.items()}
# wanted, excluded, right answers, wrong answers
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
    write_rows(
        folder / "corpus.jsonl", [{"_id": name, "text": text} for name, text in LIKES.items()]
    )
    write_rows(
        folder / "queries.jsonl", [{"_id": "q", "text": "Who likes Tea?", "satisfying": ["1"]}]
    )
    return folder


def test_limit_by_hand(people: Path) -> None:
    """Golf is one person's; all who have Tea have Owls; a Drum may be one of the Drum Kits."""
    result = limit_questions(people, count=len(PAIRS))
    assert result.passages == {
        **{name: LIKES[name] for name in "12"},
        "3": "Cy Fox likes Jam and Ink.",
        "5": "Ed Orr likes Drum Kits.",
    }
    seen = set()
    for question in result.questions:
        (right,), (wrong,) = question.satisfying, question.violating
        assert (question.gold, question.wrong) == ((WHO[right],), (WHO[wrong],))
        asked_for = [
            (a, b, right, wrong)
            for a, b, *sides in PAIRS
            if sides == [right, wrong] and WORDINGS[question.kind].format(a=a, b=b) == question.text
        ]
        seen.update(asked_for)
    assert seen == PAIRS
    with pytest.raises(ConfigurationError, match="16 pairs"):
        limit_questions(people, count=len(PAIRS) + 1)
    (people / "corpus.jsonl").write_text(json.dumps({"_id": "1", "text": "Ann Lee hates tea."}))
    with pytest.raises(ReadError, match="form"):
        limit_questions(people)


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
    write_rows(folder / "corpus.jsonl", [*rows, {"_id": "f", "text": "text a", "type": "correct"}])
    questions = [
        asked(1, ["American football"], ["football", "Golf", "Golf"], "abcd"),
        asked(2, ["Hindi", "Telugu"], ["the HINDI"], "fde"),
    ]
    write_rows(folder / "queries.jsonl", questions)
    return folder


def test_ramdocs_by_hand(ram: Path) -> None:
    """A wrong answer contained in a right one must not make right answers wrong."""
    result = ramdocs_questions(ram.parent, "dev")
    assert result.name == "ram/dev"
    first, second = result.questions
    assert (first.gold, first.wrong) == (("American football",), ("Golf",))
    assert (first.satisfying, first.violating) == (("a", "b"), ("c",))
    assert first.candidates == ("a", "b", "c", "d")
    assert first.kind == "one_answer_misinformed"
    assert (second.gold, second.wrong, second.kind) == (("Hindi", "Telugu"), (), "several_answers")
    assert second.satisfying == ("a", "e")  # the copy "f" is merged into "a"


def test_ramdocs_draws_trusted_documents_among_the_correct(ram: Path) -> None:
    """A trusted misinformed document would drop the right ones."""
    trusted = {
        ramdocs_questions(ram.parent, "dev", seed).questions[0].trusted for seed in range(20)
    }
    assert trusted == {("a",), ("b",)}
    both = ramdocs_questions(ram.parent, "dev", trusted=5)
    assert [set(question.trusted) for question in both.questions] == [{"a", "b"}, {"a", "e"}]


def call(*arguments: str | Path, code: int = 0) -> str:
    result = CliRunner().invoke(app, ["probe-questions", *map(str, arguments)])
    assert result.exit_code == code, result.output
    return result.output


def test_the_command_writes_a_set(ram: Path, tmp_path: Path) -> None:
    output = call("ramdocs", ram.parent, tmp_path / "out", "--split", "dev", "--seed", 1)
    kinds = "1 one_answer_misinformed, 1 several_answers"
    assert output.split() == f"2 questions ({kinds}) over 5 passages in {tmp_path}/out".split()
    made = ramdocs_questions(ram.parent, "dev", 1)
    assert read_probe(tmp_path / "out").questions == made.questions
    for name in BUILDERS:
        assert "no such folder" in call(name, tmp_path / "nowhere", tmp_path / "other", code=1)


# --- BoolQuestions


def test_boolquestions_by_hand(tmp_path: Path) -> None:
    """Saying that a question has no answer would grade it as failed."""
    folder = tmp_path / "bool"
    texts = {"good": "Kidneys fail.", "bad": "Owls sleep.Nobody knows why kidneys (two) fail. Bye."}
    write_rows(
        folder / "corpus.jsonl", [{"_id": name, "text": text} for name, text in texts.items()]
    )
    answers = {
        "long": "Kidneys fail for want of a great deal of water.",
        "none": "Cannot answer.",
        "half": "Three. Cannot answer about the rest.",
        "short": "Want of water.",
        "no": "No, they do not.",
    }
    sides = {"text": "Why do kidneys fail?", "satisfying": ["good"], "violating": ["bad"]}
    rows = [{"_id": name, **sides, "positive_answer": text} for name, text in answers.items()]
    write_rows(folder / "queries.jsonl", rows)
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
    write_rows(folder / "queries.jsonl", [{"_id": "q", **sides}])
    with pytest.raises(ReadError, match="positive_answer"):
        boolquestions_questions(folder)
