"""Copies a bundle with its weights stored in a different way."""

from __future__ import annotations

from pathlib import Path

import onnx

from logic_export.bundles.compression import (
    MIN_COSINE,
    STORAGE,
    Compression,
    compress_weights,
    expand_weights,
    write_graph,
)
from logic_export.bundles.manifests import checksums, new_folder, require_new, write_manifest
from logic_export.bundles.parity import ParityFigures, measure_parity, require_parity
from logic_retrievers.encoders.bundle import load_bundle


def recompress_bundle(
    bundle: Path | None,
    out: Path,
    compression: Compression = "int8",
    *,
    min_cosine: float | None = None,
) -> ParityFigures:
    """Copy a bundle with its matrices stored in a different way; return the worst head's figures.

    Embedding tables already in codes, the tokenizer, the original models' reference vectors and all
    constants stay as they are. Vectors and fingerprints change.
    Nothing is written unless parity holds.

    Args:
        bundle: the bundle's folder; None takes the packaged one. Its weights should be finer than
            ``compression``, since int8 cannot be undone.
        out: the new bundle's folder; must not exist.
        compression: storage of the new graphs.
        min_cosine: minimum cosine to the reference vectors; None takes that of ``compression``.

    Raises:
        BundleError: the bundle is missing or damaged.
        ConfigurationError: ``out`` exists.
        ParityError: the new bundle's vectors differ too much.
    """
    require_new(out)
    source = load_bundle(bundle)
    manifest = source.manifest
    least = MIN_COSINE[compression] if min_cosine is None else min_cosine
    with new_folder(out) as folder:
        for file in manifest.files:
            content = source.read(file)
            if file.endswith(".onnx"):
                graph = expand_weights(onnx.load_from_string(content))
                write_graph(folder / file, compress_weights(graph, compression))
            else:
                (folder / file).write_bytes(content)
        notice = (folder / manifest.notice).read_text("utf-8")
        for text in STORAGE.values():
            notice = notice.replace(
                f"weights stored as {text};", f"weights stored as {STORAGE[compression]};"
            )
        (folder / manifest.notice).write_text(notice, "utf-8")
        write_manifest(
            folder,
            manifest.model_copy(
                update={
                    "files": checksums(folder),
                    "parity": manifest.parity.model_copy(update={"min_cosine": least}),
                }
            ),
        )
        copied = load_bundle(folder)
        figures = [measure_parity(copied, head) for head in manifest.heads]
        for head_figures in figures:
            require_parity(head_figures, least)
    return min(figures, key=lambda head_figures: head_figures.lowest_cosine)
