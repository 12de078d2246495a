"""Question sets written to folders that ``logic-retrievers probe run`` reads."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from pathlib import Path
from tempfile import TemporaryDirectory

from logic_retrievers.atomic_files import write_folder
from logic_retrievers.errors import InputError, ReadError
from logic_retrievers.probe.questions import CORPUS, FIELDS, QUESTIONS, ProbeSet, read_probe


def write_probe(folder: str | os.PathLike[str], questions: ProbeSet) -> None:
    """Writes a folder that :func:`read_probe` reads as the same set, except for its name.

    The folder appears when it is complete.

    Raises:
        ConfigurationError: the folder exists already.
        InputError: a set that would not read back as it is: two passages with the same text, white
            space around one, a question that names one twice, an id with a tab.
        StorageError: the disk is full, or the place may not be written to.
    """
    rows = [{"_id": question.id, **asdict(question)} for question in questions.questions]
    passages = [
        {"_id": name, "title": "", "text": text} for name, text in questions.passages.items()
    ]
    files = {
        QUESTIONS: _json_lines({name: row[name] for name in FIELDS if row[name]} for row in rows),
        CORPUS: _json_lines(passages),
    }
    with TemporaryDirectory() as place:
        trial = Path(place) / "trial"
        write_folder(trial, files)
        _check_reads_back(trial, questions)
    write_folder(Path(folder), files)


def _check_reads_back(written: Path, questions: ProbeSet) -> None:
    try:
        reread = read_probe(written)
    except ReadError as error:
        raise InputError(f"{questions.name} cannot be written: {error}") from None
    if reread.questions != questions.questions or reread.passages != questions.passages:
        raise InputError(
            f"{questions.name} cannot be written as it is: two passages have the same text, or "
            "one has white space around it, or a question names one twice"
        )


def _json_lines(rows: Iterable[Mapping[str, object]]) -> str:
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
