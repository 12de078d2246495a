"""A progress line on standard error, where somebody watches it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    SpinnerColumn,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)

from logic_retrievers.cli.outcome import err


@contextmanager
def progress(what: str, total: int | None = None) -> Iterator[Callable[[int], None] | None]:
    """A callback that takes how many are done; None where standard error is no terminal.

    Args:
        what: is counted.
        total: how many there will be; None where that is not known.
    """
    if not err.is_terminal:
        yield None
        return
    counted = (BarColumn(), MofNCompleteColumn()) if total else (TextColumn("{task.completed}"),)
    left = (TextColumn("left"), TimeRemainingColumn()) if total else ()
    columns = (SpinnerColumn(), TextColumn(what), *counted, TimeElapsedColumn(), *left)
    with Progress(*columns, console=err, transient=True) as bar:
        task = bar.add_task(what, total=total)
        yield lambda done: bar.update(task, completed=done)
