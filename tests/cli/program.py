"""The installed program in a process of its own, for what depends on its streams or interpreter."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass

_MAIN = r"""
import json, sys
from logic_retrievers.cli import main
codes = []
for arguments in json.loads(sys.argv[1]):
    sys.argv = ["logic-retrievers", *arguments]
    try:
        main()
    except SystemExit as end:
        codes.append(int(end.code or 0))
    sys.stdout, sys.stderr = sys.__stdout__, sys.__stderr__
sys.stderr.write(f"\n{json.dumps(codes)}\n")  # a progress bar may end without a line end
"""


@dataclass
class Finished:
    """The exit code of each command, and what all of them printed."""

    codes: list[int]
    stdout: bytes
    stderr: bytes


def run_commands(
    *commands: Sequence[str], options: Sequence[str] = (), **environment: str
) -> Finished:
    """Runs commands one after the other; ``options`` are those of the interpreter."""
    done = subprocess.run(
        [sys.executable, *options, "-c", _MAIN, json.dumps(commands)],
        capture_output=True,
        timeout=150,
        env=os.environ | environment,
    )
    assert done.returncode == 0, done.stderr
    *_, codes = done.stderr.splitlines(keepends=True)
    return Finished(json.loads(codes), done.stdout, done.stderr.removesuffix(codes))
