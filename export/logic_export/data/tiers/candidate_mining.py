"""Finds candidates of questions: by shared words (BM25), or from a retriever and people's marks."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import TypeAlias

from logic_export.data.tiers.examples import TieredExample
from logic_export.data.tiers.labelled_questions import Candidate, LabelledQuestion
from logic_export.data.tiers.words import terms
from logic_retrievers.errors import ConfigurationError, InputError

SATURATION = 1.2
"""BM25's k."""
LENGTH_NORMALISATION = 0.75
"""BM25's b."""
MIN_ANSWER_LETTERS = 4
"""Shorter answers occur in passages by chance."""

Ranker: TypeAlias = Callable[[str], Sequence[Candidate]]
"""Question -> passages, best first; any retriever will do."""


class BM25Index:
    """BM25 over a few thousand passages.

    Args:
        candidates: the passages; ties keep their order.
    """

    def __init__(self, candidates: Sequence[Candidate]) -> None:
        self._candidates = tuple(dict.fromkeys(candidates))
        counts = [Counter(terms(candidate.passage)) for candidate in self._candidates]
        mean = sum(count.total() for count in counts) / max(1, len(counts)) or 1.0
        postings: dict[str, list[tuple[int, float]]] = defaultdict(list)
        for row, count in enumerate(counts):
            damping = SATURATION * (
                1 - LENGTH_NORMALISATION + LENGTH_NORMALISATION * count.total() / mean
            )
            for word, times in count.items():
                postings[word].append((row, times * (SATURATION + 1) / (times + damping)))
        self._weights = {
            word: [
                (row, weight * _inverse_document_frequency(len(holders), len(counts)))
                for row, weight in holders
            ]
            for word, holders in postings.items()
        }

    def __call__(self, question: str) -> list[Candidate]:
        """All passages that share a word with the question, best first."""
        scores: dict[int, float] = defaultdict(float)
        for word in sorted(set(terms(question))):
            for row, weight in self._weights.get(word, ()):
                scores[row] += weight
        order = sorted(scores, key=lambda row: (-scores[row], row))
        return [self._candidates[row] for row in order]


def _inverse_document_frequency(holders: int, passages: int) -> float:
    return math.log1p((passages - holders + 0.5) / (holders + 0.5))


def mine_wrong_passages(question: LabelledQuestion, rank: Ranker, count: int) -> list[Candidate]:
    """Passages of other questions that rank high for this one but do not answer it, best first.

    They are unlabelled, so possible answers are left out: passages ranked above the best right one,
    with a right one's title, or that contain an answer word for word. If no right passage is
    ranked, none is taken.

    Args:
        question: with its labels.
        rank: ranks passages, including the right ones of this question.
        count: largest number of passages.
    """
    ranked = list(rank(question.text))
    right = {candidate.passage for candidate in question.right}
    first_right = next(
        (n for n, candidate in enumerate(ranked) if candidate.passage in right), len(ranked)
    )
    labelled = {candidate.passage for candidate in question.candidates}
    titles = {candidate.title.casefold() for candidate in question.right if candidate.title}
    answers = [
        answer.casefold() for answer in question.answers if len(answer) >= MIN_ANSWER_LETTERS
    ]
    wrong: list[Candidate] = []
    for candidate in ranked[first_right:]:
        if len(wrong) == count:
            break
        text = candidate.passage.casefold()
        if candidate.passage in labelled or candidate.title.casefold() in titles:
            continue
        if not any(answer in text for answer in answers):
            wrong.append(candidate)
    return wrong


Search: TypeAlias = Callable[[str, int], Sequence[str]]
"""Question and k -> ids of the k best passages, best first."""


@dataclass(frozen=True, slots=True)
class MarkedQuestion:
    """A question that people asked, and how they marked the retrieved passages.

    Args:
        text: natural language.
        right: ids of the passages that answer it, at least one.
        wrong: ids of passages that somebody marked as wrong: clicked and left, or reported.

    Raises:
        InputError: an empty question, no right passage, or a passage marked both ways.
    """

    text: str
    right: tuple[str, ...]
    wrong: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if not self.text.strip() or not self.right:
            raise InputError(
                f"a marked question needs a text and a right passage, not {self!r:.200}"
            )
        if both := set(self.right) & set(self.wrong):
            raise InputError(f"of {self.text!r}, {min(both)!r} is marked both right and wrong")


def mine_distractors(
    questions: Iterable[MarkedQuestion],
    documents: Mapping[str, str],
    search: Search,
    *,
    depth: int = 20,
    negatives: int = 8,
    unmarked: bool = False,
    source: str = "mined",
    seed: int = 0,
) -> list[TieredExample]:
    """Each question's candidates in tiers.

    Distractors are passages that are retrieved and marked wrong. Negatives are the other passages
    marked wrong, filled up with random passages that are not retrieved. Retrieved but unmarked
    passages are in no tier: they may be answers that nobody has looked at.

    Args:
        questions: with their marks.
        documents: id -> text of the collection.
        search: the retriever to improve.
        depth: number of passages that count as retrieved.
        negatives: least number of negatives, where the collection has enough.
        unmarked: whether retrieved passages that nobody marked are distractors too; only where
            people have looked at all retrieved passages.
        source: name of the data set.
        seed: of the random passages.

    Returns:
        In the order of the questions. Texts equal to a right passage's are left out, whatever their
        id; a question without wrong passages gives no example.

    Raises:
        ConfigurationError: a depth below 1, or negatives below 0.
        InputError: an id without a document.
    """
    if depth < 1 or negatives < 0:
        raise ConfigurationError("depth must be 1 or more, negatives 0 or more")
    names = sorted(documents)
    examples = []
    for question in questions:
        retrieved = list(search(question.text, depth))[:depth]
        known = {*question.right, *question.wrong, *retrieved}
        if missing := sorted(known - documents.keys()):
            raise InputError(f"there is no document {missing[0]!r}, for {question.text!r}")
        wrong = set(question.wrong)
        distractors = [
            passage_id
            for passage_id in retrieved
            if passage_id not in question.right and (unmarked or passage_id in wrong)
        ]
        other_wrong = [passage_id for passage_id in question.wrong if passage_id not in distractors]
        random = Random(f"{seed}:{question.text}")
        others = [
            passage_id
            for passage_id in random.sample(names, min(len(names), negatives + len(known)))
            if passage_id not in known
        ]
        other_wrong += others[: max(0, negatives - len(other_wrong))]
        tiers = _tier_texts(documents, question.right, distractors, other_wrong)
        if tiers[1] or tiers[2]:
            examples.append(TieredExample(question.text, *tiers, source))
    return examples


def _tier_texts(
    documents: Mapping[str, str], *tiers: Sequence[str]
) -> tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]:
    """The tiers' texts, each text in the first tier that contains it."""
    seen: dict[str, int] = {}
    for number, tier in enumerate(tiers):
        for name in tier:
            seen.setdefault(documents[name], number)
    first, second, third = (
        tuple(text for text, tier in seen.items() if tier == number) for number in range(3)
    )
    return first, second, third
