"""Distractor queries worded by a language model, one instruction per relation."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from logic_export.data.boolean_questions.checks import named_words, strip_quotes
from logic_export.data.rewriting import Rewriter
from logic_export.data.tiers.words import terms
from logic_retrievers.errors import InputError

MAX_ADDED_WORDS = 60
"""Most words that a query may have beyond its question."""
MIN_KEPT_SHARE = 0.8
"""Least share of a question's words that the query must keep; names and numbers must all stay."""

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
_STOP_WORDS = re.compile(r"a|an|the|of|in|on|at|to|is|are|was|were|do|does|did|and|or|by|for")


@dataclass(frozen=True, slots=True)
class RewrittenQuery:
    """A query, or the reasons why there is none."""

    query: str
    reasons: tuple[str, ...] = ()


class RelationRewriter:
    """Joins notes and a question by asking a rewriter.

    The model is asked to keep the meaning; the wording is checked.

    Args:
        rewriter: as :class:`~logic_export.data.rewriting.ChatRewriter`, which caches.
        words: most words of the clause.
    """

    def __init__(self, rewriter: Rewriter, *, words: int = 30) -> None:
        self._rewriter = rewriter
        self._words = words

    def join(self, relation: str, question: str, passages: Sequence[str]) -> RewrittenQuery:
        """The query, if the answer passes :func:`find_fault`.

        Raises:
            ServerError: the rewriter fails.
        """
        instruction = _TASK.format(words=self._words, join=_JOINS[relation])
        notes = "\n".join(f"- {passage}" for passage in passages)
        try:
            answer = strip_quotes(
                self._rewriter.rewrite(instruction, f"Question:\n{question}\n\nNotes:\n{notes}")
            )
        except InputError:
            return RewrittenQuery("", ("template used: no usable answer",))
        problem = find_fault(question, answer, passages)
        return (
            RewrittenQuery("", (f"template used: {problem}",))
            if problem
            else RewrittenQuery(answer)
        )


def find_fault(question: str, query: str, passages: Sequence[str]) -> str | None:
    """Why an answer is no valid distractor query; None where it is.

    Args:
        question: the original question.
        query: the answer.
        passages: those it should mention.
    """
    if not query:
        return "empty"
    if len(query.splitlines()) > 1:
        return "several lines"
    if len(query.split()) > len(question.split()) + MAX_ADDED_WORDS:
        return "too long"
    if _NOTES.search(query):
        return "speaks of the notes"
    if any(_normalise(passage) == _normalise(query) for passage in passages):
        return "copied from the passage"
    question_words, words = _content_words(question), set(terms(query))
    if not all(name in query.casefold() for name in named_words([question])):
        return "a name is lost"
    if len(question_words & words) < MIN_KEPT_SHARE * len(question_words):
        return "the question is lost"
    for passage in passages:
        if not words & (_content_words(passage) - question_words):
            return "a passage is not mentioned"
    return None


def _content_words(text: str) -> set[str]:
    return {word for word in terms(text) if not _STOP_WORDS.fullmatch(word)}


def _normalise(text: str) -> str:
    return " ".join(terms(text))
