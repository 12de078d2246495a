"""The commands of ``logic-retrievers``."""

from __future__ import annotations

from typing import Annotated

import typer

from logic_retrievers import __version__
from logic_retrievers.cli.clean import clean
from logic_retrievers.cli.console import CommandGroup, out
from logic_retrievers.cli.contradictions import contradictions
from logic_retrievers.cli.doctor import doctor
from logic_retrievers.cli.evaluate import evaluate
from logic_retrievers.cli.index import index
from logic_retrievers.cli.parse import parse
from logic_retrievers.cli.probe import probe
from logic_retrievers.cli.quarantine import quarantine
from logic_retrievers.cli.score_pairs import score_pairs
from logic_retrievers.cli.search import search

app = typer.Typer(
    cls=CommandGroup,
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
for command in (index, search, contradictions, score_pairs, clean, parse, evaluate, doctor):
    app.command()(command)
app.add_typer(quarantine, name="quarantine")
app.add_typer(probe, name="probe")


def _print_version(requested: bool) -> None:
    if requested:
        out.print_line(__version__)
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool,
        typer.Option("--version", callback=_print_version, is_eager=True, help="Show the version."),
    ] = False,
) -> None:
    pass
