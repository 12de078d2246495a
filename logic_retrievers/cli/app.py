"""The commands, put together."""

from __future__ import annotations

from importlib.metadata import entry_points
from typing import Annotated

import typer

from logic_retrievers import __version__
from logic_retrievers.cli.clean import clean
from logic_retrievers.cli.contradictions import contradictions
from logic_retrievers.cli.doctor import doctor
from logic_retrievers.cli.evaluate import evaluate
from logic_retrievers.cli.index import index
from logic_retrievers.cli.pairs import score_pairs
from logic_retrievers.cli.parse import parse
from logic_retrievers.cli.probe import probe
from logic_retrievers.cli.probe_questions import probe_questions
from logic_retrievers.cli.quarantine import quarantine, verify
from logic_retrievers.cli.report import report
from logic_retrievers.cli.search import search

app = typer.Typer(
    help="Retrieval that respects what a query rules out.",
    epilog=(
        "Exit codes: 0 done; 1 failed; 2 wrong usage; 3 done, but some input was left out; "
        "4 Qdrant refused or could not be reached; 5 the encoder cannot be used; "
        "6 `clean` found what --fail-on names."
    ),
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
for command in (
    index,
    search,
    contradictions,
    score_pairs,
    clean,
    verify,
    parse,
    evaluate,
    probe,
    report,
    doctor,
):
    app.command()(command)
app.add_typer(quarantine, name="quarantine")
app.add_typer(probe_questions, name="probe-questions")
for added in sorted(entry_points(group="logic_retrievers.commands"), key=lambda a: a.name):
    app.command(added.name)(added.load())


def _print_version(asked: bool) -> None:
    if asked:
        typer.echo(__version__)
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool,
        typer.Option("--version", callback=_print_version, is_eager=True, help="Show the version."),
    ] = False,
) -> None:
    pass
