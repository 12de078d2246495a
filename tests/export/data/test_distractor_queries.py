"""Distractor queries: the question stays, distractors are wrong, and parts share nothing."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from logic_export.cli.app import app
from logic_export.data.tiers.distractor_queries import (
    RELATIONS,
    TIER_BUILDERS,
    add_distractors,
    build_parts,
    common_passages,
    original_question,
    read_parts,
    wordings_of_part,
    write_parts,
)
from logic_export.data.tiers.examples import TieredExample, examples_from_triplets, read_tiers
from logic_export.data.tiers.labelled_questions import (
    BM25Index,
    Candidate,
    LabelledQuestion,
    mine_wrong_passages,
    read_questions,
    split_questions,
)
from logic_export.data.triplet_builders import run_builder
from logic_export.data.triplets import Triplet
from small_recipes import json_lines
from tier_questions import labelled_rows, paired_rows, write_questions
from typer.testing import CliRunner

from logic_retrievers.errors import ConfigurationError, InputError, ReadError


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write_questions(tmp_path / "labelled", labelled_rows())


@pytest.fixture
def pairs(tmp_path: Path) -> Path:
    return write_questions(tmp_path / "pairs", paired_rows())


def question(
    text: str = "Who built it?",
    right: tuple[Candidate, ...] = (Candidate("Right", "Right is a harbour."),),
    wrong: tuple[Candidate, ...] = (Candidate("Wrong", "Wrong is a small village."),),
    answers: tuple[str, ...] = (),
    name: str = "q",
) -> LabelledQuestion:
    return LabelledQuestion(name, text, right, wrong, answers, "set")


def test_no_right_passage_is_a_distractor_or_a_negative(pairs):
    """A right passage among them would be pushed away from the question that it answers."""
    questions = read_questions(pairs)
    right = {one.text: {candidate.passage for candidate in one.right} for one in questions}
    made = add_distractors(questions, "train", copies=2, candidates=8).examples
    assert len(made) == 2 * len(questions)
    for row in made:
        assert len(row.passages) == 8  # filled up with passages of other questions
        assert set(row.positives) == right[row.original]
        assert row.distractors
        assert not right[row.original] & {*row.distractors, *row.negatives}


@settings(max_examples=60, deadline=None)
@given(
    seed=st.integers(0, 10_000),
    part=st.sampled_from(["train", "dev", "test"]),
    text=st.sampled_from(["Which harbour is older?", "the oldest harbour", "Osric built it when?"]),
)
def test_the_question_stands_in_the_query_word_for_word(seed, part, text):
    """A changed or shortened question would have different answers than the labels."""
    wrong = tuple(Candidate(name, f"{name} is a small village.") for name in ("Brack", "Cinder"))
    for row in add_distractors([question(text, wrong=wrong)], part, copies=6, seed=seed).examples:
        assert text.casefold() in row.query.casefold()
        assert len(row.query) > len(text)
        assert row.original == text
        for passage in row.distractors:
            assert passage.split(":")[0] in row.query  # the clause is about the distractors (N1)
        for passage in row.negatives:
            assert passage.split(":")[0] not in row.query


def test_parts_share_no_wording_and_two_relations_are_the_tests_alone():
    """With shared wordings the figures would measure memorised sentences."""
    seen: dict[str, tuple[str, str]] = {}
    for relation, parts in RELATIONS.items():
        assert sum(map(len, parts.values())) >= 10
        for part, forms in parts.items():
            for form in forms:
                assert seen.setdefault(form, (relation, part)) == (relation, part)
                assert form.count("{question}") == 1
    assert len(RELATIONS) == 8
    for part, missing in (("train", {"parallel", "hypothetical"}), ("test", set())):
        assert wordings_of_part(part).keys() == RELATIONS.keys() - missing
    assert wordings_of_part("train").keys() == wordings_of_part("dev").keys()


def test_every_passage_with_a_clause_can_be_joined_under_every_relation():
    """If all wordings of a part needed a topic, passages without a title would fail."""
    bare = Candidate("", "The old bridge of the town was closed in the winter of that year.")
    for part in ("train", "dev", "test"):
        relations = wordings_of_part(part)
        made = add_distractors([question(wrong=(bare,))], part, copies=len(relations)).examples
        assert {row.relation for row in made} == relations.keys()
        assert all("the old bridge of the town was closed" in row.query.lower() for row in made)


def test_relations_come_about_equally_often(folder):
    made = add_distractors(read_questions(folder), "train", copies=3).examples
    assert set(Counter(row.relation for row in made).values()) == {12}
    by_question = Counter((row.original, row.relation) for row in made)
    assert set(by_question.values()) == {1}


def test_parts_share_no_question_and_no_passage(folder, pairs):
    """Questions that share a passage must be in one part, even from different sets."""
    parts = read_parts([folder, pairs], {"train": 0.5, "dev": 0.2, "test": 0.3})
    assert all(parts.values())
    built = build_parts(parts, copies={"train": 2})
    for one, other in (("train", "dev"), ("train", "test"), ("dev", "test")):
        assert common_passages(built, one, other) == 0
        assert not {q.text for q in parts[one]} & {q.text for q in parts[other]}
    # both sets use the same rulers' passages, so equal numbers are in the same part
    place = {q.id[1:]: part for part, questions in parts.items() for q in questions if q.id < "q"}
    assert all(place[q.id[1:]] == part for part, qs in parts.items() for q in qs if q.id > "q")


def test_the_split_is_no_matter_of_the_seed_or_of_other_questions():
    """If the split depended on the seed, a run with a new seed would train on the test part."""
    rows = [
        question(f"Question {n}?", (Candidate(f"R{n}", "R is old."),), (), name=f"q{n}")
        for n in range(60)
    ]
    parts = split_questions(rows)
    fewer = split_questions(rows[:30])
    assert all({q.id for q in fewer[part]} <= {q.id for q in parts[part]} for part in parts)
    assert len(split_questions(rows, {"train": 0.0, "dev": 0.0, "test": 1.0})["test"]) == 60
    with pytest.raises(ConfigurationError, match="add up"):
        split_questions(rows, {"train": 0.9, "test": 0.2})


def test_the_undisturbed_copy_has_the_same_candidates_row_for_row(folder, tmp_path):
    """With different candidates the two figures could not be compared."""
    for name, seed in (("out", 0), ("again", 0), ("other", 1)):
        write_parts(tmp_path / name, build_parts(read_parts([folder]), copies={}, seed=seed))
    first, again, other = (
        (tmp_path / name / "test.jsonl.gz").read_bytes() for name in ("out", "again", "other")
    )
    assert first == again != other
    disturbed = read_tiers(tmp_path / "out" / "test.jsonl.gz")
    plain = read_tiers(tmp_path / "out" / "test_original.jsonl.gz")
    assert plain == [original_question(row) for row in disturbed]
    for one, other in zip(disturbed, plain, strict=True):
        assert other.query == one.original != one.query
        assert (other.relation, other.original) == ("", "")
        assert other.passages == one.passages
    with pytest.raises(ConfigurationError, match="new folder"):
        write_parts(tmp_path / "out", build_parts(read_parts([folder]), copies={}))
    with pytest.raises(InputError, match="distractor"):
        write_parts(tmp_path / "none", build_parts({"train": []}, copies={}))


def test_what_may_be_an_answer_is_not_taken_for_a_wrong_passage():
    """Other questions' passages are unlabelled, so possible answers must not become negatives."""
    right = Candidate("Osric", "Osric built the harbour of Saltmarsh.")
    ranked = [
        Candidate("Port", "Who built the harbour, and who built the bridge?"),
        right,
        Candidate("Osric", "Osric is another part of the same article."),
        Candidate("Told", "The harbour was Saltmarsh all along."),
        Candidate("Wrong", "A known candidate."),
        Candidate("Fine", "A village that has no harbour."),
        Candidate("Fine too", "A village without a bridge."),
    ]
    asked = question("Who built it?", (right,), (ranked[4],), answers=("Saltmarsh",))
    assert mine_wrong_passages(asked, lambda text: ranked, 5) == ranked[5:]
    assert mine_wrong_passages(asked, lambda text: ranked, 1) == [ranked[5]]
    # the right passage is not found, so the other passages cannot be judged
    assert mine_wrong_passages(asked, lambda text: ranked[2:], 5) == []


def test_passages_that_share_rare_words_are_near():
    texts = [
        "the the the the the",
        "the lighthouse of the island, seen from the shore of the other island",
        "the lighthouse",
        "nothing of it",
    ]
    index = BM25Index([Candidate("", text) for text in texts])
    assert [one.passage for one in index("the lighthouse")] == [texts[2], texts[1], texts[0]]
    assert index("unheard") == []


def test_a_passage_that_the_question_names_does_not_disturb_it():
    """Such a clause would make nonsense: "Unlike Arvenholm, how old is Arvenholm?"."""
    asked = question(
        "How old is Arvenholm?", wrong=(Candidate("Arvenholm", "Arvenholm is a small village."),)
    )
    made = add_distractors([asked], "train")
    assert made.examples == ()
    assert made.reasons == {"no passage to make a clause of": 1}


@pytest.mark.parametrize("setting", [{"copies": 7}, {"copies": 0}, {"distractors": 0}])
def test_numbers_that_cannot_work_are_refused(setting):
    with pytest.raises(ConfigurationError, match="copies"):
        add_distractors([question()], "train", **setting)


def test_rows_of_another_form_are_named(tmp_path):
    rows = labelled_rows(2)
    rows[1]["candidates"][0]["label"] = 3
    with pytest.raises(ReadError, match=r":2: .*label"):
        read_questions(write_questions(tmp_path / "a", rows))
    rows[1]["candidates"] = "none"
    with pytest.raises(ReadError, match=r":2: .*candidates"):
        read_questions(write_questions(tmp_path / "b", rows))


def test_passages_are_read_as_their_sets_have_them(tmp_path, pairs):
    first = read_questions(pairs)[0]
    assert [one.title for one in first.right] == ["Count Osric 0", "Port 0"]
    assert first.right[1].passage == "Port 0: Port 0 is a harbour."
    assert first.answers == ("Port 0",)
    row = {
        "_id": "colon",
        "text": "Which film?",
        "positive": "A passage without any title",
        "hard_negative": "Film: The Return: Film: The Return is a film.",
        "hard_negative_title": "Film: The Return",
    }
    read = read_questions(write_questions(tmp_path / "colon", [row]))[0]
    assert read.right == (Candidate("", "A passage without any title"),)
    assert read.wrong == (Candidate("Film: The Return", "Film: The Return is a film."),)


# --- builders and the command


def built(name: str, seed: int = 0, **options: object) -> list[TieredExample]:
    return run_builder(TIER_BUILDERS, name, options, seed)


def run(*arguments: object):
    return CliRunner().invoke(app, ["data", "distractor-queries", *map(str, arguments)])


@pytest.fixture
def labelled_set(tmp_path: Path) -> Path:
    folder = tmp_path / "labels"
    documents = [{"_id": f"d{n}", "title": "", "text": f"passage {n}"} for n in range(20)]
    queries = [
        {
            "_id": f"q{n}",
            "text": f"what is {n} but not {n + 1}",
            "satisfying": [f"d{n}"],
            "violating": [f"d{n + 1}"],
            "neutral": [f"d{n + 2}"],
        }
        for n in range(0, 12, 3)
    ]
    json_lines(folder / "corpus.jsonl", documents)
    json_lines(folder / "queries.jsonl", queries)
    return folder


def test_what_violates_is_a_distractor_and_others_are_negatives(labelled_set):
    options = {"builder": "labelled", "options": {"folder": str(labelled_set)}, "others": 5}
    rows = built("triplets", **options)
    # plain data sets get clauses too, about other questions' passages
    questions = read_questions(labelled_set)
    assert [one.right[0].passage for one in questions] == [f"passage {n}" for n in range(0, 12, 3)]
    assert questions[0].wrong[0].passage == "passage 1"
    assert len(rows) == 4
    for number, row in zip(range(0, 12, 3), rows, strict=True):
        assert row.positives == (f"passage {number}",)
        assert row.distractors == (f"passage {number + 1}",)
        assert len(row.negatives) == 5
    assert rows == built("triplets", **options)
    assert rows != built("triplets", **options, seed=1)


def test_triplets_of_one_query_are_one_example():
    """A passage right in one row must not become a distractor; rows may lack a wrong passage."""
    rows = [
        Triplet("q", "a", "b"),
        Triplet("other", "d", None),
        Triplet("q", "a", "c"),
        Triplet("q", "c", "b"),
    ]
    first, second = examples_from_triplets(rows, others=9)
    assert (first.positives, first.distractors) == (("a", "c"), ("b",))
    assert first.negatives == ("d",)
    assert (second.positives, second.distractors) == (("d",), ())
    assert sorted(second.negatives) == ["a", "b", "c"]
    assert len(examples_from_triplets(rows, others=2)[1].negatives) == 2


def test_the_builder_gives_what_the_command_writes(folder, tmp_path):
    done = run(folder, tmp_path / "out", "--copies", 2)
    assert done.exit_code == 0, done.output
    for part, copies in (("train", 2), ("test", 1)):
        rows = built("distractor_queries", folders=[str(folder)], split=part, copies=copies)
        assert rows == read_tiers(tmp_path / "out" / f"{part}.jsonl.gz")
    plain = built("distractor_queries", folders=[str(folder)], split="test", copies=1, plain=True)
    assert plain == read_tiers(tmp_path / "out" / "test_original.jsonl.gz")
    with pytest.raises(ConfigurationError, match="other"):
        built("distractor_queries", folders=[str(folder)], split="other")


def test_the_command_takes_several_folders_and_says_what_parts_share(folder, tmp_path):
    pairs = write_questions(tmp_path / "pairs", paired_rows())
    out = tmp_path / "out"
    done = run(pairs, folder, out, "--train", 0.5, "--dev", 0.2, "--candidates", 6)
    assert done.exit_code == 0, done.output
    assert "passages in both train and test: 0" in done.output
    names = ["dev.jsonl.gz", "test.jsonl.gz", "test_original.jsonl.gz", "train.jsonl.gz"]
    assert sorted(path.name for path in out.iterdir()) == names
    sources = {row.source for row in read_tiers(out / "train.jsonl.gz")}
    assert sources == {"labelled", "pairs"}
    assert run(folder, out).exit_code == 2
    # 1 - .9 - .1 is slightly below 0 in floating point; an empty part writes no file
    assert run(folder, tmp_path / "two", "--train", 0.9, "--dev", 0.1).exit_code == 0
    assert {path.name for path in (tmp_path / "two").iterdir()} == {names[0], names[3]}
