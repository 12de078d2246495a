"""A head put beside those of a bundle that is there: the others' files stay as they are."""

from __future__ import annotations

import json
import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path

from logic_export.compress import Compression, compress_weights
from logic_export.gate import Figures, measure, pass_or_raise
from logic_export.heads import HeadSource, check_documents, notice_of
from logic_export.onnx import export_graph, load_model
from logic_export.parts import head_of, references_of, shared_tokenizer, write_graph
from logic_export.split import split_graph
from logic_retrievers.encoders.bundle import Bundle, checksums, load_bundle, write_manifest
from logic_retrievers.encoders.manifest import Manifest
from logic_retrievers.errors import ConfigurationError


def add_head(
    bundle: Path,
    head: HeadSource,
    out: Path,
    *,
    shared_layers: int = 0,
    compression: Compression = "mixed",
) -> Figures:
    """Writes a copy of a bundle with one more head, or with another one in a head's place.

    The new head must share the bundle's trunk to the bit. The vectors of the other heads and their
    fingerprints do not change, so collections made with them stay good. What belonged to a head
    whose place is taken goes with it: its graph, its references, its constants.

    Args:
        bundle: a folder whose heads share a trunk.
        head: what to add.
        out: the new bundle's folder; must not exist. Nothing appears there unless the gate is
            passed.
        shared_layers: as the bundle was exported with.
        compression: of the weights; as the bundle was exported with, or the trunks differ.

    Returns:
        The figures of the new head.

    Raises:
        BundleError: no bundle there, or a damaged one.
        ConfigurationError: ``out`` exists, or the head does not fit the bundle.
        ParityError: the new head strays from its original.
    """
    if out.exists():
        raise ConfigurationError(f"{str(out)!r} exists. Remove it or name another folder.")
    check_documents([head])
    old = load_bundle(bundle)
    first = next(iter(old.manifest.heads.values()))
    trunk_file, prefixes = first.document.trunk, (first.query.prefix, first.document.prefix)
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
        kept = _kept_files(old.manifest, head.name)
        for file in kept:
            (folder / file).write_bytes(old.read(file))
        graph = _free_name(head.name, kept)
        write_graph(folder / graph, compress_weights(above, compression))
        notice = old.read(old.manifest.notice).decode().rstrip()
        text = f"{notice}\n\n{notice_of([head], added=True)}"
        (folder / old.manifest.notice).write_text(text, encoding="utf-8")
        references = [
            *_references_but(old, head.name),
            *references_of(model, [head.name], prefixes),
        ]
        (folder / old.manifest.parity.file).write_text(json.dumps(references), "utf-8")
        made = head_of(model, head, (trunk_file, graph), prefixes)
        write_manifest(
            folder,
            old.manifest.model_copy(
                update={
                    "files": checksums(folder, [path.name for path in folder.iterdir()]),
                    "heads": {**old.manifest.heads, head.name: made},
                }
            ),
        )
        figures = measure(load_bundle(folder), head.name, model)
        pass_or_raise(figures, old.manifest.parity.min_cosine)
        shutil.move(folder, out)
    return figures


def _kept_files(manifest: Manifest, name: str) -> list[str]:
    """All files but the graphs that only the head of this name reads."""
    graphs: dict[str, set[str]] = {}
    for other, head in manifest.heads.items():
        for side in (head.query, head.document):
            for graph in side.graphs:
                graphs.setdefault(graph, set()).add(other)
    trunks = {head.document.trunk for head in manifest.heads.values()}
    return [file for file in manifest.files if file in trunks or graphs.get(file) != {name}]


def _free_name(head: str, taken: Sequence[str]) -> str:
    """Heads of one model share a graph, which may have this head's name."""
    return next(
        name
        for number in range(1, len(taken) + 2)
        if (name := f"{head}.onnx" if number == 1 else f"{head}-{number}.onnx") not in taken
    )


def _references_but(bundle: Bundle, name: str) -> list[dict[str, object]]:
    """The reference vectors of the other heads; heads of one model share theirs."""
    rows = [
        {**row.model_dump(), "heads": [head for head in row.heads if head != name]}
        for row in bundle.references()
    ]
    return [row for row in rows if row["heads"]]
