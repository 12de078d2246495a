"""Documents that others' code converts, in a process of its own: both ends of the pipe.

A hostile file can keep a converter busy for ever, take all memory, or end its process. Here that is
a process without anything else in it, with limits of time, memory and output for each file.
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
from itertools import islice
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Self, cast

from logic_retrievers.documents.archives import read_docx, read_epub
from logic_retrievers.documents.files import (
    OUTPUT_PER_BYTE,
    SourceFile,
    TextFormat,
    longest_output,
    open_file,
)
from logic_retrievers.documents.formats import Record, RecordReader
from logic_retrievers.documents.pdf import read_pdf
from logic_retrievers.documents.web_pages import read_html
from logic_retrievers.errors import MissingExtraError, ReadError
from logic_retrievers.python_process import python_command

CONVERTERS: dict[str, RecordReader] = {
    ".pdf": read_pdf,
    ".docx": read_docx,
    ".html": read_html,
    ".htm": read_html,
    ".xhtml": read_html,
    ".epub": read_epub,
}

SECONDS = 180.0
"""For a file. The slowest that there should be, 16 MiB of tables in HTML, takes 80."""
MEMORY = 2**31
"""Bytes for a file, on Linux; other systems do not hold a process to a limit."""

START_SECONDS = 60.0
"""For the process to be ready; it takes about one."""

_PROGRAM = "from logic_retrievers.documents.converter import serve; serve()"
_READY = b"ready\n"
_TIMEOUT = b"Timeout ("  # faulthandler's word, after which it ends the process


class Converter:
    """Converts one file after the other; the process starts with the first one.

    It is started again where a file ended it. Leaving the context ends it.
    """

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._stop()

    def read(self, file: SourceFile, stream: IO[bytes]) -> Iterator[Record | ReadError]:
        """The records of a file, as its reader in ``CONVERTERS`` gives them.

        ``stream`` shows the progress.

        Raises:
            ReadError: a limit was passed, the converter crashed, or no process can be started.
        """
        given = 0
        while True:
            is_first = self._process is None
            try:
                for item in islice(self._convert(file, stream), given, None):
                    given += 1
                    yield item
                return
            except EOFError as error:
                # Else it may have been the file before, which left the process damaged.
                if is_first:
                    raise file.error(str(error)) from None

    def _convert(self, file: SourceFile, stream: IO[bytes]) -> Iterator[Record | ReadError]:
        process = self._process or _start(file)
        self._process = process
        limit = left = longest_output(os.fstat(stream.fileno()).st_size)
        is_done = False
        try:
            with suppress(OSError):  # it has ended, and there is nothing to be read
                _send(cast("IO[bytes]", process.stdin), _to_request(file))
            while line := cast("IO[bytes]", process.stdout).readline(left + 1):
                if line.startswith(_TIMEOUT):
                    raise file.error(
                        f"takes more than {SECONDS:,.0f} seconds to convert; divide it"
                    )
                if (left := left - len(line)) < 0:
                    raise file.error(
                        f"gives more than {limit:,} bytes of text ({OUTPUT_PER_BYTE} for each of "
                        "its own); divide it, or save it as text"
                    )
                item = json.loads(line.decode("utf-8", "surrogatepass"))
                if item is None:
                    is_done = True
                    return
                stream.seek(item["position"])
                if "problem" in item:
                    yield file.error(item["problem"], item["line"])
                else:
                    yield Record(item["values"], item["line"])
            raise EOFError(
                f"ends its converter (status {process.wait()}): it is damaged, or takes more than "
                f"{MEMORY >> 20:,} MiB of memory; save it as text"
            )
        finally:
            if not is_done:
                self._stop()

    def _stop(self) -> None:
        if (process := self._process) is not None:
            self._process = None
            process.kill()
            with suppress(OSError), process:  # closes the pipes
                pass


def _start(file: SourceFile) -> subprocess.Popen[bytes]:
    """A process of this interpreter, or of the one that ``multiprocessing`` was told.

    Raises:
        ReadError: there is none (this interpreter is part of another program), or it fails.
    """
    problem = "this program has no Python of its own"
    if command := python_command(_PROGRAM):
        try:
            process = subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),
            )
        except OSError as error:
            problem = f"{command[0]}: {error.strerror}"
        else:
            timer = threading.Timer(START_SECONDS, process.kill)
            timer.start()
            try:
                answer = cast("IO[bytes]", process.stdout).readline(len(_READY))
            finally:
                timer.cancel()
            if answer == _READY:
                return process
            process.kill()
            with process:
                problem = f"{command[0]} has no logic_retrievers, or is no Python"
    raise file.error(
        f"needs a process of its own to be converted, which cannot be started: {problem}; name "
        "a Python that has this package with multiprocessing.set_executable"
    )


def _to_request(file: SourceFile) -> dict[str, Any]:
    inside = file.inside and os.fsencode(file.inside).hex()
    return {
        "path": os.fsencode(os.path.abspath(file.path)).hex(),  # noqa: PTH100 - links stay
        "inside": inside,
        "name": file.name,
        "encoding": file.format.encoding,
        "seconds": SECONDS,
    }


def _send(stream: IO[bytes], item: object) -> None:
    line = json.dumps(item, ensure_ascii=False) + "\n"
    stream.write(line.encode("utf-8", "surrogatepass"))
    stream.flush()


def serve() -> None:
    """The process's side: converts what standard input names, until it or its parent ends."""
    threading.Thread(target=_end_with, args=(os.getppid(),), daemon=True).start()
    with os.fdopen(os.dup(1), "wb") as out:
        os.dup2(2, 1)  # what a converter prints is no answer
        out.write(_READY)
        out.flush()
        _limit_memory()
        for line in sys.stdin.buffer:
            request = json.loads(line)
            left = request["seconds"]
            items = _items(request)
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


def _items(request: dict[str, Any]) -> Iterator[dict[str, Any]]:
    names = (request["path"], request["inside"])
    path, inside = (name and Path(os.fsdecode(bytes.fromhex(name))) for name in names)
    file = SourceFile(path, request["name"], inside, TextFormat(encoding=request["encoding"]))
    read = next(read for end, read in CONVERTERS.items() if path.name.lower().endswith(end))
    try:
        with open_file(file) as stream:
            for item in read(file, stream):
                if isinstance(item, ReadError):
                    yield _problem(item) | {"position": stream.tell()}
                else:
                    yield {"values": item.values, "line": item.line, "position": stream.tell()}
    except (ReadError, MissingExtraError) as error:
        yield _problem(error) | {"position": 0}


def _problem(error: ReadError | MissingExtraError) -> dict[str, Any]:
    line = getattr(error, "line", None)
    place = f"{getattr(error, 'file', None)}:" + ("" if line is None else f"{line}:")
    return {"problem": str(error).removeprefix(place).lstrip(), "line": line}


def _limit_memory() -> None:
    """Lets the process take ``MEMORY`` bytes more than it has."""
    with suppress(ImportError, OSError, ValueError):
        import resource

        pages = int(Path("/proc/self/statm").read_text("ascii").split()[0])
        limit = pages * resource.getpagesize() + MEMORY
        resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
