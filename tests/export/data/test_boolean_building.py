"""Boolean questions out of passages: their labels, what is left out and why, the files."""

from __future__ import annotations

from collections import Counter
from zlib import crc32

import pytest
from boolean_passages import DOCUMENTS, TOPIC_OF, Faulty, Keyworder, write_corpus
from hypothesis import given, settings
from hypothesis import strategies as st

pytest.importorskip("sklearn", reason="the extra train")

from logic_export.data.boolean_questions.generation import GeneratedQuestions, generate_questions
from logic_export.data.boolean_questions.passage_groups import ClusteringSettings
from logic_export.data.boolean_questions.questions import write_questions
from suites import HashedEncoder

from logic_retrievers.errors import ConfigurationError, InputError, ServerError
from logic_retrievers.evaluation import load_dataset
from logic_retrievers.queries import And, Atom, Expression, Not, Or

TEXTS = tuple(DOCUMENTS.values())
EVERY = {"and": 50, "or": 50, "not": 50}
CLUSTERING = ClusteringSettings(most=3, least_cosine=0.2)


def built(rewriter=None, counts=EVERY, **options) -> GeneratedQuestions:
    encoder = HashedEncoder(dimension=512)
    options = {"clustering": CLUSTERING, **options}
    return generate_questions(DOCUMENTS, encoder, rewriter or Keyworder(TEXTS), counts, **options)


def holds(expression: Expression, passage: str, answer) -> bool:
    """Truth by an answerer that is asked for the atoms alone."""
    match expression:
        case Atom(text=text):
            return not answer(text, passage).startswith("Cannot")
        case Not(part=part):
            return not holds(part, passage, answer)
        case And():
            return all(holds(part, passage, answer) for part in expression.args)
        case Or():
            return any(holds(part, passage, answer) for part in expression.args)
    raise AssertionError(expression)


def assert_true(found: GeneratedQuestions) -> None:
    """Labels, expression and answers say the same of every passage of a group."""
    answer = Keyworder(TEXTS).answer
    for question in found.questions:
        members = (*question.satisfying, *question.violating, *question.neutral)
        assert len(members) == len(set(members)) in (2, 3)
        assert len({TOPIC_OF[name] for name in members}) == 1
        for name in members:
            right = name in question.satisfying
            text = DOCUMENTS[name]
            assert right != answer(question.text, text).startswith("Cannot"), question
            assert holds(question.expression, text, answer) == right, question


# --- what is made


def test_the_three_types_with_their_labels():
    """The NOT label is what a retriever is trained against; swapped, it learns the contrary."""
    found = built()
    assert_true(found)
    assert not found.reasons
    assert found.groups == 10
    assert [found.count(kind) for kind in EVERY] == [10, 10, 10]
    sizes = {kind: Counter() for kind in EVERY}
    for question in found.questions:
        labels = (question.satisfying, question.violating, question.neutral)
        sizes[question.type][tuple(map(len, labels))] += 1
        first, second = question.expression.args
        if question.type == "or":
            assert question.expression == Atom(first.text) | Atom(second.text)
        elif question.type == "and":
            assert question.expression == Atom(first.text) & Atom(second.text)
        else:
            assert question.expression == Atom(first.text) & ~Atom(second.part.text)
    assert set(sizes["and"]) == {(1, 0, 1), (1, 0, 2)}
    assert set(sizes["or"]) == {(2, 0, 0), (2, 0, 1)}
    assert set(sizes["not"]) == {(1, 1, 0), (2, 1, 0)}


def test_the_questions_of_a_group_mirror_each_other():
    """AND keeps the passage that NOT rules out, so that no passage is favoured by its topic."""
    by_group: dict[str, dict[str, object]] = {}
    for question in built().questions:
        by_group.setdefault(question.group, {})[question.type] = question
    for group in by_group.values():
        assert group["and"].satisfying == group["not"].violating
        assert set(group["and"].neutral) == set(group["not"].satisfying)


@pytest.mark.parametrize("kind", ["and", "or", "not"])
def test_only_what_is_wanted_is_asked_for(kind):
    """Every request costs money."""
    rewriter = Keyworder(TEXTS)
    found = built(rewriter, {kind: 4})
    assert [question.type for question in found.questions] == [kind] * 4
    asked = Counter(name for name, _ in rewriter.asked if name != "answer")
    middle = {"simple": 8} if kind == "or" else {"simple": 4, "shared": 4}
    assert asked == {**middle, kind: 4}


def test_types_stop_at_their_numbers_apart():
    found = built(counts={"and": 2, "or": 5, "not": 0})
    assert [found.count(kind) for kind in EVERY] == [2, 5, 0]


def test_a_seed_repeats_itself_and_another_one_does_not():
    assert built(seed=1) == built(seed=1)
    assert built(seed=1) != built(seed=2)


def test_styles_and_cues_vary():
    """One wording for all would be what a model learns in place of the logic."""
    told = []

    class Listening(Keyworder):
        def rewrite(self, instruction, text):
            told.append(instruction)
            return super().rewrite(instruction, text)

    built(Listening(TEXTS))
    assert len({one for one in told if "rules out what" in one}) > 5
    assert len({one for one in told if one.startswith("Write one question")}) > 3


@pytest.mark.parametrize("counts", [{}, {"and": 0}, {"xor": 1}, {"and": -1}])
def test_numbers_that_cannot_be(counts):
    with pytest.raises(ConfigurationError):
        built(counts=counts)


# --- what is left out


@pytest.mark.parametrize(
    ("junk", "reasons", "left"),
    [
        ({"simple": ""}, {"simple: empty": 10}, set()),
        ({"simple": None}, {"simple: no usable answer": 10}, set()),
        ({"shared": "NONE"}, {"shared: there is none": 10}, {"or"}),
        ({"shared": "word " * 33}, {"shared: too long": 10}, {"or"}),
        ({"shared": "What do we know about zebras?"}, None, {"or"}),
        ({"and": "Sure! Here is a question: what?"}, {"and: more than a question": 10}, None),
        ({"or": "What do\nyou mean?"}, {"or: several lines": 10}, {"and", "not"}),
        ({"not": "What do we know about mills?"}, {"not: rules nothing out": 10}, None),
    ],
)
def test_junk_is_counted_and_left_out(junk, reasons, left):
    """A model fails often, and one that is believed then writes labels that are false."""
    found = built(Faulty(Keyworder(TEXTS), junk))
    assert_true(found)
    if reasons is None:
        reasons = {"shared: a labelled passage does not answer": 10}
    assert found.reasons == reasons
    left = set(EVERY) - set(junk) if left is None else left
    assert {question.type for question in found.questions} == left


def test_a_negative_that_answers_is_no_negative():
    """An answerer that finds an answer everywhere has no passage ruled out."""
    found = built(answerer=lambda question, passage: "Yes.", sizes=(2,))
    assert not found.questions
    assert found.reasons == {"simple: another passage answers": 10}
    believing = built(answerer=lambda question, passage: "Yes.", others=False)
    assert [believing.count(kind) for kind in EVERY] == [10, 10, 10]


def test_what_is_labelled_must_be_answered():
    found = built(answerer=lambda question, passage: "Cannot answer")
    assert found.reasons == {"simple: a labelled passage does not answer": 10}


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 2**32))
def test_whatever_fails_the_rest_is_true(pattern):
    """A failure must not shift what the others are made of."""

    class Moody(Keyworder):
        def rewrite(self, instruction, text):
            mood = crc32(f"{pattern}{instruction}{text}".encode()) % 5
            said = super().rewrite(instruction, text)
            return [said, said, said, said.upper(), "What do we know about flour?"][mood]

    assert_true(built(Moody(TEXTS), answerer=Keyworder(TEXTS).answer))


def test_an_endpoint_that_fails_ends_the_build():
    """Counted as bad questions, an outage would pass for a corpus without any."""

    class Down(Keyworder):
        def rewrite(self, instruction, text):
            raise ServerError("down")

    with pytest.raises(ServerError):
        built(Down(TEXTS))


# --- the files


def test_the_folder_is_read_as_any_other(tmp_path):
    found = built()
    folder = tmp_path / "made" / "set"
    write_questions(folder, write_corpus(tmp_path), found.questions)
    data = load_dataset(folder)
    assert dict(data.documents) == DOCUMENTS
    assert len(data.queries) == 30
    for question, query in zip(found.questions, data.queries, strict=True):
        assert query.expression == question.expression
        assert query.text == question.text
        assert query.satisfying == set(question.satisfying)
        assert query.violating == set(question.violating)
        assert query.neutral == set(question.neutral)
        assert query.template == query.extra["type"] == question.type
        assert query.group == question.group
    with pytest.raises(ConfigurationError, match="there already"):
        write_questions(folder, tmp_path / "corpus.jsonl", found.questions)


def test_a_plain_file_is_not_shadowed(tmp_path):
    """The readers take ``queries.jsonl`` before ``queries.jsonl.gz``: the new one would be lost."""
    corpus = write_corpus(tmp_path)
    with pytest.raises(ConfigurationError, match=r"corpus\.jsonl is there already"):
        write_questions(tmp_path, corpus, built().questions)
    with pytest.raises(InputError, match="no question"):
        write_questions(tmp_path / "new", corpus, ())
    assert not (tmp_path / "new").exists()


@pytest.mark.data
def test_over_real_passages(tmp_path):
    """Web text has quotations, lists and broken characters; labels must still hold."""
    from logic_retrievers.encoders import OnnxEncoder
    from logic_retrievers.evaluation.corpus import read_corpus
    from logic_retrievers.evaluation.datasets import data_folder

    whole = read_corpus(data_folder() / "msmarco_small" / "corpus.jsonl").documents
    part = dict(list(whole.items())[:200])
    rewriter = Keyworder(part.values())
    counts = {"and": 8, "or": 8, "not": 8}
    found = generate_questions(part, OnnxEncoder(), rewriter, counts)
    assert [found.count(kind) for kind in counts] == [8, 8, 8], found.reasons
    for question in found.questions:
        for name in (*question.satisfying, *question.violating, *question.neutral):
            right = name in question.satisfying
            assert holds(question.expression, part[name], rewriter.answer) == right
    write_questions(tmp_path / "set", write_corpus(tmp_path, part), found.questions)
    assert len(load_dataset(tmp_path / "set").queries) == 24
