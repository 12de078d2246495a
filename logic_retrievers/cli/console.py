"""Console of the commands: output, progress, exit codes, and errors as one line."""

from __future__ import annotations

import json
import math
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from enum import IntEnum
from functools import wraps
from typing import Any, ParamSpec

import typer
from rich.console import Console
from rich.progress import BarColumn, SpinnerColumn, TextColumn, TimeElapsedColumn
from rich.progress import Progress as ProgressBar

from logic_retrievers.errors import (
    BundleError,
    ConfigurationError,
    EncoderError,
    LogicRetrieversError,
    ServerError,
)
from logic_retrievers.progress import Progress, ProgressCallback

P = ParamSpec("P")

# ":key:" in a text stays what it is, a caret under it in its place, and a number uncoloured
out = Console(emoji=False, highlight=False)
err = Console(stderr=True, emoji=False, highlight=False)

REPORT_EVERY = 10.0
"""Seconds between two lines about the progress, where no terminal shows a bar."""


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
def progress_bar(label: str) -> Iterator[ProgressCallback]:
    """Shows progress on standard error: a bar on a terminal, else a line every ten seconds."""
    if not err.is_terminal:
        shown = time.monotonic()

        def print_line(progress: Progress) -> None:
            nonlocal shown
            if time.monotonic() - shown >= REPORT_EVERY:
                shown = time.monotonic()
                print_status(label, describe_progress(progress))

        yield print_line
        return
    columns = (SpinnerColumn(), TextColumn(label), BarColumn(), TextColumn("{task.description}"))
    with ProgressBar(*columns, TimeElapsedColumn(), console=err, transient=True) as bar:
        task = bar.add_task("", total=None)

        def move_bar(progress: Progress) -> None:
            whole, words = None if progress.share is None else 1.0, describe_progress(progress)
            bar.update(task, completed=progress.share or 0, total=whole, description=words)

        yield move_bar


def describe_progress(progress: Progress) -> str:
    """``1,024 done, 34 %, 91/s, about 3 min left``, without what is not known."""
    parts = [f"{progress.done:,} done"]
    if progress.share is not None:
        parts.append(f"{progress.share:.0%}".replace("%", " %"))
    parts.append(f"{progress.per_second:,.{0 if progress.per_second >= 10 else 1}f}/s")
    if left := progress.seconds_left:
        time_left = f"{math.ceil(left / 60)} min" if left > 90 else f"{math.ceil(left)} s"
        parts.append(f"about {time_left} left")
    return ", ".join(parts)


@contextmanager
def _warnings_as_lines() -> Iterator[None]:
    def show(message: Warning | str, *_: Any, **__: Any) -> None:
        print_status("warning", str(message))

    with warnings.catch_warnings():
        warnings.simplefilter("default")
        warnings.simplefilter("ignore", DeprecationWarning)
        warnings.showwarning = show
        yield
