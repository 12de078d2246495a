"""Answerable questions of BoolQuestions' NOT part."""

from __future__ import annotations

import os
import re

from logic_retrievers.errors import ReadError
from logic_retrievers.evaluation import Dataset, Query, load_dataset
from logic_retrievers.probe import ProbeQuestion, ProbeSet
from logic_retrievers.probe.grading import answer_tokens, find_spans

_UNANSWERED = re.compile(r"\bcannot (?:be )?answer", re.IGNORECASE)
_OPPOSITE = {"yes": "No", "true": "False", "no": "Yes", "false": "True"}
_SENTENCE_END = re.compile(r"(?<=[a-z\d)][.!?])\s*(?=[A-Z])")
_SHORT_ANSWER = 5


def boolquestions_questions(
    folder: str | os.PathLike[str],
    split: str = "test",
    seed: int = 0,  # noqa: ARG001 - builders share a signature
) -> ProbeSet:
    """Build a set from the answerable rows of ``boolquestions_not`` (Zhang et al. 2024).

    Rows whose answer is *Cannot answer*, in whole or in part, are left out.

    Grade this set by support (:meth:`logic_retrievers.probe.grading.Grade.correct`): nine in ten
    right answers are whole sentences, which no reader repeats word by word. An answer is right if
    it has more of the gold answer's words than of the wrong answer's. The wrong answer to a
    yes-no question is the opposite of the right one. For other questions, the wrong answer is the
    sentence of the violating passage that shares the most words with the question.

    Kinds: ``yes_no``, ``short`` (up to five words) and ``long``.

    Args:
        folder: ``boolquestions_not``: a path, or a name inside the benchmark folder.
        split: ``dev`` or ``test``.
        seed: ignored; nothing is drawn.
    """
    dataset = load_dataset(folder, split)
    questions = (_build_question(query, dataset) for query in dataset.queries)
    answerable = tuple(question for question in questions if question is not None)
    return ProbeSet(dataset.name, answerable, dataset.documents)


def _build_question(query: Query, dataset: Dataset) -> ProbeQuestion | None:
    answer = query.extra.get("positive_answer")
    if not isinstance(answer, str) or not answer.strip():
        raise ReadError(f"the question {query.id!r} of {dataset.name} has no 'positive_answer'")
    if _UNANSWERED.search(answer):
        return None
    tokens = answer_tokens(answer)
    violating = tuple(sorted(query.violating))
    if tokens[0] in _OPPOSITE:
        kind, gold, wrong = "yes_no", tokens[0].capitalize(), [_OPPOSITE[tokens[0]]]
    else:
        kind, gold = "short" if len(tokens) <= _SHORT_ANSWER else "long", answer.strip()
        wrong = [_most_similar_sentence(query.text, dataset.documents[name]) for name in violating]
    return ProbeQuestion(
        id=query.id,
        text=query.text,
        gold=(gold,),
        wrong=tuple(
            text
            for text in dict.fromkeys(wrong)
            if not find_spans(answer_tokens(text), answer_tokens(gold))
        ),
        kind=kind,
        satisfying=tuple(sorted(query.grades)),
        violating=violating,
    )


def _most_similar_sentence(question: str, passage: str) -> str:
    """Find the sentence that shares the most words with a question; the first of ties."""
    words = set(answer_tokens(question))
    return max(
        _SENTENCE_END.split(passage), key=lambda text: len(words.intersection(answer_tokens(text)))
    )
