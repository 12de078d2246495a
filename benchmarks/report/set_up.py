"""The set-up of a report (versions, machine, data, models, seed, times), and section keys."""

from __future__ import annotations

import gzip
import hashlib
import json
import os
import platform
from collections.abc import Mapping, Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import benchmarks
import logic_retrievers
from benchmarks.report.artefacts import Row, Section, Table
from benchmarks.report.workbench import ROLES, Study, Workbench
from logic_retrievers.errors import ReadError
from logic_retrievers.evaluation.datasets import existing_folder

PACKAGES = (
    "logic-retrievers", "numpy", "onnxruntime", "tokenizers", "qdrant-client", "pydantic",
    "ir-measures", "matplotlib", "jinja2", "sentence-transformers", "torch",
)  # fmt: skip
# Number of characters of a hash in tables.
SHORT = 12


class Contents:
    """Hashes of files and folders; each is read once."""

    def __init__(self) -> None:
        self._known: dict[Path, str] = {}

    def hash(self, place: Path, pattern: str = "*") -> str:
        """Compute the SHA-256 of names and contents of the files."""
        place = place.resolve()
        if place not in self._known:
            total = hashlib.sha256()
            for path in files(place, pattern):
                total.update(f"{path.relative_to(place)}\n".encode())
                try:
                    with path.open("rb") as stream:
                        total.update(hashlib.file_digest(stream, "sha256").digest())
                except OSError as error:
                    problem = f"cannot be read: {error.strerror}"
                    raise ReadError(problem, file=str(path)) from error
            self._known[place] = total.hexdigest()
        return self._known[place]

    def source(self) -> str:
        """Compute the SHA-256 of the source of the package and its benchmarks."""
        packages = (
            Path(str(package.__file__)).parent for package in (logic_retrievers, benchmarks)
        )
        return " ".join(self.hash(package, "*.py") for package in packages)


def files(place: Path, pattern: str = "*") -> list[Path]:
    """List every file below a folder, sorted by name; a file gives only itself."""
    if place.is_file():
        return [place]
    return sorted(path for path in place.rglob(pattern) if path.is_file())


def study_key(study: Study, bench: Workbench, contents: Contents) -> str:
    """Compute a hash of everything that affects the figures of a study."""
    models = {role: bench.model(role) for role in study.models}
    parts = {
        "study": study.name,
        "data": {name: contents.hash(existing_folder(Path(name))) for name in study.data},
        "encoder": _encoder(bench),
        "models": {role: path and contents.hash(path) for role, path in models.items()},
        "seed": bench.seed,
        "source": contents.source(),
    }
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()


def set_up(
    bench: Workbench, studies: Sequence[Study], seconds: Mapping[str, float], contents: Contents
) -> dict[str, Any]:
    """Collect the set-up of a run, ready for JSON."""
    roles = dict.fromkeys(role for study in studies for role in study.models)
    names = sorted({name for study in studies for name in study.data})
    return {
        "versions": {"python": platform.python_version(), **_versions()},
        "machine": {
            "processor": platform.processor() or platform.machine(),
            "cores": os.cpu_count(),
            "system": f"{platform.system()} {platform.machine()}",
        },
        "seed": bench.seed,
        "encoder": _encoder(bench),
        "data": {name: _data(name, contents) for name in names},
        "models": {
            role: contents.hash(path) if (path := bench.model(role)) is not None else None
            for role in roles
        },
        "seconds": {study.name: seconds.get(study.name) for study in studies},
    }


def set_up_section(facts: Mapping[str, Any]) -> Section:
    """Turn the facts of :func:`set_up` into tables."""
    machine = {**facts["machine"], "seed": str(facts["seed"]), **facts["versions"]}
    data = [
        Row(cells=(name, None, None, None), origin="absent", note="no such folder of data")
        if content is None
        else Row(
            cells=(
                name,
                len(content["rows"]),
                sum(count or 0 for count in content["rows"].values()),
                content["sha256"][:SHORT],
            )
        )
        for name, content in facts["data"].items()
    ]
    encoder = [
        Row(cells=(name, prints["document"][:SHORT], prints["query"][:SHORT]))
        for name, prints in facts["encoder"].items()
    ]
    models = [
        Row(cells=(role, digest[:SHORT]))
        if digest
        else Row(cells=(role, None), origin="absent", note=f"made by: {ROLES.get(role, 'unknown')}")
        for role, digest in facts["models"].items()
    ]
    times = [Row(cells=item) for item in facts["seconds"].items()]
    tables = (
        ("machine", "Machine and versions", ("what", "value"), map(_row, machine.items())),
        ("data", "Data", ("folder", "files", "rows", "SHA-256"), data),
        ("encoder", "Vectors of the shipped encoder", ("vector", "documents", "queries"), encoder),
        ("models", "Models to compare with", ("model", "SHA-256"), models),
        ("times", "Seconds of each study", ("study", "seconds"), times),
    )
    return Section(
        name="set-up",
        title="Set-up",
        text=("Times are of this run; every other figure comes out the same again.",),
        artefacts=tuple(
            Table(name=f"set-up-{name}", title=title, columns=columns, rows=tuple(rows))
            for name, title, columns, rows in tables
        ),
    )


def _row(cells: tuple[str, Any]) -> Row:
    return Row(cells=cells)


def _encoder(bench: Workbench) -> dict[str, Any]:
    """Map vectors to constants and to the fingerprints of document and query side."""
    return {
        name: {
            "document": spec.fingerprint,
            "query": spec.fingerprint_for("query"),
            "exclusion": dict(spec.exclusion or {}),
            "contradiction": dict(spec.contradiction or {}),
        }
        for name, spec in sorted(bench.encoder.specs.items())
    }


def _data(name: str, contents: Contents) -> dict[str, Any] | None:
    try:
        folder = existing_folder(Path(name))
        counts = {str(path.relative_to(folder)): _row_count(path) for path in files(folder)}
        return {"rows": counts, "sha256": contents.hash(folder)}
    except ReadError:
        return None


def _row_count(path: Path) -> int | None:
    """Count the non-empty lines of a JSON Lines or TSV file; None for other files."""
    if not path.name.removesuffix(".gz").endswith((".jsonl", ".tsv")):
        return None
    opened = gzip.open if path.suffix == ".gz" else open
    with opened(path, "rb") as stream:
        return sum(1 for line in stream if line.strip())


def _versions() -> dict[str, str]:
    versions = {}
    for package in PACKAGES:
        try:
            versions[package] = version(package)
        except PackageNotFoundError:
            continue
    return versions
