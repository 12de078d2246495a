"""Finds wrong passages for questions: by BM25, or from a retriever and people's marks."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import TypeAlias

from logic_export.data.tiers.examples import TieredExample
from logic_export.data.tiers.labelled_questions import Candidate, LabelledQuestion, terms
from logic_retrievers.errors import ConfigurationError, InputError

# BM25's k and b
SATURATION, LENGTH_NORMALISATION = 1.2, 0.75
# Shorter answers occur in passages by chance.
MIN_ANSWER_LETTERS = 4

# question -> passages, best first
Ranker: TypeAlias = Callable[[str], Sequence[Candidate]]
# question and k -> ids of the k best passages, best first
Search: TypeAlias = Callable[[str, int], Sequence[str]]


class BM25Index:
    """BM25 over a few thousand passages; ties keep their order."""

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
                (
                    row,
                    weight * math.log1p((len(counts) - len(holders) + 0.5) / (len(holders) + 0.5)),
                )
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


def mine_wrong_passages(question: LabelledQuestion, rank: Ranker, count: int) -> list[Candidate]:
    """Passages of other questions that rank high for this one but do not answer it, best first.

    They are unlabelled, so possible answers are left out: passages ranked above the best right one,
    with a right one's title, or that contain an answer word for word. If ``rank`` does not find a
    right passage, none is taken.
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


@dataclass(frozen=True, slots=True)
class MarkedQuestion:
    """A question that people asked, and how they marked the retrieved passages.

    Args:
        text: natural language.
        right: ids of the passages that answer it, at least one.
        wrong: ids of passages marked as wrong: clicked and left, or reported.

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
    passages are in no tier: they may be answers.

    Args:
        questions: with their marks.
        documents: id -> text of the collection.
        search: the retriever to improve.
        depth: number of passages that count as retrieved.
        negatives: least number of negatives, where the collection has enough.
        unmarked: whether retrieved passages without a mark are distractors too; only where people
            have looked at all retrieved passages.
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
