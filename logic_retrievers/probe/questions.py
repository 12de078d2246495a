"""Read question sets, which hold questions with known answers and passages, from folders."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from logic_retrievers.errors import InputError, ReadError
from logic_retrievers.evaluation.datasets import Corpus, read_corpus, required_file
from logic_retrievers.evaluation.rows import Row, json_rows
from logic_retrievers.files import is_folder, write_folder
from logic_retrievers.probe.grading import WORDING, answer_tokens

QUESTIONS, CORPUS = "questions.jsonl", "corpus.jsonl"
TEMPLATE = Path(__file__).with_name("template_files")

# field in ``questions.jsonl`` -> meaning
FIELDS: Mapping[str, str] = WORDING["fields"]
_PASSAGE_FIELDS = ("satisfying", "violating", "candidates", "trusted")


@dataclass(frozen=True, slots=True)
class ProbeQuestion:
    """A question whose answer is graded by comparison; :data:`FIELDS` explains its fields.

    Raises:
        InputError: an id, text or answer is empty, or a right answer is missing or also wrong.
    """

    id: str
    text: str
    gold: tuple[str, ...]
    wrong: tuple[str, ...] = ()
    kind: str = ""
    satisfying: tuple[str, ...] = ()
    violating: tuple[str, ...] = ()
    candidates: tuple[str, ...] = ()
    trusted: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if not self.id.strip() or not self.text.strip():
            raise InputError(f"question {self.id!r} needs an id and a text that is not empty")
        if not self.gold or not all(answer.strip() for answer in (*self.gold, *self.wrong)):
            raise InputError(f"question {self.id!r} needs a right answer, and no empty one")
        if both := set(self.gold) & set(self.wrong):
            raise InputError(f"question {self.id!r}: {min(both)!r} is right and wrong")


@dataclass(frozen=True, slots=True)
class ProbeSet:
    """Questions in the order of asking, and their passages (id -> text).

    Raises:
        InputError: there is no question, an id is repeated, or a question names an unknown passage.
    """

    name: str
    questions: tuple[ProbeQuestion, ...]
    passages: Mapping[str, str]

    def __post_init__(self) -> None:
        if not self.questions:
            raise InputError(f"{self.name} has no question")
        ids: set[str] = set()
        for question in self.questions:
            if question.id in ids:
                raise InputError(f"question id {question.id!r} stands twice")
            ids.add(question.id)
            for passage in (name for field in _PASSAGE_FIELDS for name in getattr(question, field)):
                if passage not in self.passages:
                    raise InputError(
                        f"question {question.id!r} names an unknown passage: {passage!r}"
                    )


def read_probe(folder: str | os.PathLike[str]) -> ProbeSet:
    """Read a question set from a folder. The set gets the folder's name.

    The folder holds ``questions.jsonl``, with rows of :data:`FIELDS`, and ``corpus.jsonl``, with
    rows of ``_id``, ``title`` and ``text``. Both may be gzip files, with ``.gz`` after their names.
    Passages with the same text are merged, as in
    :func:`logic_retrievers.evaluation.datasets.read_corpus`.

    Raises:
        ReadError: a file is missing, or a row cannot be used; the message names file and line.
    """
    folder = Path(folder)
    if not is_folder(folder):
        raise ReadError("no such folder", file=str(folder))
    corpus = read_corpus(required_file(folder, CORPUS))
    questions: dict[str, ProbeQuestion] = {}
    for row in json_rows(required_file(folder, QUESTIONS)):
        question = _read_question(row, corpus)
        if question.id in questions:
            raise row.error(f"the id {question.id!r} was used before; ids must be unique")
        questions[question.id] = question
    if not questions:
        raise ReadError(f"no question in {QUESTIONS}", file=str(folder))
    return ProbeSet(folder.resolve().name, tuple(questions.values()), corpus.documents)


def write_template(folder: str | os.PathLike[str]) -> None:
    """Write a set of two worked questions, with a README that explains its files.

    Raises:
        ConfigurationError: the folder exists already.
        StorageError: the disk is full, or the folder is not writable.
    """
    files = {file.name: file.read_text("utf-8") for file in sorted(TEMPLATE.iterdir())}
    write_folder(Path(folder), files)


def _read_question(row: Row, corpus: Corpus) -> ProbeQuestion:
    if unknown := next((name for name in row.fields if name not in FIELDS), None):
        raise row.error(f"unknown field {unknown!r}; there are {', '.join(FIELDS)}")
    gold, wrong = _read_answers(row, "gold"), _read_answers(row, "wrong")
    gold_by_tokens = {answer_tokens(answer): answer for answer in gold}
    for answer in wrong:
        if (same := gold_by_tokens.get(answer_tokens(answer))) is not None:
            raise row.error(
                f"{answer!r} is wrong and {same!r} right: grading sees no difference, for it looks "
                "at neither case nor accents, articles and punctuation"
            )
    passages = {field: _read_passage_ids(row, field, corpus) for field in _PASSAGE_FIELDS}
    if both := set(passages["satisfying"]) & set(passages["violating"]):
        raise row.error(f"the passage {min(both)!r} is satisfying and violating at once")
    kind = row.text("kind") if row.fields.get("kind") is not None else ""
    try:
        return ProbeQuestion(row.id(), row.text("text"), gold, wrong, kind, **passages)
    except InputError as error:
        raise row.error(str(error)) from None


def _read_answers(row: Row, field: str) -> tuple[str, ...]:
    values = row.fields.get(field)
    values = [] if values is None else values
    if not isinstance(values, list) or not all(isinstance(value, str) for value in values):
        raise row.error(f'{field!r} must be a list of answers, as ["Rye", "1936"], not {values!r}')
    return tuple(row.with_fields({field: value}).text(field) for value in values)


def _read_passage_ids(row: Row, field: str, corpus: Corpus) -> tuple[str, ...]:
    ids: dict[str, None] = {}  # an ordered set
    for passage in row.ids(field):
        canonical = corpus.ids.get(passage)
        if canonical is None:
            problem = "has no text" if passage in corpus.ids else "is not in the corpus"
            raise row.error(f"the passage {passage!r} of {field!r} {problem}")
        ids[canonical] = None
    return tuple(ids)
