"""Embedded folders that were damaged: an error, or all passages; never fewer without a word."""

from __future__ import annotations

import os
import re
import shutil
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from random import Random

from logic_retrievers.index import PassageIndex
from logic_retrievers.search import Engine

from .harness import Target, accepted, expect
from .values import mutated
from .workplace import inns, open_index, small_encoder

DAMAGES = (
    *("none", "bytes", "bytes", "bytes", "bytes", "truncated", "zeros", "missing", "folder"),
    *("dead link", "swapped"),
)


@dataclass(frozen=True, slots=True)
class Damage:
    """What is done to one file, or to the folder that it is in (``all missing``)."""

    file: str
    kind: str
    content: bytes = b""


class Folders(Target):
    """``PassageIndex.open``, ``count``, ``scroll``, ``get`` and a search of a damaged folder.

    The native engine maps its files into memory and may end the process; SECURITY.md says so.
    """

    name = "folders"
    share = 2
    native = True

    def __init__(self) -> None:
        self._whole = Path("whole")
        if not self._whole.exists():
            with closing(open_index(location=self._whole)) as index:
                index.add(inns())
        files = sorted(filter(Path.is_file, self._whole.rglob("*")), key=_place)
        self._files = {str(path.relative_to(self._whole)): _data(path) for path in files}

    def generate(self, random: Random) -> Damage:
        """A file and its new content."""
        file = random.choice(list(self._files))
        content, kind = self._files[file][0], random.choice(DAMAGES)
        if kind == "bytes":
            return Damage(file, random.choice((kind, "padded")), mutated(random, content))
        if kind == "truncated":
            return Damage(file, "bytes", content[: random.choice((0, 1, len(content) // 2))])
        if kind == "swapped":
            return Damage(file, "bytes", self._files[random.choice(list(self._files))][0])
        if kind == "missing" and random.random() < 0.3:
            return Damage(random.choice([str(p) for p in Path(file).parents][:-1]), "all missing")
        return Damage(file, kind)

    def run(self, value: Damage) -> None:
        """Opens the folder and reads all that was stored, then writes a passage."""
        folder = Path("damaged")
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(self._whole, folder, copy_function=self._copy)
        _apply(value, folder)
        with closing(
            PassageIndex.open("fuzz", small_encoder(), location=folder, create=False)
        ) as index:
            stored = {passage.id for passage in inns()}
            expect(index.count() == len(stored), "a wrong count as if nothing had happened")
            expect({p.id for p in index.scroll()} == stored, "scroll misses passages")
            expect({p.id for p in index.get(sorted(stored))} == stored, "get misses passages")
            hits = Engine(index, "topical", judge=None).search("quiet inn", 50)
            # the engine does not notice all damage inside its own files: SECURITY.md
            if "segments/" not in value.file:
                expect({hit.passage.id for hit in hits} == stored, "a search misses passages")
            index.add(inns(13)[12:])
            with accepted("written"):
                expect(index.count() == len(stored) + 1, "a wrong count after a write")

    def _copy(self, source: str, target: str) -> None:
        content, size = self._files[str(Path(source).relative_to(self._whole))]
        Path(target).write_bytes(content)
        os.truncate(target, size)


def _place(path: Path) -> tuple[str, int]:
    """Equal for the same file of another run: without the names that the engine draws."""
    return re.sub(r"[0-9a-f-]{32,36}|[0-9a-z]{24}", "", str(path)), path.stat().st_size


def _data(path: Path) -> tuple[bytes, int]:
    """What the file holds before a hole of zeros of many megabytes, and its whole size."""
    with path.open("rb") as file:
        end = os.lseek(file.fileno(), 0, os.SEEK_HOLE) if path.stat().st_size else 0
        file.seek(0)
        return file.read(end), path.stat().st_size


def _apply(damage: Damage, folder: Path) -> None:
    path = folder / damage.file
    if damage.kind in ("bytes", "padded"):
        size = path.stat().st_size
        path.write_bytes(damage.content)
        if damage.kind == "padded":
            os.truncate(path, size)
        return
    if damage.kind == "none":
        return
    if path.is_dir():
        shutil.rmtree(path)
        return
    size = path.stat().st_size
    path.unlink()
    if damage.kind == "zeros":
        path.write_bytes(bytes(size))
    elif damage.kind == "folder":
        path.mkdir()
    elif damage.kind == "dead link":
        path.symlink_to("nothing")
