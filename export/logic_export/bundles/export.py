"""Exports sentence-transformers models as a bundle on disk, through the parity gate."""

from __future__ import annotations

import json
import shutil
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal, TypeAlias

import numpy as np
import onnx
from sentence_transformers import SentenceTransformer
from tokenizers import Tokenizer

from logic_export.bundles.compression import MIN_COSINE, Compression, compress_weights
from logic_export.bundles.graphs import (
    OUTPUT,
    export_graph,
    export_with_optimum,
    load_model,
    split_graph,
)
from logic_export.bundles.heads import HeadSource, refuse_query_encoders
from logic_export.bundles.manifests import checksums, write_manifest
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
    """What a bundle says about its origin and rights.

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
    """Writes a bundle.

    Heads from one model share one graph. Heads from several models share a trunk (their lowest
    layers) and have one graph each above it: a text passes the trunk once, the trunk's weights are
    stored once, and a head that is retrained leaves the other files unchanged.

    Args:
        out: the bundle's folder; must not exist. Nothing is written unless parity holds.
        label: name, licence and origin.
        heads: the named vectors.
        shared_layers: layers of the trunk above the embeddings, for heads from several models.
        compression: of the weights, see :func:`compress_weights`.
        query_prefix: put before every query.
        document_prefix: put before every document.
        min_cosine: least cosine to the original, here and in ``verify_bundle`` later; by
            ``compression`` (:data:`MIN_COSINE`) where None.
        dataset: each model's nDCG@10 on it is compared too, which takes minutes.
        exporter: ``torch`` (extra ``train``) or ``optimum`` (extra ``optimum``; its graphs cannot
            be split, so all heads must come from one model).

    Returns:
        The figures of the model with the lowest cosine.

    Raises:
        ConfigurationError: ``out`` exists, or the models cannot be exported or share no trunk.
        MissingExtraError: the exporter is not installed.
        ParityError: the bundle differs from the originals.
    """
    if out.exists():
        raise ConfigurationError(f"{str(out)!r} exists. Remove it or name another folder.")
    if "NOTICE" not in label.documents or not heads:
        raise ConfigurationError("A bundle needs a NOTICE and at least one head.")
    refuse_query_encoders(heads)
    least_cosine = MIN_COSINE[compression] if min_cosine is None else min_cosine
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
                files=checksums(folder, [path.name for path in folder.iterdir()]),
                heads={
                    source.name: head_entry(
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
    """Writes the graphs. Returns model -> (trunk file or None, graph file)."""
    if len(models) == 1:
        ((name, model),) = models.items()
        write_graph(
            folder / "model.onnx",
            compress_weights(_export_model(name, model, exporter), compression),
        )
        return {name: (None, "model.onnx")}
    trunk: bytes | None = None
    graphs: dict[str, tuple[str | None, str]] = {}
    for name, model in models.items():
        head = next(source.name for source in heads if source.model == name)
        below, above = split_graph(_export_model(name, model, exporter), shared_layers)
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


def _export_model(name: str, model: SentenceTransformer, exporter: Exporter) -> onnx.ModelProto:
    return export_graph(model) if exporter == "torch" else export_with_optimum(name)


def write_graph(path: Path, graph: onnx.ModelProto) -> None:
    """Writes a graph; equal graphs give equal bytes."""
    path.write_bytes(graph.SerializeToString(deterministic=True))


def head_entry(
    model: SentenceTransformer,
    source: HeadSource,
    graphs: tuple[str | None, str],
    prefixes: tuple[str, str],
) -> Head:
    """The manifest's entry of a head.

    Args:
        model: its original.
        source: where the model comes from.
        graphs: file of the trunk, or None, and of the graph above it.
        prefixes: of queries and of documents.
    """
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


def shared_tokenizer(models: Mapping[str, SentenceTransformer]) -> str:
    """The tokenizer that all models share, as the text of ``tokenizer.json``.

    Raises:
        ConfigurationError: the models have different tokenizers.
    """
    texts = {_unpadded_tokenizer(model).to_str() for model in models.values()}
    if len(texts) > 1:
        raise ConfigurationError("the heads' models have different tokenizers")
    return texts.pop()


def _unpadded_tokenizer(model: SentenceTransformer) -> Tokenizer:
    """A copy that neither truncates nor pads to a fixed length, but knows its padding token."""
    tokenizer = Tokenizer.from_str(model.tokenizer.backend_tokenizer.to_str())
    tokenizer.no_truncation()
    tokenizer.enable_padding(
        pad_id=model.tokenizer.pad_token_id, pad_token=model.tokenizer.pad_token
    )
    return tokenizer
