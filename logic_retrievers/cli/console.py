"""Console of the commands: output, progress, exit codes, and one-line errors.

Hidden characters are printed in a visible form, so that texts cannot control a terminal.
"""

from __future__ import annotations

import json
import math
import sys
import time
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from enum import IntEnum
from functools import wraps
from io import TextIOWrapper
from typing import Annotated, Any, ParamSpec, TextIO

import typer
from rich.console import Console, ConsoleDimensions, ConsoleOptions, RenderableType
from rich.progress import BarColumn, SpinnerColumn, TextColumn, TimeElapsedColumn
from rich.progress import Progress as ProgressBar
from rich.segment import Segment
from rich.table import Table
from rich.text import Text
from typer import Option
from typer.core import TyperGroup

from logic_retrievers.errors import (
    BundleError,
    CollectionMismatchError,
    CollectionNotFoundError,
    ConfigurationError,
    EncoderError,
    ExpressionError,
    LogicRetrieversError,
    MissingVectorError,
    ServerError,
)
from logic_retrievers.progress import Progress, ProgressCallback
from logic_retrievers.text import escape_hidden, show_hidden

P = ParamSpec("P")

# width for a pipe or a file; large enough that no line wraps
UNBROKEN = 1_000_000
# seconds between two progress lines, if no terminal shows a bar
REPORT_EVERY = 10.0

AsJson = Annotated[bool, Option("--json", help="Print JSON on standard output.")]


class ExitCode(IntEnum):
    """Exit codes of the commands."""

    DONE = 0
    FAILED = 1
    USAGE = 2
    PARTIAL = 3
    SERVER = 4
    ENCODER = 5
    FOUND = 6


class TerminalConsole(Console):
    """A console that lets only its own escape sequences pass: styles and progress bars.

    Texts are printed literally: "[bold]" and ":key:" are not markup, and numbers get no colour.
    """

    def __init__(self, **settings: Any) -> None:
        super().__init__(markup=False, emoji=False, highlight=False, **settings)

    @property  # type: ignore[misc]  # Rich's own property can be set; this package never does so
    def size(self) -> ConsoleDimensions:
        return super().size if self.is_terminal else ConsoleDimensions(UNBROKEN, 25)

    def print_line(self, *parts: str | tuple[str, str], soft_wrap: bool = True) -> None:
        """Print parts in one line. A part is a text or a pair (text, style)."""
        pairs = [(part, "") if isinstance(part, str) else part for part in parts]
        line = Text.assemble(*(self.render_str(text, style=style) for text, style in pairs))
        self.print(line, soft_wrap=soft_wrap)

    # Rich must measure and wrap a text in its visible form
    def render_str(self, text: str, **settings: Any) -> Text:
        return super().render_str(show_hidden(text), **settings)

    # all output passes through this method, tables too
    def render(
        self, renderable: RenderableType, options: ConsoleOptions | None = None
    ) -> Iterable[Segment]:
        for segment in super().render(renderable, options):
            yield segment if segment.control else segment._replace(text=show_hidden(segment.text))


class ShownStream:
    """Wraps standard output or error for output that bypasses the consoles, such as tracebacks."""

    def __init__(self, stream: TextIO) -> None:
        # Rich writes to the attribute of this name, so its own escape sequences pass
        self.rich_proxied_file = stream

    def write(self, text: str) -> int:
        return self.rich_proxied_file.write(show_hidden(text))

    def __getattr__(self, name: str) -> Any:
        return getattr(self.rich_proxied_file, name)


out, err = TerminalConsole(), TerminalConsole(stderr=True)


class CommandGroup(TyperGroup):
    """A group of commands that reports wrong usage like all other errors."""

    def main(self, *arguments: Any, **settings: Any) -> Any:
        escape_unencodable()
        try:
            code = super().main(*arguments, **{**settings, "standalone_mode": False})
        except typer.Abort:
            print_status("stopped", "nothing was changed")
            code = ExitCode.FAILED
        except Exception as error:
            if not hasattr(error, "format_message"):  # only Typer's errors have this method
                raise
            message, context = error.format_message(), getattr(error, "ctx", None)
            if message:  # empty if the help was printed instead
                print_status("error", message)
            if message and context:
                usage = context.get_usage().removeprefix("Usage: ")
                print_status("usage", f"{usage} (-h explains it)")
            code = ExitCode.USAGE
        sys.exit(code)


def escape_unencodable() -> None:
    """Escape characters that standard output and error cannot encode."""
    for stream in (out.file, err.file):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def report_errors(command: Callable[P, None]) -> Callable[P, None]:
    """Wrap a command: the package's errors set the exit code, and each warning becomes a line."""

    @wraps(command)
    def wrapped(*args: P.args, **kwargs: P.kwargs) -> None:
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("default")
                warnings.simplefilter("ignore", DeprecationWarning)
                warnings.showwarning = lambda message, *_: print_status("warning", str(message))
                command(*args, **kwargs)
        except LogicRetrieversError as error:
            print_status("error", describe_error(error))
            code = next(code for kind, code in _EXIT_CODES if isinstance(error, kind))
            raise typer.Exit(code) from None
        except KeyboardInterrupt:
            print_status("stopped", "what was stored stays; run the same command again to go on")
            raise typer.Exit(130) from None
        except BrokenPipeError:  # the reader of our output has closed the pipe
            sys.stderr.close()
            raise typer.Exit(ExitCode.DONE) from None

    return wrapped


def describe_error(error: LogicRetrieversError) -> str:
    """Describe an error and its remedy on the command line."""
    match error:
        case LogicRetrieversError(remedy=""):
            return error.problem
        case CollectionNotFoundError():
            remedy = "Run `logic-retrievers index PATH` or name another --collection or --location."
        case CollectionMismatchError():
            remedy = (
                "Pass --bundle with the encoder that made it. `logic-retrievers reindex NAME"
                " --new-bundle FOLDER` makes a second collection with another."
            )
        case MissingVectorError():
            remedy = f"Run `logic-retrievers backfill {' '.join(error.names)}`."
        case ConfigurationError():
            options = (f"--{name.replace('_', '-')}" for name in error.names)
            remedy = f"Pass {' or '.join(options)}."
        case _:
            remedy = error.remedy
    return f"{error.problem} {remedy}"


_EXIT_CODES: list[tuple[type[LogicRetrieversError], ExitCode]] = [
    (ServerError, ExitCode.SERVER),
    (BundleError, ExitCode.ENCODER),
    (EncoderError, ExitCode.ENCODER),
    (ConfigurationError, ExitCode.USAGE),
    (ExpressionError, ExitCode.USAGE),
    (LogicRetrieversError, ExitCode.FAILED),
]


def shorten(text: str, length: int) -> str:
    """Return the text as one line of at most ``length`` characters."""
    line = " ".join(text.split())
    return line if len(line) <= length else f"{line[: length - 1].rstrip()}…"


def print_json(value: Any) -> None:
    """Print a value as JSON on standard output, in ASCII unless the output's encoding is UTF."""
    has_all_letters = (sys.stdout.encoding or "utf-8").lower().startswith("utf")
    text = json.dumps(value, ensure_ascii=not has_all_letters, indent=2)
    out.file.write(f"{escape_hidden(text)}\n")
    out.file.flush()


def print_result(value: Any, line: str, *, as_json: bool) -> None:
    """Print a value as JSON; without ``as_json`` print ``line``, its text for people."""
    if as_json:
        print_json(value)
    else:
        out.print_line(line)


def make_table(first: str, *others: str, min_width: int | None = None, **settings: Any) -> Table:
    """Make a table with names in the first column and numbers in the others."""
    table = Table(title_justify="left", caption_justify="left", **settings)
    table.add_column(first, overflow="fold", min_width=min_width)
    for title in others:
        table.add_column(title, justify="right", overflow="fold")
    return table


def print_status(label: str, message: str) -> None:
    """Print ``label: message`` on standard error."""
    colour = {"error": "red", "warning": "yellow"}.get(label, "dim")
    err.print_line((f"{label}:", colour), f" {message}")


@contextmanager
def progress_bar(label: str) -> Iterator[ProgressCallback]:
    """Show progress on standard error: a bar on a terminal, else a line every ten seconds."""
    if not err.is_terminal:
        shown = time.monotonic()

        def print_progress(progress: Progress) -> None:
            nonlocal shown
            if time.monotonic() - shown >= REPORT_EVERY:
                shown = time.monotonic()
                print_status(label, describe_progress(progress))

        yield print_progress
        return
    words = TextColumn("{task.description}")
    with ProgressBar(
        *(SpinnerColumn("line"), TextColumn(label), BarColumn(), words, TimeElapsedColumn()),
        console=err,
        transient=True,
        redirect_stdout=False,  # all output goes through the consoles, which know the bar
        redirect_stderr=False,
    ) as bar:
        task = bar.add_task("", total=None)

        def move_bar(progress: Progress) -> None:
            whole, text = None if progress.share is None else 1.0, describe_progress(progress)
            bar.update(task, completed=progress.share or 0, total=whole, description=text)

        yield move_bar


def describe_progress(progress: Progress) -> str:
    """Describe progress (``1,024 done, 34 %, 91/s, about 3 min left``) without unknown parts."""
    parts = [f"{progress.done:,} done"]
    if progress.share is not None:
        parts.append(f"{progress.share:.0%}".replace("%", " %"))
    parts.append(f"{progress.per_second:,.{0 if progress.per_second >= 10 else 1}f}/s")
    if left := progress.seconds_left:
        time_left = f"{math.ceil(left / 60)} min" if left > 90 else f"{math.ceil(left)} s"
        parts.append(f"about {time_left} left")
    return ", ".join(parts)
