"""The commands of ``logic-retrievers``. Each is imported when it is called, with what it needs."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from types import MappingProxyType
from typing import Annotated, Any

import typer
from typer.core import TyperCommand
from typer.main import get_command

from logic_retrievers import __version__
from logic_retrievers.cli.console import CommandGroup, out

COMMANDS: Mapping[str, str] = MappingProxyType(
    {
        "index": "Read documents, split the long ones, and store them with their vectors.",
        "backfill": "Make vectors that the stored passages of a collection lack.",
        "reindex": "Make a second collection of all passages, with another encoder or other "
        "settings.",
        "search": "Prints the best passages for a query or a Boolean expression, with evidence on "
        "request.",
        "contradictions": "Prints the passages that contradict a statement, or a stored passage, "
        "most.",
        "clean": "Finds passages that contradict, repeat or replace each other, and decides.",
        "serve": "Serves searches of a collection over HTTP, or to an assistant over MCP.",
        "parse": "Shows what a query wants and excludes, or the expression that it states.",
        "evaluate": "Searches with labelled queries and prints the figures with 95 % intervals.",
        "doctor": "Checks the installation, the encoder, and the index where one is named.",
        "quarantine": "What the cleaner has hidden: list, show, restore, purge, verify.",
        "probe": "Compare the answers that different policies lead to.",
    }
)
"""Name -> the first sentence of its help, which the list of commands shows without importing it."""


class LazyCommandGroup(CommandGroup):
    """The commands by name; the module of one is imported when it is called."""

    def __init__(self, *arguments: Any, **settings: Any) -> None:
        super().__init__(*arguments, **settings)
        for name, summary in COMMANDS.items():
            self.add_command(TyperCommand(name, help=summary))

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Puts the command itself into the place of its summary."""
        if args[0] in COMMANDS:
            self.add_command(load_command(args[0]), args[0])
        return super().resolve_command(ctx, args)


def load_command(name: str) -> Any:
    """The command of that name, or the group of its subcommands, as Click has it."""
    command = getattr(import_module(f"logic_retrievers.cli.{name}"), name)
    if not isinstance(command, typer.Typer):
        single = typer.Typer()
        single.command(name)(command)
        command = single
    return get_command(command)


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
        bool,
        typer.Option("--version", callback=_print_version, is_eager=True, help="Show the version."),
    ] = False,
) -> None:
    pass
