"""The set-up of a report: versions, machine, data, models, seed, times."""

from __future__ import annotations

import gzip
import os
import platform
import shutil
import subprocess
import sys
from collections.abc import Iterable, Mapping, Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from benchmarks.reproduction.artefacts import Row, Section, Table
from benchmarks.reproduction.cache_keys import Contents, encoder_facts, files
from benchmarks.reproduction.studies.base import Study
from benchmarks.reproduction.workbench import ROLES, Workbench
from logic_retrievers.errors import ReadError
from logic_retrievers.evaluation.datasets import existing_folder

PACKAGES = (
    "logic-retrievers", "numpy", "onnxruntime", "tokenizers", "qdrant-client", "pydantic",
    "ir-measures", "matplotlib", "jinja2", "sentence-transformers", "torch", "xllamacpp",
)  # fmt: skip
SHORT = 12
"""Letters of a hash that tables show."""


def run_setting(
    bench: Workbench, studies: Sequence[Study], seconds: Mapping[str, float], contents: Contents
) -> dict[str, Any]:
    """The set-up of a run, ready for JSON.

    Args:
        bench: of the studies.
        studies: of the report.
        seconds: study -> its time.
        contents: of the data.
    """
    roles = dict.fromkeys(role for study in studies for role in study.models)
    return {
        "versions": {"python": platform.python_version(), **_versions()},
        "commit": commit(),
        "machine": machine(),
        "seed": bench.seed,
        "encoder": encoder_facts(bench),
        "data": {
            name: _data(name, contents)
            for name in sorted({name for study in studies for name in study.data})
        },
        "models": {
            role: contents.of(path) if (path := bench.model(role)) is not None else None
            for role in roles
        },
        "seconds": {study.name: seconds.get(study.name) for study in studies},
    }


def setting_section(setting: Mapping[str, Any], studies: Sequence[Study]) -> Section:
    """The set-up as tables.

    Args:
        setting: of :func:`run_setting`.
        studies: of the report.
    """
    on = setting["machine"]
    facts = {
        "processor": on["processor"],
        "cores": on["cores"],
        "memory": on["memory"],
        "system": on["system"],
        "seed": str(setting["seed"]),
        "commit": setting["commit"] or "not from a git checkout",
        **setting["versions"],
    }
    return Section(
        name="set-up",
        title="Set-up",
        text=("Times are of this run; every other figure comes out the same again.",),
        artefacts=(
            _table("set-up-machine", "Machine and versions", ("what", "value"), facts.items()),
            _data_table(setting["data"]),
            _table(
                "set-up-encoder",
                "Vectors of the shipped encoder",
                ("vector", "fingerprint of documents", "of queries"),
                (
                    (name, fingerprints["document"][:SHORT], fingerprints["query"][:SHORT])
                    for name, fingerprints in setting["encoder"].items()
                ),
            ),
            _model_table(setting["models"]),
            _table(
                "set-up-times",
                "Seconds of each study",
                ("study", "seconds"),
                (
                    (study.title, None if took is None else round(took, 1))
                    for study in studies
                    for took in [setting["seconds"][study.name]]
                ),
            ),
        ),
    )


def machine() -> dict[str, Any]:
    """Processor, cores, memory and system, as far as the system tells."""
    return {
        "processor": _processor(),
        "cores": os.cpu_count(),
        "memory": _memory(),
        "system": f"{platform.system()} {platform.machine()}",
    }


def commit() -> str | None:
    """Git commit of this checkout; None outside a checkout or without git."""
    program = shutil.which("git")
    if program is None:
        return None
    folder = Path(__file__).parent
    try:
        done = subprocess.run(
            [program, "-C", str(folder), "rev-parse", "HEAD"],
            capture_output=True, text=True, timeout=10, check=False,
        )  # fmt: skip
        tracked = subprocess.run(
            [program, "-C", str(folder), "ls-files", "--error-unmatch", Path(__file__).name],
            capture_output=True, timeout=10, check=False,
        )  # fmt: skip
    except (OSError, subprocess.TimeoutExpired):
        return None
    # an environment inside somebody else's checkout is not ours
    both = done.returncode == 0 and tracked.returncode == 0
    return done.stdout.strip() if both else None


def rows_of(path: Path) -> int | None:
    """Non-empty lines of a JSON Lines or TSV file; None for other files."""
    name = path.name.removesuffix(".gz")
    if not name.endswith((".jsonl", ".tsv")):
        return None
    opened = gzip.open if path.suffix == ".gz" else open
    try:
        with opened(path, "rb") as stream:
            return sum(1 for line in stream if line.strip())
    except OSError:
        return None


def _data(name: str, contents: Contents) -> dict[str, Any] | None:
    try:
        folder = existing_folder(Path(name))
        line_counts = {str(path.relative_to(folder)): rows_of(path) for path in files(folder)}
        return {"rows": line_counts, "sha256": contents.of(folder)}
    except ReadError:
        return None


def _data_table(data: Mapping[str, Mapping[str, Any] | None]) -> Table:
    rows = []
    for name, content in data.items():
        if content is None:
            note = "no such folder among the benchmark data"
            rows.append(Row(cells=(name, None, None, None), origin="absent", note=note))
            continue
        counts = [count for count in content["rows"].values() if count is not None]
        rows.append(Row(cells=(name, len(content["rows"]), sum(counts), content["sha256"][:SHORT])))
    return Table(
        name="set-up-data",
        title="Data",
        columns=("folder", "files", "rows", "SHA-256"),
        rows=tuple(rows),
        notes=("Rows are those of all files: documents, queries and judgements.",),
    )


def _model_table(models: Mapping[str, str | None]) -> Table:
    rows = [
        Row(cells=(role, files[:SHORT]))
        if files
        else Row(cells=(role, None), origin="absent", note=f"made by: {ROLES.get(role, 'nobody')}")
        for role, files in models.items()
    ]
    return Table(
        name="set-up-models",
        title="Models to compare with",
        columns=("model", "SHA-256"),
        rows=tuple(rows),
        notes=("None of them is shipped; `--models` names the folder that has them.",),
    )


def _table(name: str, title: str, columns: tuple[str, ...], rows: Iterable[Iterable[Any]]) -> Table:
    table_rows = tuple(Row(cells=tuple(cells)) for cells in rows)
    return Table(name=name, title=title, columns=columns, rows=table_rows)


def _versions() -> dict[str, str]:
    versions = {}
    for package in PACKAGES:
        try:
            versions[package] = version(package)
        except PackageNotFoundError:
            continue
    return versions


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        lines = []
    models = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(models, "") or platform.processor() or platform.machine()


def _memory() -> str:
    if sys.platform == "win32":
        return "not known"
    try:
        pages = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError):
        return "not known"
    return f"{pages / 2**30:.1f} GiB"
