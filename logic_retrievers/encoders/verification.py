"""Comparison of a bundle with the original model whose vectors it holds."""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np

from logic_retrievers.encoders.base import encode
from logic_retrievers.encoders.bundle import Bundle, load_bundle
from logic_retrievers.encoders.onnx import OnnxEncoder
from logic_retrievers.errors import BundleError, LogicRetrieversError, LongTextWarning


def verify_bundle(path: str | Path | None = None, *, deep: bool = False) -> Bundle:
    """:func:`load_bundle`, and on request a comparison with the original model.

    Args:
        path: the folder; the default bundle where None.
        deep: also loads the graphs, encodes the reference texts and compares the result with the
            reference vectors.

    Raises:
        BundleError: what :func:`load_bundle` raises; with ``deep`` also where a graph does not
            load, a dimension differs from the manifest, or a vector is too far from its reference.
    """
    bundle = load_bundle(path)
    if not deep:
        return bundle
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
    for reference in bundle.references():
        expected = np.asarray(reference.vectors, dtype=np.float32)
        expected /= np.linalg.norm(expected, axis=1, keepdims=True)
        for role in reference.roles:
            with warnings.catch_warnings():
                # some reference texts are too long on purpose
                warnings.simplefilter("ignore", LongTextWarning)
                try:
                    vectors = encode(encoder, role, reference.texts, reference.heads)
                except LogicRetrieversError as error:
                    raise BundleError(
                        f"{bundle.path}: its reference texts cannot be encoded: {error}"
                    ) from error
            for head in reference.heads:
                if vectors[head].shape != expected.shape:
                    raise BundleError(
                        f"{bundle.path}: the reference vectors have shape {expected.shape}, "
                        f"those of {head!r} {vectors[head].shape}."
                    )
                cosines = np.einsum("ij,ij->i", vectors[head], expected)
                results += [
                    (head, role, text, float(cosine))
                    for text, cosine in zip(reference.texts, cosines, strict=True)
                ]
    return results
