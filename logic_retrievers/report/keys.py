"""What a kept section was made from, as one hash: it is used again only for the very same."""

from __future__ import annotations

import ast
import hashlib
import json
import sys
from collections.abc import Iterable, Iterator
from functools import cache
from importlib.machinery import PathFinder
from importlib.metadata import version
from pathlib import Path
from typing import Any

from logic_retrievers.errors import ReadError
from logic_retrievers.evaluation.folders import existing_folder
from logic_retrievers.report.studies.base import Study
from logic_retrievers.report.workbench import Workbench

HERE = "logic_retrievers.report"
CHUNK = 1 << 20


class Contents:
    """Hashes of what folders hold; each is read once."""

    def __init__(self) -> None:
        self._known: dict[Path, str] = {}

    def of(self, folder: Path) -> str:
        """A hash over the names and the contents of all files of a folder.

        Raises:
            ReadError: a file cannot be read.
        """
        folder = folder.resolve()
        if folder not in self._known:
            self._known[folder] = digest(
                [[str(path.relative_to(folder)), file_hash(path)] for path in files(folder)]
            )
        return self._known[folder]


def files(folder: Path) -> list[Path]:
    """Every file below a folder, in the order of their names; the folder itself, if it is one."""
    if folder.is_file():
        return [folder]
    return sorted(path for path in folder.rglob("*") if path.is_file())


def file_hash(path: Path) -> str:
    """SHA-256 of a file.

    Raises:
        ReadError: it cannot be read.
    """
    found = hashlib.sha256()
    try:
        with path.open("rb") as stream:
            while chunk := stream.read(CHUNK):
                found.update(chunk)
    except OSError as error:
        raise ReadError(f"cannot be read: {error.strerror}", file=str(path)) from error
    return found.hexdigest()


def digest(parts: Any) -> str:
    """SHA-256 of what JSON can hold."""
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()


def study_key(study: Study, bench: Workbench, contents: Contents, machine: str = "") -> str:
    """What a study's section hangs on: data, encoder, models, seed, its own source.

    Args:
        study: the experiment.
        bench: what it works with.
        contents: of its data and models.
        machine: where it runs, which counts for figures that are times.

    Raises:
        ReadError: a data folder is missing, or a file of it cannot be read.
    """
    models = {role: bench.model(role) for role in study.models}
    return digest(
        {
            "version": version("logic-retrievers"),
            "study": study.name,
            "data": {name: contents.of(existing_folder(Path(name))) for name in study.data},
            "encoder": encoder_facts(bench),
            "models": {role: path and contents.of(path) for role, path in models.items()},
            "seed": bench.seed,
            "core_hour": bench.core_hour if study.timed else None,
            "source": [file_hash(path) for path in sources(study.run.__module__)],
            "machine": machine if study.timed else "",
        }
    )


def encoder_facts(bench: Workbench) -> dict[str, Any]:
    """What figures hang on: vector -> fingerprints of its sides, and the constants found for it."""
    return {
        name: {
            "document": spec.fingerprint,
            "query": spec.side("query"),
            "exclusion": dict(spec.exclusion or {}),
            "contradiction": dict(spec.contradiction or {}),
        }
        for name, spec in sorted(bench.encoder.specs.items())
    }


def sources(module: str) -> list[Path]:
    """The source of a study: its module, and what that imports of the report or from beside it."""
    beside = module.rpartition(".")[0]
    found: dict[str, Path] = {}
    waiting = [module]
    while waiting:
        name = waiting.pop()
        path = None if name in found else _source(name)
        if path is not None:
            found[name] = path
            named = _imported(path)
            waiting += [
                one for one in named if _within(one, HERE) or (beside and _within(one, beside))
            ]
    return [found[name] for name in sorted(found)]


def _within(name: str, package: str) -> bool:
    return name == package or name.startswith(f"{package}.")


@cache
def _imported(path: Path) -> tuple[str, ...]:
    return tuple(_imports(ast.walk(ast.parse(path.read_text(encoding="utf-8")))))


def _imports(nodes: Iterable[ast.AST]) -> Iterator[str]:
    for node in nodes:
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def _source(name: str) -> Path | None:
    """The file of a module, which is not imported for that; None where the name is none."""
    loaded = sys.modules.get(name)
    if loaded is not None and getattr(loaded, "__file__", None):
        return Path(str(loaded.__file__))
    parent = sys.modules.get(name.rpartition(".")[0])
    spec = PathFinder.find_spec(name, getattr(parent, "__path__", None)) if parent else None
    return Path(spec.origin) if spec is not None and spec.origin else None
