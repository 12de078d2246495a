"""Writes a bundle's folder, its manifest and the checksums in it."""

from __future__ import annotations

import hashlib
import json
import shutil
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from logic_retrievers.encoders.manifest import MANIFEST_NAME, Manifest
from logic_retrievers.errors import ConfigurationError


def require_new(out: Path) -> None:
    """Raise :class:`ConfigurationError` if an output folder exists."""
    if out.exists():
        raise ConfigurationError(f"{str(out)!r} exists. Remove it or name another folder.")


@contextmanager
def new_folder(out: Path) -> Iterator[Path]:
    """Make a folder to write in; it becomes ``out`` unless the ``with`` block raises."""
    out.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=out.parent, prefix=".export-") as name:
        folder = Path(name) / out.name
        folder.mkdir()
        yield folder
        shutil.move(folder, out)


def write_manifest(folder: Path, manifest: Manifest) -> None:
    """Write ``manifest.json`` atomically; the bundle's other files must exist already."""
    text = json.dumps(manifest.model_dump(), indent=2, ensure_ascii=False)
    partial = folder / f"{MANIFEST_NAME}.partial"
    partial.write_text(text + "\n", encoding="utf-8")
    partial.replace(folder / MANIFEST_NAME)


def checksums(folder: Path, names: Iterable[str] | None = None) -> dict[str, str]:
    """Map the named files, or all but the manifest, to their SHA-256; sorted by name."""
    if names is None:
        names = [path.name for path in folder.iterdir() if path.name != MANIFEST_NAME]
    return {
        name: hashlib.sha256((folder / name).read_bytes()).hexdigest() for name in sorted(names)
    }
