"""Checks of a question: by its wording, and by answering it from its passages."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Sequence
from typing import TypeAlias

from logic_export.data.boolean_questions.prompts import (
    ANSWER_PROMPT,
    MAX_QUESTION_WORDS,
    NO_QUESTION,
    QuestionKind,
)
from logic_export.data.rewriting import Rewriter
from logic_retrievers.errors import InputError

MAX_COPIED_WORDS = 8
"""Consecutive words that a question may not share with a passage."""

_TOKEN = re.compile(r"[^\W_]+(?:[-.][^\W_]+)*")
_SENTENCE_START = re.compile(r"(?:^|[?!]\s+|[a-z]{3}[.:;]\s+)\W*$")
_PREFACE = re.compile(
    r"(?:sure|certainly|of course|okay|here(?:'s| is)|(?:search )?query|question|answer)\b"
    r"[^?:]{0,60}:",
    re.IGNORECASE,
)
_PASSAGE = re.compile(
    r"\b(?:passage|text|document|excerpt) \d|"
    r"\b(?:the|this|these|both|either|each|above|given|provided|first|second|third) "
    r"(?:passages?|texts?|paragraphs?|documents?|excerpts?)\b",
    re.IGNORECASE,
)
_EXCLUDES = re.compile(
    r"n['\u2019]t\b|\b(?:not|no|none|never|neither|nor|without|except|excepting|exclud(?:e|es|ing)|"
    r"other than|rather than|instead of|besides|aside from|apart from|leaving out|leave out|"
    r"omit|omitting|ignoring|minus|barring|outside|beyond|avoid|avoiding|unrelated|skip|skipping)"
    r"\b",
    re.IGNORECASE,
)
_JOINS = re.compile(r"\b(?:or|either)\b", re.IGNORECASE)


def strip_quotes(answer: str) -> str:
    """The answer without surrounding white space and quotation marks."""
    text = answer.strip()
    if len(text) > 1 and (text[0], text[-1]) in {('"', '"'), ("“", "”")}:
        return text[1:-1].strip()
    return text


def find_fault(
    kind: QuestionKind, question: str, passages: Sequence[str], sources: Sequence[str] = ()
) -> str | None:
    """Why a text is not a valid question of its kind; None where it is.

    A name is a word with a digit, or with a capital letter other than at the start of a sentence. A
    question made from other questions must keep all their names; a question on one passage may only
    use names in it. A question on several passages may generalise.

    Args:
        kind: of question.
        question: as :func:`strip_quotes` returns it.
        passages: that it was made from.
        sources: questions that it was made from, or that it must differ from.
    """
    if not question:
        return "empty"
    if question.strip(" .").upper() == NO_QUESTION:
        return "there is none"
    if len(question.splitlines()) > 1:
        return "several lines"
    if len(question.split()) > MAX_QUESTION_WORDS:
        return "too long"
    if _PREFACE.match(question):
        return "more than a question"
    if _PASSAGE.search(question):
        return "speaks of the passage"
    if _word_runs(question) & {run for passage in passages for run in _word_runs(passage)}:
        return "copied from the passage"
    words = _words(question)
    if not words:
        return "no words"
    if words in [_words(other) for other in sources]:
        return "repeats another question"
    if kind == "not" and not _EXCLUDES.search(question):
        return "rules nothing out"
    if kind == "or" and not _JOINS.search(question):
        return "joins nothing"
    if kind in ("and", "or", "not") and not named_words(sources) <= set(words):
        return "a name is lost"
    if kind != "shared" and not named_words([question]) <= _all_words([*passages, *sources]):
        return "a name that nobody gave"
    return None


def named_words(texts: Iterable[str]) -> set[str]:
    """Words that are names, in lower case: with a capital letter or a digit."""
    return {
        match[0].casefold()
        for text in texts
        for match in _TOKEN.finditer(text)
        if _is_name(text, match)
    }


def _is_name(text: str, match: re.Match[str]) -> bool:
    word = match[0]
    if any(sign.isdigit() for sign in word):
        return True
    if word in ("I", "AND", "OR", "NOT") or not any(sign.isupper() for sign in word):
        return False
    begins = _SENTENCE_START.search(text[: match.start()]) is not None
    return not begins or any(sign.isupper() for sign in word[1:])


def _words(text: str) -> list[str]:
    return [word.casefold() for word in _TOKEN.findall(text)]


def _all_words(texts: Iterable[str]) -> set[str]:
    return {word for text in texts for word in _words(text)}


def _word_runs(text: str) -> set[tuple[str, ...]]:
    words = _words(text)
    return {
        tuple(words[start : start + MAX_COPIED_WORDS])
        for start in range(len(words) - MAX_COPIED_WORDS + 1)
    }


MAX_ANSWER_WORDS = 64
"""Most words of an answer, as in the paper."""

Answerer: TypeAlias = Callable[[str, str], str]
"""Question and passage -> an answer of at most 64 words, or ``Cannot answer``.

It may raise ``InputError`` where it has no usable answer.
"""

_CANNOT = re.compile(
    r"\W*(?:(?:i|it) )?(?:am |is )?(?:cannot|can not|can['\u2019]t|unable to) (?:be )?answer",
    re.IGNORECASE,
)


def make_answerer(rewriter: Rewriter) -> Answerer:
    """An answerer that asks a language model."""
    prompt = ANSWER_PROMPT.format(words=MAX_ANSWER_WORDS)

    def answer(question: str, passage: str) -> str:
        return rewriter.rewrite(prompt, f"Question:\n{question}\n\nPassage:\n{passage}")

    return answer


def find_inconsistency(
    question: str,
    passages: Sequence[str],
    right: Collection[int],
    answerer: Answerer,
    *,
    others: bool = True,
) -> str | None:
    """How an answerer's answers disagree with the labels; None where they agree (cyclic filter).

    Zhang et al. (2024) keep a question that the labelled passages answer. The paper does not say
    (?) whether the negative of a NOT question, and the other passages of an AND or OR question,
    must *not* answer it: here they must not, or the label would be wrong. (In the published NOT
    questions some positives are marked "Cannot answer", so the filter there was laxer.)

    Args:
        question: to be answered.
        passages: given to the answerer one at a time.
        right: positions of the passages that must answer.
        answerer: is called once per passage, until one fails.
        others: whether the other passages must not answer.
    """
    for position, passage in enumerate(passages):
        if position not in right and not others:
            continue
        try:
            answer = answerer(question, passage).strip()
        except InputError:
            return "no usable answer"
        answers = bool(answer) and _CANNOT.match(answer) is None
        if answers and len(answer.split()) > MAX_ANSWER_WORDS:
            return "the answer is too long"
        if answers != (position in right):
            return "another passage answers" if answers else "a labelled passage does not answer"
    return None
