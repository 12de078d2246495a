"""The commands of ``logic-retrievers``. The module of a command is imported when it is called."""

from __future__ import annotations

from importlib import import_module
from typing import Annotated, Any

import typer
from typer.main import get_command

from logic_retrievers import __version__
from logic_retrievers.cli.console import CommandGroup, out

MODULES = {
    **{"index": "index", "backfill": "index", "reindex": "index"},
    **{"search": "search", "contradictions": "search", "clean": "clean"},
    **{"serve": "serve", "parse": "search", "evaluate": "evaluate", "doctor": "doctor"},
    **{"quarantine": "quarantine", "probe": "probe"},
}


class LazyCommandGroup(CommandGroup):
    """Imports a command when it is called, and all of them for the list in ``--help``."""

    def list_commands(self, _ctx: Any) -> list[str]:
        return list(MODULES)

    def get_command(self, _ctx: Any, cmd_name: str) -> Any:
        if cmd_name not in MODULES:
            return None
        command = getattr(import_module(f"logic_retrievers.cli.{MODULES[cmd_name]}"), cmd_name)
        if not isinstance(command, typer.Typer):
            single = typer.Typer()
            single.command(cmd_name)(command)
            command = single
        made = get_command(command)
        made.name = cmd_name
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
        bool,
        typer.Option("--version", callback=_print_version, is_eager=True, help="Show the version."),
    ] = False,
) -> None:
    pass
