"""The encoder of the bundle that comes with the package."""

from __future__ import annotations

from functools import cache
from threading import Lock

from logic_retrievers.encoders.base import Encoder

_lock = Lock()


def default_encoder() -> Encoder:
    """The encoder of the bundle that comes with the package; one object per process."""
    with _lock:  # with `cache` alone, several threads would each load one
        return _open()


@cache
def _open() -> Encoder:
    from logic_retrievers.encoders.onnx import OnnxEncoder  # loads ONNX Runtime

    return OnnxEncoder()
