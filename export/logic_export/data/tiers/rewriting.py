"""Disturbed queries in a language model's words, one instruction for each relation."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from logic_export.data.boolean_questions.checks import names, tidied
from logic_export.data.rewriter import Rewriter
from logic_retrievers.errors import InputError
from logic_retrievers.index.lexical import terms

MORE_WORDS = 60
"""A query has at most so many words more than its question."""
KEPT = 0.8
"""At least this share of a question's words must be in the query; of names and numbers, all."""

_JOINS: Mapping[str, str] = MappingProxyType(
    {
        "sequential": (
            "Tell them in sequence: first what the notes say, then the question, as a step that "
            "comes after it (after, then, next, having first)."
        ),
        "transitional": (
            "Pass from one topic to another: touch on what the notes say, leave it, and turn to "
            "the question (moving on, leaving aside, to change the subject)."
        ),
        "supplementary": (
            "Add the question to what the notes say, as something more that one would like to "
            "know (besides, in addition, furthermore)."
        ),
        "contrastive": (
            "Set the question against what the notes say (unlike, whereas, although, in contrast "
            "to)."
        ),
        "causal": (
            "Give what the notes say as the reason for asking (because, since, which is why)."
        ),
        "parallel": (
            "Put what the notes say and the question side by side, as equals (likewise, "
            "similarly, just as)."
        ),
        "hypothetical": (
            "Give what the notes say as a supposition and ask the question under it (if, "
            "suppose, assuming that). The answer must not depend on the supposition."
        ),
        "explanatory": (
            "Give what the notes say as an explanation or background of the question (for "
            "context, that is to say, to explain)."
        ),
    }
)
_TASK = (
    "Below are a question and notes on something else. Write one search query that mentions what "
    "the notes say in a clause of at most {words} words and asks the question. {join} The "
    "question keeps its meaning and its answer: repeat its words, with every name and number, "
    "and ask for nothing more. Do not answer it, and do not speak of notes. Answer with the "
    "query alone, on one line."
)
_NOTES = re.compile(
    r"\b(?:the|these|those|your|my|above|given) (?:notes?|passages?)\b", re.IGNORECASE
)
_LITTLE = re.compile(r"a|an|the|of|in|on|at|to|is|are|was|were|do|does|did|and|or|by|for")


@dataclass(frozen=True, slots=True)
class Rewritten:
    """A query, or why there is none."""

    query: str
    reasons: tuple[str, ...] = ()


class RelationRewriter:
    """Joins notes and a question by asking a rewriter.

    That the meaning stays is asked of the model; what can be checked by words is checked.

    Args:
        rewriter: as :class:`~logic_export.data.rewriter.ChatRewriter`, which caches.
        words: of the clause, at most.
    """

    def __init__(self, rewriter: Rewriter, *, words: int = 30) -> None:
        self._rewriter = rewriter
        self._words = words

    def ask(self, relation: str, question: str, passages: Sequence[str]) -> Rewritten:
        """The query, if the answer stands the checks of :func:`fault`.

        Raises:
            ServerError: the rewriter cannot go on.
        """
        told = _TASK.format(words=self._words, join=_JOINS[relation])
        notes = "\n".join(f"- {passage}" for passage in passages)
        try:
            answer = tidied(
                self._rewriter.rewrite(told, f"Question:\n{question}\n\nNotes:\n{notes}")
            )
        except InputError:
            return Rewritten("", ("template used: no usable answer",))
        problem = fault(question, answer, passages)
        return Rewritten("", (f"template used: {problem}",)) if problem else Rewritten(answer)


def fault(question: str, query: str, passages: Sequence[str]) -> str | None:
    """What keeps an answer from being the disturbed query; None: nothing does.

    Args:
        question: as it was asked.
        query: the answer.
        passages: that it should mention.
    """
    if not query:
        return "empty"
    if len(query.splitlines()) > 1:
        return "several lines"
    if len(query.split()) > len(question.split()) + MORE_WORDS:
        return "too long"
    if _NOTES.search(query):
        return "speaks of the notes"
    if any(_plain(passage) == _plain(query) for passage in passages):
        return "copied from the passage"
    asked, words = _telling(question), set(terms(query))
    if not all(name in query.casefold() for name in names([question])):
        return "a name is lost"
    if len(asked & words) < KEPT * len(asked):
        return "the question is lost"
    for passage in passages:
        if not words & (_telling(passage) - asked):
            return "a passage is not mentioned"
    return None


def _telling(text: str) -> set[str]:
    return {word for word in terms(text) if not _LITTLE.fullmatch(word)}


def _plain(text: str) -> str:
    return " ".join(terms(text))
