"""Questions with labelled candidates, read from the forms in which such sets come."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from logic_retrievers.evaluation import load_dataset
from logic_retrievers.evaluation.folders import data_file, existing_folder
from logic_retrievers.evaluation.rows import Row, json_rows

FILE = "questions.jsonl"


@dataclass(frozen=True, slots=True)
class Candidate:
    """A passage, and its title where it has one."""

    title: str
    body: str

    @property
    def passage(self) -> str:
        """The text that is encoded."""
        return f"{self.title}: {self.body}" if self.title else self.body


@dataclass(frozen=True, slots=True)
class LabelledQuestion:
    """A question and its candidates.

    Args:
        id: unique in the set.
        text: as it is asked.
        right: what answers it.
        wrong: what is labelled as no answer.
        answers: what a passage that answers says; empty where that is not known.
        source: the set.
    """

    id: str
    text: str
    right: tuple[Candidate, ...]
    wrong: tuple[Candidate, ...]
    answers: tuple[str, ...]
    source: str

    @property
    def candidates(self) -> tuple[Candidate, ...]:
        """All of them, the right ones first."""
        return self.right + self.wrong


def read_questions(folder: str | os.PathLike[str], split: str = "test") -> list[LabelledQuestion]:
    """The questions of a folder that have a right passage.

    A folder with ``questions.jsonl[.gz]`` holds rows ``{_id, text, answer}`` with either
    ``candidates``, each ``{title, text, label}`` (label 1: right), or ``positive``, whose lines are
    passages ``Title: text``, and ``hard_negative`` with ``hard_negative_title``. Any other folder
    is a data set as :func:`~logic_retrievers.evaluation.load_dataset` reads it: its satisfying
    passages are right, its violating ones wrong.

    Args:
        folder: a path, or a name inside the data folder.
        split: of a data set that has parts.

    Raises:
        ReadError: no such folder, or a row of another form; names file and line.
    """
    place = existing_folder(Path(folder))
    file = data_file(place, FILE)
    found = _of_dataset(folder, split) if file is None else _of_file(file, place.resolve().name)
    return [question for question in found if question.right]


def _of_file(path: Path, source: str) -> Iterator[LabelledQuestion]:
    for row in json_rows(path):
        right, wrong = _labelled(row) if "candidates" in row.fields else _paired(row)
        answers = (row.text("answer"),) if row.fields.get("answer") is not None else ()
        yield LabelledQuestion(
            row.id(), row.text("text"), right, _less(wrong, right), answers, source
        )


def _of_dataset(folder: str | os.PathLike[str], split: str) -> Iterator[LabelledQuestion]:
    data = load_dataset(folder, split)
    for query in data.queries:
        right, wrong = (
            tuple(Candidate("", data.documents[name]) for name in sorted(names))
            for names in (query.satisfying, query.violating)
        )
        answers = tuple(str(one) for one in query.extra.get("answers") or ())
        yield LabelledQuestion(query.id, query.text, right, wrong, answers, data.name)


def _labelled(row: Row) -> tuple[tuple[Candidate, ...], tuple[Candidate, ...]]:
    fields = row.fields["candidates"]
    if not isinstance(fields, list) or not all(isinstance(one, dict) for one in fields):
        raise row.error("'candidates' must be a list of objects with title, text and label")
    tiers: dict[int, list[Candidate]] = {0: [], 1: []}
    for one in fields:
        if one.get("label") not in (0, 1):
            raise row.error(f"the label of a candidate is 0 or 1, not {one.get('label')!r}")
        inner = row.changed(one)
        tiers[one["label"]].append(Candidate(inner.text("title"), inner.text("text")))
    return tuple(dict.fromkeys(tiers[1])), tuple(dict.fromkeys(tiers[0]))


def _paired(row: Row) -> tuple[tuple[Candidate, ...], tuple[Candidate, ...]]:
    right = tuple(_titled(line) for line in row.text("positive").split("\n") if line.strip())
    wrong = row.text("hard_negative")
    title = row.fields.get("hard_negative_title")
    return right, (_titled(wrong, title if isinstance(title, str) else None),)


def _titled(passage: str, title: str | None = None) -> Candidate:
    """Cuts ``Title: text``; at its first colon where the title is not known."""
    head, colon, body = passage.partition(": ")
    if title is not None:
        head, colon, body = title, ": ", passage.removeprefix(f"{title}: ")
        if body == passage:
            return Candidate("", passage)
    return Candidate(head, body) if colon and body.strip() else Candidate("", passage)


def _less(wrong: tuple[Candidate, ...], right: tuple[Candidate, ...]) -> tuple[Candidate, ...]:
    texts = {candidate.passage for candidate in right}
    return tuple(candidate for candidate in wrong if candidate.passage not in texts)
