"""Console of the commands: output, progress, exit codes, and errors as one line.

Nothing that is printed acts on a terminal: hidden characters are shown.
"""

from __future__ import annotations

import json
import math
import sys
import time
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
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
from rich.text import Text
from typer.core import TyperGroup

from logic_retrievers.cli.shell_words import in_shell_words
from logic_retrievers.errors import (
    BundleError,
    ConfigurationError,
    EncoderError,
    ExpressionError,
    LogicRetrieversError,
    ServerError,
)
from logic_retrievers.progress import Progress, ProgressCallback
from logic_retrievers.text import escape_hidden, show_hidden

P = ParamSpec("P")

UNBROKEN = 1_000_000
"""Characters of a line in a pipe."""


class TerminalConsole(Console):
    """A console whose only escape sequences are those of its own styles and progress bars.

    It knows no markup: "[bold]" or ":key:" in a text stays what it is, and a number uncoloured.
    Lines are as long as their texts where no terminal shows them.
    """

    def __init__(self, **settings: Any) -> None:
        super().__init__(markup=False, emoji=False, highlight=False, **settings)

    @property  # type: ignore[misc]  # Rich can set it; no one here does
    def size(self) -> ConsoleDimensions:
        """Size of the terminal; in a pipe or file wide enough that no line breaks."""
        return super().size if self.is_terminal else ConsoleDimensions(UNBROKEN, 25)

    def print_line(self, *parts: str | tuple[str, str], soft_wrap: bool = True) -> None:
        """Prints texts, each alone or with its style, one behind the other."""
        pairs = [(part, "") if isinstance(part, str) else part for part in parts]
        line = Text.assemble(*(self.render_str(text, style=style) for text, style in pairs))
        self.print(line, soft_wrap=soft_wrap)

    def render_str(self, text: str, **settings: Any) -> Text:
        """A text is measured and wrapped as it is shown."""
        return super().render_str(show_hidden(text), **settings)

    def render(
        self, renderable: RenderableType, options: ConsoleOptions | None = None
    ) -> Iterable[Segment]:
        """Whatever else is printed passes here too."""
        for segment in super().render(renderable, options):
            yield segment if segment.control else segment._replace(text=show_hidden(segment.text))


class ShownStream:
    """Standard output or error for what prints without a console: a traceback, others' logging."""

    def __init__(self, stream: TextIO) -> None:
        self.rich_proxied_file = stream  # to which consoles write, as they do behind Rich's own

    def write(self, text: str) -> int:
        """Writes the text as it is shown."""
        return self.rich_proxied_file.write(show_hidden(text))

    def __getattr__(self, name: str) -> Any:
        return getattr(self.rich_proxied_file, name)


class CommandGroup(TyperGroup):
    """The commands of a program. Wrong usage ends them with a message like any other error."""

    def main(self, *arguments: Any, **settings: Any) -> Any:
        """Runs the command that the arguments name, and exits."""
        escape_unencodable()
        try:
            code = super().main(*arguments, **{**settings, "standalone_mode": False})
        except typer.Abort:
            print_status("stopped", "nothing was changed")
            code = ExitCode.FAILED
        except Exception as error:
            if not hasattr(error, "format_message"):  # of Typer's errors
                raise
            message, context = error.format_message(), getattr(error, "ctx", None)
            if message:  # none where the help was printed instead
                print_status("error", message)
            if message and context:
                usage = context.get_usage().removeprefix("Usage: ")
                print_status("usage", f"{usage} (-h explains it)")
            code = ExitCode.USAGE
        sys.exit(code)


out, err = TerminalConsole(), TerminalConsole(stderr=True)


def escape_unencodable() -> None:
    """Has standard output and error escape what their encoding cannot represent."""
    for stream in (out.file, err.file):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


AsJson = Annotated[bool, typer.Option("--json", help="Print JSON on standard output.")]
"""Of every command that has a result."""

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
        case ConfigurationError() | ExpressionError():
            return ExitCode.USAGE
        case _:
            return ExitCode.FAILED


def report_errors(command: Callable[P, None]) -> Callable[P, None]:
    """Wraps a command: errors of our tree end it with a message, warnings become a line each."""

    @wraps(command)
    def wrapped(*args: P.args, **kwargs: P.kwargs) -> None:
        try:
            with _warnings_as_lines(kwargs):
                command(*args, **kwargs)
        except LogicRetrieversError as error:
            print_status("error", str(error), kwargs)
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
    """Prints a value as JSON on standard output, escaped where its encoding may lack letters."""
    has_all_letters = (sys.stdout.encoding or "utf-8").lower().startswith("utf")
    text = json.dumps(value, ensure_ascii=not has_all_letters, indent=2)
    out.file.write(f"{escape_hidden(text)}\n")
    out.file.flush()


def print_status(label: str, message: str, called_with: Mapping[str, Any] | None = None) -> None:
    """Prints ``label: message`` on standard error, in the words of a shell."""
    colour = {"error": "red", "warning": "yellow"}.get(label, "dim")
    err.print_line((f"{label}:", colour), f" {in_shell_words(message, called_with)}")


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
    words = TextColumn("{task.description}")
    bar = ProgressBar(
        *(SpinnerColumn("line"), TextColumn(label), BarColumn(), words, TimeElapsedColumn()),
        console=err,
        transient=True,
        redirect_stdout=False,  # everything is printed by consoles, which know of the bar
        redirect_stderr=False,
    )
    with bar:
        task = bar.add_task("", total=None)

        def move_bar(progress: Progress) -> None:
            whole, text = None if progress.share is None else 1.0, describe_progress(progress)
            bar.update(task, completed=progress.share or 0, total=whole, description=text)

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
def _warnings_as_lines(called_with: Mapping[str, Any]) -> Iterator[None]:
    def show(message: Warning | str, *_: Any, **__: Any) -> None:
        print_status("warning", str(message), called_with)

    with warnings.catch_warnings():
        warnings.simplefilter("default")
        warnings.simplefilter("ignore", DeprecationWarning)
        warnings.showwarning = show
        yield
