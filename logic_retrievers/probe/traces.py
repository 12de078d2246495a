"""Traces of a probe: the outcome of each question under each configuration, a JSON line each."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from logic_retrievers.errors import ConfigurationError, StorageError
from logic_retrievers.evaluation.rows import Row, json_rows
from logic_retrievers.paths import exists
from logic_retrievers.probe.grading import Direction, Grade, grade
from logic_retrievers.probe.questions import ProbeQuestion, ProbeSet

_HEADER, _SETTINGS = "probe", "settings"


@dataclass(frozen=True, slots=True)
class Trace:
    """The outcome of one question under one configuration.

    Args:
        question: its id.
        configuration: its name.
        passages: ids, in the order in which the reader got them.
        scores: of the passages under the configuration.
        prompt: hash of the whole prompt, texts included.
        answer: as the reader gave it; None where there is none.
        grade: of the answer.
        direction: label of the first passage; None where the question has no labels.
        judged: the judge's decision; None without a judge, or where it did not answer.
        retrieval_seconds: for the passages.
        reader_seconds: for the answer; for a repeated prompt, what it took the first time.
        error: why there is no answer.
    """

    question: str
    configuration: str
    passages: tuple[str, ...] = ()
    scores: tuple[float, ...] = ()
    prompt: str = ""
    answer: str | None = None
    grade: Grade | None = None
    direction: Direction | None = None
    judged: bool | None = None
    retrieval_seconds: float = 0.0
    reader_seconds: float = 0.0
    error: str | None = None


def content_hash(questions: ProbeSet) -> str:
    """A hash of all questions and passages."""
    rows = [asdict(question) for question in questions.questions]
    content = json.dumps([rows, sorted(questions.passages.items())], ensure_ascii=True)
    return hashlib.sha256(content.encode()).hexdigest()


class TraceFile:
    """A file to which traces are appended, and from which an interrupted run continues.

    Opening it reads the answers of earlier runs, but for failed questions, which are tried again;
    a line that was cut off while it was written is removed. After the header, a line for each
    configuration holds its settings (:class:`logic_retrievers.probe.retrieval.Retrieval`).

    Args:
        path: made where there is none.
        header: what all traces of the run share, as JSON values.
        questions: of the run; stored answers are graded anew.
        settings: configuration -> settings that change its answers.

    Attributes:
        traces: (configuration, question) -> trace of an earlier run.

    Raises:
        ConfigurationError: the file is of another run, or has one of the configurations with other
            settings; the message names the differences.
        ReadError: it is no file of traces.
        StorageError: it cannot be written.
    """

    def __init__(
        self,
        path: Path,
        header: Mapping[str, Any],
        questions: Iterable[ProbeQuestion],
        settings: Mapping[str, Mapping[str, Any]],
    ) -> None:
        self._path = path
        self.traces: dict[tuple[str, str], Trace] = {}
        _remove_partial_line(path)
        if not exists(path) or not path.stat().st_size:
            self._append_row({_HEADER: header})
        rows = json_rows(path)
        _check_header(next(rows), header)
        questions_by_id = {question.id: question for question in questions}
        stored_settings: dict[str, Mapping[str, Any]] = {}
        for row in rows:
            if isinstance(row_settings := row.fields.get(_SETTINGS), dict):
                stored_settings[str(row.fields.get("configuration"))] = row_settings
                continue
            trace = _read_trace(row, questions_by_id)
            stored_settings.setdefault(trace.configuration, {})
            if trace.error is None:
                self.traces[trace.configuration, trace.question] = trace
        for name, current in settings.items():
            if name in stored_settings:
                _check_settings(path, name, stored_settings[name], current)
            else:
                self._append_row({"configuration": name, _SETTINGS: current})

    def append(self, trace: Trace) -> None:
        """Writes a trace."""
        self._append_row(asdict(trace))

    def _append_row(self, row: Mapping[str, Any]) -> None:
        try:
            with self._path.open("a", encoding="utf-8", newline="\n") as file:
                file.write(json.dumps(row, ensure_ascii=False) + "\n")
        except OSError as error:
            raise StorageError(f"cannot write {self._path}: {error.strerror}") from error


def _remove_partial_line(path: Path) -> None:
    """Removes what follows the last line feed."""
    if not exists(path):
        return
    try:
        with path.open("rb+") as file:
            content = file.read()
            end = content.rfind(b"\n") + 1
            # an unfinished header is one line too; another file is left alone, and refused later
            if end < len(content) and (end or content.startswith(f'{{"{_HEADER}'.encode())):
                file.truncate(end)
    except OSError as error:
        raise StorageError(f"cannot open {path}: {os.strerror(error.errno or 0)}") from error


def _check_header(row: Row, header: Mapping[str, Any]) -> None:
    stored = row.fields.get(_HEADER)
    if not isinstance(stored, dict):
        raise row.error("no traces of a probe; name another file for them")
    if differences := _differences(header, stored, header):
        raise ConfigurationError(
            f"{row.path} holds traces of another run: {differences}. Name another file for these"
        )


def _check_settings(
    path: Path, name: str, stored: Mapping[str, Any], current: Mapping[str, Any]
) -> None:
    if differences := _differences(sorted({*stored, *current}), stored, current):
        raise ConfigurationError(
            f"{path} holds {name!r} with other settings: {differences}. Give this one another name,"
            " or name another file"
        )


def _differences(
    names: Iterable[str], stored: Mapping[str, Any], current: Mapping[str, Any]
) -> str:
    return "; ".join(
        f"{name} {stored.get(name)!r}, not {current.get(name)!r}"
        for name in names
        if stored.get(name) != current.get(name)
    )


def _read_trace(row: Row, questions: Mapping[str, ProbeQuestion]) -> Trace:
    fields = row.fields
    try:
        question = questions[fields["question"]]
        answer = fields["answer"]
        lists = {name: tuple(fields[name]) for name in ("passages", "scores")}
        graded = None if answer is None else grade(question, answer)
        return Trace(**{**fields, **lists, "grade": graded})
    except (KeyError, TypeError, AttributeError) as error:
        raise row.error(f"no trace of a probe ({type(error).__name__}: {error})") from None
