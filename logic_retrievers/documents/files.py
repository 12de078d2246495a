"""Which files a path stands for, in an order that is the same on every machine."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from logic_retrievers.errors import ReadError


@dataclass(frozen=True, slots=True)
class SourceFile:
    """A file to read.

    Args:
        path: where it lies; what messages show.
        name: its path relative to the root, with forward slashes: the ``source`` of its passages
            and the stem of their default ids, so both survive a move of the root.
    """

    path: Path
    name: str

    def error(self, problem: str, line: int | None = None) -> ReadError:
        """A ReadError that names this file."""
        return ReadError(problem, file=str(self.path), line=line)


@dataclass(slots=True)
class Found:
    """What lies under a path: readable files, the others by extension, and problems."""

    files: list[SourceFile] = field(default_factory=list)
    skipped: Counter[str] = field(default_factory=Counter)
    errors: list[ReadError] = field(default_factory=list)


def find_files(folder: Path, root: Path, readable: Callable[[str], bool]) -> Found:
    """Walks a folder, in the order of names.

    Hidden files and folders are passed over. Links are followed, and each real folder is entered
    once, so a link back to a parent ends there.

    Args:
        folder: where to begin.
        root: the folder that names are relative to.
        readable: says whether a file of this name has a reader.
    """
    found = Found()
    for path in _walk(folder, set(), found.errors):
        if readable(path.name):
            found.files.append(SourceFile(path, path.relative_to(root).as_posix()))
        else:
            found.skipped[path.suffix.lower()] += 1
    return found


def _walk(folder: Path, entered: set[tuple[int, int]], errors: list[ReadError]) -> Iterator[Path]:
    try:
        status = folder.stat()
        children = sorted(folder.iterdir(), key=lambda child: child.name)
    except OSError as error:
        errors.append(ReadError(f"cannot list this folder: {error.strerror}", file=str(folder)))
        return
    if (status.st_dev, status.st_ino) in entered:
        return
    entered.add((status.st_dev, status.st_ino))
    for child in children:
        if child.name.startswith("."):
            continue
        if _is_folder(child):
            yield from _walk(child, entered, errors)
        else:
            yield child


def _is_folder(path: Path) -> bool:
    try:
        return path.is_dir()
    except OSError:  # reported where it is opened
        return False
