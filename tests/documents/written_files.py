"""Files that a test writes, and the passages read from them."""

from __future__ import annotations

from pathlib import Path

import pytest

from logic_retrievers.documents import DocumentReader, read_documents
from logic_retrievers.types import Passage


def write(path: Path, content: str | bytes) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def read(path: Path, content: str | bytes | None = None) -> tuple[list[Passage], DocumentReader]:
    """Write ``content`` to a path, then read it."""
    if content is not None:
        write(path, content)
    reading = read_documents(path)
    return list(reading), reading


def hide_package(name: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Make a package missing, also in processes that this one starts."""
    write(folder / f"{name}.py", "raise ModuleNotFoundError")
    monkeypatch.syspath_prepend(folder)


def lines_of(reading: DocumentReader) -> list[int | None]:
    return [error.line for error in reading.errors]
