"""The example corpus and the demo's labels match the demo's and the README's claims."""

from __future__ import annotations

import json
from collections import Counter
from datetime import date
from pathlib import Path

import pytest

from logic_retrievers.documents import read_documents
from logic_retrievers.probe import grade, read_probe
from logic_retrievers.probe.grading import answer_tokens, find_spans
from logic_retrievers.types import Passage

EXAMPLES = Path(__file__).parents[2] / "examples"


@pytest.fixture(scope="module")
def passages() -> list[Passage]:
    reading = read_documents(EXAMPLES / "corpus", on_error="raise")
    return list(reading)


def body(passage: Passage) -> str:
    return passage.text.removeprefix(f"{passage.metadata['title']}\n")


def test_the_corpus(passages: list[Passage]) -> None:
    """The demo filters by kind and date and prints sources; ties decide between copies."""
    assert len(passages) >= 160  # in a handful of passages everything is in every top ten
    kinds = Counter(p.metadata["kind"] for p in passages)
    assert set(kinds) == {"stay", "dish", "review", "policy", "medicine", "walk"}
    assert min(kinds.values()) >= 20
    assert len({body(p).casefold() for p in passages}) == len(passages)
    assert len({p.metadata["title"] for p in passages}) == len(passages)
    for passage in passages:
        metadata = passage.metadata
        assert 25 <= len(body(passage).split()) <= 90, passage.id
        assert date.fromisoformat(metadata["date"]), passage.id
        assert metadata["topic"], passage.id
        assert bool(metadata.get("source")) != bool(metadata.get("author")), passage.id
        assert metadata.get("fictional", False) is (metadata["kind"] == "medicine"), passage.id


def test_labels(passages: list[Passage]) -> None:
    """A label that names no passage, or one twice, falsifies a scene of the demo."""
    searches = json.loads((EXAMPLES / "scenes" / "searches.json").read_text("utf-8"))
    for search in searches:
        labelled = [*search["satisfying"], *search["violating"]]
        assert len(labelled) == len(set(labelled)), search["query"]
        assert set(labelled) <= {p.id for p in passages}, search["query"]
        assert search["satisfying"], search["query"]
    assert [bool(search["advice"]) for search in searches] == [False, False, False, True]


def test_the_allotments_say_what_their_questions_hold() -> None:
    """A wrong label would make the better policy look worse in a script that users copy."""
    questions = read_probe(EXAMPLES / "allotments")
    texts = questions.passages
    assert Counter(one.kind for one in questions.questions) == {"exclusion": 14, "plain": 6}
    for one in questions.questions:
        (satisfying,) = one.satisfying
        assert grade(one, texts[satisfying]).correct(), one.id
        if one.kind == "exclusion":
            wanted, unwanted = one.id.replace("-", " ").split(" without ")
            assert one.text.index(wanted) < one.text.index(unwanted), one.id
            grows, also = (
                {
                    name
                    for name, text in texts.items()
                    if find_spans(answer_tokens(plant), answer_tokens(text))
                }
                for plant in (wanted, unwanted)
            )
            assert grows - also == {satisfying}, one.id
            assert grows & also == set(one.violating), one.id
            assert grade(one, texts[one.violating[0]]).wrong, one.id
