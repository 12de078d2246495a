"""Exports sentence-transformers models as a bundle, and adds heads to a bundle.

A bundle is written only if parity holds: its vectors must be close to those of the models.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal, TypeAlias

import numpy as np
import onnx
from sentence_transformers import SentenceTransformer
from tokenizers import Tokenizer

from logic_export.bundles.compression import (
    MIN_COSINE,
    Compression,
    compress_weights,
    write_graph,
)
from logic_export.bundles.graphs import (
    OUTPUT,
    export_graph,
    export_with_optimum,
    load_model,
    split_graph,
)
from logic_export.bundles.heads import HeadSource, build_notice, refuse_query_encoders
from logic_export.bundles.manifests import checksums, new_folder, require_new, write_manifest
from logic_export.bundles.parity import (
    ParityFigures,
    measure_parity,
    measure_retrieval,
    reference_vectors,
    require_parity,
)
from logic_retrievers.encoders.bundle import load_bundle
from logic_retrievers.encoders.manifest import Head, Manifest, Parity, Side
from logic_retrievers.errors import ConfigurationError
from logic_retrievers.evaluation import Dataset

Exporter: TypeAlias = Literal["torch", "optimum"]

TRUNK = "trunk.onnx"


@dataclass(frozen=True, slots=True)
class BundleLabel:
    """Origin and rights of a bundle."""

    name: str
    licence: str  # SPDX expression of the weights
    origin: str  # the model that it was made from
    documents: Mapping[str, str]  # file name -> content; ``NOTICE`` must be there


def export_bundle(
    out: Path,
    label: BundleLabel,
    heads: Sequence[HeadSource],
    *,
    shared_layers: int = 0,
    compression: Compression = "mixed",
    query_prefix: str = "",
    document_prefix: str = "",
    min_cosine: float | None = None,
    dataset: Dataset | None = None,
    exporter: Exporter = "torch",
) -> ParityFigures:
    """Write a bundle; return the figures of the model with the lowest cosine.

    Heads from one model share one graph. Heads from several models share a trunk (their lowest
    layers) and have one graph each above it. So a text passes the trunk once, and its weights are
    stored once. A head that is trained again leaves the other files unchanged.

    Args:
        out: the bundle's folder; must not exist. Nothing is written unless parity holds.
        label: name, licence and origin.
        heads: the named vectors.
        shared_layers: layers of the trunk above the embeddings, for heads from several models.
        compression: storage of the weights, see :func:`compress_weights`.
        query_prefix: put before every query.
        document_prefix: put before every document.
        min_cosine: minimum cosine to the original, here and in ``verify_bundle`` later; None takes
            the one for ``compression`` in :data:`MIN_COSINE`.
        dataset: data set on which each model's nDCG@10 is compared too; takes minutes.
        exporter: ``torch`` (extra ``train``) or ``optimum`` (extra ``optimum``). Optimum's graphs
            cannot be split, so all heads must then come from one model.

    Raises:
        ConfigurationError: ``out`` exists, or the models cannot be exported or share no trunk.
        MissingExtraError: the exporter is not installed.
        ParityError: the bundle differs from the originals.
    """
    require_new(out)
    if "NOTICE" not in label.documents or not heads:
        raise ConfigurationError("A bundle needs a NOTICE and at least one head.")
    refuse_query_encoders(heads)
    least_cosine = MIN_COSINE[compression] if min_cosine is None else min_cosine
    models = {source.model: load_model(source.model) for source in heads}
    prefixes = (query_prefix, document_prefix)
    with new_folder(out) as folder:
        graphs = _write_graphs(folder, models, heads, shared_layers, compression, exporter)
        (folder / "tokenizer.json").write_text(shared_tokenizer(models.values()), encoding="utf-8")
        for file, content in label.documents.items():
            (folder / file).write_text(content, encoding="utf-8")
        references = [
            row
            for model in models
            for row in reference_vectors(
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
                files=checksums(folder),
                heads={
                    source.name: _head_entry(
                        models[source.model], source, graphs[source.model], prefixes
                    )
                    for source in heads
                },
                parity=Parity(file="parity.json", min_cosine=least_cosine),
            ),
        )
        bundle = load_bundle(folder)
        head_names = {source.model: source.name for source in reversed(heads)}
        measured = []
        for name, model in models.items():
            figures = measure_parity(bundle, head_names[name])
            if dataset is not None:
                ndcg, original = measure_retrieval(bundle, head_names[name], model, dataset)
                figures = replace(figures, ndcg=ndcg, original_ndcg=original)
            require_parity(figures, least_cosine)
            measured.append(figures)
    return min(measured, key=lambda figures: figures.lowest_cosine)


def add_head(
    bundle: Path,
    head: HeadSource,
    out: Path,
    *,
    shared_layers: int = 0,
    compression: Compression = "mixed",
) -> ParityFigures:
    """Copy a bundle with a head added or replaced; return the figures of the new head.

    The new head must share the bundle's trunk bit for bit, so pass the ``shared_layers`` and
    ``compression`` of the bundle's export. Vectors and fingerprints of the other heads do not
    change, so collections made with them stay valid. A replaced head's graph, references and
    constants are removed. Nothing is written unless parity holds.

    Raises:
        BundleError: the bundle is missing or damaged.
        ConfigurationError: ``out`` exists, or the head does not fit the bundle.
        ParityError: the new head differs from its original.
    """
    require_new(out)
    refuse_query_encoders([head])
    old = load_bundle(bundle)
    manifest = old.manifest
    first_head = next(iter(manifest.heads.values()))
    trunk_file = first_head.document.trunk
    prefixes = (first_head.query.prefix, first_head.document.prefix)
    if trunk_file is None:
        raise ConfigurationError(f"the heads of {bundle} share no trunk that one more could use")
    model = load_model(head.model)
    below, above = split_graph(export_graph(model), shared_layers)
    trunk = compress_weights(below, compression).SerializeToString(deterministic=True)
    tokenizer = shared_tokenizer([model]).encode()
    if trunk != old.read(trunk_file) or tokenizer != old.read(manifest.tokenizer):
        raise ConfigurationError(
            f"the trunk of {head.model!r} is not that of {bundle}: train it from the same base, "
            "its shared layers frozen, and export it with the same compression"
        )
    with new_folder(out) as folder:
        kept_files = _files_without(manifest, head.name)
        for file in kept_files:
            (folder / file).write_bytes(old.read(file))
        graph = _unused_file_name(head.name, kept_files)
        write_graph(folder / graph, compress_weights(above, compression))
        notice = old.read(manifest.notice).decode().rstrip()
        text = f"{notice}\n\n{build_notice([head], added=True)}"
        (folder / manifest.notice).write_text(text, encoding="utf-8")
        # a reference row names all heads of its model; the old head's name is removed
        rows = [
            {**row.model_dump(), "heads": [name for name in row.heads if name != head.name]}
            for row in old.references()
        ]
        references = [row for row in rows if row["heads"]]
        references += reference_vectors(model, [head.name], prefixes)
        (folder / manifest.parity.file).write_text(json.dumps(references), "utf-8")
        entry = _head_entry(model, head, (trunk_file, graph), prefixes)
        update = {"files": checksums(folder), "heads": {**manifest.heads, head.name: entry}}
        write_manifest(folder, manifest.model_copy(update=update))
        figures = measure_parity(load_bundle(folder), head.name)
        require_parity(figures, manifest.parity.min_cosine)
    return figures


def shared_tokenizer(models: Iterable[SentenceTransformer]) -> str:
    """Return ``tokenizer.json`` for the tokenizer that all models share, without a fixed length.

    Raises:
        ConfigurationError: the models have different tokenizers.
    """
    texts = set()
    for model in models:
        tokenizer = Tokenizer.from_str(model.tokenizer.backend_tokenizer.to_str())
        tokenizer.no_truncation()
        tokenizer.enable_padding(
            pad_id=model.tokenizer.pad_token_id, pad_token=model.tokenizer.pad_token
        )
        texts.add(tokenizer.to_str())
    if len(texts) > 1:
        raise ConfigurationError("the heads' models have different tokenizers")
    return texts.pop()


def _write_graphs(
    folder: Path,
    models: Mapping[str, SentenceTransformer],
    heads: Sequence[HeadSource],
    shared_layers: int,
    compression: Compression,
    exporter: Exporter,
) -> dict[str, tuple[str | None, str]]:
    """Write the graphs; return model -> (trunk file or None, graph file)."""

    def exported(name: str) -> onnx.ModelProto:
        return export_graph(models[name]) if exporter == "torch" else export_with_optimum(name)

    if len(models) == 1:
        (name,) = models
        write_graph(folder / "model.onnx", compress_weights(exported(name), compression))
        return {name: (None, "model.onnx")}
    trunk: bytes | None = None
    graphs: dict[str, tuple[str | None, str]] = {}
    for name in models:
        head = next(source.name for source in heads if source.model == name)
        below, above = split_graph(exported(name), shared_layers)
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


def _head_entry(
    model: SentenceTransformer,
    source: HeadSource,
    graphs: tuple[str | None, str],
    prefixes: tuple[str, str],
) -> Head:
    """Build a head's entry in the manifest; ``graphs`` are its trunk, or None, and its graph."""
    query, document = (
        Side(
            graph=graphs[1],
            trunk=graphs[0],
            output=OUTPUT,
            prefix=prefix,
            max_tokens=int(model.max_seq_length or 0),
        )
        for prefix in prefixes
    )
    vector = model.encode(["length"])[0]
    return Head(
        dimension=len(vector),
        trained=source.trained,
        normalise=not np.isclose(np.linalg.norm(vector), 1, atol=1e-4),
        query=query,
        document=document,
        exclusion=source.exclusion,
        contradiction=source.contradiction,
        training=source.training,
    )


def _files_without(manifest: Manifest, name: str) -> list[str]:
    """List all files except the graphs that only the head of this name reads."""
    graphs: dict[str, set[str]] = {}
    for other, head in manifest.heads.items():
        for side in (head.query, head.document):
            for graph in side.graphs:
                graphs.setdefault(graph, set()).add(other)
    trunks = {head.document.trunk for head in manifest.heads.values()}
    return [file for file in manifest.files if file in trunks or graphs.get(file) != {name}]


def _unused_file_name(head: str, taken: Sequence[str]) -> str:
    """Find a name for a head's graph; a graph of several heads may already have the head's name."""
    names = (f"{head}.onnx", *(f"{head}-{number}.onnx" for number in range(2, len(taken) + 2)))
    return next(name for name in names if name not in taken)
