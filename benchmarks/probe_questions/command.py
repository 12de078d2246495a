"""``python -m benchmarks probe-questions limit|films|ramdocs|boolquestions DATA OUT``."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated

import typer

from benchmarks.probe_questions.boolquestions import boolquestions_questions
from benchmarks.probe_questions.films import film_questions
from benchmarks.probe_questions.limit import limit_questions
from benchmarks.probe_questions.ramdocs import ramdocs_questions
from logic_retrievers.cli.console import out, report_errors
from logic_retrievers.errors import InputError, ReadError
from logic_retrievers.files import write_folder
from logic_retrievers.probe import ProbeSet, read_probe
from logic_retrievers.probe.questions import CORPUS, FIELDS, QUESTIONS

# Builders take a folder, a part of it (if it has parts), and a seed.
BUILDERS: Mapping[str, Callable[..., ProbeSet]] = {
    "limit": limit_questions,
    "films": film_questions,
    "ramdocs": ramdocs_questions,
    "boolquestions": boolquestions_questions,
}

app = typer.Typer(
    help="Question sets for `logic-retrievers probe run`, built from benchmark data.",
    no_args_is_help=True,
)


def write_probe(folder: str | os.PathLike[str], questions: ProbeSet) -> None:
    """Write a folder that :func:`read_probe` reads as the same set under a new name."""
    rows = [{"_id": question.id, **asdict(question)} for question in questions.questions]
    passages = [
        {"_id": name, "title": "", "text": text} for name, text in questions.passages.items()
    ]
    files = {
        QUESTIONS: _json_lines({name: row[name] for name in FIELDS if row[name]} for row in rows),
        CORPUS: _json_lines(passages),
    }
    problem = f"{questions.name} cannot be written as it is"
    with TemporaryDirectory() as place:
        write_folder(Path(place) / "trial", files)
        try:
            written = read_probe(Path(place) / "trial")
        except ReadError as error:
            raise InputError(f"{problem}: {error}") from None
    if written.questions != questions.questions or written.passages != questions.passages:
        raise InputError(
            f"{problem}: two passages have the same text, or one has white space around it, or a "
            "question names one twice"
        )
    write_folder(Path(folder), files)


def _json_lines(rows: Iterable[Mapping[str, object]]) -> str:
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


def _build_command(build: Callable[..., ProbeSet]) -> Callable[..., None]:
    @report_errors
    def command(
        data: Annotated[
            Path,
            typer.Argument(
                metavar="DATA", help="The data set's folder, or its name in the benchmark folder."
            ),
        ],
        folder: Annotated[
            Path, typer.Argument(metavar="OUT", help="A folder that does not exist yet.")
        ],
        split: Annotated[
            str, typer.Option(help="Which part, where the folder has parts.")
        ] = "test",
        seed: Annotated[int, typer.Option(help="Seed of all random draws.")] = 0,
    ) -> None:
        questions = build(data, split, seed)
        write_probe(folder, questions)
        kinds = Counter(question.kind for question in questions.questions)
        counts = ", ".join(f"{count} {kind}" for kind, count in kinds.items())
        out.print(
            f"{len(questions.questions)} questions ({counts}) over {len(questions.passages)} "
            f"passages in {folder}",
            highlight=False,
            markup=False,
            soft_wrap=True,
        )

    return command


for name, builder in BUILDERS.items():
    summary = (builder.__doc__ or "").splitlines()[0].replace("`", "")
    app.command(name, help=summary)(_build_command(builder))
