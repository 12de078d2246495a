"""Compares a bundle's vectors with those of the original model, which the bundle holds."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from logic_retrievers.encoders.base import Role, encode
from logic_retrievers.encoders.bundle import Bundle, load_bundle
from logic_retrievers.encoders.onnx import OnnxEncoder
from logic_retrievers.errors import BundleError, LogicRetrieversError, LongTextWarning


def verify_bundle(path: str | Path | None = None) -> Bundle:
    """Load a bundle, encode its reference texts, and compare with the original model's vectors.

    Args:
        path: the folder; None means the default bundle.

    Raises:
        BundleError: as :func:`load_bundle`; or a graph does not load, a dimension differs from the
            manifest, or a vector is too far from its reference.
    """
    bundle = load_bundle(path)
    for head, role, text, cosine in parity_cosines(bundle):
        if cosine < bundle.manifest.parity.min_cosine:
            raise BundleError(
                f"{bundle.path}: the {role} vector {head!r} of {text[:40]!r} has cosine "
                f"{cosine:.6f} to the original model's, below "
                f"{bundle.manifest.parity.min_cosine}. The bundle or this ONNX Runtime computes "
                "something else: update onnxruntime, or export again."
            )
    return bundle


def parity_cosines(bundle: Bundle) -> list[tuple[str, str, str, float]]:
    """(head, role, text, cosine of its vector to the reference) for every reference vector."""
    encoder = OnnxEncoder(bundle)
    results: list[tuple[str, str, str, float]] = []
    for role, heads, texts, references in _references(bundle):
        expected = np.asarray(references, dtype=np.float32)
        expected /= np.linalg.norm(expected, axis=1, keepdims=True)
        with warnings.catch_warnings():
            # some reference texts are too long on purpose
            warnings.simplefilter("ignore", LongTextWarning)
            try:
                vectors = encode(encoder, role, texts, heads)
            except LogicRetrieversError as error:
                raise BundleError(
                    f"{bundle.path}: its reference texts cannot be encoded: {error}"
                ) from error
        for head in heads:
            if vectors[head].shape != expected.shape:
                raise BundleError(
                    f"{bundle.path}: the reference vectors have shape {expected.shape}, "
                    f"those of {head!r} {vectors[head].shape}."
                )
            cosines = np.einsum("ij,ij->i", vectors[head], expected)
            results += [
                (head, role, text, float(cosine))
                for text, cosine in zip(texts, cosines, strict=True)
            ]
    return results


def _references(
    bundle: Bundle,
) -> Iterator[tuple[Role, Sequence[str], Sequence[str], Sequence[Sequence[float]]]]:
    """Role, heads, texts and vectors; a query encoder brings the references of its head."""
    replaced = bundle.query_encoders
    for reference in bundle.references():
        for role in reference.roles:
            heads = [name for name in reference.heads if role == "document" or name not in replaced]
            yield role, heads, reference.texts, reference.vectors
    for name, encoder in replaced.items():
        yield "query", [name], encoder.card.texts, encoder.card.vectors
