"""Define the commands of ``logic-retrievers``; calling a command imports its module."""

from __future__ import annotations

from importlib import import_module
from typing import Annotated, Any

import typer
from typer import Option
from typer.core import TyperCommand
from typer.main import get_command

from logic_retrievers import __version__
from logic_retrievers.cli.console import CommandGroup, out

# command -> line in `--help`; repeats the first sentence of the command's own help
COMMANDS = {
    "index": "Read documents, split the long ones, and store them with their vectors.",
    "backfill": "Make vectors that the stored passages of a collection lack.",
    "reindex": "Make a second collection of all passages, with another encoder or settings.",
    "search": "Print the best passages for a query or a Boolean expression.",
    "contradictions": "Print the passages that contradict a statement, or a stored passage, most.",
    "clean": "Find passages that contradict, repeat or replace each other, and decide.",
    "serve": "Serve a collection over HTTP, or to assistants over MCP.",
    "parse": "Show what a query wants and excludes, or the expression that it states.",
    "evaluate": "Search with labelled queries and print the figures with 95 % intervals.",
    "doctor": "Check the installation, the encoder, and the index where one is named.",
    "quarantine": "List, show, restore, purge or verify what the cleaner has hidden.",
    "probe": "Compare the answers that different policies lead to.",
}
# command -> module, where the names differ
MODULES = {"backfill": "index", "reindex": "index", "contradictions": "search", "parse": "search"}


class LazyCommandGroup(CommandGroup):
    """Imports a command when called; ``--help`` lists the commands without importing them."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        self.commands = {name: TyperCommand(name, help=line) for name, line in COMMANDS.items()}

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        name, _listed, rest = super().resolve_command(ctx, args)
        return name, name and import_command(name), rest


def import_command(name: str) -> Any:
    """Import the module of a command and build the command."""
    from logic_retrievers.cli.judge_options import JudgeCommand

    command = getattr(import_module(f"logic_retrievers.cli.{MODULES.get(name, name)}"), name)
    if not isinstance(command, typer.Typer):
        single = typer.Typer()
        single.command(name, cls=JudgeCommand)(command)
        command = single
    made = get_command(command)
    made.name = name
    return made


app = typer.Typer(
    cls=LazyCommandGroup,
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


def _print_version(requested: bool) -> None:
    if requested:
        out.print_line(__version__)
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool, Option("--version", callback=_print_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    pass
