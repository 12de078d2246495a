"""A target whose every input runs in a process of its own, since native code may abort it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
from dataclasses import asdict
from pathlib import Path
from select import select
from typing import Self

from .harness import Outcome, describe, draw, run_input
from .workplace import TESTS, workplace

ANSWER_LIMIT = 20.0
"""Seconds after which a process that does not answer hangs."""


INPUT = Path("input.txt")
"""Says what the process has that does not answer."""


class IsolatedTarget:
    """Runs the inputs of one target in forks of a process that has loaded all and started nothing.

    A fork of this process would not do: threads of the embedded engine do not survive one.

    Args:
        name: of the target.
        seed: of the run.
    """

    def __init__(self, name: str, seed: int) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="fuzz-", ignore_cleanup_errors=True)
        self._process = subprocess.Popen(
            [sys.executable, "-m", "fuzz.isolation", name, str(seed)],
            cwd=TESTS,
            env={**os.environ, "TMPDIR": self._folder.name},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.communicate()
        self._folder.cleanup()

    def outcome_of(self, index: int) -> Outcome:
        """The outcome of one input."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(f"{index}\n")
        self._process.stdin.flush()
        return Outcome(**json.loads(self._process.stdout.readline()))


def _serve(name: str, seed: int) -> None:
    """Reads the index of an input a line, and writes its outcome as JSON."""
    from .targets import TARGETS

    with workplace():
        _write_files(name)
        for line in sys.stdin:
            reading, writing = os.pipe()
            child = os.fork()
            if child == 0:
                _silence()
                target = TARGETS[name]()
                INPUT.write_text(describe(draw(target, seed, int(line))), encoding="utf-8")
                outcome = run_input(target, seed, int(line))
                os.write(writing, json.dumps(asdict(outcome)).encode())
                os._exit(0)
            os.close(writing)
            outcome = _outcome(reading, child, name, seed, int(line))
            os.close(reading)
            sys.stdout.write(f"{json.dumps(asdict(outcome))}\n")
            sys.stdout.flush()


def _write_files(name: str) -> None:
    """Has a first process write what the target keeps in the folder, however long that takes."""
    from .targets import TARGETS

    INPUT.write_text("", encoding="utf-8")
    child = os.fork()
    if child == 0:
        _silence()
        TARGETS[name]()
        os._exit(0)
    os.waitpid(child, 0)


def _silence() -> None:
    """What a target or native code prints is no answer; the last of it is kept in a file."""
    output = os.open("output.txt", os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    os.dup2(output, 1)
    os.dup2(output, 2)


def _outcome(reading: int, child: int, name: str, seed: int, index: int) -> Outcome:
    if not select([reading], [], [], ANSWER_LIMIT)[0]:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        return Outcome(
            "slow", name, seed, index, "native code", "does not return", INPUT.read_text()
        )
    answer = os.read(reading, 2**20)
    _, status = os.waitpid(child, 0)
    if answer:
        return Outcome(**json.loads(answer))
    printed = Path("output.txt").read_text("utf-8", errors="replace").split("\n")
    code = os.waitstatus_to_exitcode(status)
    message = "\n".join(printed[-4:])[:300]
    return Outcome("aborted", name, seed, index, f"exit code {code}", message, INPUT.read_text())


if __name__ == "__main__":
    _serve(sys.argv[1], int(sys.argv[2]))
