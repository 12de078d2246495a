"""What keeps a model's answer from being a question, or a label from being true."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from logic_export.data.boolean_questions.checks import (
    find_fault,
    find_inconsistency,
    make_answerer,
    named_words,
    strip_quotes,
)
from logic_export.data.boolean_questions.prompts import format_request

from logic_retrievers.errors import InputError

FUJI = (
    "Mount Fuji, 3,776 m high, last erupted in 1707. Huts on the Yoshida trail open in July, and "
    "most climbers start in the evening to see the sun rise from the crater rim."
)
SHARED = "When can mountains in Japan be climbed?"
NARROW = "In which month do huts on the Yoshida trail open?"


@pytest.mark.parametrize(
    ("kind", "question", "found"),
    [
        ("simple", "When did Mount Fuji last erupt?", None),
        ("simple", "mount fuji eruption 1707", None),
        ("simple", "", "empty"),
        ("simple", "?!", "no words"),
        ("simple", "None.", "there is none"),
        ("simple", "none of the huts of Fuji open when", None),
        ("simple", "When did it erupt?\nIn 1707.", "several lines"),
        ("simple", "how high " * 16 + "Fuji", "too long"),
        ("simple", "how high " * 16, None),
        ("simple", "Sure! Here's a question for you: how high is Fuji?", "more than a question"),
        ("simple", "Question: how high is Fuji?", "more than a question"),
        ("simple", "Fuji: how high is it?", None),
        ("simple", "What does the passage say about Fuji?", "speaks of the passage"),
        ("simple", "What do both texts say about huts?", "speaks of the passage"),
        (
            "simple",
            "why do Most climbers start in the evening to see the sun rise",
            "copied from the passage",
        ),
        ("simple", "how do climbers start in the evening to see a light", None),
        ("simple", "When did Mount Etna last erupt?", "a name that nobody gave"),
        ("simple", "When did Fuji erupt before 1708?", "a name that nobody gave"),
        ("simple", "Which Fuji huts can I book? Are they open in July?", None),
        ("shared", "When do huts in the Alps open?", None),
        ("shared", SHARED + " ", None),
        ("not", "when can mountains in Japan be climbed, but not when Yoshida huts open", None),
        ("not", "when can mountains in Japan be climbed when Yoshida isn't open", None),
        ("not", "when can mountains in Japan be climbed on the Yoshida trail", "rules nothing out"),
        ("not", "when can mountains be climbed, except on the Yoshida trail", "a name is lost"),
        ("and", "when can mountains in Japan be climbed if Yoshida huts are open", None),
        ("and", "when can mountains in Japan be climbed if huts are open", "a name is lost"),
        (
            "and",
            "when can mountains in Japan or Peru beside Yoshida be climbed",
            "a name that nobody gave",
        ),
        ("or", "when can mountains in Japan be climbed or when do Yoshida huts open", None),
        ("or", "when can mountains in Japan be climbed and Yoshida huts open", "joins nothing"),
    ],
)
def test_faults(kind, question, found):
    given = (SHARED, NARROW) if kind in ("and", "or", "not") else ()
    passages = () if kind == "or" else (FUJI,)
    assert find_fault(kind, question, passages, given) == found


def test_a_question_repeated_in_other_letters_says_nothing_new():
    assert find_fault("shared", "how high is FUJI", [FUJI], ["How high is Fuji?"]) == (
        "repeats another question"
    )
    assert find_fault("and", NARROW.upper(), [FUJI], [SHARED, NARROW]) == "repeats another question"


words = st.lists(st.sampled_from(["ant", "bee", "cat", "dog", "eel", "fox"]), max_size=40)


@given(words, words, words)
def test_no_run_of_eight_words_is_ever_shared(before, run, after):
    passage = " ".join(["owl", *run, "owl"])
    question = " ".join([*before, *run, *after])
    found = find_fault("simple", question, [passage])
    if len(run) >= 8:
        assert found in ("copied from the passage", "too long")
    asked, there = question.split(), passage.split()
    shared = any(
        asked[i : i + 8] == there[j : j + 8]
        for i in range(len(asked) - 7)
        for j in range(len(there) - 7)
    )
    if len(asked) <= 32 and asked:
        assert (found == "copied from the passage") == shared


@given(st.lists(st.sampled_from(["Ada", "Bern", "X1", "tea", "IL-6"]), min_size=1, max_size=4))
def test_what_is_made_of_questions_keeps_their_names(said):
    narrow = f"what of {' '.join(said)}"
    kept = f"why not {' '.join(said).lower()}"
    assert find_fault("not", kept, [], ["why", narrow]) is None
    lost = [word for word in said if word != "Ada"]
    found = find_fault("not", f"why not so {' '.join(lost)}", [], ["why", narrow])
    assert found == ("a name is lost" if "Ada" in said else None)


def test_names_are_told_from_beginnings():
    texts = ["Who saw Ada? Nobody did. They and I met NASA OR ESA in May's rain."]
    assert named_words(texts) == {"ada", "nasa", "esa", "may"}
    assert named_words(["NASA flew", "3 men", "Rome fell"]) == {"nasa", "3"}


@pytest.mark.parametrize(
    ("answer", "text"),
    [(' "how high" \n', "how high"), ("“how high”", "how high"), ('"a" or "b"x', '"a" or "b"x')],
)
def test_quotation_marks_around_all_go(answer, text):
    assert strip_quotes(answer) == text


# --- the filter

answers = {
    "yes": "In July.",
    "no": "Cannot answer",
    "polite": "I cannot answer that from the passage.",
    "empty": " ",
    "long": "word " * 65,
    "longest": "word " * 64,
}
DOES = {"yes": True, "longest": True, "no": False, "polite": False, "empty": False}


@given(st.lists(st.sampled_from(sorted(answers)), min_size=1, max_size=3), st.data())
def test_labels_stand_where_the_answers_are_theirs(said, data):
    """One swapped comparison, and only false labels would pass."""
    right = data.draw(st.sets(st.integers(0, len(said) - 1)))
    others = data.draw(st.booleans())
    passages = [str(place) for place in range(len(said))]

    def answerer(question, passage):
        assert question == "when?"
        return answers[said[int(passage)]]

    found = find_inconsistency("when?", passages, right, answerer, others=others)
    stands = all(
        DOES.get(one) == (place in right)
        for place, one in enumerate(said)
        if place in right or others
    )
    assert (found is None) == stands
    if len(said) == 1 and (right or others) and found:
        wrong = "a labelled passage does not answer" if right else "another passage answers"
        assert found == ("the answer is too long" if said == ["long"] else wrong)


def test_an_answerer_without_an_answer_is_no_witness():
    def withheld(question, passage):
        raise InputError("withheld")

    assert find_inconsistency("when?", ["a"], [0], withheld) == "no usable answer"
    assert find_inconsistency("when?", ["a"], [], withheld, others=False) is None


def test_a_rewriter_answers_from_one_passage():
    class Echo:
        def rewrite(self, instruction, text):
            assert "64 words" in instruction
            assert "Cannot answer" in instruction
            return text

    assert make_answerer(Echo())("when?", "In July.") == "Question:\nwhen?\n\nPassage:\nIn July."


def test_a_request_tells_what_is_what():
    assert format_request(["a", "b"], ["wide", "close"]) == (
        "Passage 1:\na\n\nPassage 2:\nb\n\nGeneral question:\nwide\n\nNarrow question:\nclose"
    )
    assert format_request((), ["one", "two"]) == "First question:\none\n\nSecond question:\ntwo"
