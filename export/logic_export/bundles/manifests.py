"""Writes a bundle's manifest and the checksums in it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from pathlib import Path

from logic_retrievers.encoders.manifest import MANIFEST_NAME, Manifest


def write_manifest(folder: Path, manifest: Manifest) -> None:
    """Writes ``manifest.json`` atomically; the bundle's other files must exist already."""
    text = json.dumps(manifest.model_dump(), indent=2, ensure_ascii=False)
    partial = folder / f"{MANIFEST_NAME}.partial"
    partial.write_text(text + "\n", encoding="utf-8")
    partial.replace(folder / MANIFEST_NAME)


def checksums(folder: Path, names: Iterable[str]) -> dict[str, str]:
    """File name -> SHA-256 of the named files of a folder, sorted by name."""
    return {
        name: hashlib.sha256((folder / name).read_bytes()).hexdigest() for name in sorted(names)
    }
