"""Grade answers by comparing them with right and wrong answers."""

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

# instructions and worked examples of prompts, wording of answers, fields of a question
WORDING: Mapping[str, Any] = tomllib.loads(
    Path(__file__).with_name("wording.toml").read_text("utf-8")
)
Tokens: TypeAlias = tuple[str, ...]
# How a reader's text counts as right. ``containment`` is for short answers: the text must contain a
# right answer and no wrong answer. ``support`` is for long answers: it takes the share of each
# answer's words that the text contains. The greatest share of a right answer must exceed the
# greatest of a wrong answer, or 0.5 without wrong answers. The text must not abstain.
Grading: TypeAlias = Literal["containment", "support"]
Direction: TypeAlias = Literal["satisfying", "violating", "neither"]

# The share that ``support`` must exceed if there is no wrong answer. At 0, one common word would
# make most sentences right. (In BoolQuestions, 66 % of the right answers share a word with a random
# sentence, but none shares half of its words.)
_SUPPORT_WITHOUT_WRONG = 0.5
_ARTICLES = frozenset({"a", "an", "the"})
_THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")
_INSIDE = re.compile(r"['\u2019\u02bc`]|\.(?!\d)")  # as in "O'Neil", "U.S."; 3.5 keeps its point
_TOKEN = re.compile(r"(?:[^\W_]|(?<=\d)\.(?=\d))+")


@dataclass(frozen=True, slots=True)
class Grade:
    """The grade of an answer.

    Args:
        exact: whether it equals a right answer, up to case, accents, punctuation and articles.
        f1: harmonic mean of precision and recall of the tokens (SQuAD), against the nearest right
            answer.
        support: greatest share of a right answer's tokens that it contains, minus the greatest
            share of a wrong answer's tokens (0.5 without wrong answers); in [-1, 1].
        gold: number of right answers that it contains.
        wrong: number of wrong answers that it contains.
        abstained: whether it contains no answer, and is empty or says that it does not know.
    """

    exact: bool
    f1: float
    support: float
    gold: int
    wrong: int
    abstained: bool

    def correct(self, grading: Grading = "containment") -> bool:
        if grading == "containment":
            return self.gold > 0 and self.wrong == 0
        return self.support > 0 and not self.abstained


def grade(question: ProbeQuestion, answer: str) -> Grade:
    """Grade an answer.

    Containing means consecutive whole tokens: "Annapolis" does not contain "Ann". A match inside a
    longer match does not count: "Rocky II" does not contain "Rocky". An answer that denies a wrong
    answer ("not Ann but Bob") still contains the wrong answer.
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
    """Tell whether the first id in ``passages`` satisfies or violates the question, or neither.

    Return None if the question lists no satisfying or violating ids. This label (CoDeR, appendix)
    describes the retrieval and does not change the accuracy.
    """
    if not question.satisfying and not question.violating:
        return None
    first = next(iter(passages), None)
    if first in question.satisfying:
        return "satisfying"
    return "violating" if first in question.violating else "neither"


def answer_tokens(text: str) -> Tokens:
    """Return words and numbers without case, accents, punctuation and articles.

    Texts are normalized as in SQuAD's script (Rajpurkar et al. 2016), and further: a mark between
    two words separates them, ``1,000`` is ``1000``, and letters lose their accents. A text of only
    articles or signs keeps these, so that no text with content becomes empty.
    """
    plain = comparable(text)
    words = _TOKEN.findall(_INSIDE.sub("", _THOUSANDS.sub("", plain)))
    # `comparable` empties a lone accent, so take the signs of the original text
    signs = "".join(plain.split()) or "".join(text.split())
    return tuple(word for word in words if word not in _ARTICLES) or tuple(
        words or filter(None, [signs])
    )


def find_spans(part: Tokens, whole: Tokens) -> list[range]:
    """Find the positions of the tokens ``part`` in the tokens ``whole``."""
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
