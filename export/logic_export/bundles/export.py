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

# graphs of a trunk: the embeddings, and the layers that heads share
TRUNK, LAYERS = "trunk.onnx", "layers.onnx"


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


def add_heads(
    bundle: Path | None,
    heads: Sequence[HeadSource],
    out: Path,
    *,
    shared_layers: int = 0,
    compression: Compression = "mixed",
    keep_constants: bool = False,
) -> dict[str, ParityFigures]:
    """Copy a bundle with heads added or replaced; return the figures of the new heads.

    The new heads must have the bundle's embeddings bit for bit, so pass the ``compression`` of the
    bundle's export. Their shared layers must be those of a head that stays, or of each other.
    Vectors and fingerprints of the other heads do not change, so collections made with them stay
    valid. A replaced head's graph, references and constants are removed; with ``keep_constants``
    the new head has its constants, as is right if both make nearly the same vectors. Nothing is
    written unless parity holds.

    Raises:
        BundleError: the bundle is missing or damaged.
        ConfigurationError: ``out`` exists, or a head does not fit the bundle.
        ParityError: a new head differs from its original.
    """
    require_new(out)
    refuse_query_encoders(heads)
    old = load_bundle(bundle)
    manifest = old.manifest
    if keep_constants:
        heads = [_with_constants(head, manifest.heads.get(head.name)) for head in heads]
    new = {head.name: head for head in heads}
    first_head = next(iter(manifest.heads.values()))
    prefixes = (first_head.query.prefix, first_head.document.prefix)
    if not first_head.document.trunk:
        raise ConfigurationError(f"the heads of {old.path} share no trunk that one more could use")
    models = {name: load_model(head.model) for name, head in new.items()}
    parts = {
        name: _split_and_compress(export_graph(model), shared_layers, compression)
        for name, model in models.items()
    }
    kept_files = _files_without(manifest, set(new))
    trunk_files = {old.read(file): file for file in kept_files if file in _trunk_files(manifest)}
    layers = {graphs[1] for graphs in parts.values() if len(graphs) > 2}
    if len(new) > 1 and len(layers) == 1:
        trunk_files.setdefault(layers.pop(), _unused_file_name("layers", kept_files))
    for name, (*trunk, _) in parts.items():
        tokenizer = shared_tokenizer([models[name]]).encode()
        if not trunk_files.keys() >= set(trunk) or tokenizer != old.read(manifest.tokenizer):
            raise ConfigurationError(
                f"the trunk of {new[name].model!r} is not that of {old.path}: train it from the "
                "same base, its shared layers frozen, and export it with the same compression"
            )
    with new_folder(out) as folder:
        for file in kept_files:
            (folder / file).write_bytes(old.read(file))
        entries = {}
        for name, (*trunk, graph) in parts.items():
            trunk_names = tuple(trunk_files[content] for content in trunk)
            for content, file in zip(trunk, trunk_names, strict=True):
                (folder / file).write_bytes(content)
            file = _unused_file_name(name, [path.name for path in folder.iterdir()])
            (folder / file).write_bytes(graph)
            entries[name] = _head_entry(models[name], new[name], (*trunk_names, file), prefixes)
        notice = old.read(manifest.notice).decode().rstrip()
        text = f"{notice}\n\n{build_notice(heads, added=True)}"
        (folder / manifest.notice).write_text(text, encoding="utf-8")
        # a reference row names all heads of its model; the old heads' names are removed
        rows = [
            {**row.model_dump(), "heads": [name for name in row.heads if name not in new]}
            for row in old.references()
        ]
        references = [row for row in rows if row["heads"]]
        for name, model in models.items():
            references += reference_vectors(model, [name], prefixes)
        (folder / manifest.parity.file).write_text(json.dumps(references), "utf-8")
        update = {"files": checksums(folder), "heads": {**manifest.heads, **entries}}
        write_manifest(folder, manifest.model_copy(update=update))
        added = load_bundle(folder)
        figures = {name: measure_parity(added, name) for name in new}
        for head_figures in figures.values():
            require_parity(head_figures, manifest.parity.min_cosine)
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
) -> dict[str, tuple[str, ...]]:
    """Write the graphs; return model -> files in execution order, the head's own graph last."""

    def exported(name: str) -> onnx.ModelProto:
        return export_graph(models[name]) if exporter == "torch" else export_with_optimum(name)

    if len(models) == 1:
        (name,) = models
        write_graph(folder / "model.onnx", compress_weights(exported(name), compression))
        return {name: ("model.onnx",)}
    shared: dict[str, bytes] = {}
    graphs: dict[str, tuple[str, ...]] = {}
    for name in models:
        head = next(source.name for source in heads if source.model == name)
        *below, above = _split_and_compress(exported(name), shared_layers, compression)
        trunk = dict(zip((TRUNK, LAYERS), below, strict=False))
        shared = shared or trunk
        if trunk != shared:
            raise ConfigurationError(
                f"the tables or the lowest {shared_layers} layers of {name!r} are not those of "
                f"{next(iter(models))!r}; train it with them frozen (model.shared_layers)"
            )
        graphs[name] = (*trunk, f"{head}.onnx")
        for file, content in zip(graphs[name], (*below, above), strict=True):
            (folder / file).write_bytes(content)
    return graphs


def _split_and_compress(
    graph: onnx.ModelProto, shared_layers: int, compression: Compression
) -> list[bytes]:
    trunk, above = split_graph(graph, shared_layers)
    return [
        compress_weights(part, compression).SerializeToString(deterministic=True)
        for part in (*trunk, above)
    ]


def _head_entry(
    model: SentenceTransformer,
    source: HeadSource,
    graphs: tuple[str, ...],
    prefixes: tuple[str, str],
) -> Head:
    """Build a head's entry in the manifest; ``graphs`` are those of its trunk and its own."""
    query, document = (
        Side(
            graph=graphs[-1],
            trunk=graphs[:-1],
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


def _with_constants(source: HeadSource, replaced: Head | None) -> HeadSource:
    if replaced is None:
        return source
    return replace(source, exclusion=replaced.exclusion, contradiction=replaced.contradiction)


def _trunk_files(manifest: Manifest) -> set[str]:
    return {file for head in manifest.heads.values() for file in head.document.trunk}


def _files_without(manifest: Manifest, names: set[str]) -> list[str]:
    """List all files except the graphs that only the heads of these names read.

    The embeddings are kept, which the new heads read too.
    """
    replaced, kept = set[str](), set[str]()
    for other, head in manifest.heads.items():
        for side in (head.query, head.document):
            (replaced if other in names else kept).update(side.graphs)
            kept.update(side.trunk[:1])
    kept.update(file for entry in manifest.cross_encoders for file in entry.graphs)
    return [file for file in manifest.files if file in kept or file not in replaced]


def _unused_file_name(head: str, taken: Sequence[str]) -> str:
    """Find a name for a head's graph; a graph of several heads may already have the head's name."""
    names = (f"{head}.onnx", *(f"{head}-{number}.onnx" for number in range(2, len(taken) + 2)))
    return next(name for name in names if name not in taken)
