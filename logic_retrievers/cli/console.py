"""Console of the commands: output, progress, exit codes, and errors as one line."""

from __future__ import annotations

import json
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from enum import IntEnum
from functools import wraps
from typing import Any, ParamSpec

import typer
from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    SpinnerColumn,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)

from logic_retrievers.errors import (
    BundleError,
    ConfigurationError,
    EncoderError,
    LogicRetrieversError,
    ServerError,
)

P = ParamSpec("P")

# ":key:" in a text stays what it is, a caret under it in its place, and a number uncoloured
out = Console(emoji=False, highlight=False)
err = Console(stderr=True, emoji=False, highlight=False)


class ExitCode(IntEnum):
    """Exit codes of the commands."""

    DONE = 0
    FAILED = 1
    USAGE = 2
    PARTIAL = 3
    SERVER = 4
    ENCODER = 5
    FOUND = 6


def exit_code(error: LogicRetrieversError) -> ExitCode:
    """The exit code for an error of our tree."""
    match error:
        case ServerError():
            return ExitCode.SERVER
        case BundleError() | EncoderError():
            return ExitCode.ENCODER
        case ConfigurationError():
            return ExitCode.USAGE
        case _:
            return ExitCode.FAILED


def report_errors(command: Callable[P, None]) -> Callable[P, None]:
    """Wraps a command: errors of our tree end it with a message, warnings become a line each."""

    @wraps(command)
    def wrapped(*args: P.args, **kwargs: P.kwargs) -> None:
        try:
            with _warnings_as_lines():
                command(*args, **kwargs)
        except LogicRetrieversError as error:
            print_status("error", str(error))
            raise typer.Exit(exit_code(error)) from None
        except KeyboardInterrupt:
            print_status("stopped", "what was stored stays; run the same command again to go on")
            raise typer.Exit(130) from None
        except BrokenPipeError:  # the reader of our output has closed it, as it may
            sys.stderr.close()
            raise typer.Exit(ExitCode.DONE) from None

    return wrapped


def shorten(text: str, length: int) -> str:
    """The text in one line of at most so many characters."""
    line = " ".join(text.split())
    return line if len(line) <= length else f"{line[: length - 1].rstrip()}…"


def print_json(value: Any) -> None:
    """Prints a value as indented JSON on standard output."""
    typer.echo(json.dumps(value, ensure_ascii=False, indent=2))


def print_status(label: str, message: str) -> None:
    """Prints ``label: message`` on standard error."""
    colour = {"error": "red", "warning": "yellow"}.get(label, "dim")
    err.print(f"[{colour}]{label}:[/] ", end="")
    err.print(message, markup=False, soft_wrap=True)


@contextmanager
def progress_bar(label: str, total: int | None = None) -> Iterator[Callable[[int], None] | None]:
    """A bar on standard error, moved by a callback; None where standard error is no terminal."""
    if not err.is_terminal:
        yield None
        return
    count = (BarColumn(), MofNCompleteColumn()) if total else (TextColumn("{task.completed}"),)
    remaining = (TextColumn("left"), TimeRemainingColumn()) if total else ()
    columns = (SpinnerColumn(), TextColumn(label), *count, TimeElapsedColumn(), *remaining)
    with Progress(*columns, console=err, transient=True) as bar:
        task = bar.add_task(label, total=total)
        yield lambda done: bar.update(task, completed=done)


@contextmanager
def _warnings_as_lines() -> Iterator[None]:
    def show(message: Warning | str, *_: Any, **__: Any) -> None:
        print_status("warning", str(message))

    with warnings.catch_warnings():
        warnings.simplefilter("default")
        warnings.simplefilter("ignore", DeprecationWarning)
        warnings.showwarning = show
        yield
