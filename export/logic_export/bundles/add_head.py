"""Adds or replaces a head of an existing bundle; the other heads' files stay as they are."""

from __future__ import annotations

import json
import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path

from logic_export.bundles.compression import Compression, compress_weights
from logic_export.bundles.export import head_entry, shared_tokenizer, write_graph
from logic_export.bundles.graphs import export_graph, load_model, split_graph
from logic_export.bundles.heads import HeadSource, build_notice, refuse_query_encoders
from logic_export.bundles.manifests import checksums, write_manifest
from logic_export.bundles.parity import (
    ParityFigures,
    measure_parity,
    reference_vectors,
    require_parity,
)
from logic_retrievers.encoders.bundle import Bundle, load_bundle
from logic_retrievers.encoders.manifest import Manifest
from logic_retrievers.errors import ConfigurationError


def add_head(
    bundle: Path,
    head: HeadSource,
    out: Path,
    *,
    shared_layers: int = 0,
    compression: Compression = "mixed",
) -> ParityFigures:
    """Writes a copy of a bundle with a head added or replaced.

    The new head must share the bundle's trunk bit for bit. The vectors and fingerprints of the
    other heads do not change, so collections made with them stay valid. A replaced head's graph,
    references and constants are removed.

    Args:
        bundle: a folder whose heads share a trunk.
        head: the head to add.
        out: the new bundle's folder; must not exist. Nothing is written unless parity
            holds.
        shared_layers: as the bundle was exported with.
        compression: of the weights; as the bundle was exported with, or the trunks would differ.

    Returns:
        The figures of the new head.

    Raises:
        BundleError: the bundle is missing or damaged.
        ConfigurationError: ``out`` exists, or the head does not fit the bundle.
        ParityError: the new head differs from its original.
    """
    if out.exists():
        raise ConfigurationError(f"{str(out)!r} exists. Remove it or name another folder.")
    refuse_query_encoders([head])
    old = load_bundle(bundle)
    first_head = next(iter(old.manifest.heads.values()))
    trunk_file, prefixes = (
        first_head.document.trunk,
        (first_head.query.prefix, first_head.document.prefix),
    )
    if trunk_file is None:
        raise ConfigurationError(f"the heads of {bundle} share no trunk that one more could use")
    model = load_model(head.model)
    below, above = split_graph(export_graph(model), shared_layers)
    trunk = compress_weights(below, compression).SerializeToString(deterministic=True)
    if trunk != old.read(trunk_file) or shared_tokenizer({"": model}).encode() != old.read(
        old.manifest.tokenizer
    ):
        raise ConfigurationError(
            f"the trunk of {head.model!r} is not that of {bundle}: train it from the same base, "
            "its shared layers frozen, and export it with the same compression"
        )
    out.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=out.parent, prefix=".export-") as name:
        folder = Path(name) / out.name
        folder.mkdir()
        kept_files = _files_without(old.manifest, head.name)
        for file in kept_files:
            (folder / file).write_bytes(old.read(file))
        graph = _unused_file_name(head.name, kept_files)
        write_graph(folder / graph, compress_weights(above, compression))
        notice = old.read(old.manifest.notice).decode().rstrip()
        text = f"{notice}\n\n{build_notice([head], added=True)}"
        (folder / old.manifest.notice).write_text(text, encoding="utf-8")
        references = [
            *_references_without(old, head.name),
            *reference_vectors(model, [head.name], prefixes),
        ]
        (folder / old.manifest.parity.file).write_text(json.dumps(references), "utf-8")
        entry = head_entry(model, head, (trunk_file, graph), prefixes)
        write_manifest(
            folder,
            old.manifest.model_copy(
                update={
                    "files": checksums(folder, [path.name for path in folder.iterdir()]),
                    "heads": {**old.manifest.heads, head.name: entry},
                }
            ),
        )
        figures = measure_parity(load_bundle(folder), head.name)
        require_parity(figures, old.manifest.parity.min_cosine)
        shutil.move(folder, out)
    return figures


def _files_without(manifest: Manifest, name: str) -> list[str]:
    """All files except the graphs that only the head of this name reads."""
    graphs: dict[str, set[str]] = {}
    for other, head in manifest.heads.items():
        for side in (head.query, head.document):
            for graph in side.graphs:
                graphs.setdefault(graph, set()).add(other)
    trunks = {head.document.trunk for head in manifest.heads.values()}
    return [file for file in manifest.files if file in trunks or graphs.get(file) != {name}]


def _unused_file_name(head: str, taken: Sequence[str]) -> str:
    """An unused name: heads of one model share a graph, which may already have this head's name."""
    return next(
        name
        for number in range(1, len(taken) + 2)
        if (name := f"{head}.onnx" if number == 1 else f"{head}-{number}.onnx") not in taken
    )


def _references_without(bundle: Bundle, name: str) -> list[dict[str, object]]:
    """The reference vectors of the other heads; heads of one model share a row."""
    rows = [
        {**row.model_dump(), "heads": [head for head in row.heads if head != name]}
        for row in bundle.references()
    ]
    return [row for row in rows if row["heads"]]
