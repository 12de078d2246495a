"""QUEST and BoolQuestions in the form in which they are published, in small."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from benchmarks.datasets.boolquestions import load_boolquestions
from benchmarks.datasets.quest import TEMPLATES, load_quest, marked_expression
from logic_retrievers.errors import ConfigurationError, ReadError
from logic_retrievers.evaluation import Dataset
from logic_retrievers.queries import Atom, Or

A, B, C = Atom("Birds of Peru"), Atom("Owls & kin"), Atom("Birds of Chile (north)")
MEANINGS = {
    "_": A,
    "_ that are also _": A & B,
    "_ that are also both _ and _": A & B & C,
    "_ or _": A | B,
    "_ or _ or _": Or((A, B, C)),
    "_ that are not _": A & ~B,
    "_ that are also _ but not _": A & B & ~C,
}


def lines(path: Path, rows: list[dict[str, Any]]) -> None:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")


def marked(template: str) -> str:
    """The template with the atoms in it, marked."""
    pieces = template.split("_")
    atoms = [f"<mark>{atom.text}</mark>" for atom in (A, B, C)]
    return pieces[0] + "".join(a + p for a, p in zip(atoms, pieces[1:], strict=False))


@pytest.mark.parametrize("template", TEMPLATES)
def test_marks_mean_an_expression(template: str) -> None:
    """An AND read as an OR, or a NOT on the wrong atom, is a gold expression that is wrong."""
    result = marked_expression(marked(template))
    assert result is not None
    assert result == (TEMPLATES[template], MEANINGS[template])


@pytest.mark.parametrize("text", ["", "owls", "<mark>a</mark> and <mark>b</mark>", "_ or _"])
def test_what_is_not_marked_so_means_nothing(text: str) -> None:
    """A guess would be a gold expression that nobody published."""
    assert marked_expression(text) is None


QUESTIONS = [
    {
        "query": "Peruvian birds that are not owls",
        "docs": ["Andean condor", "Hoatzin", "Gone"],
        "original_query": marked("_ that are not _"),
        "scores": None,
        "metadata": {"template": "_ that are not _", "domain": "animals", "fluency": ["Fluent"]},
    },
    {
        "query": "what is an owl",
        "docs": ["Barn owl"],
        "original_query": None,
        "scores": None,
        "metadata": {"template": "_", "domain": None},
    },
    {"query": "nothing of it is there", "docs": ["Gone"], "original_query": "", "metadata": None},
]


@pytest.fixture
def quest(tmp_path: Path) -> Path:
    titles = ("Andean condor", "Hoatzin", "Barn owl")
    documents = [{"title": title, "text": f"{title} is a bird."} for title in titles]
    (tmp_path / "documents.jsonl.gz").write_bytes(
        gzip.compress("".join(json.dumps(row) + "\n" for row in documents).encode())
    )
    lines(tmp_path / "val.jsonl", QUESTIONS)
    return tmp_path


def test_quest_reads_as_it_is_published(quest: Path) -> None:
    """Titles are the ids; a title that the corpus lacks is no label, and is told."""
    dataset = load_quest(quest, "val")
    assert dataset.name == "quest/val"
    assert dataset.documents["Hoatzin"] == "Hoatzin Hoatzin is a bird."
    ruled, augmented = dataset.queries
    assert (ruled.id, ruled.text) == ("val-1", "Peruvian birds that are not owls")
    assert ruled.satisfying == {"Andean condor", "Hoatzin"}
    assert ruled.violating == set()
    assert ruled.expression == A & ~B
    assert ruled.is_negation
    assert (ruled.template, ruled.extra["domain"]) == ("a_not_b", "animals")
    assert ruled.extra["missing"] == ["Gone"]
    assert ruled.extra["metadata"]["fluency"] == ["Fluent"]
    assert augmented.id == "val-2"
    assert (augmented.expression, augmented.template) == (None, "a")
    assert not augmented.is_negation


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"original_query": "<mark>a</mark> and <mark>b</mark>"}, r"val\.jsonl:1: .*'_ or _'"),
        ({"metadata": ["films"]}, r"val\.jsonl:1: 'metadata' must be an object"),
        ({"docs": "Hoatzin"}, r"val\.jsonl:1: 'docs' must be a list"),
        ({"docs": ["Gone"]}, "no labelled query: the rows need 'docs'"),
        ({"query": None}, "'query' must be a string"),
    ],
)
def test_a_quest_row_that_is_wrong(quest: Path, change: dict[str, Any], message: str) -> None:
    lines(quest / "val.jsonl", [QUESTIONS[0] | change])
    with pytest.raises(ReadError, match=message):
        load_quest(quest, "val")


def test_quest_files_that_are_missing(quest: Path) -> None:
    with pytest.raises(ReadError, match=r"no test\.jsonl"):
        load_quest(quest)
    (quest / "documents.jsonl.gz").unlink()
    with pytest.raises(ReadError, match=r"no documents\.jsonl"):
        load_quest(quest, "val")


def asked(number: int, kind: str, right: list[Any], wrong: list[Any]) -> dict[str, Any]:
    def passages(ids: list[Any]) -> list[dict[str, Any]]:
        return [{"passage_id": name, "answer": "Cannot answer."} for name in ids]

    return {
        "qid": f"{number}",
        "question": f"question {number}",
        "question_type": kind,
        "positive_ctxs": passages(right),
        "negative_ctxs": passages(wrong),
    }


EVAL = [
    asked(1, "and", [0], []),
    asked(2, "or", [0, 1], []),
    asked(3, "not", [1], [2, None, 4, 1]),
]


@pytest.fixture
def bool_questions(tmp_path: Path) -> Path:
    folder = tmp_path / "NaturalQuestions"
    folder.mkdir()
    texts = ["zero", "one", "two", "unlabelled", "one"]
    corpus = [{"docid": n, "doc": doc, "title": "T"} for n, doc in enumerate(texts)]
    lines(folder / "corpus.jsonl", corpus)
    (folder / "eval.json").write_text(json.dumps(EVAL, indent=1))
    return folder


def test_boolquestions_read_as_they_are_published(bool_questions: Path) -> None:
    """A negative that is also an answer, or a copy of one, would be a violation by being right."""
    dataset = load_boolquestions(bool_questions)
    assert dataset.name == "boolquestions/NaturalQuestions"
    assert dict(dataset.documents) == {
        "0": "T zero",
        "1": "T one",
        "2": "T two",
        "3": "T unlabelled",
    }
    both, either, ruled = dataset.queries
    assert [query.template for query in dataset.queries] == ["and", "or", "not"]
    assert (both.id, both.text) == ("1", "question 1")
    assert either.satisfying == {"0", "1"}
    assert (ruled.satisfying, ruled.violating) == ({"1"}, {"2"})
    assert [query.is_negation for query in dataset.queries] == [False, False, True]
    assert ruled.expression is None
    assert ruled.extra["positive_ctxs"][0]["answer"] == "Cannot answer."


def test_boolquestions_of_one_type_over_what_is_labelled(bool_questions: Path) -> None:
    """The pool must follow the types, or easy documents of other questions fill it."""
    dataset = load_boolquestions(bool_questions, ["and"], labelled_only=True)
    assert set(dataset.documents) == {"0"}
    assert [query.id for query in dataset.queries] == ["1"]


def loaded(folder: Path, text: str) -> Dataset:
    (folder / "eval.json").write_text(text)
    return load_boolquestions(folder)


def test_an_array_and_lines_are_the_same(bool_questions: Path) -> None:
    as_array = load_boolquestions(bool_questions)
    text = "\n".join(json.dumps(row) for row in EVAL)
    assert loaded(bool_questions, text) == as_array
    assert loaded(bool_questions, f"\n [ {json.dumps(EVAL)[1:]}\n") == as_array


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[\n\n{},\n{", r"eval\.json:3: 'question_type' must be a string"),
        (f"[\n{json.dumps(EVAL[0])},\n\n{{oops", r"eval\.json:4: not valid JSON"),
        (f"[\n{json.dumps(EVAL[0])}", r"eval\.json:2: not valid JSON"),
        ("[\n3]", r"eval\.json:2: expected a JSON object"),
        ("[]", "no labelled query"),
        ("", "no labelled query"),
        (json.dumps(asked(1, "not", [9], [])), "eval.json:1: the corpus has no document '9'"),
        (json.dumps(EVAL[0] | {"positive_ctxs": [7]}), "'positive_ctxs' must be a list of objects"),
    ],
)
def test_boolquestions_that_are_wrong(bool_questions: Path, text: str, message: str) -> None:
    """File and line, though an array has no lines of its own."""
    with pytest.raises(ReadError, match=message):
        loaded(bool_questions, text)


def test_boolquestions_that_are_missing(bool_questions: Path) -> None:
    with pytest.raises(ConfigurationError, match="types must be some of and, or, not"):
        load_boolquestions(bool_questions, ["AND"])  # type: ignore[list-item]
    with pytest.raises(ConfigurationError, match="types must be"):
        load_boolquestions(bool_questions, [])
    (bool_questions / "corpus.jsonl").unlink()
    with pytest.raises(ReadError, match=r"no corpus\.jsonl"):
        load_boolquestions(bool_questions)
    (bool_questions / "eval.json").unlink()
    with pytest.raises(ReadError, match=r"no eval\.json"):
        load_boolquestions(bool_questions)
