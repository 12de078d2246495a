"""What a report was made with: versions, machine, data, models, seed, times."""

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

from logic_retrievers.errors import ReadError
from logic_retrievers.evaluation.folders import existing_folder
from logic_retrievers.report.artefacts import Row, Section, Table
from logic_retrievers.report.keys import Contents, encoder_facts, files
from logic_retrievers.report.studies.base import Study
from logic_retrievers.report.workbench import ROLES, Workbench

PACKAGES = (
    "logic-retrievers", "numpy", "onnxruntime", "tokenizers", "qdrant-client", "pydantic",
    "ir-measures", "matplotlib", "jinja2", "sentence-transformers", "torch", "xllamacpp",
)  # fmt: skip
SHORT = 12
"""Letters of a hash that tables show."""


def setting(
    bench: Workbench, studies: Sequence[Study], seconds: Mapping[str, float], contents: Contents
) -> dict[str, Any]:
    """All that figures hang on, ready for JSON.

    Args:
        bench: what the studies worked with.
        studies: of the report.
        seconds: study -> how long it took.
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


def setting_section(found: Mapping[str, Any], studies: Sequence[Study]) -> Section:
    """The setting as tables.

    Args:
        found: what :func:`setting` gives.
        studies: of the report.
    """
    on = found["machine"]
    facts = {
        "processor": on["processor"],
        "cores": on["cores"],
        "memory": on["memory"],
        "system": on["system"],
        "seed": str(found["seed"]),
        "commit": found["commit"] or "not from a git checkout",
        **found["versions"],
    }
    return Section(
        name="set-up",
        title="Set-up",
        text=("Times are of this run; every other figure comes out the same again.",),
        artefacts=(
            _table("set-up-machine", "Machine and versions", ("what", "value"), facts.items()),
            _data_table(found["data"]),
            _table(
                "set-up-encoder",
                "Vectors of the shipped encoder",
                ("vector", "fingerprint of documents", "of queries"),
                (
                    (name, one["document"][:SHORT], one["query"][:SHORT])
                    for name, one in found["encoder"].items()
                ),
            ),
            _model_table(found["models"]),
            _table(
                "set-up-times",
                "Seconds of each study",
                ("study", "seconds"),
                (
                    (study.title, None if took is None else round(took, 1))
                    for study in studies
                    for took in [found["seconds"][study.name]]
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
    """Of the checkout that this package lies in; None where it is none, or git is not there."""
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
    """Lines of a file of rows; None for a file that is none."""
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
        found = {str(path.relative_to(folder)): rows_of(path) for path in files(folder)}
        return {"rows": found, "sha256": contents.of(folder)}
    except ReadError:
        return None


def _data_table(data: Mapping[str, Mapping[str, Any] | None]) -> Table:
    rows = []
    for name, one in data.items():
        if one is None:
            note = "no such folder among the benchmark data"
            rows.append(Row(cells=(name, None, None, None), origin="absent", note=note))
            continue
        counts = [count for count in one["rows"].values() if count is not None]
        rows.append(Row(cells=(name, len(one["rows"]), sum(counts), one["sha256"][:SHORT])))
    return Table(
        name="set-up-data",
        title="Data",
        columns=("folder", "files", "rows", "SHA-256"),
        rows=tuple(rows),
        notes=("Rows are those of all files: documents, queries and judgements.",),
    )


def _model_table(models: Mapping[str, str | None]) -> Table:
    rows = [
        Row(cells=(role, found[:SHORT]))
        if found
        else Row(cells=(role, None), origin="absent", note=f"made by: {ROLES.get(role, 'nobody')}")
        for role, found in models.items()
    ]
    return Table(
        name="set-up-models",
        title="Models to compare with",
        columns=("model", "SHA-256"),
        rows=tuple(rows),
        notes=("None of them is shipped; `--models` names the folder that has them.",),
    )


def _table(name: str, title: str, columns: tuple[str, ...], rows: Iterable[Iterable[Any]]) -> Table:
    made = tuple(Row(cells=tuple(cells)) for cells in rows)
    return Table(name=name, title=title, columns=columns, rows=made)


def _versions() -> dict[str, str]:
    found = {}
    for package in PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return found


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        lines = []
    named = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(named, "") or platform.processor() or platform.machine()


def _memory() -> str:
    if sys.platform == "win32":
        return "not known"
    try:
        pages = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError):
        return "not known"
    return f"{pages / 2**30:.1f} GiB"
