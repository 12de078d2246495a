"""Question sets in folders that people write and change: read, checked line by line, written."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict
from pathlib import Path

from logic_retrievers.errors import ConfigurationError, InputError, ReadError, StorageError
from logic_retrievers.evaluation.corpus import Corpus, read_corpus
from logic_retrievers.evaluation.folders import data_file
from logic_retrievers.evaluation.rows import Row, json_rows
from logic_retrievers.probe.normalising import tokens
from logic_retrievers.probe.questions import ProbeQuestion, ProbeSet

QUESTIONS, CORPUS = "questions.jsonl", "corpus.jsonl"

FIELDS: Mapping[str, str] = {
    "_id": "the question's name; every question has its own (needed)",
    "text": "the question, as a person asks it (needed)",
    "gold": "right answers; saying one of them is right (needed)",
    "wrong": "answers that the passages suggest and that are not right",
    "kind": "the sort of question, for figures by kind",
    "satisfying": "ids of the passages that support a right answer",
    "violating": "ids of the passages that break the question's constraint, or support a wrong one",
    "candidates": "ids of the passages that may be retrieved for it; all of them where it is empty",
    "trusted": "ids of the passages that you vouch for",
}
"""What a row of ``questions.jsonl`` may have, and what it says."""
_NEEDED = ("_id", "text", "gold")
_IDS = ("satisfying", "violating", "candidates", "trusted")


def read_probe(folder: str | os.PathLike[str]) -> ProbeSet:
    """Reads a question set from a folder; the folder's name is the set's.

    It holds ``questions.jsonl``, rows of :data:`FIELDS`, and ``corpus.jsonl``, rows of ``_id``,
    ``title`` and ``text``; both may be gzip, with ``.gz`` behind their names. Passages with the
    same text are one, as in :func:`logic_retrievers.evaluation.corpus.read_corpus`.

    Args:
        folder: a path.

    Raises:
        ReadError: a file is missing, or a row cannot be used; the message names file and line.
    """
    place = Path(folder)
    if not place.is_dir():
        raise ReadError("no such folder", file=str(place))
    corpus = read_corpus(_file(place, CORPUS))
    path = _file(place, QUESTIONS)
    questions: dict[str, ProbeQuestion] = {}
    for row in json_rows(path):
        question = _question(row, corpus)
        if question.id in questions:
            raise row.error(f"the id {question.id!r} was used before; ids must be unique")
        questions[question.id] = question
    if not questions:
        raise ReadError("no question in this file", file=str(path))
    return ProbeSet(place.resolve().name, tuple(questions.values()), corpus.documents)


def write_probe(folder: str | os.PathLike[str], questions: ProbeSet) -> None:
    """Writes a folder that :func:`read_probe` reads as the same set, but for its name.

    Args:
        folder: must not be there yet; it appears when it is complete.
        questions: the set.

    Raises:
        ConfigurationError: the folder is there already.
        InputError: a set that would not read back as it is: two passages with the same text, white
            space around one, a question that names one twice, an id with a tab.
        StorageError: no room, or no right to write there.
    """

    def check(written: Path) -> None:
        try:
            found = read_probe(written)
        except ReadError as error:
            raise InputError(f"{questions.name} cannot be written: {error}") from None
        if found.questions != questions.questions or found.passages != questions.passages:
            raise InputError(
                f"{questions.name} cannot be written as it is: two passages have the same text, or "
                "one has white space around it, or a question names one twice"
            )

    write_folder(Path(folder), set_files(questions), check)


def set_files(questions: ProbeSet) -> dict[str, str]:
    """The files of a set: name -> text."""
    return {
        QUESTIONS: _lines(_row(one) for one in questions.questions),
        CORPUS: _lines(
            {"_id": name, "title": "", "text": text} for name, text in questions.passages.items()
        ),
    }


def write_folder(
    folder: Path, files: Mapping[str, str], check: Callable[[Path], None] = lambda _: None
) -> None:
    """Writes a new folder of texts by way of one beside it, complete or not at all.

    Args:
        folder: must not be there yet; folders above it are made.
        files: name -> text.
        check: looks at what was written before it appears, and raises where it is not right.

    Raises:
        ConfigurationError: the folder is there already.
        StorageError: no room, or no right to write there.
    """
    if folder.exists():
        raise ConfigurationError(f"{folder} is there already; choose a new folder")
    target = folder.absolute()
    partial = target.with_name(f".{target.name}.{os.getpid()}.partial")
    try:
        partial.mkdir(parents=True)
        for name, text in files.items():
            (partial / name).write_text(text, encoding="utf-8", newline="\n")
        check(partial)
        partial.rename(target)
    except OSError as error:
        raise StorageError(
            f"cannot write {folder}: {error.strerror}; nothing was changed"
        ) from error
    finally:
        shutil.rmtree(partial, ignore_errors=True)


def _file(place: Path, name: str) -> Path:
    found = data_file(place, name)
    if found is None:
        raise ReadError(f"no {name}[.gz] in this folder", file=str(place))
    return found


def _question(row: Row, corpus: Corpus) -> ProbeQuestion:
    _check_fields(row)
    gold, wrong = _answers(row, "gold"), _answers(row, "wrong")
    right = {tokens(one): one for one in gold}
    for one in wrong:
        if (same := right.get(tokens(one))) is not None:
            raise row.error(
                f"{one!r} is wrong and {same!r} right: grading sees no difference, for it looks at "
                "neither case nor accents, articles and punctuation"
            )
    named = {name: _passages(row, name, corpus) for name in _IDS}
    if both := set(named["satisfying"]) & set(named["violating"]):
        raise row.error(f"the passage {min(both)!r} is satisfying and violating at once")
    if not row.text("text").strip():
        raise row.error("the question's text is empty")
    kind = row.text("kind") if row.fields.get("kind") is not None else ""
    try:
        return ProbeQuestion(row.id(), row.text("text"), gold, wrong, kind, **named)
    except InputError as error:
        raise row.error(str(error)) from None


def _check_fields(row: Row) -> None:
    for name in row.fields:
        if name not in FIELDS:
            meant = next((one for one in FIELDS if one.lstrip("_") == name.lower().strip(" _")), "")
            hint = f"did you mean {meant!r}?" if meant else f"there are {', '.join(FIELDS)}"
            raise row.error(f"unknown field {name!r}; {hint}")
    if missing := [name for name in _NEEDED if row.fields.get(name) is None]:
        raise row.error(f"the question has no {missing[0]!r}: {FIELDS[missing[0]]}")


def _answers(row: Row, name: str) -> tuple[str, ...]:
    values = row.fields.get(name)
    if values is None:
        return ()
    if not isinstance(values, list):
        written = json.dumps([values if isinstance(values, str) else json.dumps(values)])
        raise row.error(f"{name!r} must be a list of answers: {written} instead of {values!r}")
    for value in values:
        if not isinstance(value, str):
            written = json.dumps(json.dumps(value))
            raise row.error(f"an answer in {name!r} must be a text: {written} instead of {value!r}")
    return tuple(row.changed({name: value}).text(name) for value in values)


def _passages(row: Row, name: str, corpus: Corpus) -> tuple[str, ...]:
    found: dict[str, None] = {}
    for passage in row.ids(name):
        kept = corpus.kept(passage)
        if kept is None:
            problem = "has no text" if passage in corpus.empty else "is not in the corpus"
            raise row.error(f"the passage {passage!r} of {name!r} {problem}")
        found[kept] = None
    return tuple(found)


def _row(question: ProbeQuestion) -> dict[str, object]:
    """What says something, under the names of the file."""
    fields = {"_id": question.id, **asdict(question)}
    return {name: fields[name] for name in FIELDS if fields[name]}


def _lines(rows: Iterable[Mapping[str, object]]) -> str:
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
