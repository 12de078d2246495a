"""Grading of answers by comparison with right and wrong ones."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias, cast, get_args

from logic_retrievers.errors import ConfigurationError
from logic_retrievers.probe.normalization import Tokens, answer_tokens, find_spans
from logic_retrievers.probe.prompt import WORDING
from logic_retrievers.probe.questions import ProbeQuestion

Grading: TypeAlias = Literal["containment", "support"]
"""What makes an answer right. ``containment``, for short answers: it contains a right answer and no
wrong one. ``support``, for long ones: it has more of a right answer's words than of any wrong
one's, and where there is no wrong one more than half of them."""
Direction: TypeAlias = Literal["satisfying", "violating", "neither"]

_SUPPORT_WITHOUT_WRONG = 0.5
"""Share that stands for a wrong answer's where there is none. With one, a word that stands in
every text helps both alike; without, it would make most sentences right. (Of BoolQuestions' right
answers, 66 % share a word with a random sentence, and none shares half of its words.)"""
_ABSTENTIONS = tuple(map(answer_tokens, WORDING["answers"]["abstentions"]))


@dataclass(frozen=True, slots=True)
class Grade:
    """The grade of an answer.

    Args:
        exact: it is a right answer, up to case, accents, punctuation and articles.
        f1: harmonic mean of precision and recall of the tokens (SQuAD), against the nearest right
            answer.
        support: share of a right answer's tokens that it has, less that of a wrong one; the
            greatest of each, in [-1, 1]. Where there is no wrong answer, less one half.
        gold: number of right answers that it contains.
        wrong: number of wrong ones.
        abstained: it says that it does not know, or nothing, and contains neither.
    """

    exact: bool
    f1: float
    support: float
    gold: int
    wrong: int
    abstained: bool

    def correct(self, grading: Grading = "containment") -> bool:
        """Whether the answer counts as right."""
        if grading == "containment":
            return self.gold > 0 and self.wrong == 0
        return self.support > 0 and not self.abstained


def grade(question: ProbeQuestion, answer: str) -> Grade:
    """Grades an answer.

    Contained means as consecutive whole tokens: "Ann" is not in "Annapolis". Where one answer lies
    inside a longer one, only the longer one counts: "Rocky II" contains no "Rocky". An answer that
    denies a wrong one ("not Ann but Bob") contains it all the same.
    """
    tokens = answer_tokens(answer)
    gold = {answer_tokens(text) for text in question.gold}
    wrong = {answer_tokens(text) for text in question.wrong} - gold
    contained = _contained_answers(tokens, gold | wrong)
    wrong_support = _best_recall(tokens, wrong) if wrong else _SUPPORT_WITHOUT_WRONG
    return Grade(
        exact=tokens in gold,
        f1=max(2 * _overlap(tokens, right) / (len(tokens) + len(right)) for right in gold),
        support=_best_recall(tokens, gold) - wrong_support,
        gold=len(contained & gold),
        wrong=len(contained & wrong),
        abstained=not contained
        and (not tokens or any(find_spans(phrase, tokens) for phrase in _ABSTENTIONS)),
    )


def validate_grading(grading: Any) -> Grading:
    """A grading from its name.

    Raises:
        ConfigurationError: no such grading.
    """
    if grading in get_args(Grading):
        return cast("Grading", grading)
    raise ConfigurationError(f"unknown grading {grading!r}; one of {', '.join(get_args(Grading))}")


def top_passage_direction(question: ProbeQuestion, passages: Sequence[str]) -> Direction | None:
    """The label of the first of the passages' ids (CoDeR, appendix); None for a question without.

    It describes the retrieval alone, and is no part of the accuracy.
    """
    if not question.satisfying and not question.violating:
        return None
    first = next(iter(passages), None)
    if first in question.satisfying:
        return "satisfying"
    return "violating" if first in question.violating else "neither"


def _contained_answers(tokens: Tokens, answers: Iterable[Tokens]) -> set[Tokens]:
    """The answers that occur in the tokens, not counting occurrences inside a longer answer."""
    spans = [(span, answer) for answer in answers for span in find_spans(answer, tokens)]
    return {
        answer
        for span, answer in spans
        if not any(len(span) < len(other) and set(span) <= set(other) for other, _ in spans)
    }


def _overlap(first: Tokens, second: Tokens) -> int:
    return (Counter(first) & Counter(second)).total()


def _best_recall(tokens: Tokens, answers: Iterable[Tokens]) -> float:
    return max(_overlap(tokens, answer) / len(answer) for answer in answers)
