"""Encoders turn texts into named vectors: protocol, ONNX encoder and bundles, adapters, caches.

The vector ``topical`` tells what a text is about, ``compatibility`` whether it meets a query's
constraint, ``contradiction`` whether two texts contradict each other. A text's role is query or
document. ``manifest.py`` explains bundles (models in a folder), heads, sides and trunks. A
fingerprint is a hash of everything that changes a vector.

Public names load on first use, so importing this package loads neither ONNX Runtime nor PyTorch.
"""

from __future__ import annotations

from logic_retrievers.lazy_imports import lazy_names

_MODULES = {
    "base": "Encoder VectorSpec",
    "bundle": "Bundle default_bundle_path load_bundle",
    "caching": "CachedEncoder RecentEncoder",
    "combined": "CombinedEncoder default_encoder with_compatibility",
    "endpoint": "EndpointEncoder",
    "functions": "FunctionEncoder identity_of",
    "onnx": "OnnxEncoder verify_bundle",
    "query_encoder": "QueryEncoder read_query_encoder with_query_encoder",
    "sentence_transformers": "SentenceTransformerEncoder",
}

__getattr__, __all__ = lazy_names(__name__, _MODULES)
