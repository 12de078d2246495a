"""Texts into named vectors: the encoder protocol, the ONNX encoder and its bundles, adapters, a
cache.

The names below load on first use, so that importing this module brings in neither ONNX Runtime nor
PyTorch.
"""

from __future__ import annotations

from functools import cache
from threading import Lock
from typing import TYPE_CHECKING

from logic_retrievers.lazy import lazy

if TYPE_CHECKING:
    from logic_retrievers.encoders.base import Encoder, VectorSpec
    from logic_retrievers.encoders.bundle import (
        Bundle,
        default_bundle_path,
        load_bundle,
        verify_bundle,
    )
    from logic_retrievers.encoders.cache import CachedEncoder
    from logic_retrievers.encoders.combined import CombinedEncoder, with_compatibility
    from logic_retrievers.encoders.functions import FunctionEncoder, identity_of
    from logic_retrievers.encoders.onnx import OnnxEncoder
    from logic_retrievers.encoders.query_encoder import QueryEncoder, read_query_encoder
    from logic_retrievers.encoders.recent import RecentEncoder
    from logic_retrievers.encoders.sentence_transformers import SentenceTransformerEncoder
    from logic_retrievers.encoders.swapping import with_query_encoder

_MODULES = {
    "Bundle": "bundle",
    "CachedEncoder": "cache",
    "CombinedEncoder": "combined",
    "Encoder": "base",
    "FunctionEncoder": "functions",
    "OnnxEncoder": "onnx",
    "QueryEncoder": "query_encoder",
    "RecentEncoder": "recent",
    "SentenceTransformerEncoder": "sentence_transformers",
    "VectorSpec": "base",
    "default_bundle_path": "bundle",
    "identity_of": "functions",
    "load_bundle": "bundle",
    "read_query_encoder": "query_encoder",
    "verify_bundle": "bundle",
    "with_compatibility": "combined",
    "with_query_encoder": "swapping",
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


_loading = Lock()


def default_encoder() -> Encoder:
    """The encoder of the bundle that comes with the package; one for the whole process."""
    with _loading:  # `cache` alone lets several threads load one each
        return _default_encoder()


@cache
def _default_encoder() -> Encoder:
    from logic_retrievers.encoders.onnx import OnnxEncoder  # ONNX Runtime: not before it is used

    return OnnxEncoder()


__getattr__ = lazy(__name__, _MODULES)


def __dir__() -> list[str]:
    return __all__
