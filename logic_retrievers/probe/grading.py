"""Grading of answers by comparison with right and wrong ones."""

from __future__ import annotations

import re
import tomllib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from logic_retrievers.text import comparable

if TYPE_CHECKING:
    from logic_retrievers.probe.questions import ProbeQuestion

# instructions and worked examples of the prompts, words of answers, fields of a question
WORDING: Mapping[str, Any] = tomllib.loads(
    Path(__file__).with_name("wording.toml").read_text("utf-8")
)
Tokens: TypeAlias = tuple[str, ...]
# What makes an answer right. ``containment``, for short answers: it contains a right answer and no
# wrong one. ``support``, for long ones: it has more of a right answer's words than of any wrong
# one's; without wrong answers, more than half of a right answer's words.
Grading: TypeAlias = Literal["containment", "support"]
Direction: TypeAlias = Literal["satisfying", "violating", "neither"]

# Share that stands for a wrong answer's where there is none. With one, a word that stands in
# every text helps both alike; without, it would make most sentences right. (Of BoolQuestions' right
# answers, 66 % share a word with a random sentence, and none shares half of its words.)
_SUPPORT_WITHOUT_WRONG = 0.5
_ARTICLES = frozenset({"a", "an", "the"})
_THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")
_INSIDE = re.compile(r"['\u2019\u02bc`]|\.(?!\d)")  # of "O'Neil" and "U.S."; 3.5 keeps its point
_TOKEN = re.compile(r"(?:[^\W_]|(?<=\d)\.(?=\d))+")


@dataclass(frozen=True, slots=True)
class Grade:
    """The grade of an answer.

    Args:
        exact: it is a right answer, up to case, accents, punctuation and articles.
        f1: harmonic mean of precision and recall of the tokens (SQuAD), against the nearest right
            answer.
        support: greatest share of a right answer's tokens that it has, less the greatest share of
            a wrong answer's; in [-1, 1]. One half is subtracted where there is no wrong answer.
        gold: number of right answers that it contains.
        wrong: number of wrong answers that it contains.
        abstained: it is empty or says that it does not know, and contains no answer.
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
    """Grade an answer.

    Contained means as consecutive whole tokens: "Ann" is not in "Annapolis". Where one answer lies
    inside a longer one, only the longer one counts: "Rocky II" contains no "Rocky". An answer that
    denies a wrong one ("not Ann but Bob") contains it all the same.
    """
    tokens = answer_tokens(answer)
    gold = {answer_tokens(text) for text in question.gold}
    wrong = {answer_tokens(text) for text in question.wrong} - gold
    spans = [(span, text) for text in gold | wrong for span in find_spans(text, tokens)]
    contained = {
        text
        for span, text in spans
        if not any(len(span) < len(other) and set(span) <= set(other) for other, _ in spans)
    }
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


def top_passage_direction(question: ProbeQuestion, passages: Sequence[str]) -> Direction | None:
    """The label of the first passage's id (CoDeR, appendix); None for a question without labels.

    It describes the retrieval, and does not count for the accuracy.
    """
    if not question.satisfying and not question.violating:
        return None
    first = next(iter(passages), None)
    if first in question.satisfying:
        return "satisfying"
    return "violating" if first in question.violating else "neither"


def answer_tokens(text: str) -> Tokens:
    """Words and numbers without case, accents, punctuation and articles.

    Normalized as in SQuAD's script (Rajpurkar et al. 2016), except that a mark between two words
    separates them, ``1,000`` is ``1000``, and letters lose their accents. A text of articles alone
    keeps them, and a text of signs alone keeps those: no text with content becomes empty.
    """
    plain = comparable(text)
    words = _TOKEN.findall(_INSIDE.sub("", _THOUSANDS.sub("", plain)))
    signs = "".join(plain.split()) or "".join(text.split())  # an accent alone is a sign too
    return tuple(word for word in words if word not in _ARTICLES) or tuple(
        words or filter(None, [signs])
    )


def find_spans(part: Tokens, whole: Tokens) -> list[range]:
    """The positions of a sequence of tokens inside another one."""
    length = len(part)
    if not length:
        return []
    starts = range(len(whole) - length + 1)
    return [range(at, at + length) for at in starts if whole[at : at + length] == part]


def _overlap(first: Tokens, second: Tokens) -> int:
    return (Counter(first) & Counter(second)).total()


def _best_recall(tokens: Tokens, answers: Iterable[Tokens]) -> float:
    return max(_overlap(tokens, answer) / len(answer) for answer in answers)


_ABSTENTIONS = tuple(map(answer_tokens, WORDING["answers"]["abstentions"]))
