"""The command that starts a Python process for code that must not run in this one."""

from __future__ import annotations

import os
import sys
from multiprocessing.spawn import get_executable
from pathlib import Path


def python_command(program: str, *arguments: str) -> list[str] | None:
    """Return the command that runs Python source with this process's import paths.

    The program finds its arguments in ``sys.argv[1:]``. It runs in this Python, or in the one that
    ``multiprocessing.set_executable`` names. Return None if there is neither: a frozen application,
    or one that embeds Python, must not start itself.
    """
    executable = os.fsdecode(get_executable() or "")
    if executable == sys.executable:
        is_python = Path(executable).stem.lower().startswith(("python", "pypy"))
        if getattr(sys, "frozen", False) or not is_python:
            return None
    if not executable:
        return None
    paths = [os.path.abspath(path) for path in sys.path]  # noqa: PTH100 - "" means the current folder
    # Without -P the process would import from the current folder, which may hold hostile files.
    start = f"import sys; sys.path[:] = sys.argv[{len(arguments) + 1}:]\n"
    return [executable, "-P", "-c", start + program, *arguments, *paths]
