"""Questions with labelled candidates: reads and splits them, finds wrong passages by BM25."""

from __future__ import annotations

import math
import os
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from logic_export.data.files import assign_part
from logic_retrievers.errors import ConfigurationError
from logic_retrievers.evaluation import load_dataset
from logic_retrievers.evaluation.datasets import data_file, existing_folder
from logic_retrievers.evaluation.rows import Row, json_rows

QUESTIONS_FILE = "questions.jsonl"
_WORD = re.compile(r"\w+")


def terms(text: str) -> list[str]:
    """Return a text's case-folded words, without stemming or stop words."""
    return _WORD.findall(text.casefold())


@dataclass(frozen=True, slots=True)
class Candidate:
    """A passage; the title may be empty."""

    title: str
    body: str

    @property
    def passage(self) -> str:
        return f"{self.title}: {self.body}" if self.title else self.body


@dataclass(frozen=True, slots=True)
class LabelledQuestion:
    """A question, the passages labelled right and wrong for it, and its known answers."""

    id: str
    text: str
    right: tuple[Candidate, ...]
    wrong: tuple[Candidate, ...]
    answers: tuple[str, ...]
    source: str

    @property
    def candidates(self) -> tuple[Candidate, ...]:
        return self.right + self.wrong


def read_questions(folder: str | os.PathLike[str]) -> list[LabelledQuestion]:
    """Read the questions of a folder that have a right passage.

    A folder with ``questions.jsonl[.gz]`` holds rows ``{_id, text, answer}`` in one of two forms.
    One has ``candidates``, each ``{title, text, label}`` (1 is right). The other has ``positive``,
    whose lines are passages ``Title: text``, and ``hard_negative`` with ``hard_negative_title``.
    Any other folder is read by :func:`~logic_retrievers.evaluation.load_dataset`: its satisfying
    passages are right, its violating ones wrong. Errors name file and line (:class:`ReadError`).
    """
    directory = existing_folder(Path(folder))
    file = data_file(directory, QUESTIONS_FILE)
    questions = (
        _from_dataset(folder) if file is None else _from_file(file, directory.resolve().name)
    )
    return [question for question in questions if question.right]


def _from_file(path: Path, source: str) -> Iterator[LabelledQuestion]:
    for row in json_rows(path):
        right, wrong = (
            _labelled_candidates(row) if "candidates" in row.fields else _paired_candidates(row)
        )
        answers = (row.text("answer"),) if row.fields.get("answer") is not None else ()
        yield LabelledQuestion(
            row.id(), row.text("text"), right, _without(wrong, right), answers, source
        )


def _from_dataset(folder: str | os.PathLike[str]) -> Iterator[LabelledQuestion]:
    data = load_dataset(folder)
    for query in data.queries:
        right, wrong = (
            tuple(Candidate("", data.documents[name]) for name in sorted(names))
            for names in (query.satisfying, query.violating)
        )
        answers = tuple(str(answer) for answer in query.extra.get("answers") or ())
        yield LabelledQuestion(query.id, query.text, right, wrong, answers, data.name)


def _labelled_candidates(row: Row) -> tuple[tuple[Candidate, ...], tuple[Candidate, ...]]:
    fields = row.fields["candidates"]
    if not isinstance(fields, list) or not all(isinstance(candidate, dict) for candidate in fields):
        raise row.error("'candidates' must be a list of objects with title, text and label")
    tiers: dict[int, dict[Candidate, None]] = {0: {}, 1: {}}
    for candidate in map(row.with_fields, fields):
        label = candidate.fields.get("label")
        if label not in tiers:
            raise row.error(f"the label of a candidate is 0 or 1, not {label!r}")
        tiers[label][Candidate(candidate.text("title"), candidate.text("text"))] = None
    return tuple(tiers[1]), tuple(tiers[0])


def _paired_candidates(row: Row) -> tuple[tuple[Candidate, ...], tuple[Candidate, ...]]:
    right = tuple(_parse_titled(line) for line in row.text("positive").split("\n") if line.strip())
    title = row.fields.get("hard_negative_title")
    wrong = _parse_titled(row.text("hard_negative"), title if isinstance(title, str) else None)
    return right, (wrong,)


def _parse_titled(passage: str, title: str | None = None) -> Candidate:
    """Split ``Title: text``, at the first colon if the title is unknown."""
    head, colon, body = passage.partition(": ")
    if title is not None:
        head, colon, body = title, ": ", passage.removeprefix(f"{title}: ")
        if body == passage:
            return Candidate("", passage)
    return Candidate(head, body) if colon and body.strip() else Candidate("", passage)


def _without(wrong: tuple[Candidate, ...], right: tuple[Candidate, ...]) -> tuple[Candidate, ...]:
    texts = {candidate.passage for candidate in right}
    return tuple(candidate for candidate in wrong if candidate.passage not in texts)


SHARES: Mapping[str, float] = {"train": 0.7, "dev": 0.1, "test": 0.2}


def split_questions(
    questions: Sequence[LabelledQuestion], shares: Mapping[str, float] = SHARES
) -> dict[str, list[LabelledQuestion]]:
    """Split questions into parts, in their order.

    Questions that share a candidate, or are equal, go into the same part. So pass sets that share
    passages in one call. A hash of the group's first id decides, not a seed: a run with a different
    seed must not train on the test part. Shares that do not add up to 1 are a
    :class:`ConfigurationError`.
    """
    if min(shares.values(), default=0.0) < 0 or abs(sum(shares.values()) - 1) > 1e-9:
        raise ConfigurationError(f"shares are 0 or more and add up to 1, not {dict(shares)}")
    parts: dict[str, list[LabelledQuestion]] = {part: [] for part in shares}
    for question, group in zip(questions, _group_ids(questions), strict=True):
        parts[assign_part(group, shares)].append(question)
    return parts


def _group_ids(questions: Sequence[LabelledQuestion]) -> list[str]:
    """Return for each question the smallest id among the questions that share its part."""
    parent = list(range(len(questions)))

    def root(row: int) -> int:
        while parent[row] != row:
            parent[row] = parent[parent[row]]
            row = parent[row]
        return row

    first: dict[str, int] = {}
    for row, question in enumerate(questions):
        for text in (question.text, *(candidate.passage for candidate in question.candidates)):
            key = " ".join(text.casefold().split())
            parent[root(row)] = root(first.setdefault(key, row))
    smallest: dict[int, str] = {}
    for row, question in enumerate(questions):
        root_row = root(row)
        smallest[root_row] = min(smallest.get(root_row, question.id), question.id)
    return [smallest[root(row)] for row in range(len(questions))]


# BM25's k and b
SATURATION, LENGTH_NORMALISATION = 1.2, 0.75
# Shorter answers occur in passages by chance.
MIN_ANSWER_LETTERS = 4


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
        self._weights = {}
        for word, holders in postings.items():
            rarity = math.log1p((len(counts) - len(holders) + 0.5) / (len(holders) + 0.5))
            self._weights[word] = [(row, weight * rarity) for row, weight in holders]

    def __call__(self, question: str) -> list[Candidate]:
        """Return all passages that share a word with the question, best first."""
        scores: dict[int, float] = defaultdict(float)
        for word in sorted(set(terms(question))):
            for row, weight in self._weights.get(word, ()):
                scores[row] += weight
        order = sorted(scores, key=lambda row: (-scores[row], row))
        return [self._candidates[row] for row in order]


def mine_wrong_passages(
    question: LabelledQuestion, rank: Callable[[str], Sequence[Candidate]], count: int
) -> list[Candidate]:
    """Find passages of other questions that rank high but do not answer this one; best first.

    The passages are unlabelled, so any that may answer is left out: if it ranks above the best
    right passage, has a right passage's title, or contains an answer word for word. If ``rank``
    (question -> passages, best first) finds no right passage, no passage is taken.
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
