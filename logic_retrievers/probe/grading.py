"""Answers compared with those that are right and those that are wrong."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal, TypeAlias, cast, get_args

from logic_retrievers.errors import ConfigurationError
from logic_retrievers.probe.normalising import Tokens, places, tokens
from logic_retrievers.probe.questions import ProbeQuestion

Grading: TypeAlias = Literal["containment", "support"]
"""What makes an answer right: ``containment`` of a right answer and of no wrong one, for short
answers; ``support``, more of a right answer's words than of any wrong one's, for long ones, and
where there is no wrong one more than half of them."""
Direction: TypeAlias = Literal["satisfying", "violating", "neither"]

_NO_RIVAL = 0.5
"""What a wrong answer's share is taken for where there is none. With one, a word that stands in
every text helps both alike; without, it would make most sentences right. (Of BoolQuestions' right
answers, 66 % share a word with a sentence drawn at random, and none shares half of its words.)"""
_NO_ANSWER = tuple(
    tokens(said)
    for said in (
        *("I don't know", "do not know", "don't know", "not sure", "no idea", "unknown"),
        *("cannot answer", "can't answer", "cannot be answered", "unanswerable", "no answer"),
        *("cannot be determined", "cannot determine", "cannot tell", "can't tell"),
        *("not enough information", "no information", "not mentioned", "not stated", "not given"),
        *("not provided", "not specified", "does not say", "do not say", "don't say"),
        *("does not tell", "do not tell", "don't tell", "does not mention", "do not mention"),
    )
)


@dataclass(frozen=True, slots=True)
class Grade:
    """What there is to say of an answer.

    Args:
        exact: it is a right answer, up to case, accents, punctuation and articles.
        f1: harmonic mean of precision and recall of the tokens (SQuAD), against the right answer
            that is nearest.
        support: share of the tokens of a right answer that it says, less that of a wrong one; the
            greatest of each, in [-1, 1]. Where there is no wrong answer, less one half.
        gold: how many right answers it contains.
        wrong: how many wrong ones.
        abstained: it says that it does not know, or nothing, and names neither.
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

    def to_dict(self) -> dict[str, Any]:
        """A plain dictionary, ready for JSON."""
        return asdict(self)


def grade(question: ProbeQuestion, answer: str) -> Grade:
    """Grades an answer.

    Contained means as whole tokens in a row: "Ann" is not in "Annapolis". Where one answer lies
    inside a longer one, the longer one was said: "Rocky II" contains no "Rocky". An answer that
    denies a wrong one ("not Ann but Bob") contains it all the same.

    Args:
        question: with its right and wrong answers.
        answer: as a reader gave it.
    """
    said = tokens(answer)
    gold = {tokens(one) for one in question.gold}
    wrong = {tokens(one) for one in question.wrong} - gold
    named = _named(said, gold | wrong)
    return Grade(
        exact=said in gold,
        f1=max(_f1(said, one) for one in gold),
        support=_recalled(said, gold) - (_recalled(said, wrong) if wrong else _NO_RIVAL),
        gold=len(named & gold),
        wrong=len(named & wrong),
        abstained=not named and (not said or any(places(one, said) for one in _NO_ANSWER)),
    )


def checked_grading(grading: Any) -> Grading:
    """A grading from its name.

    Raises:
        ConfigurationError: no such grading.
    """
    for known in get_args(Grading):
        if grading == known:
            return cast("Grading", known)
    raise ConfigurationError(f"unknown grading {grading!r}; one of {', '.join(get_args(Grading))}")


def direction(question: ProbeQuestion, passages: Sequence[str]) -> Direction | None:
    """On which side of the question the first passage stands (CoDeR, appendix).

    It tells of the retrieval alone, and is no part of the accuracy.

    Args:
        question: with its labels; None comes back where it has none.
        passages: ids in the order of their retrieval.
    """
    if not question.satisfying and not question.violating:
        return None
    first = next(iter(passages), None)
    if first in question.satisfying:
        return "satisfying"
    return "violating" if first in question.violating else "neither"


def _named(said: Tokens, answers: Iterable[Tokens]) -> set[Tokens]:
    """The answers that stand somewhere, but for a place inside a longer one."""
    found = [(place, answer) for answer in answers for place in places(answer, said)]
    return {
        answer
        for place, answer in found
        if not any(len(place) < len(other) and set(place) <= set(other) for other, _ in found)
    }


def _shared(one: Tokens, other: Tokens) -> int:
    return (Counter(one) & Counter(other)).total()


def _f1(said: Tokens, gold: Tokens) -> float:
    return 2 * _shared(said, gold) / (len(said) + len(gold))


def _recalled(said: Tokens, answers: Iterable[Tokens]) -> float:
    return max(_shared(said, one) / len(one) for one in answers)
