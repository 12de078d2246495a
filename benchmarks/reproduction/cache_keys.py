"""Cache keys of sections: a hash over everything that their figures depend on."""

from __future__ import annotations

import ast
import hashlib
import json
import sys
from collections.abc import Iterable, Iterator
from functools import cache
from importlib.metadata import version
from importlib.util import find_spec, resolve_name
from pathlib import Path
from secrets import token_hex
from typing import Any

from benchmarks.reproduction.studies.base import Study
from benchmarks.reproduction.workbench import Workbench
from logic_retrievers.errors import ReadError
from logic_retrievers.evaluation.datasets import existing_folder

OWN_PACKAGE = "logic_retrievers"
CHUNK = 1 << 20


class Contents:
    """Hashes of the contents of folders; each is read once."""

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
    """Every file below a folder, sorted by name; the path itself if it is a file."""
    if folder.is_file():
        return [folder]
    return sorted(path for path in folder.rglob("*") if path.is_file())


def file_hash(path: Path) -> str:
    """SHA-256 of a file.

    Raises:
        ReadError: it cannot be read.
    """
    content_hash = hashlib.sha256()
    try:
        with path.open("rb") as stream:
            while chunk := stream.read(CHUNK):
                content_hash.update(chunk)
    except OSError as error:
        raise ReadError(f"cannot be read: {error.strerror}", file=str(path)) from error
    return content_hash.hexdigest()


def digest(parts: Any) -> str:
    """SHA-256 of a JSON-serialisable value."""
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()


def study_key(study: Study, bench: Workbench, contents: Contents, machine: str = "") -> str:
    """The cache key of a study's section, over data, encoder, models, seed and source.

    A study without a source file (written in a notebook) gets another key each time.

    Args:
        study: the experiment.
        bench: data, encoder and models.
        contents: of its data and models.
        machine: part of the key of studies that measure times.

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
            "source": [file_hash(path) for path in sources(study.run.__module__)] or token_hex(),
            "machine": machine if study.timed else "",
        }
    )


def encoder_facts(bench: Workbench) -> dict[str, Any]:
    """Vector -> fingerprints of its document and query sides, and its constants."""
    return {
        name: {
            "document": spec.fingerprint,
            "query": spec.fingerprint_for("query"),
            "exclusion": dict(spec.exclusion or {}),
            "contradiction": dict(spec.contradiction or {}),
        }
        for name, spec in sorted(bench.encoder.specs.items())
    }


def sources(module: str) -> list[Path]:
    """Source files of a study: its module and all imports in its and our package, direct or not.

    Renderers and other packages are left out.
    """
    own = {OWN_PACKAGE, module.partition(".")[0]}
    paths: dict[str, Path | None] = {}
    waiting = [module]
    while waiting:
        name = waiting.pop()
        if name not in paths and name.partition(".")[0] in own:
            paths[name] = _source(name)
            waiting += _imported_modules(name, paths[name])
    return [path for _, path in sorted(paths.items()) if path is not None]


@cache
def _imported_modules(name: str, path: Path | None) -> tuple[str, ...]:
    if path is None:
        return ()
    package = name if path.name == "__init__.py" else name.rpartition(".")[0]
    return tuple(_imports(ast.walk(ast.parse(path.read_text(encoding="utf-8"))), package))


def _imports(nodes: Iterable[ast.AST], package: str) -> Iterator[str]:
    for node in nodes:
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            module = resolve_name("." * node.level + (node.module or ""), package)
            yield module
            yield from (f"{module}.{alias.name}" for alias in node.names)


def _source(name: str) -> Path | None:
    """The file of a module, found without importing it; None if the name is no module."""
    top, *rest = name.split(".")
    file = getattr(sys.modules.get(top), "__file__", None)
    if file is None:
        spec = None if top in sys.modules else find_spec(top)
        file = None if spec is None else spec.origin
    if file is None or not rest:
        return None if file is None else Path(file)
    path = Path(file).parent.joinpath(*rest)
    return next(
        (
            candidate
            for candidate in (path.with_suffix(".py"), path / "__init__.py")
            if candidate.is_file()
        ),
        None,
    )
