"""From a run that trained queries alone to one file that a running system takes."""

from __future__ import annotations

import hashlib
import tempfile
import warnings
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import onnx
from pydantic import ValidationError
from sentence_transformers import SentenceTransformer

from logic_export.compress import Compression, compress_weights
from logic_export.gate import Figures, encode_original, pass_or_raise
from logic_export.heads import HeadSource, find_head
from logic_export.models import find_model
from logic_export.onnx import OUTPUT, export_graph, load_model
from logic_export.parts import PARITY_TEXTS, shared_tokenizer
from logic_export.query_file import write_query_encoder
from logic_export.recipe import Recipe
from logic_export.split import split_graph
from logic_export.training.folder import RECIPE
from logic_retrievers.encoders.bundle import Bundle, load_bundle, parity_cosines
from logic_retrievers.encoders.manifest import Head
from logic_retrievers.encoders.onnx import OnnxEncoder
from logic_retrievers.encoders.query_encoder import SUFFIX, QueryEncoderCard
from logic_retrievers.errors import ConfigurationError, LongTextWarning, StorageError


@dataclass(frozen=True, slots=True)
class Exported:
    """What was written.

    Args:
        figures: of the file, as its gate measured them.
        card: its description.
    """

    figures: Figures
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
) -> Exported:
    """Writes a query encoder for a head of a bundle, whose documents stay as they are.

    Where the model has the bundle's trunk to the bit, the file holds only what lies above it.

    Args:
        run: a finished run that trained with the documents frozen, or a model.
        out: the file, NAME.query.onnx; must not exist. Nothing appears there unless the gate is
            passed.
        bundle: its folder; the one that is shipped where None.
        head: whose queries.
        base: the model that encoded the documents in training; a run's own recipe says it.
        shared_layers: as the bundle was exported with.
        compression: likewise, or the file gets a trunk of its own.

    Raises:
        BundleError: no bundle there, or a damaged one.
        ConfigurationError: ``out`` exists, or run, base and bundle do not belong together.
        ParityError: the file strays from the model.
        StorageError: no room, or no right to write there.
    """
    if not out.name.endswith(SUFFIX) or out.exists():
        raise ConfigurationError(
            f"{str(out)!r} exists, or is not called NAME{SUFFIX}. Name another file."
        )
    opened = load_bundle(bundle)
    if head not in opened.manifest.heads:
        raise ConfigurationError(
            f"{opened.path} has no head {head!r}, only {', '.join(opened.manifest.heads)}"
        )
    side = opened.manifest.heads[head]
    source, recipe = find_head(head, run), _recipe(run)
    base = base or (recipe.model.base if recipe else None)
    if base is None:
        raise ConfigurationError(
            f"{run!r} is no run's folder, and nothing else says which model encoded the documents "
            "in training: check the path, or pass --base"
        )
    _check_documents(opened, head, recipe, base)
    model = load_model(source.model)
    _check_model(model, opened, side)
    trunk, graph = _above_trunk(opened, side, export_graph(model), shared_layers, compression)
    prefix = recipe.model.query_prefix if recipe else side.query.prefix
    card = _card(model, source, opened, head, trunk, prefix)
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=out.parent, prefix=".export-") as name:
            file = Path(name) / out.name
            write_query_encoder(file, compress_weights(graph, compression), card)
            figures = _measure(opened.with_query_encoder(file, head), head, file)
            pass_or_raise(figures, card.min_cosine)
            file.replace(out)
    except OSError as error:
        raise StorageError(f"cannot write {out}: {error.strerror}") from error
    return Exported(figures, card)


def _recipe(run: str) -> Recipe | None:
    """The recipe of a run; None for a folder that is no run's."""
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
    """Refuses a run whose documents were not those of the bundle."""
    if recipe is not None and not recipe.frozen_documents:
        raise ConfigurationError(
            "this run trained the documents' side too (model.frozen_documents), so its queries do "
            "not fit stored vectors; make a head of it: logic-retrievers add-head"
        )
    prefix = bundle.manifest.heads[head].document.prefix
    if recipe is not None and recipe.model.document_prefix != prefix:
        raise ConfigurationError(
            f"the run put {recipe.model.document_prefix!r} before documents, the bundle {prefix!r}"
        )
    encoder = load_model(find_model(base))
    theirs = encode_original(encoder, PARITY_TEXTS, prefix)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", LongTextWarning)  # one of them is meant to be cut
        ours = OnnxEncoder(bundle).encode_documents(PARITY_TEXTS, [head])[head]
    if theirs.shape != ours.shape:
        raise ConfigurationError(
            f"{base!r} makes vectors of dimension {theirs.shape[1]}, the bundle's {head!r} "
            f"{ours.shape[1]}"
        )
    lowest = float(np.einsum("ij,ij->i", theirs, ours).min())
    if not lowest >= bundle.manifest.parity.min_cosine:
        raise ConfigurationError(
            f"{base!r}, which encoded the documents in training, is not what {head!r} of "
            f"{bundle.path} was made from: cosine {lowest:.4f} where at least "
            f"{bundle.manifest.parity.min_cosine} is asked. Choose --head and --bundle by the "
            "recipe's model.base."
        )
    stored = bundle.manifest.heads[head].document.max_tokens
    if recipe is not None:
        read = min(recipe.model.document_tokens, int(encoder.max_seq_length or stored))
        if read != stored:
            raise ConfigurationError(
                f"the run cut documents at {read} tokens, the bundle at {stored}: train it with "
                f"model.document_tokens = {stored}"
            )


def _check_model(model: SentenceTransformer, bundle: Bundle, head: Head) -> None:
    if shared_tokenizer({"": model}).encode() != bundle.read(bundle.manifest.tokenizer):
        raise ConfigurationError(f"the model's tokenizer is not that of {bundle.path}")
    if head.pooling != "in_graph":
        raise ConfigurationError(
            f"{bundle.path} pools outside of its graphs ({head.pooling}); export the bundle anew"
        )


def _above_trunk(
    bundle: Bundle,
    head: Head,
    graph: onnx.ModelProto,
    shared_layers: int,
    compression: Compression,
) -> tuple[str | None, onnx.ModelProto]:
    """SHA-256 of the bundle's trunk and what lies above, or None and the whole graph."""
    file = head.document.trunk
    if file is not None:
        below, above = split_graph(graph, shared_layers)
        trunk = compress_weights(below, compression).SerializeToString(deterministic=True)
        if trunk == bundle.read(file):
            return hashlib.sha256(trunk).hexdigest(), above
    return None, graph


def _card(
    model: SentenceTransformer,
    source: HeadSource,
    bundle: Bundle,
    head: str,
    trunk: str | None,
    prefix: str,
) -> QueryEncoderCard:
    manifest = bundle.manifest
    vectors = encode_original(model, PARITY_TEXTS, prefix)
    return QueryEncoderCard(
        head=head,
        document_fingerprint=manifest.fingerprint(head, "document"),
        tokenizer=manifest.files[manifest.tokenizer],
        trunk=trunk,
        output=OUTPUT,
        dimension=vectors.shape[1],
        pooling="in_graph",
        normalise=manifest.heads[head].normalise,
        prefix=prefix,
        max_tokens=int(model.max_seq_length or 0),
        origin=source.origin,
        training=source.training,
        ships=source.ships,
        texts=PARITY_TEXTS,
        vectors=tuple(tuple(round(float(value), 6) for value in row) for row in vectors),
        min_cosine=manifest.parity.min_cosine,
        graph_bytes=1,  # known when it is written
    )


def _measure(bundle: Bundle, head: str, file: Path) -> Figures:
    encoder = OnnxEncoder(bundle)
    texts = bundle.query_encoders[head].card.texts
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", LongTextWarning)  # one of them is meant to be cut
        together = encoder.encode_queries(texts, [head])[head]
        alone = np.concatenate([encoder.encode_queries([text], [head])[head] for text in texts])
    cosines = [
        cosine
        for name, role, _, cosine in parity_cosines(bundle)
        if (name, role) == (head, "query")
    ]
    return Figures(
        megabytes=file.stat().st_size / 1e6,
        lowest_cosine=min(cosines),
        mean_cosine=float(np.mean(cosines)),
        batch_cosine=float(np.einsum("ij,ij->i", together, alone).min()),
    )
