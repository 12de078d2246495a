"""Exports a run that trained only the query side as one file, for use over an existing index."""

from __future__ import annotations

import hashlib
import tempfile
import warnings
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import onnx
from pydantic import ValidationError

from logic_export.bundles.compression import Compression, compress_weights
from logic_export.bundles.export import shared_tokenizer
from logic_export.bundles.graphs import OUTPUT, export_graph, load_model, split_graph
from logic_export.bundles.heads import find_head
from logic_export.bundles.parity import (
    PARITY_TEXTS,
    ParityFigures,
    encode_original,
    measure_parity,
    require_parity,
)
from logic_export.models import find_model
from logic_export.recipe import Recipe
from logic_export.training.run_folder import RECIPE
from logic_retrievers.encoders.bundle import Bundle, load_bundle
from logic_retrievers.encoders.manifest import Head
from logic_retrievers.encoders.onnx import OnnxEncoder
from logic_retrievers.encoders.query_encoder import (
    CARD_KEY,
    CHECKSUM_KEY,
    SUFFIX,
    QueryEncoderCard,
    checksum,
)
from logic_retrievers.errors import ConfigurationError, LongTextWarning, StorageError


@dataclass(frozen=True, slots=True)
class ExportedQueryEncoder:
    """An exported query encoder: figures of the parity gate, and the description in the file."""

    figures: ParityFigures
    card: QueryEncoderCard


def export_query_encoder(
    run: str,
    out: Path,
    *,
    bundle: Path | None = None,
    head: str = "topical",
    base: str | None = None,
    shared_layers: int = 0,
    compression: Compression = "mixed",
) -> ExportedQueryEncoder:
    """Write a query encoder for a head of a bundle; its document vectors stay as they are.

    If the model shares the bundle's trunk bit for bit, the file holds only the layers above it.

    Args:
        run: a finished run that trained with the documents frozen, or a model.
        out: the file, NAME.query.onnx; must not exist. Nothing is written unless parity holds.
        bundle: the bundle's folder; None takes the packaged one.
        head: the head whose queries the file encodes.
        base: the model that encoded the documents in training; None takes the run's base.
        shared_layers: the bundle's value, or 0 for a model with layers of its own.
        compression: the bundle's value; any other gives the file its own trunk.

    Raises:
        BundleError: the bundle is missing or damaged.
        ConfigurationError: ``out`` exists, or run, base and bundle do not belong together.
        ParityError: the file's vectors differ from the model's.
        StorageError: the disk is full or not writable.
    """
    if not out.name.endswith(SUFFIX) or out.exists():
        raise ConfigurationError(
            f"{str(out)!r} exists, or is not called NAME{SUFFIX}. Name another file."
        )
    loaded = load_bundle(bundle)
    if head not in loaded.manifest.heads:
        raise ConfigurationError(
            f"{loaded.path} has no head {head!r}, only {', '.join(loaded.manifest.heads)}"
        )
    bundle_head = loaded.manifest.heads[head]
    source, recipe = find_head(head, run), _read_run_recipe(run)
    base = base or (recipe.model.base if recipe else None)
    if base is None:
        raise ConfigurationError(
            f"{run!r} is no run's folder, so the model that encoded the documents in training is "
            "unknown: check the path, or pass --base"
        )
    _check_documents(loaded, head, recipe, base)
    model = load_model(source.model)
    if shared_tokenizer([model]).encode() != loaded.read(loaded.manifest.tokenizer):
        raise ConfigurationError(f"the model's tokenizer is not that of {loaded.path}")
    if bundle_head.pooling != "in_graph":
        raise ConfigurationError(
            f"{loaded.path} pools outside of its graphs ({bundle_head.pooling}); export it again"
        )
    trunk, graph = _above_trunk(
        loaded, bundle_head, export_graph(model), shared_layers, compression
    )
    prefix = recipe.model.query_prefix if recipe else bundle_head.query.prefix
    manifest = loaded.manifest
    vectors = encode_original(model, PARITY_TEXTS, prefix)
    card = QueryEncoderCard(
        head=head,
        document_fingerprint=manifest.fingerprint(head, "document"),
        tokenizer=manifest.files[manifest.tokenizer],
        trunk=trunk,
        output=OUTPUT,
        dimension=vectors.shape[1],
        pooling="in_graph",
        normalise=bundle_head.normalise,
        prefix=prefix,
        max_tokens=int(model.max_seq_length or 0),
        origin=source.origin,
        training=source.training,
        ships=source.ships,
        texts=PARITY_TEXTS,
        vectors=tuple(tuple(round(float(value), 6) for value in row) for row in vectors),
        min_cosine=manifest.parity.min_cosine,
        graph_bytes=1,  # set when the file is written
    )
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=out.parent, prefix=".export-") as name:
            file = Path(name) / out.name
            write_query_encoder(file, compress_weights(graph, compression), card)
            swapped = loaded.with_query_encoder(file, head)
            figures = replace(
                measure_parity(swapped, head, ("query",)), megabytes=file.stat().st_size / 1e6
            )
            require_parity(figures, card.min_cosine)
            file.replace(out)
    except OSError as error:
        raise StorageError(f"cannot write {out}: {error.strerror}") from error
    return ExportedQueryEncoder(figures, card)


def _read_run_recipe(run: str) -> Recipe | None:
    file = Path(run) / RECIPE
    if not file.is_file():
        return None
    try:
        return Recipe.model_validate_json(file.read_bytes())
    except ValidationError as error:
        raise ConfigurationError(
            f"{file} is no recipe that this version reads: {error.errors()[0]['msg']}. Use the "
            "version that trained, or train again."
        ) from error


def _check_documents(bundle: Bundle, head: str, recipe: Recipe | None, base: str) -> None:
    """Refuse a run if the bundle does not encode documents as the run did in training."""
    if recipe is not None and not recipe.frozen_documents:
        raise ConfigurationError(
            "this run trained the documents' side too (model.frozen_documents), so its queries do "
            "not fit stored vectors; make a head of it: logic-export add-head"
        )
    prefix = bundle.manifest.heads[head].document.prefix
    if recipe is not None and recipe.model.document_prefix != prefix:
        raise ConfigurationError(
            f"the run put {recipe.model.document_prefix!r} before documents, the bundle {prefix!r}"
        )
    encoder = load_model(find_model(base))
    base_vectors = encode_original(encoder, PARITY_TEXTS, prefix)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", LongTextWarning)  # one of the texts is cut on purpose
        bundle_vectors = OnnxEncoder(bundle).encode_documents(PARITY_TEXTS, [head])[head]
    if base_vectors.shape != bundle_vectors.shape:
        raise ConfigurationError(
            f"{base!r} makes vectors of dimension {base_vectors.shape[1]}, the bundle's {head!r} "
            f"{bundle_vectors.shape[1]}"
        )
    lowest = float(np.einsum("ij,ij->i", base_vectors, bundle_vectors).min())
    if not lowest >= bundle.manifest.parity.min_cosine:
        raise ConfigurationError(
            f"{base!r}, which encoded the documents in training, is not the model of {head!r} in "
            f"{bundle.path}: cosine {lowest:.4f}, minimum {bundle.manifest.parity.min_cosine}. "
            "Choose --head and --bundle by the recipe's model.base."
        )
    stored = bundle.manifest.heads[head].document.max_tokens
    if recipe is not None:
        tokens_read = min(recipe.model.document_tokens, int(encoder.max_seq_length or stored))
        if tokens_read != stored:
            raise ConfigurationError(
                f"the run cut documents at {tokens_read} tokens, the bundle at {stored}: train it "
                f"with model.document_tokens = {stored}"
            )


def _above_trunk(
    bundle: Bundle,
    head: Head,
    graph: onnx.ModelProto,
    shared_layers: int,
    compression: Compression,
) -> tuple[str | None, onnx.ModelProto]:
    """Return the SHA-256 of the trunk's last graph that the model shares, and the graph above it.

    The SHA-256 is None, and the graph whole, if the trunk differs.
    """
    if files := head.document.trunk:
        below, above = split_graph(graph, shared_layers)
        trunk = [
            compress_weights(part, compression).SerializeToString(deterministic=True)
            for part in below
        ]
        if trunk == [bundle.read(file) for file in files[: len(trunk)]]:
            return hashlib.sha256(trunk[-1]).hexdigest(), above
    return None, graph


def write_query_encoder(path: Path, graph: onnx.ModelProto, card: QueryEncoderCard) -> None:
    """Write a graph without metadata, and its description, atomically.

    The description is a second message after the graph's, and protobuf reads both as one message.
    So the graph's bytes are contiguous, and their checksum needs no parsing. The card's
    ``graph_bytes`` is filled in here.
    """
    content = graph.SerializeToString(deterministic=True)
    text = card.model_copy(update={"graph_bytes": len(content)}).model_dump_json()
    description = onnx.ModelProto()
    for key, value in ((CARD_KEY, text), (CHECKSUM_KEY, checksum(content, text))):
        description.metadata_props.add(key=key, value=value)
    partial = path.with_name(f".{path.name}.partial")
    partial.write_bytes(content + description.SerializeToString(deterministic=True))
    partial.replace(path)
