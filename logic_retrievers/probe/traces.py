"""What became of each question under each configuration, a JSON line each."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from logic_retrievers.errors import ConfigurationError, StorageError
from logic_retrievers.evaluation.rows import Row, json_rows
from logic_retrievers.probe.grading import Direction, Grade, grade
from logic_retrievers.probe.questions import ProbeQuestion, ProbeSet

_HEADER, _SETTINGS = "probe", "settings"


@dataclass(frozen=True, slots=True)
class Trace:
    """One question under one configuration.

    Args:
        question: its id.
        configuration: the name under which it was retrieved.
        passages: ids, in the order in which the reader got them.
        scores: of the passages under the configuration.
        prompt: hash of the whole prompt, texts included.
        answer: as the reader gave it; None where there is none.
        grade: of the answer.
        direction: on which side the first passage stands; None where the question has no sides.
        judged: what the judge says of the answer; None where nobody was asked, or did not answer.
        retrieval_seconds: for the passages.
        reader_seconds: for the answer; where the same prompt was asked before, what it took then.
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

    def to_dict(self) -> dict[str, Any]:
        """A plain dictionary, ready for JSON."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class Header:
    """What all traces of a file share.

    Args:
        set: name of the questions.
        content: hash of questions and passages.
        reader: its name.
        judge: its name; empty where there is none.
        depth: passages a question.
        seed: of the prompts.
        wording: hash of the prompt without question and passages.
    """

    set: str
    content: str
    reader: str
    judge: str
    depth: int
    seed: int
    wording: str


def content_of(questions: ProbeSet) -> str:
    """A hash of all questions and passages."""
    asked = [asdict(one) for one in questions.questions]
    content = json.dumps([asked, sorted(questions.passages.items())], ensure_ascii=True)
    return hashlib.sha256(content.encode()).hexdigest()


class TraceFile:
    """Traces that are there as soon as they are written, and are found again.

    What answered before is read at opening; a failed question is not, and so is tried again. A
    line that was cut off in the writing is taken away. After the header, a line for each
    configuration holds what changes its answers, as far as it says so; see
    :class:`logic_retrievers.probe.retrieval.Retrieval`.

    Args:
        path: made where there is none.
        header: of the run.
        questions: of the run, by id; answers are graded anew.
        settings: configuration -> what changes its answers.

    Raises:
        ConfigurationError: the file is of another run, or has one of the configurations with other
            settings; the message says what differs.
        ReadError: it is no file of traces.
        StorageError: it cannot be written.
    """

    def __init__(
        self,
        path: Path,
        header: Header,
        questions: Mapping[str, ProbeQuestion],
        settings: Mapping[str, Mapping[str, Any]],
    ) -> None:
        self._path = path
        self.found: dict[tuple[str, str], Trace] = {}
        _mend(path)
        if not path.exists() or not path.stat().st_size:
            self._append({_HEADER: asdict(header)})
        rows = json_rows(path)
        _check(next(rows), header)
        known: dict[str, Mapping[str, Any]] = {}
        for row in rows:
            if isinstance(told := row.fields.get(_SETTINGS), dict):
                known[str(row.fields.get("configuration"))] = told
                continue
            trace = _trace(row, questions)
            known.setdefault(trace.configuration, {})
            if trace.error is None:
                self.found[trace.configuration, trace.question] = trace
        for name, wanted in settings.items():
            if name in known:
                _check_settings(path, name, known[name], wanted)
            else:
                self._append({"configuration": name, _SETTINGS: wanted})

    def append(self, trace: Trace) -> None:
        """Writes a trace."""
        self._append(trace.to_dict())

    def _append(self, row: Mapping[str, Any]) -> None:
        try:
            with self._path.open("a", encoding="utf-8", newline="\n") as file:
                file.write(json.dumps(row, ensure_ascii=False) + "\n")
        except OSError as error:
            raise StorageError(f"cannot write {self._path}: {error.strerror}") from error


def _mend(path: Path) -> None:
    """Takes away what follows the last line feed."""
    if not path.exists():
        return
    try:
        with path.open("rb+") as file:
            content = file.read()
            whole = content.rfind(b"\n") + 1
            # an unfinished header is one line too; another file is left alone, and refused later
            if whole < len(content) and (whole or content.startswith(f'{{"{_HEADER}'.encode())):
                file.truncate(whole)
    except OSError as error:
        raise StorageError(f"cannot open {path}: {os.strerror(error.errno or 0)}") from error


def _check(row: Row, header: Header) -> None:
    known = row.fields.get(_HEADER)
    if not isinstance(known, dict):
        raise row.error("no traces of a probe; name another file for them")
    wanted = asdict(header)
    differing = [name for name in wanted if known.get(name) != wanted[name]]
    if differing:
        told = "; ".join(f"{name} {known.get(name)!r}, not {wanted[name]!r}" for name in differing)
        raise ConfigurationError(
            f"{row.path} holds traces of another run: {told}. Name another file for these"
        )


def _check_settings(
    path: Path, name: str, known: Mapping[str, Any], wanted: Mapping[str, Any]
) -> None:
    differing = sorted(one for one in {*known, *wanted} if known.get(one) != wanted.get(one))
    if differing:
        told = "; ".join(f"{one} {known.get(one)!r}, not {wanted.get(one)!r}" for one in differing)
        raise ConfigurationError(
            f"{path} holds {name!r} with other settings: {told}. Give this one another name, or "
            "name another file"
        )


def _trace(row: Row, questions: Mapping[str, ProbeQuestion]) -> Trace:
    fields = row.fields
    try:
        question = questions[fields["question"]]
        answer = fields["answer"]
        lists = {name: tuple(fields[name]) for name in ("passages", "scores")}
        graded = None if answer is None else grade(question, answer)
        return Trace(**{**fields, **lists, "grade": graded})
    except (KeyError, TypeError, AttributeError) as error:
        raise row.error(f"no trace of a probe ({type(error).__name__}: {error})") from None
