"""``python -m benchmarks probe-questions limit|films|ramdocs|boolquestions DATA OUT``."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import typer

from benchmarks.probe_questions import BUILDERS, ProbeSetBuilder
from benchmarks.probe_questions.writing import write_probe
from logic_retrievers.cli.console import out, report_errors

app = typer.Typer(
    help="Question sets for `logic-retrievers probe run`, built from benchmark data.",
    no_args_is_help=True,
)


def _build_command(build: ProbeSetBuilder) -> Callable[..., None]:
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
        seed: Annotated[int, typer.Option(help="For everything that is drawn.")] = 0,
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
