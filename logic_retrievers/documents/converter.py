"""Convert PDF, Word and HTML in a separate process. This module holds both ends of its pipe.

A hostile file can keep a converter busy forever, take all memory, or crash the process. So the
process does nothing else, and each file has limits of time, memory and output.
"""

from __future__ import annotations

import faulthandler
import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import IO

from logic_retrievers.documents.files import (
    Problem,
    Record,
    SourceFile,
    TextFormat,
    longest_output,
    open_file,
)
from logic_retrievers.documents.formats import CONVERTERS
from logic_retrievers.python_process import python_command

SECONDS = 180.0  # limit for a file; the slowest expected, 16 MiB of HTML tables, takes 80
MEMORY = 2**31  # limit for a file, in bytes; enforced on Linux only
START_SECONDS = 60.0  # limit for starting the process, which takes about one second

_PROGRAM = "from logic_retrievers.documents.converter import serve; serve()"
_READY = b"ready\n"
_TIMEOUT = b"Timeout ("  # faulthandler writes this before it ends the process


class Converter:
    """Converts files one by one in a process, and restarts the process if a file crashes it."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None

    def close(self) -> None:
        process, self._process = self._process, None
        if process is not None:
            process.kill()
            with suppress(OSError), process:  # closes the pipes
                pass

    def read(self, file: SourceFile, stream: IO[bytes]) -> list[Record | Problem]:
        """Return what the file's reader in ``CONVERTERS`` yields.

        If the conversion fails, the last item is a Problem.

        Raises:
            Problem: no process can be started.
        """
        is_new = self._process is None
        process = self._process = self._process or _start()
        items: list[Record | Problem] = []
        try:
            for item in _convert(process, file, os.fstat(stream.fileno()).st_size):
                items.append(item)  # items before an error are kept
        except EOFError as error:
            self.close()
            if not is_new:  # an earlier file may have damaged the process: try a new one
                return self.read(file, stream)
            items.append(Problem(str(error)))
        except Problem as problem:
            self.close()
            items.append(problem)
        except BaseException:  # otherwise answers for this file stay in the pipe
            self.close()
            raise
        return items


def _start() -> subprocess.Popen[bytes]:
    """Start the interpreter set for ``multiprocessing``; by default this one."""
    command = python_command(_PROGRAM)
    if command is not None:
        with suppress(OSError):
            process = subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),
            )
            assert process.stdout is not None
            timer = threading.Timer(START_SECONDS, process.kill)
            timer.daemon = True
            timer.start()
            answer = process.stdout.readline(len(_READY))
            timer.cancel()
            if answer == _READY:
                return process
            process.kill()
            with process:  # closes the pipes
                pass
    named = command[0] if command else "this program"
    raise Problem(
        f"needs a process of its own to be converted, and {named} is no Python with this package; "
        "name one with multiprocessing.set_executable"
    )


def _convert(
    process: subprocess.Popen[bytes], file: SourceFile, size: int
) -> Iterator[Record | Problem]:
    assert process.stdin is not None
    assert process.stdout is not None
    with suppress(OSError):  # if the process has ended, reading below reports it
        _send(process.stdin, [os.path.abspath(file.path), asdict(file), SECONDS])  # noqa: PTH100 - links stay
    left = limit = longest_output(size)
    while True:
        line = process.stdout.readline(left + 1)
        left -= len(line)
        if line.startswith(_TIMEOUT):
            raise Problem(f"takes more than {SECONDS:,.0f} seconds to convert; divide it")
        if left < 0:
            raise Problem(
                f"gives more than {limit:,} bytes of text, the limit for a file of its size; "
                "divide it, or save it as text"
            )
        if not line.endswith(b"\n"):
            raise EOFError(
                f"ends its converter (status {process.wait()}): it is damaged, or takes more than "
                f"{MEMORY >> 20:,} MiB of memory; save it as text"
            )
        match json.loads(line):
            case None:
                return
            case [problem, number]:
                yield Problem(problem, number)
            case values:
                yield Record(values)


def _send(stream: IO[bytes], item: object) -> None:
    stream.write(json.dumps(item, default=os.fspath).encode() + b"\n")
    stream.flush()


def serve() -> None:
    """Convert the files named on standard input, until the input or the parent process ends."""
    threading.Thread(target=_end_with, args=(os.getppid(),), daemon=True).start()
    with os.fdopen(os.dup(1), "wb") as out:
        os.dup2(2, 1)  # keeps a converter's prints out of the answers
        out.write(_READY)
        out.flush()
        _limit_memory()
        for line in sys.stdin.buffer:
            path, values, seconds = json.loads(line)
            inside = values["inside"] and Path(values["inside"])
            form = TextFormat(**values["format"])
            file = SourceFile(Path(path), values["name"], values["ending"], inside, form)
            # Ends the process even if native code never returns or the reading process was killed.
            faulthandler.dump_traceback_later(seconds, exit=True, file=out)
            for item in _convert_here(file):
                if isinstance(item, Problem):
                    _send(out, [str(item), item.line])
                else:
                    _send(out, dict(item.values))
            faulthandler.cancel_dump_traceback_later()
            _send(out, None)


def _end_with(parent: int) -> None:
    """End this process if its parent is killed while a file is converted; not on Windows."""
    while os.getppid() == parent:
        time.sleep(1)
    os._exit(1)


def _convert_here(file: SourceFile) -> Iterator[Record | Problem]:
    try:
        with open_file(file) as stream:
            if not os.fstat(stream.fileno()).st_size:
                raise Problem("is empty")
            yield from CONVERTERS[file.ending](file, stream)
    except Problem as problem:
        yield problem
    except OSError as error:  # the file was removed meanwhile
        yield Problem(f"cannot be read: {error.strerror}")


def _limit_memory() -> None:
    """Limit the process to ``MEMORY`` bytes more than it uses now."""
    with suppress(ImportError, OSError, ValueError):
        import resource

        pages = int(Path("/proc/self/statm").read_text("ascii").split()[0])
        limit = pages * resource.getpagesize() + MEMORY
        resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
