"""Copies a bundle with its weights stored in another way."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

import onnx

from logic_export.bundles.compression import (
    MIN_COSINE,
    STORAGE,
    Compression,
    compress_weights,
    expand_weights,
)
from logic_export.bundles.export import write_graph
from logic_export.bundles.manifests import checksums, write_manifest
from logic_export.bundles.parity import ParityFigures, measure_parity, require_parity
from logic_retrievers.encoders.bundle import load_bundle
from logic_retrievers.errors import ConfigurationError


def recompress_bundle(
    bundle: Path | None,
    out: Path,
    compression: Compression = "int8",
    *,
    min_cosine: float | None = None,
) -> ParityFigures:
    """Writes a copy of a bundle whose matrices are stored in another way.

    Embedding tables that are already codes stay as they are, and so do the tokenizer, the reference
    vectors (those of the original models), and all constants. Vectors and fingerprints change.

    Args:
        bundle: its folder; the packaged one where None. Choose one with finer weights than
            ``compression``: what int8 lost does not come back.
        out: the new bundle's folder; must not exist. Nothing is written unless parity holds.
        compression: of the new graphs.
        min_cosine: least cosine to the reference vectors; by ``compression`` where None.

    Returns:
        The figures of the head with the lowest cosine.

    Raises:
        BundleError: the bundle is missing or damaged.
        ConfigurationError: ``out`` exists.
        ParityError: the new bundle's vectors differ too much.
    """
    if out.exists():
        raise ConfigurationError(f"{str(out)!r} exists. Remove it or name another folder.")
    source = load_bundle(bundle)
    manifest = source.manifest
    least = MIN_COSINE[compression] if min_cosine is None else min_cosine
    out.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=out.parent, prefix=".export-") as name:
        folder = Path(name) / out.name
        folder.mkdir()
        for file in manifest.files:
            content = source.read(file)
            if file.endswith(".onnx"):
                graph = expand_weights(onnx.load_from_string(content))
                write_graph(folder / file, compress_weights(graph, compression))
            else:
                (folder / file).write_bytes(content)
        notice = (folder / manifest.notice).read_text("utf-8")
        (folder / manifest.notice).write_text(_update_storage(notice, compression), "utf-8")
        write_manifest(
            folder,
            manifest.model_copy(
                update={
                    "files": checksums(folder, list(manifest.files)),
                    "parity": manifest.parity.model_copy(update={"min_cosine": least}),
                }
            ),
        )
        copied = load_bundle(folder)
        figures = [measure_parity(copied, head) for head in manifest.heads]
        for head_figures in figures:
            require_parity(head_figures, least)
        shutil.move(folder, out)
    return min(figures, key=lambda head_figures: head_figures.lowest_cosine)


def _update_storage(notice: str, compression: Compression) -> str:
    """The NOTICE with its sentence on the storage of weights brought up to date."""
    for text in sorted(STORAGE.values(), key=len, reverse=True):
        if f"weights stored as {text};" in notice:
            return notice.replace(
                f"weights stored as {text};", f"weights stored as {STORAGE[compression]};"
            )
    return notice
