"""``logic-retrievers probe-questions limit|films|ramdocs|boolquestions DATA OUT``, ``template``."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import typer

from logic_retrievers.cli.outcome import out, reports_errors
from logic_retrievers.probe.files import write_probe
from logic_retrievers.probe.sets import SETS, SetBuilder
from logic_retrievers.probe.template import write_template

probe_questions = typer.Typer(
    help="Question sets for `probe`: made of benchmark data, or a template for your own.",
    no_args_is_help=True,
)

Out = Annotated[Path, typer.Argument(metavar="OUT", help="A folder that is not there yet.")]


@probe_questions.command()
@reports_errors
def template(folder: Out) -> None:
    """Writes a set of two worked questions to fill in, with a README that explains the form."""
    write_template(folder)
    out.print(f"template in {folder}", highlight=False, markup=False, soft_wrap=True)


def _command(build: SetBuilder) -> Callable[..., None]:
    @reports_errors
    def make(
        data: Annotated[
            Path,
            typer.Argument(
                metavar="DATA", help="The data set's folder, or its name in the benchmark folder."
            ),
        ],
        folder: Out,
        split: Annotated[
            str, typer.Option(help="Which part, where the folder has parts.")
        ] = "test",
        seed: Annotated[int, typer.Option(help="Of all that is drawn.")] = 0,
    ) -> None:
        questions = build(data, split, seed)
        write_probe(folder, questions)
        kinds = Counter(one.kind for one in questions.questions)
        said = ", ".join(f"{count} {kind}" for kind, count in kinds.items())
        out.print(
            f"{len(questions.questions)} questions ({said}) over {len(questions.passages)} passages"
            f" in {folder}",
            highlight=False,
            markup=False,
            soft_wrap=True,
        )

    return make


for name, builder in SETS.items():
    about = (builder.__doc__ or "").splitlines()[0].replace("`", "")
    probe_questions.command(name, help=about)(_command(builder))
