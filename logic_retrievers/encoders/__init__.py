"""Texts to named vectors: the encoder protocol, the ONNX encoder and its bundles, adapters, caches.

base.py           the protocol and the checks that all encoders share
onnx.py           the ONNX encoder, over tokenization.py and sessions.py
bundle.py         bundle folders; manifest.py describes them, verification.py compares their vectors
query_encoder.py  one file that replaces the query side of a head
functions.py, sentence_transformers.py    adapters for other models
combined.py, caching.py                   wrappers around other encoders

Public names load on first use, so importing this package loads neither ONNX Runtime nor PyTorch.
"""

from __future__ import annotations

from functools import cache
from threading import Lock
from typing import TYPE_CHECKING

from logic_retrievers.lazy_imports import lazy_getattr

if TYPE_CHECKING:
    from logic_retrievers.encoders.base import Encoder, VectorSpec
    from logic_retrievers.encoders.bundle import Bundle, default_bundle_path, load_bundle
    from logic_retrievers.encoders.caching import CachedEncoder, RecentEncoder
    from logic_retrievers.encoders.combined import CombinedEncoder, with_compatibility
    from logic_retrievers.encoders.functions import FunctionEncoder, identity_of
    from logic_retrievers.encoders.onnx import OnnxEncoder
    from logic_retrievers.encoders.query_encoder import (
        QueryEncoder,
        read_query_encoder,
        with_query_encoder,
    )
    from logic_retrievers.encoders.sentence_transformers import SentenceTransformerEncoder
    from logic_retrievers.encoders.verification import verify_bundle

_MODULES = {
    "base": "Encoder VectorSpec",
    "bundle": "Bundle default_bundle_path load_bundle",
    "caching": "CachedEncoder RecentEncoder",
    "combined": "CombinedEncoder with_compatibility",
    "functions": "FunctionEncoder identity_of",
    "onnx": "OnnxEncoder",
    "query_encoder": "QueryEncoder read_query_encoder with_query_encoder",
    "sentence_transformers": "SentenceTransformerEncoder",
    "verification": "verify_bundle",
}

__all__ = [
    "Bundle",
    "CachedEncoder",
    "CombinedEncoder",
    "Encoder",
    "FunctionEncoder",
    "OnnxEncoder",
    "QueryEncoder",
    "RecentEncoder",
    "SentenceTransformerEncoder",
    "VectorSpec",
    "default_bundle_path",
    "default_encoder",
    "identity_of",
    "load_bundle",
    "read_query_encoder",
    "verify_bundle",
    "with_compatibility",
    "with_query_encoder",
]


_default_lock = Lock()


def default_encoder() -> Encoder:
    """The encoder of the bundle that comes with the package; one object per process."""
    with _default_lock:  # with `cache` alone, several threads would each load one
        return _default_encoder()


@cache
def _default_encoder() -> Encoder:
    from logic_retrievers.encoders.onnx import OnnxEncoder  # loads ONNX Runtime

    return OnnxEncoder()


__getattr__ = lazy_getattr(__name__, _MODULES)
