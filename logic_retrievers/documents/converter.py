"""Converts documents with others' code, in a process of its own: both ends of the pipe.

A hostile file can keep a converter busy for ever, take all memory, or end its process. So the
process holds nothing else, and each file has limits of time, memory and output.
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
from itertools import islice
from pathlib import Path
from typing import IO, Any, cast

from logic_retrievers.documents.files import (
    OUTPUT_PER_BYTE,
    Record,
    RecordReader,
    SourceFile,
    TextFormat,
    longest_output,
    open_file,
)
from logic_retrievers.documents.markup import read_docx, read_html
from logic_retrievers.documents.pdf import read_pdf
from logic_retrievers.errors import MissingExtraError, ReadError
from logic_retrievers.python_process import python_command

CONVERTERS: dict[str, RecordReader] = {
    ".pdf": read_pdf,
    ".docx": read_docx,
    ".html": read_html,
    ".htm": read_html,
    ".xhtml": read_html,
}

SECONDS = 180.0  # for a file; 16 MiB of tables in HTML, the slowest that there should be, takes 80
MEMORY = 2**31  # bytes for a file, on Linux; other systems do not hold a process to a limit
START_SECONDS = 60.0  # for the process to be ready; it takes about one

_PROGRAM = "from logic_retrievers.documents.converter import serve; serve()"
_READY = b"ready\n"
_TIMEOUT = b"Timeout ("  # what faulthandler writes before it ends the process


class Converter:
    """Converts one file after the other; the process starts with the first one.

    It is started again where a file ended it.
    """

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None

    def close(self) -> None:
        if (process := self._process) is not None:
            self._process = None
            process.kill()
            with suppress(OSError), process:  # closes the pipes
                pass

    def read(self, file: SourceFile, stream: IO[bytes]) -> Iterator[Record | ReadError]:
        """The records of a file, as its reader in ``CONVERTERS`` gives them.

        ``stream`` shows the progress.
        """
        given = 0
        # An old process may have been damaged by the file before: try again in a new one.
        for is_new in (self._process is None, True):
            try:
                for item in islice(self._convert(file, stream), given, None):
                    given += 1
                    yield item
                return
            except EOFError as error:
                if is_new:
                    raise file.error(str(error)) from None

    def _convert(self, file: SourceFile, stream: IO[bytes]) -> Iterator[Record | ReadError]:
        process = self._process = self._process or _start(file)
        left = limit = longest_output(os.fstat(stream.fileno()).st_size)
        request = {
            "path": os.path.abspath(file.path),  # noqa: PTH100 - links stay
            "name": file.name,
            "inside": None if file.inside is None else str(file.inside),
            "format": asdict(file.format),
            "seconds": SECONDS,
        }
        try:
            with suppress(OSError):  # it has ended, and there is nothing to be read
                _send(process.stdin, request)
            while True:
                line = cast("IO[bytes]", process.stdout).readline(left + 1)
                left -= len(line)
                if line.startswith(_TIMEOUT):
                    problem = f"takes more than {SECONDS:,.0f} seconds to convert; divide it"
                    raise file.error(problem)
                if left < 0:
                    raise file.error(
                        f"gives more than {limit:,} bytes of text ({OUTPUT_PER_BYTE} for each of "
                        "its own); divide it, or save it as text"
                    )
                if not line.endswith(b"\n"):
                    raise EOFError(
                        f"ends its converter (status {process.wait()}): it is damaged, or takes "
                        f"more than {MEMORY >> 20:,} MiB of memory; save it as text"
                    )
                item = json.loads(line.decode("utf-8", "surrogatepass"))
                if item is None:
                    return
                stream.seek(item["position"])
                if "problem" in item:
                    yield file.error(item["problem"], item["line"])
                else:
                    yield Record(item["values"], item["line"])
        except BaseException:  # also GeneratorExit: answers to this file are left in the pipe
            self.close()
            raise


def _start(file: SourceFile) -> subprocess.Popen[bytes]:
    """A process of this interpreter, or of the one that ``multiprocessing`` is set to."""
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
            timer = threading.Timer(START_SECONDS, process.kill)
            timer.daemon = True
            timer.start()
            try:
                answer = cast("IO[bytes]", process.stdout).readline(len(_READY))
            finally:
                timer.cancel()
            if answer == _READY:
                return process
            process.kill()
            with process:  # closes the pipes
                pass
    named = command[0] if command else "this program"
    raise file.error(
        f"needs a process of its own to be converted, and {named} is no Python with this package; "
        "name one with multiprocessing.set_executable"
    )


def _send(stream: IO[bytes] | None, item: object) -> None:
    line = json.dumps(item, ensure_ascii=False) + "\n"
    pipe = cast("IO[bytes]", stream)
    pipe.write(line.encode("utf-8", "surrogatepass"))
    pipe.flush()


def serve() -> None:
    """The process's side: converts files named on standard input, until it or its parent ends."""
    threading.Thread(target=_end_with, args=(os.getppid(),), daemon=True).start()
    with os.fdopen(os.dup(1), "wb") as out:
        os.dup2(2, 1)  # a converter's prints are no answers
        out.write(_READY)
        out.flush()
        _limit_memory()
        for line in sys.stdin.buffer:
            request = json.loads(line.decode("utf-8", "surrogatepass"))
            inside = request["inside"] and Path(request["inside"])
            form = TextFormat(**request["format"])
            items = _items(SourceFile(Path(request["path"]), request["name"], inside, form))
            left = request["seconds"]
            while True:
                began = time.monotonic()
                # Ends the process also where native code never returns, and without the reader,
                # which may have been killed. The time that it takes for an answer is not counted.
                faulthandler.dump_traceback_later(max(left, 0.001), exit=True, file=out)
                item = next(items, None)
                faulthandler.cancel_dump_traceback_later()
                left -= time.monotonic() - began
                _send(out, item)
                if item is None:
                    break


def _end_with(parent: int) -> None:
    """Ends this process with a parent that was killed in the middle of a file; not on Windows."""
    while os.getppid() == parent:
        time.sleep(1)
    os._exit(1)


def _items(file: SourceFile) -> Iterator[dict[str, Any]]:
    name = file.path.name.lower()
    read = next(read for end, read in CONVERTERS.items() if name.endswith(end))
    try:
        with open_file(file) as stream:
            for item in read(file, stream):
                given = _problem(item) if isinstance(item, ReadError) else {"values": item.values}
                yield {"line": None, "position": stream.tell(), **given}
    except (ReadError, MissingExtraError) as error:
        yield {"line": None, "position": 0, **_problem(error)}
    except OSError as error:  # it was removed meanwhile, or may not be opened
        problem = f"cannot be read: {error.strerror or error}"
        yield {"line": None, "position": 0, "problem": problem}


def _problem(error: ReadError | MissingExtraError) -> dict[str, Any]:
    if isinstance(error, MissingExtraError):
        return {"problem": str(error)}
    place = f"{error.file}: " if error.line is None else f"{error.file}:{error.line}: "
    return {"problem": str(error).removeprefix(place), "line": error.line}


def _limit_memory() -> None:
    """Lets the process take ``MEMORY`` bytes more than it has."""
    with suppress(ImportError, OSError, ValueError):
        import resource

        pages = int(Path("/proc/self/statm").read_text("ascii").split()[0])
        limit = pages * resource.getpagesize() + MEMORY
        resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
