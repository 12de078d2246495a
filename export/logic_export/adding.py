"""A head put beside those of a bundle that is there: the others' files stay as they are."""

from __future__ import annotations

import json
import shutil
import tempfile
from pathlib import Path

from logic_export.compress import Compression, compress_weights
from logic_export.gate import Figures, measure, pass_or_raise
from logic_export.heads import HeadSource, notice_of
from logic_export.onnx import export_graph, load_model
from logic_export.parts import head_of, references_of, shared_tokenizer, write_graph
from logic_export.split import split_graph
from logic_retrievers.encoders.bundle import checksums, load_bundle, write_manifest
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
    fingerprints do not change, so collections made with them stay good.

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
    old = load_bundle(bundle)
    side = next(iter(old.manifest.heads.values())).document
    if side.trunk is None:
        raise ConfigurationError(f"the heads of {bundle} share no trunk that one more could use")
    model = load_model(head.model)
    below, above = split_graph(export_graph(model), shared_layers)
    trunk = compress_weights(below, compression).SerializeToString(deterministic=True)
    if trunk != old.read(side.trunk) or shared_tokenizer({"": model}).encode() != old.read(
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
        for file in old.manifest.files:
            (folder / file).write_bytes(old.read(file))
        graph = f"{head.name}.onnx"
        write_graph(folder / graph, compress_weights(above, compression))
        notice = old.read(old.manifest.notice).decode().rstrip()
        text = f"{notice}\n\n{notice_of([head], added=True)}"
        (folder / old.manifest.notice).write_text(text, encoding="utf-8")
        prefixes = (side.prefix, side.prefix)
        kept = [row.model_dump() for row in old.references() if row.heads != (head.name,)]
        new = references_of(model, [head.name], prefixes)
        (folder / old.manifest.parity.file).write_text(json.dumps([*kept, *new]), "utf-8")
        made = head_of(model, head, (side.trunk, graph), prefixes)
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
