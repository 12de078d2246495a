"""`logic-retrievers serve` in a process of its own, at a free port."""

from __future__ import annotations

import os
import re
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

API_KEY = "LOGIC_RETRIEVERS_API_KEY"


@dataclass
class Served:
    process: subprocess.Popen[str]
    port: int
    connections: ExitStack

    def send(self, data: bytes) -> socket.socket:
        connection = socket.create_connection(("127.0.0.1", self.port), timeout=10)
        connection.sendall(data)
        return self.connections.enter_context(connection)

    def url(self, path: str) -> str:
        return f"http://127.0.0.1:{self.port}{path}"


@contextmanager
def serving(folder: Path, *arguments: str, key: str | None) -> Iterator[Served]:
    """Serve the folder's collection until the block ends."""
    main = "from logic_retrievers.cli import main; main()"
    environment = {name: value for name, value in os.environ.items() if name != API_KEY}
    process = subprocess.Popen(
        [sys.executable, "-c", main, "serve", *arguments, "--port", "0", "--location", str(folder)],
        env=environment | ({} if key is None else {API_KEY: key}),
        stderr=subprocess.PIPE,
        text=True,
    )
    with process, ExitStack() as connections:
        found = (re.search(r"http://\S+:(\d+)", line) for line in process.stderr)
        try:
            yield Served(process, int(next(match[1] for match in found if match)), connections)
        finally:
            process.kill()
