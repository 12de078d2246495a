"""From sentence-transformers models to a bundle on disk, through the gate."""

from __future__ import annotations

import json
import shutil
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeAlias

import onnx
from sentence_transformers import SentenceTransformer

from logic_export.compress import Compression, compress_weights
from logic_export.gate import Figures, measure, pass_or_raise
from logic_export.heads import HeadSource, check_documents
from logic_export.onnx import export_graph, load_model
from logic_export.optimum import export_with_optimum
from logic_export.parts import head_of, references_of, shared_tokenizer, write_graph
from logic_export.split import split_graph
from logic_retrievers.encoders.bundle import checksums, load_bundle, write_manifest
from logic_retrievers.encoders.manifest import Manifest, Parity
from logic_retrievers.errors import ConfigurationError
from logic_retrievers.evaluation import Dataset

Exporter: TypeAlias = Literal["torch", "optimum"]

TRUNK = "trunk.onnx"


@dataclass(frozen=True, slots=True)
class Label:
    """What a bundle says about where it comes from.

    Args:
        name: of the bundle.
        licence: SPDX expression of the weights.
        origin: the model that it was made from.
        documents: file name -> content; ``NOTICE`` must be there.
    """

    name: str
    licence: str
    origin: str
    documents: Mapping[str, str]


def export_bundle(
    out: Path,
    label: Label,
    heads: Sequence[HeadSource],
    *,
    shared_layers: int = 0,
    compression: Compression = "mixed",
    query_prefix: str = "",
    document_prefix: str = "",
    min_cosine: float = 0.9999,
    dataset: Dataset | None = None,
    exporter: Exporter = "torch",
) -> Figures:
    """Writes a bundle.

    Heads from one model share one graph. Heads from several share a trunk, their lowest layers,
    and have a graph each above it; so a text's way through the trunk is gone once, its weights are
    stored once, and a head that is trained anew leaves the others' files as they are.

    Args:
        out: the bundle's folder; must not exist. Nothing appears there unless the gate is passed.
        label: name, licence and origin.
        heads: the named vectors.
        shared_layers: how many layers above the embeddings the trunk has, of heads from several
            models.
        compression: of the weights, see :func:`compress_weights`.
        query_prefix: put before every query.
        document_prefix: put before every document.
        min_cosine: least cosine to the original, for this gate and for ``verify_bundle`` later.
        dataset: also compares each model's nDCG@10 on it, which takes minutes.
        exporter: who makes the graphs: ``torch`` (extra ``train``), or ``optimum`` (the extra of
            that name; its graphs cannot be cut, so all heads must come from one model).

    Returns:
        The figures of the model that came out worst.

    Raises:
        ConfigurationError: ``out`` exists, or the models cannot be exported or share no trunk.
        MissingExtraError: the exporter is not installed.
        ParityError: the bundle strays from the originals.
    """
    if out.exists():
        raise ConfigurationError(f"{str(out)!r} exists. Remove it or name another folder.")
    if "NOTICE" not in label.documents or not heads:
        raise ConfigurationError("A bundle needs a NOTICE and at least one head.")
    check_documents(heads)
    models = {source.model: load_model(source.model) for source in heads}
    prefixes = (query_prefix, document_prefix)
    out.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=out.parent, prefix=".export-") as name:
        folder = Path(name) / out.name
        folder.mkdir()
        graphs = _write_graphs(folder, models, heads, shared_layers, compression, exporter)
        (folder / "tokenizer.json").write_text(shared_tokenizer(models), encoding="utf-8")
        for file, content in label.documents.items():
            (folder / file).write_text(content, encoding="utf-8")
        references = [
            row
            for model in models
            for row in references_of(
                models[model], [h.name for h in heads if h.model == model], prefixes
            )
        ]
        (folder / "parity.json").write_text(json.dumps(references), encoding="utf-8")
        write_manifest(
            folder,
            Manifest(
                format_version=1,
                name=label.name,
                licence=label.licence,
                origin=label.origin,
                notice="NOTICE",
                files=checksums(folder, [path.name for path in folder.iterdir()]),
                heads={
                    source.name: head_of(
                        models[source.model], source, graphs[source.model], prefixes
                    )
                    for source in heads
                },
                parity=Parity(file="parity.json", min_cosine=min_cosine),
            ),
        )
        bundle = load_bundle(folder)
        first = {source.model: source.name for source in reversed(heads)}
        measured = [measure(bundle, first[name], models[name], dataset) for name in models]
        for figures in measured:
            pass_or_raise(figures, min_cosine)
        shutil.move(folder, out)
    return min(measured, key=lambda figures: figures.lowest_cosine)


def _write_graphs(
    folder: Path,
    models: Mapping[str, SentenceTransformer],
    heads: Sequence[HeadSource],
    shared_layers: int,
    compression: Compression,
    exporter: Exporter,
) -> dict[str, tuple[str | None, str]]:
    """Writes the graphs; gives each model's trunk, if there is one, and graph."""
    if len(models) == 1:
        ((name, model),) = models.items()
        write_graph(
            folder / "model.onnx", compress_weights(_exported(name, model, exporter), compression)
        )
        return {name: (None, "model.onnx")}
    trunk: bytes | None = None
    graphs: dict[str, tuple[str | None, str]] = {}
    for name, model in models.items():
        head = next(source.name for source in heads if source.model == name)
        below, above = split_graph(_exported(name, model, exporter), shared_layers)
        content = compress_weights(below, compression).SerializeToString(deterministic=True)
        if trunk is None:
            trunk = content
            (folder / TRUNK).write_bytes(content)
        elif content != trunk:
            raise ConfigurationError(
                f"the tables or the lowest {shared_layers} layers of {name!r} are not those of "
                f"{next(iter(models))!r}; train it with them frozen (model.shared_layers)"
            )
        write_graph(folder / f"{head}.onnx", compress_weights(above, compression))
        graphs[name] = (TRUNK, f"{head}.onnx")
    return graphs


def _exported(name: str, model: SentenceTransformer, exporter: Exporter) -> onnx.ModelProto:
    return export_graph(model) if exporter == "torch" else export_with_optimum(name)
