"""The NOT questions of BoolQuestions that have an answer."""

from __future__ import annotations

import os
import re

from logic_retrievers.errors import ReadError
from logic_retrievers.evaluation import Dataset, Query, load_dataset
from logic_retrievers.probe.normalising import places, tokens
from logic_retrievers.probe.questions import ProbeQuestion, ProbeSet

_UNANSWERED = re.compile(r"\bcannot (?:be )?answer", re.IGNORECASE)
_OPPOSITE = {"yes": "No", "true": "False", "no": "Yes", "false": "True"}
_BORDER = re.compile(r"(?<=[a-z\d)][.!?])\s*(?=[A-Z])")
_SHORT = 5


def boolquestions_questions(
    folder: str | os.PathLike[str],
    split: str = "test",
    seed: int = 0,  # noqa: ARG001 - builders share a form
) -> ProbeSet:
    """The answerable rows of ``boolquestions_not`` (Zhang et al. 2024).

    Rows whose answer is *Cannot answer*, in whole or in part, are left out.

    Grade this set by support (:meth:`logic_retrievers.probe.grading.Grade.correct`), for nine in
    ten right answers are whole sentences, which nobody says word by word: an answer is right where
    it has more of the gold answer's words than of the wrong one's. That is the sentence of the
    violating passage that shares the most words with the question, what a reader who was given that
    passage would say; of a question to be answered by yes or no, it is the opposite.

    Kinds: ``yes_no``, ``short`` (up to five words) and ``long``.

    Args:
        folder: ``boolquestions_not``: a path, or a name inside the benchmark folder.
        split: ``dev`` or ``test``.
        seed: not used; nothing is drawn.

    Raises:
        ReadError: the folder cannot be read, or a row has no ``positive_answer``.
    """
    dataset = load_dataset(folder, split)
    questions = (_asked(query, dataset) for query in dataset.queries)
    return ProbeSet(
        dataset.name, tuple(one for one in questions if one is not None), dataset.documents
    )


def _asked(query: Query, dataset: Dataset) -> ProbeQuestion | None:
    answer = query.extra.get("positive_answer")
    if not isinstance(answer, str) or not answer.strip():
        raise ReadError(f"the question {query.id!r} of {dataset.name} has no 'positive_answer'")
    if _UNANSWERED.search(answer):
        return None
    said = tokens(answer)
    violating = tuple(sorted(query.violating))
    if said[0] in _OPPOSITE:
        kind, gold, wrong = "yes_no", said[0].capitalize(), [_OPPOSITE[said[0]]]
    else:
        kind, gold = "short" if len(said) <= _SHORT else "long", answer.strip()
        wrong = [_nearest(query.text, dataset.documents[name]) for name in violating]
    return ProbeQuestion(
        id=query.id,
        text=query.text,
        gold=(gold,),
        wrong=tuple(one for one in dict.fromkeys(wrong) if not places(tokens(one), tokens(gold))),
        kind=kind,
        satisfying=tuple(sorted(query.grades)),
        violating=violating,
    )


def _nearest(question: str, passage: str) -> str:
    """The sentence that shares most words with a question; the first one of equals."""
    asked = set(tokens(question))
    return max(_BORDER.split(passage), key=lambda one: len(asked.intersection(tokens(one))))
